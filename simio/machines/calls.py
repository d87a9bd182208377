"""The machine functions that a CALL step can name, by number, and the dispatch that both engines share."""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines import bus, coalesce, disk, rotation
from simio.machines.shared import shared

DISK_BEGIN = 0
DISK_READY = 1
DISK_TAKE = 2
BUS_BEGIN = 16
BUS_REST = 17
BUS_STALL = 18
SWAP = 19
COALESCE_ARRIVE = 20
COALESCE_BATCH = 21
COALESCE_EXPIRE = 22
ROTATION_NEXT = 24

NAMES = {
    DISK_BEGIN: "disk.begin", DISK_READY: "disk.ready", DISK_TAKE: "disk.take",
    BUS_BEGIN: "bus.begin", BUS_REST: "bus.rest", BUS_STALL: "bus.stall", SWAP: "swap",
    COALESCE_ARRIVE: "coalesce.arrive", COALESCE_BATCH: "coalesce.batch", COALESCE_EXPIRE: "coalesce.expire",
    ROTATION_NEXT: "rotation.next",
}  # fmt: skip

_begin = disk.begin
_ready = disk.ready
_take = disk.take
_bus_begin = bus.begin
_bus_rest = bus.rest
_bus_stall = bus.stall
_swap = coalesce.swap
_arrive = coalesce.arrive
_batch = coalesce.batch
_expire = coalesce.expire
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
    if function == 16:
        return _bus_begin(state, base, now, a, b)
    if function == 17:
        return _bus_rest(state, base, now, a)
    if function == 18:
        return _bus_stall(state, base, now, a)
    if function == 19:
        return _swap(state, base, a)
    if function == 20:
        return _arrive(state, base, a)
    if function == 21:
        return _batch(state, base)
    if function == 22:
        return _expire(state, base, a)
    if function == 24:
        return _following(state, base, a)
    return -1
