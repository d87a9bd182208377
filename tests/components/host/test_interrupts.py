"""Interrupts that serve several commands, against traces by hand. An interrupt takes 5 us of the CPU."""

from __future__ import annotations

from types import ModuleType

import pytest
from part_samples import NS, US, Trace

from simio.components.host.interrupts import Interrupts


class Kernel:
    """One CPU that takes an interrupt in 5 us."""

    def __init__(self, trace: Trace) -> None:
        self.p = trace.p
        self.cpu = trace.p.resource("cpu")

    def interrupt(self) -> None:
        with self.p.hold(self.cpu):
            self.p.advance(5 * US)


def ends(trace: Trace, engine: ModuleType, count: int, delay: int, done: list[int]) -> list[float]:
    """Instants in us at which commands that are done at these have been served, and the interrupts taken."""
    interrupts = Interrupts(trace.p, Kernel(trace), "card", count, delay * US)
    for number, time in enumerate(done):
        with trace.p.thread(f"t{number}", start=time * US):
            interrupts.raise_and_wait()
            trace.mark(number)
    times = trace.times(engine)
    taken = trace.run(engine).resources[0][2]
    return [*(times[number] / 1000 for number in range(len(done))), taken]


@pytest.mark.parametrize(("count", "delay"), [(1, 0), (1, 50), (4, 0)])
def test_without_sharing_each_command_has_its_interrupt(
    trace: Trace, engine: ModuleType, count: int, delay: int
) -> None:
    # The second waits for the first's.
    assert ends(trace, engine, count, delay, [0, 1, 20]) == [5, 10, 25, 3]


def test_a_full_batch_interrupts_at_once(trace: Trace, engine: ModuleType) -> None:
    assert ends(trace, engine, 3, 100, [0, 10, 20]) == [25, 25, 25, 1]


def test_a_batch_that_does_not_fill_waits_for_the_delay_of_its_first(trace: Trace, engine: ModuleType) -> None:
    assert ends(trace, engine, 3, 100, [0, 90]) == [105, 105, 1]


def test_the_next_batch_has_a_clock_of_its_own(trace: Trace, engine: ModuleType) -> None:
    # The first two are served at 15. The third comes at 40 and waits until 140, although the first batch's clock
    # ends at 100.
    assert ends(trace, engine, 2, 100, [0, 10, 40]) == [15, 15, 145, 2]


def test_one_that_comes_while_the_interrupt_is_taken_is_of_the_next_batch(trace: Trace, engine: ModuleType) -> None:
    assert ends(trace, engine, 2, 30, [0, 10, 12, 13]) == [15, 15, 20, 20, 2]


def test_a_clock_that_serves_nobody_does_not_keep_the_run_alive(trace: Trace, engine: ModuleType) -> None:
    interrupts = Interrupts(trace.p, Kernel(trace), "card", 2, 1000 * US)
    with trace.p.thread("t", count=2):
        interrupts.raise_and_wait()
    assert trace.run(engine).end == 5000 * NS
