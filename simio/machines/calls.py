"""The machine functions that a CALL step can name, by number, and the dispatch that both engines share."""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines import disk, rotation
from simio.machines.shared import shared

DISK_BEGIN = 0
DISK_READY = 1
DISK_TAKE = 2
ROTATION_NEXT = 24

NAMES = {
    DISK_BEGIN: "disk.begin",
    DISK_READY: "disk.ready",
    DISK_TAKE: "disk.take",
    ROTATION_NEXT: "rotation.next",
}

_begin = disk.begin
_ready = disk.ready
_take = disk.take
_following = rotation.following


@shared
def call(function: int, state: NDArray, base: int, now: int, a: int, b: int) -> int:
    """Value of machine function `function`; negative if the machine refuses (the run ends with a fault)."""
    if function == 0:
        return _begin(state, base, now, a, b)
    if function == 1:
        return _ready(state, base, now, a)
    if function == 2:
        return _take(state, base, now, a)
    if function == 24:
        return _following(state, base, a)
    return -1
