"""The machine functions that a CALL step can name, by number, in families, and what calls them."""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines import bus, coalesce, rotation, variable
from simio.machines import served as served_files
from simio.machines.disk import arm, destaging, queue, reading, writing
from simio.machines.failing import calls as failing
from simio.machines.failing import requests as failing_requests
from simio.machines.network import calls as network_calls
from simio.machines.network import transfer_calls
from simio.machines.shared import shared
from simio.machines.tcp import dispatch as tcp

DISK_CONTROLLER = 0
DISK_ENQUEUE = 1
DISK_BEGIN = 2
DISK_MEDIA = 3
DISK_FREE = 4
DISK_NEXT = 5
DISK_END = 6
DISK_ADMIT = 7
DISK_ROOM = 8
DISK_STORE = 9
DISK_STORED = 10
DISK_DESTAGE = 11
DISK_WRITE = 12
DISK_WRITTEN = 13
BUS_BEGIN = 16
BUS_REST = 17
BUS_STALL = 18
SWAP = variable.SWAP
COALESCE_ARRIVE = 20
COALESCE_BATCH = 21
COALESCE_EXPIRE = 22
BUS_TIME = 23
ROTATION_NEXT = 24

_DISK_NAMES = {
    DISK_CONTROLLER: "disk.controller",
    DISK_ENQUEUE: "disk.enqueue",
    DISK_BEGIN: "disk.begin",
    DISK_MEDIA: "disk.media",
    DISK_FREE: "disk.free",
    DISK_NEXT: "disk.next",
    DISK_END: "disk.end",
    DISK_ADMIT: "disk.admit",
    DISK_ROOM: "disk.room",
    DISK_STORE: "disk.store",
    DISK_STORED: "disk.stored",
    DISK_DESTAGE: "disk.destage",
    DISK_WRITE: "disk.write",
    DISK_WRITTEN: "disk.written",
}
NAMES = {
    **_DISK_NAMES,
    **{failing.DISK + number: f"failing {name}" for number, name in _DISK_NAMES.items()},
    BUS_BEGIN: "bus.begin",
    BUS_REST: "bus.rest",
    BUS_STALL: "bus.stall",
    COALESCE_ARRIVE: "coalesce.arrive",
    COALESCE_BATCH: "coalesce.batch",
    COALESCE_EXPIRE: "coalesce.expire",
    BUS_TIME: "bus.time",
    ROTATION_NEXT: "rotation.next",
    **network_calls.NAMES,
    **tcp.NAMES,
    **transfer_calls.NAMES,
    **served_files.NAMES,
    **failing.NAMES,
    **failing_requests.NAMES,
    **variable.NAMES,
}

_controller = queue.controller_time
_enqueue = queue.enqueue
_begin = reading.begin
_media = arm.media_time
_free = arm.free
_next = reading.next_unit
_end = reading.end
_admit = writing.admit
_room = writing.room
_store = writing.store
_stored = writing.stored
_destage = destaging.destage
_write = destaging.write
_written = destaging.written
_bus_begin = bus.begin
_bus_rest = bus.rest
_bus_stall = bus.stall
_bus_time = bus.time_alone
_network = network_calls.network
_transfer = transfer_calls.transfer
_swap = variable.swap
_maximum = variable.maximum
_add = variable.add
_load = variable.load
_arrive = coalesce.arrive
_batch = coalesce.batch
_expire = coalesce.expire
_following = rotation.following
_served_files = served_files.served
_requests = failing_requests.requests
_before_disk = failing.before
_after_disk = failing.after
_errors = failing.errors


@shared
def disk(function: int, state: NDArray, base: int, now: int, a: int, b: int) -> int:
    """Value of a function of a drive; negative if the machine refuses."""
    if function == 5:
        return _next(state, base, now, a, b)
    if function == 0:
        return _controller(state, base, now, a, b)
    if function == 1:
        return _enqueue(state, base, now, a, b)
    if function == 2:
        return _begin(state, base, now, a)
    if function == 3:
        return _media(state, base, now, a)
    if function == 4:
        return _free(state, base, now, a)
    if function == 6:
        return _end(state, base, now, a)
    if function == 7:
        return _admit(state, base, now, a)
    if function == 8:
        return _room(state, base, now, a, b)
    if function == 9:
        return _store(state, base, now, a, b)
    if function == 10:
        return _stored(state, base, now, a)
    if function == 11:
        return _destage(state, base, now)
    if function == 12:
        return _write(state, base, now)
    if function == 13:
        return _written(state, base, now)
    return -1


@shared
def media(function: int, state: NDArray, base: int, now: int, a: int, b: int) -> int:
    """Value of a function of a drive whose media has read errors; negative if the machine refuses."""
    if function >= 112:
        return _errors(function, state, base, now, a, b)
    of_disk = function - 96
    if not _before_disk(of_disk, state, base, now, a, b):
        return _errors(of_disk, state, base, now, a, b)
    return _after_disk(of_disk, state, base, now, a, disk(of_disk, state, base, now, a, b))


@shared
def parts(function: int, state: NDArray, base: int, now: int, a: int, b: int) -> int:
    """Value of a function of buses, interrupts, volumes, files, requests and variables; negative if it refuses."""
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
    if function == 23:
        return _bus_time(state, base, a, b)
    if function == 24:
        return _following(state, base, a)
    if 80 <= function < 88:
        return _served_files(function, state, base, a)
    if function == 91:
        return _maximum(state, base, a)
    if function == 92:
        return _add(state, base, a)
    if function == 95:
        return _load(state, base)
    if 88 <= function < 96:
        return _requests(function, state, base, a, b)
    return -1


@shared
def network(function: int, state: NDArray, base: int, now: int, a: int, b: int) -> int:
    """Value of a function of what packets pass, of datagrams, calls and frames; negative if the machine refuses."""
    if function < 64:
        return _network(function, state, base, now, a, b)
    return _transfer(function, state, base, now, a, b)


FAMILIES = {"disk": disk, "media": media, "parts": parts, "tcp": tcp.call_tcp, "network": network}
"""What machine functions are compiled together: a program needs the families of those that it calls."""
PREFIX = "simio_"
"""Before the name of a family, the name that the compiled loop calls it by."""


def family(function: int) -> str:
    """The family of a machine function."""
    if function < 16:
        return "disk"
    if 32 <= function < 48:
        return "tcp"
    if 48 <= function < 80:
        return "network"
    return "media" if function >= 96 else "parts"


def call(function: int, state: NDArray, base: int, now: int, a: int, b: int) -> int:
    """Value of machine function `function`; negative if the machine refuses (the run ends with a fault)."""
    return FAMILIES[family(function)](function, state, base, now, a, b)
