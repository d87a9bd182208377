"""Opening and closing a connection, with the segments of that lost. 10 ms each way; times in ms."""

from __future__ import annotations

from tcp_bench import BASE, FIN, MS, PUSH, SECOND, SYN, Bench, lose

from simio.machines.tcp import TcpSettings, buffers, connection, receiving
from simio.machines.tcp.layout import NXT, RCV_NXT, RING, STATE, UNA

CLOSED, LISTEN, SYN_SENT, SYN_RECEIVED, ESTABLISHED = range(5)
FIN_WAIT_1, FIN_WAIT_2, CLOSE_WAIT, CLOSING, LAST_ACK, TIME_WAIT = range(5, 11)


def bench(end: int = 0, lost: tuple[int, ...] = (), set_up: bool = False, **options) -> Bench:
    """A retransmission time of 3 s at first, of 1 s at least."""
    plain = {"mss": 1000, "rto_tick": 0, "rto_initial": 3 * SECOND, "initial_window": 2000, "ack_every": 1}
    return Bench(TcpSettings(**{**plain, **options}), fate=lose(end, *lost), set_up=set_up)


def brief(run: Bench) -> list[tuple[float, str, int, int, int, int]]:
    """Time, who sent, flags, sequence number, length, acknowledgement."""
    return [
        (segment.time / MS, "AB"[segment.end], segment.flags, segment.seq, segment.length, segment.ack)
        for segment in run.trace
    ]


def states(run: Bench) -> tuple[int, int]:
    return run.state(0), run.state(1)


def test_three_segments_open_a_connection() -> None:
    run = bench(set_up=True)
    assert states(run) == (CLOSED, CLOSED)
    run.connect()
    assert states(run) == (SYN_SENT, LISTEN)
    run.run(10 * MS)
    assert states(run) == (SYN_SENT, SYN_RECEIVED)
    run.run(20 * MS)
    assert states(run) == (ESTABLISHED, SYN_RECEIVED)
    run.run()
    assert states(run) == (ESTABLISHED, ESTABLISHED)
    assert brief(run) == [(0, "A", SYN, 0, 0, 0), (10, "B", SYN, 0, 0, 1), (20, "A", 0, 1, 0, 1)]


def test_data_follow_as_soon_as_the_connection_is_open() -> None:
    run = bench(set_up=True).connect().start(0, [1500]).run()
    assert brief(run)[2:] == [
        (20, "A", 0, 1, 0, 1),
        (20, "A", 0, 1, 1000, 1),
        (20, "A", PUSH, 1001, 500, 1),
        (30, "B", 0, 1, 0, 1001),
        (200, "B", 0, 1, 0, 1501),
    ]


def test_windows_of_set_up_are_not_shifted() -> None:
    run = bench(set_up=True, receive_space=100_000, send_shift=3, receive_shift=3).connect().run()
    assert [segment.window for segment in run.trace[:3]] == [65_535, 65_535, 12_500]


def test_a_lost_syn() -> None:
    run = bench(0, (0, 1), set_up=True).connect().start(0, [3000]).run()
    assert [line[:3] for line in brief(run)[:5]] == [
        (0, "A", SYN), (3000, "A", SYN), (9000, "A", SYN), (9010, "B", SYN), (9020, "A", 0),
    ]  # fmt: skip
    # After a SYN that was lost the window is one segment (RFC 5681, section 3.1).
    assert [segment.seq for segment in run.data(0) if segment.time == 9020 * MS] == [1]
    assert run.received[1] == 3000


def test_a_lost_answer_to_the_syn() -> None:
    # Both send theirs again after 3 s; B answers A's second one as well.
    run = bench(1, (0,), set_up=True).connect().run()
    assert brief(run)[:4] == [
        (0, "A", SYN, 0, 0, 0), (10, "B", SYN, 0, 0, 1), (3000, "A", SYN, 0, 0, 0), (3010, "B", SYN, 0, 0, 1),
    ]  # fmt: skip
    assert states(run) == (ESTABLISHED, ESTABLISHED)


def test_data_open_the_connection_where_the_acknowledgement_is_lost() -> None:
    run = bench(0, (1,), set_up=True).connect().start(0, [500], time=50 * MS).run(SECOND)
    assert states(run) == (ESTABLISHED, ESTABLISHED)
    assert run.received[1] == 500
    assert brief(run)[-2:] == [(50, "A", PUSH, 1, 500, 1), (200, "B", 0, 1, 0, 501)]


def test_both_may_open_at_once() -> None:
    run = bench(set_up=True)
    for end in (0, 1):
        assert run.ask(end, connection.open_up, 1) == 1
        run.output(end)
    assert states(run.run()) == (ESTABLISHED, ESTABLISHED)
    assert run.start(0, [700]).start(1, [800]).run().received == [800, 700]


