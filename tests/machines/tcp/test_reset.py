"""A segment that resets a connection: it ends at once, in whatever state, and nothing is sent any more."""

from __future__ import annotations

import pytest
from tcp_bench import MS, SECOND, Bench

from simio.machines.tcp import TcpSettings, buffers, connection, receiving, sending, timers
from simio.machines.tcp.layout import CHANGED, END_OF_FILE, RESEND_DUE, RESET, WAKE_READER, WAKE_WRITER

CLOSED = 0


def bench(set_up: bool = False) -> Bench:
    plain = {
        "mss": 1000,
        "rto_tick": 0,
        "rto_initial": 3 * SECOND,
        "send_space": 4000,
        "initial_window": 2000,
    }
    return Bench(TcpSettings(**plain), set_up=set_up)


def reset(run: Bench, end: int = 0) -> int:
    return run.ask(end, connection.accept, RESET << 16)


def test_a_reset_ends_a_connection_and_stops_its_timers() -> None:
    run = bench()
    assert run.ask(0, buffers.room, 1000) == 1000
    run.ask(0, buffers.append, 1000)
    run.output(0)
    assert run.look(0, RESEND_DUE) > 0
    assert reset(run) == 0
    assert run.ask(0, connection.status) == CLOSED
    assert run.look(0, RESEND_DUE) == 0
    assert [
        run.ask(0, function) for function in (sending.output, connection.expire, timers.sleep, sending.wants)
    ] == [0] * 4


def test_who_waits_is_woken_and_told() -> None:
    run = bench()
    assert run.ask(0, receiving.read, 1000) == 0
    for _ in range(4):
        run.ask(0, buffers.room, 1000)
        run.ask(0, buffers.append, 1000)
    assert run.ask(0, buffers.room, 1000) == 0
    assert reset(run) == WAKE_READER + WAKE_WRITER
    assert run.ask(0, receiving.read, 1000) == run.ask(0, buffers.room, 1000) == END_OF_FILE
    # Nobody waits any more: another one wakes nobody.
    assert reset(run) == 0


def test_a_writer_that_is_about_to_append_does_no_harm() -> None:
    run = bench()
    run.ask(0, buffers.room, 1000)
    reset(run)
    run.ask(0, buffers.append, 1000)
    assert run.ask(0, sending.output) == 0
    assert run.ask(0, buffers.room, 1000) == END_OF_FILE


@pytest.mark.parametrize("until", [0, 10 * MS])
def test_whoever_connects_or_listens_is_told_that_it_will_not_be(until: int) -> None:
    run = bench(set_up=True)
    run.connect()
    run.run(until)
    for end in range(2):
        # The bench has a reader at each end, which waits as well.
        assert reset(run, end) == CHANGED + WAKE_READER
        assert run.state(end) == CLOSED
