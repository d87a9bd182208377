"""The receiver's window: closed windows and probes, and no silly little windows at either end. Times in ms."""

from __future__ import annotations

from tcp_bench import MS, SECOND, Bench, lose

from simio.machines.tcp import TcpSettings
from simio.machines.tcp.layout import MAX, UNA


def bench(lost: tuple[int, ...] = (), **options) -> Bench:
    """B's buffer holds three segments of 1000 bytes."""
    plain = {"mss": 1000, "receive_space": 3000, "initial_window": 10_000, **options}
    return Bench(TcpSettings(**plain), fate=lose(1, *lost))


def brief(run: Bench) -> list[tuple[float, str, int, int, int, int]]:
    return [
        (segment.time / MS, "AB"[segment.end], segment.seq, segment.length, segment.ack, segment.window)
        for segment in run.trace
    ]


def test_a_closed_window_is_probed_until_it_opens() -> None:
    # B reads nothing until 12 s. Its third segment is acknowledged by the tick, with a window of 0. Probes are a
    # byte: at 5 s by BSD's ticks, and 5 s later, the least between two. At 12 s the window opens.
    run = bench().start(0, [5000]).start_reading(1, [(12 * SECOND, 10_000)]).run(13 * SECOND)
    assert brief(run) == [
        (0, "A", 1, 1000, 1, 3000),
        (0, "A", 1001, 1000, 1, 3000),
        (0, "A", 2001, 1000, 1, 3000),
        (10, "B", 1, 0, 2001, 1000),
        (200, "B", 1, 0, 3001, 0),
        (5000, "A", 3001, 1, 1, 3000),
        (5010, "B", 1, 0, 3001, 0),
        (10_000, "A", 3001, 1, 1, 3000),
        (10_010, "B", 1, 0, 3001, 0),
        (12_000, "B", 1, 0, 3001, 3000),
        (12_010, "A", 3001, 1000, 1, 3000),
        (12_010, "A", 4001, 1000, 1, 3000),
        (12_020, "B", 1, 0, 5001, 1000),
    ]


def test_probes_back_off() -> None:
    # A round trip without a tick: srtt = 1, rttvar = 1/2 ticks, so that tcp_setpersist begins with 1 + 2 / 2 ticks.
    # That is doubled each time: 1, 2, 4, 8, 16, 32, 64 s, but 5 s at least and 60 s at most.
    run = bench().start(0, [5000]).start_reading(1, []).run(200 * SECOND)
    probes = [segment.time // SECOND for segment in run.data(0)[3:]]
    assert probes == [5, 10, 15, 23, 39, 71, 131, 191]
    assert {segment.length for segment in run.data(0)[3:]} == {1}


def test_a_lost_window_update_does_not_matter() -> None:
    # The update at 12 s is B's fifth segment. The probe at 15 s finds the window open, and B's answer says so.
    run = bench((4,)).start(0, [5000]).start_reading(1, [(12 * SECOND, 10_000), (30 * SECOND, 10_000)]).run()
    assert run.received[1] == 5000
    assert [line[:4] for line in brief(run) if line[1] == "A"][5] == (15_000, "A", 3001, 1)


def test_the_reader_does_not_open_the_window_by_little() -> None:
    # B reads 100 bytes a second from 1 s on. Twice a segment is 2000, half of the buffer 1500: an update at 15 s.
    run = bench(persist_min=60 * SECOND).start(0, [5000])
    run.start_reading(1, [(second * SECOND, 100) for second in range(1, 17)]).run(17 * SECOND)
    updates = [line for line in brief(run) if line[1] == "B" and line[0] > 300]
    assert updates[0] == (15_000, "B", 1, 0, 3001, 1500)
    assert len([line for line in updates if line[0] < 15_010]) == 1


def test_a_probe_is_told_of_no_silly_window() -> None:
    # 700 bytes free at 7 s: less than a segment and less than a quarter of 3000: still closed. 800 are no less.
    for reads, window in ((7, 0), (8, 799)):
        run = bench(persist_min=20 * SECOND).start(0, [5000])
        run.start_reading(1, [(second * SECOND, 100) for second in range(1, reads + 1)]).run(21 * SECOND)
        answers = [line for line in brief(run) if line[1] == "B" and line[0] > 20_000]
        assert answers[-1][5] == window


def test_the_sender_does_not_send_little() -> None:
    # At 15 s B offers 1500: a full segment goes, the 500 that are left of the window do not, nor half of 3000. They
    # go when the persist timer says so, 5 s after there is nothing out: B acknowledges by its tick at 15.2 s.
    run = bench().start(0, [5000])
    run.start_reading(1, [(15 * SECOND + 20 * MS, 1500)]).run(25 * SECOND)
    later = [line[:5] for line in brief(run) if line[0] > 15_010]
    assert later[:4] == [
        (15_020, "B", 1, 0, 3001),
        (15_030, "A", 3001, 1000, 1),
        (15_200, "B", 1, 0, 4001),
        (20_000, "A", 4001, 500, 1),
    ]


def test_never_more_is_out_than_the_window_allows() -> None:
    scaled = {"receive_space": 200_000, "receive_shift": 2, "send_shift": 2}
    run = Bench(TcpSettings(mss=1000, send_space=2**20, initial_window=2**20, **scaled)).start(0, [900_000])
    most = 0
    while run.events:
        run.step()
        most = max(most, run.look(0, MAX) - run.look(0, UNA))
    assert most == 200_000
    assert run.trace[-1].window <= 50_000
    assert run.received[1] == 900_000


def test_a_window_beyond_16_bits_needs_a_shift() -> None:
    run = Bench(TcpSettings(mss=1000, send_space=2**20, receive_space=200_000, initial_window=2**20))
    run.start(0, [100_000]).run(5 * MS)
    assert len(run.data(0)) == 65
