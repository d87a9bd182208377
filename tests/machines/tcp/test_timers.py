"""Retransmission and persist timers, by the RFCs in ps and by BSD's ticks of half a second. Times in ms."""

from __future__ import annotations

from drill import Drill, linux
from tcp_bench import MS, SECOND, Bench, lose

from simio.machines.tcp import TcpSettings
from simio.machines.tcp import layout as c
from simio.machines.tcp.layout import RTO, RTTVAR, SRTT


def bench(lost: tuple[int, ...] = (), **options) -> Bench:
    plain = {
        "mss": 1000,
        "receive_space": 200_000,
        "ack_every": 1,
        "ack_small": True,
        "rto_tick": 0,
        "initial_window": 4000,
    }
    return Bench(TcpSettings(**{**plain, **options}), delay=50 * MS, fate=lose(0, *lost))


def times(run: Bench, end: int = 0) -> list[float]:
    return [segment.time / MS for segment in run.data(end)]


def test_retransmission_backs_off() -> None:
    # 3 s at first, twice that each time (RFC 6298, rule 5.5), 64 s at most.
    run = bench(tuple(range(7)), rto_initial=3 * SECOND).start(0, [500]).run()
    assert times(run) == [0, 3000, 9000, 21_000, 45_000, 93_000, 157_000, 221_000]


def test_ticks_are_counted() -> None:
    # Sent at 100 ms, between two ticks: the 12th tick from there is at 6 s; then 24 ticks, 48, 96, and 128 at most.
    lost = tuple(range(5))
    run = bench(lost, rto_tick=500 * MS).start(0, [500], time=100 * MS).run()
    assert times(run) == [100, 6000, 18_000, 42_000, 90_000, 154_000]
    # The host's ticks are where its phase puts them.
    run = bench((0,), rto_tick=500 * MS, rto_phase=80 * MS).start(0, [500], time=100 * MS).run()
    assert times(run) == [100, 6080]


def test_the_retransmission_time_in_ps() -> None:
    # RFC 6298: R = 100 ms: SRTT = 100, RTTVAR = 50, RTO = 300. Again 100 ms: RTTVAR = 37.5, RTO = 250 ms. Then
    # 180 ms: RTTVAR = 3/4 37.5 + 80/4 = 48.125, SRTT = 110, RTO = 302.5 ms. SRTT is kept times 8, RTTVAR times 4.
    delays = [0, 0, 80 * MS]
    run = bench(rto_min=MS)
    run.fate = lambda segment, number: (delays[number] if segment.end == 0 else 0,)
    found = []
    for at in range(3):
        run.start(0, [500], time=at * SECOND).run((at + 1) * SECOND - 1)
        found.append([run.look(0, word) for word in (SRTT, RTTVAR, RTO)])
    assert found == [
        [800 * MS, 200 * MS, 300 * MS],
        [800 * MS, 150 * MS, 250 * MS],
        [880 * MS, 192_500_000_000, 302_500_000_000],
    ]


def test_the_retransmission_time_has_bounds_and_a_granularity() -> None:
    def after(**options) -> int:
        return bench(**options).start(0, [500]).run().look(0, RTO)

    assert after() == SECOND
    assert after(rto_min=400 * MS) == 400 * MS
    assert after(rto_min=MS, rto_max=200 * MS) == 200 * MS
    assert after(rto_min=MS, rto_granularity=500 * MS) == 600 * MS


