"""Laws of a run: each is kept by what ran, and each notices an outcome that breaks it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from simio.bound import bound
from simio.engines.outcome import Options, Outcome
from simio.engines.reference import run
from simio.errors import RunError
from simio.limits import Bound
from simio.program.builder import Builder
from simio.program.steps import Program
from simio.result.checks import check


@pytest.fixture(scope="module")
def ran() -> tuple[Program, Outcome, Bound]:
    p = Builder()
    delivered = p.observation("delivered", "delivered", "bytes")
    server, room = p.resource("server", 2), p.container("room", 100, 40)
    with p.thread("t", count=3), p.loop(5):
        p.get(room, 10)
        with p.hold(server):
            p.advance(1000)
        p.put(room, 10)
        p.mark(delivered, 10)
    program = p.build()
    return program, run(program, Options()), bound(program)


def test_a_run_keeps_all_laws(ran: tuple[Program, Outcome, Bound]) -> None:
    found = check(*ran)
    assert [each.broken for each in found] == [""] * len(found)
    assert all(each.count for each in found)


def changed(field: str, row: int, column: int, by: int) -> Callable[[Outcome], Outcome]:
    def change(outcome: Outcome) -> Outcome:
        table = getattr(outcome, field).copy()
        table[row, column] += by
        return replace(outcome, **{field: table})

    return change


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (changed("marks", 0, 2, 10**6), "exceeds its bound"),
        (changed("resources", 0, 0, 10**9), "beyond its 2 units"),
        (changed("resources", 0, 4, 10**9), "line of 'server' is longer"),
        (changed("resources", 0, 5, 1), "1 units of 'server' are held in the end"),
        (changed("containers", 0, 3, 1), "'room' holds 40 bytes of 40 \\+"),
        (changed("containers", 0, 2, 100), "'room' was beyond what it holds"),
        (lambda o: replace(o, container_area=(10**18,)), "mean level of 'room'"),
        (changed("threads", 0, 1, -1), "of 3 threads 't' 2 ended and 0 live"),
        (changed("threads", 0, 2, 10**9), "worked longer than the run"),
        (changed("marks", 0, 0, 10**6), "observations are out of order"),
    ],
)
def test_what_breaks_a_law_is_refused(ran: tuple[Program, Outcome, Bound], change: Any, told: str) -> None:
    program, outcome, certain = ran
    with pytest.raises(RunError, match=f"{told}.*: a defect in simio"):
        check(program, change(outcome), certain)
