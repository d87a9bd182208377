"""First in, first out: the oldest command that can start."""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.shared import shared

IN_ORDER = True


@shared
def cost(state: NDArray, base: int, now: int, here: int, sector: int, writes: bool) -> int:
    """All cost the same, so that the oldest goes first."""
    return 0
