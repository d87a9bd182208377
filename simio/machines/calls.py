"""Names of machine functions by which older code calls them; new code names the functions."""

from __future__ import annotations

from simio.machines import bus, coalesce, rotation, variable
from simio.machines.disk import arm, destaging, queue, reading, writing
from simio.machines.door import call

__all__ = ["call"]

DISK_CONTROLLER = queue.controller_time
DISK_ENQUEUE = queue.enqueue
DISK_BEGIN = reading.begin
DISK_MEDIA = arm.media_time
DISK_FREE = arm.free
DISK_NEXT = reading.next_unit
DISK_END = reading.end
DISK_ADMIT = writing.admit
DISK_ROOM = writing.room
DISK_STORE = writing.store
DISK_STORED = writing.stored
DISK_DESTAGE = destaging.destage
DISK_WRITE = destaging.write
DISK_WRITTEN = destaging.written
BUS_BEGIN = bus.begin
BUS_REST = bus.rest
BUS_STALL = bus.stall
BUS_TIME = bus.time_alone
SWAP = variable.swap
COALESCE_ARRIVE = coalesce.arrive
COALESCE_BATCH = coalesce.batch
COALESCE_EXPIRE = coalesce.expire
ROTATION_NEXT = rotation.following
