"""First in, first out: the oldest command that can start."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simio.machines.disk.scheduling.interface import SCHEDULING, Scheduling
from simio.machines.shared import shared

if TYPE_CHECKING:
    from numpy.typing import NDArray


@shared
def cost(state: NDArray, base: int, known_at: int, here: int, sector: int, writes: bool) -> int:
    """All cost the same, so that the oldest goes first."""
    return 0


SCHEDULING.add(Scheduling("fifo", [cost], in_order=True))
