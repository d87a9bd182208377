"""A congestion control that a test brings: what the sender asks of it, in Python and in a program."""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from tcp_bench import BASE, MS, Bench, lose
from tcp_program import SIZE, transfer

from simio.engines import kept, reference
from simio.engines.outcome import Options
from simio.machines.door import call, packages
from simio.machines.layout import Layout
from simio.machines.shared import shared
from simio.machines.tcp import TcpSettings, connection, initial
from simio.machines.tcp import layout as c
from simio.machines.tcp.congestion import CONTROLS, CongestionControl

WORDS = Layout("steady")
ROUND_TRIP = c.OWN + WORDS.word("round_trip", "ps", initial=-1, about="the last that was measured")
ACKED = c.OWN + WORDS.word("acked", "bytes", about="acknowledged so far")
EVENTS = c.OWN + WORDS.table("events", 5, about="how often each event happened")


@shared
def threshold(state: Any, base: int, now: int) -> int:
    return 3 * state[base + c.MSS]


@shared
def increase(state: Any, base: int, now: int, acked: int) -> int:
    """A segment for each acknowledgement up to the threshold, then a tenth of one."""
    mss = state[base + c.MSS]
    return state[base + c.CWND] + (mss if state[base + c.CWND] <= state[base + c.SSTHRESH] else mss // 10)


@shared
def loss_window(state: Any, base: int, now: int) -> int:
    return 2 * state[base + c.MSS]


@shared
def acknowledged(state: Any, base: int, now: int, acked: int, rtt: int) -> None:
    state[base + ACKED] += acked
    if rtt >= 0:
        state[base + ROUND_TRIP] = rtt


@shared
def happens(state: Any, base: int, now: int, event: int) -> None:
    state[base + EVENTS + event] += 1


@pytest.fixture(autouse=True)
def steady() -> Iterator[None]:
    CONTROLS.add(CongestionControl("steady", [threshold, increase, loss_window, acknowledged, happens], WORDS))
    yield
    CONTROLS.remove("steady")


def settings(recovery: str = "reno", **options: Any) -> TcpSettings:
    return TcpSettings(
        mss=1000, send_space=200_000, receive_space=200_000, initial_window=10_000, ack_every=1, rto_tick=0,
        congestion_control="steady", recovery=recovery, **options,
    )  # fmt: skip


def run(segments: int, *lost: int, **options: Any) -> Bench:
    """Round trips of 100 ms; the given segments are lost."""
    bench = Bench(settings(**options), delay=50 * MS, fate=lose(0, *lost)).start(0, [segments * 1000]).run()
    assert bench.received[1] == segments * 1000
    return bench


def events(bench: Bench) -> list[int]:
    return [bench.look(0, EVENTS + event) for event in range(1, 5)]


def test_the_words_of_a_control_stand_in_the_state_under_their_names() -> None:
    state = initial(settings())
    names = [words.name for words in state.words]
    assert names[-4:] == ["round_trip", "acked", "events", "ring"]
    assert state[ROUND_TRIP] == -1
    assert state[c.RING] == c.OWN + 7


@pytest.mark.parametrize(
    ("recovery", "window"),
    # The third duplicate finds a threshold of 3 segments. Recovery ends with the window that each leaves, when 13
    # segments are acknowledged; 15 to 20 are acknowledged after that, the first in slow start, by 100 bytes each.
    [("reno", 3000), ("newreno", 3000), ("sack", 3000)],
)
def test_a_loss_sets_threshold_and_window_as_the_control_says(recovery: str, window: int) -> None:
    bench = run(20, 2, recovery=recovery)
    left = 20 - 14
    assert bench.look(0, c.SSTHRESH) == window
    assert bench.look(0, c.CWND) == window + 1000 + (left - 1) * 100
    assert events(bench) == [1, 1, 0, 1]


def test_recovery_that_starts_slowly_begins_with_the_window_after_a_timeout() -> None:
    # 2 goes again at 100 ms; at 200 ms that acknowledges 14 segments, and lets one more than two go. Nothing is
    # outstanding then, nor was at first.
    bench = run(20, 2, recovery="tahoe")
    assert [segment.seq // 1000 for segment in bench.data(0) if segment.time == 200 * MS] == [14, 15, 16]
    assert bench.look(0, c.SSTHRESH) == 3000
    assert events(bench) == [1, 0, 0, 2]


def test_a_timeout_leaves_the_window_that_the_control_says() -> None:
    # All ten are lost; 0 and 1 go again after the initial 6 s, as the window takes two.
    bench = run(10, *range(10))
    again = [segment.seq // 1000 for segment in bench.data(0) if segment.time == 6000 * MS]
    assert again == [0, 1]
    assert events(bench) == [0, 0, 1, 1]


def test_a_control_hears_of_each_acknowledgement_and_round_trip() -> None:
    bench = run(20, 2)
    assert bench.look(0, ACKED) == 20_000
    assert bench.look(0, ROUND_TRIP) == 100 * MS


def test_a_program_runs_with_it() -> None:
    outcome = reference.run(transfer(settings()), Options(until=10**14, seed=3))
    assert sum(outcome.marks[:, 2]) == SIZE


def test_the_control_of_the_manual() -> None:
    # Its window of 10 segments has a threshold below: each acknowledgement of 1000 bytes adds 10.
    importlib.import_module("scalable")
    try:
        bench = Bench(replace(settings(), congestion_control="scalable"), delay=50 * MS)
        bench.states[0][BASE + c.SSTHRESH] = 5000
        bench.start(0, [10_000]).run()
        assert bench.look(0, c.CWND) == 10_100
        bench = Bench(replace(settings(), congestion_control="scalable"), delay=50 * MS, fate=lose(0, 2))
        # Two more segments in slow start, then a loss: seven eighths of 12 segments.
        assert bench.start(0, [20_000]).run().look(0, c.SSTHRESH) == 10_500
    finally:
        CONTROLS.remove("scalable")
        del sys.modules["scalable"]


def test_a_connection_without_a_known_control_is_not_opened() -> None:
    state = [0] * BASE + initial(settings())
    CONTROLS.remove("steady")
    try:
        assert call(connection.open_up, state, BASE, 0, 1) == -1
    finally:
        CONTROLS.add(CongestionControl("steady", [threshold, increase]))


def test_compiled_code_is_kept_apart_from_that_without_it() -> None:
    assert packages("tcp") == ["simio", __name__]
    assert re.fullmatch("tcp-[0-9a-f]{16}", kept.file_name("tcp"))
    CONTROLS.remove("steady")
    try:
        assert kept.file_name("tcp") == "tcp"
    finally:
        CONTROLS.add(CongestionControl("steady", [threshold, increase]))


@pytest.mark.parametrize(
    ("name", "functions", "message"),
    [
        ("reno", [threshold, increase], "congestion control 'reno': another has this name, or its number"),
        ("toy", [threshold], "congestion control 'toy': operation 'increase' is missing"),
        ("toy", [threshold, increase, run], "congestion control 'toy': there is no operation 'run'"),
    ],
)
def test_controls_that_are_refused(name: str, functions: list[Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        CONTROLS.add(CongestionControl(name, functions))
    assert list(CONTROLS) == ["bbr", "cubic", "dctcp", "reno", "steady"]


def test_a_function_must_take_what_its_operation_does() -> None:
    def increase(state: Any, base: int, acked: int) -> int:
        return acked

    with pytest.raises(ValueError, match="the parameters of 'increase' must be state, base, now, acked"):
        CONTROLS.add(CongestionControl("toy", [threshold, increase]))