def test_the_retransmission_time_in_ticks() -> None:
    # 4.3BSD-Reno, no tick within a round trip: measured as 1, so srtt = 1 (8), rttvar = 1/2 (2): 3 ticks. Then,
    # 1 less: delta = 0 - 1, srtt = 7/8, rttvar = 2 + 1 - 0 = 3: 0 + 3 ticks. Then nothing changes.
    run = bench(rto_tick=500 * MS)
    found = []
    for at in range(3):
        run.start(0, [500], time=at * SECOND + MS).run((at + 1) * SECOND)
        found.append([run.look(0, word) for word in (SRTT, RTTVAR, RTO)])
    assert found == [[8, 2, 3], [7, 3, 3], [7, 3, 3]]
    # A round trip in which one tick falls is measured as 2 at first: srtt = 2 (16), rttvar = 1 (4): 2 + 4 ticks.
    run = bench(rto_tick=500 * MS).start(0, [500], time=450 * MS).run()
    assert [run.look(0, word) for word in (SRTT, RTTVAR, RTO)] == [16, 4, 6]


def test_a_segment_sent_twice_times_no_round_trip() -> None:
    # Karn: the first segment goes again at 3 s and is acknowledged at 3.1 s, which times nothing. The timer stays
    # backed off: the next one, lost, goes again after 6 s, and after 12 s more. What then arrives at once is timed.
    run = bench((0, 2, 3), rto_initial=3 * SECOND)
    run.start(0, [500]).start(0, [500], time=10 * SECOND).start(0, [500], time=40 * SECOND).run(39 * SECOND)
    assert times(run) == [0, 3000, 10_000, 16_000, 28_000]
    assert run.look(0, SRTT) == 0
    run.run()
    assert [run.look(0, word) for word in (SRTT, RTO)] == [800 * MS, SECOND]


def test_timestamps_time_segments_sent_twice_as_well() -> None:
    run = bench((0,), rto_initial=3 * SECOND, timestamps=True, timestamp_tick=MS).start(0, [500]).run()
    assert times(run) == [0, 3000]
    assert [run.look(0, word) for word in (SRTT, RTO)] == [800 * MS, SECOND]


def test_timestamps_are_echoed() -> None:
    # The clock counts from 1. B, that acknowledges two segments at once, echoes the earlier (RFC 7323, section 4.3).
    run = bench(timestamps=True, timestamp_tick=MS, ack_every=2, nodelay=True)
    run.start(0, [1000]).start(0, [1000], time=7 * MS).run()
    stamps = [(segment.words[2] >> 31, segment.words[2] & (2**31 - 1)) for segment in run.trace]
    assert stamps == [(1, 0), (8, 0), (58, 1)]
    assert {segment.words[2] for segment in bench().start(0, [2000]).run().trace} == {0}


def test_acknowledgements_set_the_timer_anew() -> None:
    # Segments at 0 and 900 ms; the first is acknowledged at 100 ms, and the second is lost: 1 s from its own time.
    # And where one goes at 50 ms, before that acknowledgement, from the acknowledgement: RFC 6298, rule 5.3.
    for time, again in ((900, 1900), (50, 1100)):
        run = bench((1,), nodelay=True).start(0, [500]).start(0, [500], time=time * MS).run()
        assert times(run) == [0, time, again]


def test_few_sleepers_do_for_many_segments() -> None:
    # 10 s of transfer, with a retransmission timer of at least 1 s: about a sleeper a second at either end.
    run = bench(send_space=10_000, max_cwnd=10_000).start(0, [1_000_000]).run(9 * SECOND)
    assert len(run.data(0)) > 800
    assert 5 < run.slept[0] < 15
    assert run.slept[1] == 0
    run.run()
    assert run.sleepers == [0, 0]


def test_the_wait_that_an_acknowledgement_ends_after_the_timer_ran_out_is_the_timers() -> None:
    # Ten segments go, and nothing comes back: the timer runs out at 300 ms, and backed off at 900. An acknowledgement
    # of all comes at 1500, 600 ms before it runs out again: it is not the window that kept the sender until then.
    drill = Drill(linux())
    assert drill.write(30) == 10
    drill.at(1500).ack(10)
    assert [time for time, seq, _ in drill.sent if not seq][:3] == [0, 300, 900]
    assert drill.look(c.WAITED + c.FOR_TIMER - 1) == 1500 * MS
    assert drill.look(c.WAITED + c.FOR_CONGESTION - 1) == 0