def test_closing_one_end_after_the_other() -> None:
    # The FIN follows the data that have gone already. B may write on, and A read, until B closes as well.
    run = bench().start(0, [1500], close=True).run(150 * MS)
    assert states(run) == (FIN_WAIT_2, CLOSE_WAIT)
    assert run.ended == [-1, 10 * MS]
    run.start(1, [700], time=300 * MS).run(600 * MS)
    assert run.received[0] == 700
    run.start(1, [], close=True, time=700 * MS).run(705 * MS)
    assert states(run) == (FIN_WAIT_2, LAST_ACK)
    run.run()
    assert states(run) == (TIME_WAIT, CLOSED)
    assert run.ended[0] == 710 * MS
    assert brief(run) == [
        (0, "A", 0, 1, 1000, 1),
        (0, "A", PUSH, 1001, 500, 1),
        (0, "A", FIN, 1501, 0, 1),
        (10, "B", 0, 1, 0, 1001),
        (10, "B", 0, 1, 0, 1502),
        (300, "B", PUSH, 1, 700, 1502),
        (400, "A", 0, 1502, 0, 701),
        (700, "B", FIN, 701, 0, 1502),
        (710, "A", 0, 1502, 0, 702),
    ]


def test_the_fin_goes_with_data_that_wait() -> None:
    run = bench().start(0, [300, 200], close=True).run(5 * MS)
    assert brief(run) == [(0, "A", PUSH, 1, 300, 1), (0, "A", PUSH + FIN, 301, 200, 1)]


def test_a_lost_fin_goes_again() -> None:
    run = bench(0, (0,)).start(0, [], close=True).start(1, [], close=True, time=5 * SECOND).run()
    assert brief(run)[:3] == [(0, "A", FIN, 1, 0, 1), (3000, "A", FIN, 1, 0, 1), (3010, "B", 0, 1, 0, 2)]
    assert states(run) == (TIME_WAIT, CLOSED)


def test_a_lost_acknowledgement_of_the_last_fin() -> None:
    # A, in TIME-WAIT, acknowledges B's FIN once more.
    run = bench(0, (1,)).start(0, [], close=True).start(1, [], close=True, time=100 * MS).run()
    assert brief(run) == [
        (0, "A", FIN, 1, 0, 1),
        (10, "B", 0, 1, 0, 2),
        (100, "B", FIN, 1, 0, 2),
        (110, "A", 0, 2, 0, 2),
        (3100, "B", FIN, 1, 0, 2),
        (3110, "A", 0, 2, 0, 2),
    ]
    assert states(run) == (TIME_WAIT, CLOSED)


def test_both_may_close_at_once() -> None:
    run = bench().start(0, [], close=True).start(1, [], close=True).run(15 * MS)
    assert states(run) == (CLOSING, CLOSING)
    assert states(run.run()) == (TIME_WAIT, TIME_WAIT)


def test_a_fin_before_the_data_waits_for_them() -> None:
    # The only segment of data is lost; the FIN after it has come, but the reader sees no end before the data.
    run = bench(0, (0,)).start(0, [1000], close=True).run()
    assert (run.received[1], run.ended[1]) == (1000, 3010 * MS)


def test_closing_before_the_connection_is_open() -> None:
    run = bench(set_up=True).connect()
    assert run.ask(0, connection.close) == 1
    run.run()
    assert states(run) == (FIN_WAIT_2, CLOSE_WAIT)


def test_what_is_refused() -> None:
    run = bench()
    assert run.ask(0, connection.open_up, 1) == -1
    assert run.ask(0, receiving.read, 0) == -1
    assert run.ask(0, buffers.room, 0) == -1
    assert run.ask(0, connection.close) == 1
    assert run.ask(0, connection.close) == -1
    assert run.ask(0, buffers.room, 100) == -1
    assert bench(set_up=True).ask(0, connection.close) == -1


def test_a_connection_can_be_opened_again_and_takes_no_segment_of_the_one_before() -> None:
    run = Bench(TcpSettings(mss=1000, timestamps=True, timestamp_tick=MS, rto_tick=0, send_space=8000), set_up=True)
    fresh = list(run.states[0])
    run.connect().start(0, [3000], close=True).run()
    old = [segment for segment in run.trace if segment.length][-1]
    for end in (0, 1):
        size = run.look(end, RING)
        run.states[end].extend(fresh[BASE : BASE + size])
        at = len(run.states[end]) - size - BASE
        assert run.ask(end, connection.renew, at + BASE) == 0
    assert run.look(0, UNA) == run.look(1, RCV_NXT) == run.look(0, NXT) == 0
    run.now += 2 * MS
    run.ask(1, connection.open_up, 0)
    run.ask(1, connection.take_stamps, old.words[2])
    assert run.ask(1, connection.accept, *old.words[:2]) == 0
    assert run.look(1, RCV_NXT) == 0
    run.ask(0, connection.open_up, 1)
    run.output(0)
    run.run()
    assert [run.look(end, STATE) for end in (0, 1)] == [ESTABLISHED, ESTABLISHED]
