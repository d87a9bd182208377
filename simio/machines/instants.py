"""Instants: those that were recorded, one after another and again from the beginning, and those kept by number."""

from __future__ import annotations

from collections.abc import Sequence

from numpy.typing import NDArray

from simio.machines.door import machine
from simio.machines.layout import Layout, State

RECORDED = Layout("recorded instants")
COUNT = RECORDED.word("count", "instants")
PERIOD = RECORDED.word("period", "ps", about="after which they come again")
NEXT = RECORDED.word("next", "instants", about="how many have been taken")
TIMES = RECORDED.table("times", unit="ps")

KEPT = Layout("kept instants")
INSTANTS = KEPT.table("instants", unit="ps")


def recorded(times: Sequence[int], period: int) -> State:
    """State of instants in ps, in ascending order, that come again after a period in ps."""
    return RECORDED.initial(count=len(times), period=period, times=times)


def kept(number: int) -> State:
    """State of so many instants, each 0."""
    return KEPT.initial(instants=[0] * number)


@machine("parts")
def following(state: NDArray, base: int) -> int:
    """The next instant in ps."""
    taken = state[base + NEXT]
    state[base + NEXT] = taken + 1
    count = state[base + COUNT]
    return taken // count * state[base + PERIOD] + state[base + TIMES + taken % count]


@machine("parts")
def keep(state: NDArray, base: int, number: int, instant: int) -> int:
    """Keep an instant under a number; returns it."""
    state[base + INSTANTS + number] = instant
    return instant


@machine("parts")
def kept_at(state: NDArray, base: int, number: int) -> int:
    """The instant that is kept under a number."""
    return state[base + INSTANTS + number]
