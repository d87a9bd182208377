"""A scheduling policy: the price of a command, of which the least is served first."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from simio.machines.disk import layout as w
from simio.machines.strategies import Strategies, Strategy

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Scheduling(Strategy):
    """A policy: its name in datasheets, and its price of a command.

    With `in_order`, commands are served in order of arrival: none is served out of the buffer before its turn, and
    without a write cache the arm is given away after each write.
    """

    def __init__(self, name: str, functions: Iterable[Callable[..., Any]], in_order: bool = False) -> None:
        super().__init__(name, functions)
        self.in_order = in_order


SCHEDULING = Strategies[Scheduling]("scheduling policy", w.POLICY, "disk", "media")


@SCHEDULING.operation
def angle_known_at(state: NDArray, base: int, now: int, here: int) -> int:
    """Instant in ps for which the drive knows the angle when it chooses, the arm on track `here`; by default now."""
    return now


@SCHEDULING.required
def cost(state: NDArray, base: int, known_at: int, here: int, sector: int, writes: bool) -> int:
    """The price of going from track `here` to a sector for a read or a write; of equals the oldest is served.

    `known_at` is what `angle_known_at` says, once for all commands of a choice.
    """
    raise NotImplementedError
