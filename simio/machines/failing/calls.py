"""Functions of a drive whose media has read errors: those of a disk, with its errors, and some of errors alone."""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.disk import arm, destaging, queue, reading, writing
from simio.machines.disk.layout import LATEST
from simio.machines.door import Called, machine
from simio.machines.failing import media
from simio.machines.failing.layout import GAVE_UP
from simio.machines.failing.media import (
    about_to_be_written,
    after_media,
    after_next,
    before_next,
    catch_up,
    errors_at,
    fails,
    note_pass,
)
from simio.machines.shared import shared


@shared
def noted(state: NDArray, base: int, now: int, answer: int) -> int:
    """The `answer` of a disk's function; notes if the media has begun another pass."""
    if now > LATEST:
        return -1
    note_pass(state, base, errors_at(state, base))
    return answer


@machine("media")
def controller_time(state: NDArray, base: int, now: int, sector: int, count: int) -> int:
    """`queue.controller_time` of a drive with errors."""
    catch_up(state, base, now)
    return noted(state, base, now, queue.controller_time(state, base, now, sector, count))


@machine("media")
def enqueue(state: NDArray, base: int, now: int, sector: int, size: int) -> int:
    """`queue.enqueue` of a drive with errors."""
    catch_up(state, base, now)
    tag = noted(state, base, now, queue.enqueue(state, base, now, sector, size))
    if tag >= 0:
        state[errors_at(state, base) + GAVE_UP + tag] = 0
    return tag


@machine("media")
def begin(state: NDArray, base: int, now: int, tag: int) -> int:
    """`reading.begin` of a drive with errors."""
    catch_up(state, base, now)
    return noted(state, base, now, reading.begin(state, base, now, tag))


@machine("media")
def media_time(state: NDArray, base: int, now: int, tag: int) -> int:
    """`arm.media_time` of a drive with errors."""
    catch_up(state, base, now)
    time = noted(state, base, now, arm.media_time(state, base, now, tag))
    return after_media(state, base, tag, time) if time >= 0 else time


@machine("media")
def free(state: NDArray, base: int, now: int, tag: int) -> int:
    """`arm.free` of a drive with errors."""
    catch_up(state, base, now)
    return noted(state, base, now, arm.free(state, base, now, tag))


@machine("media")
def next_unit(state: NDArray, base: int, now: int, tag: int, count: int) -> int:
    """`reading.next_unit` of a drive with errors: until it has the sectors, or gives them up."""
    catch_up(state, base, now)
    if not before_next(state, base, tag, count):
        return fails(state, base, now, tag)
    time = noted(state, base, now, reading.next_unit(state, base, now, tag, count))
    return after_next(state, base, now, tag, time) if time >= 0 else time


@machine("media")
def end(state: NDArray, base: int, now: int, tag: int) -> int:
    """`reading.end` of a drive with errors."""
    catch_up(state, base, now)
    return noted(state, base, now, reading.end(state, base, now, tag))


@machine("media")
def admit(state: NDArray, base: int, now: int, tag: int) -> int:
    """`writing.admit` of a drive with errors."""
    catch_up(state, base, now)
    return noted(state, base, now, writing.admit(state, base, now, tag))


@machine("media")
def room(state: NDArray, base: int, now: int, tag: int, count: int) -> int:
    """`writing.room` of a drive with errors."""
    catch_up(state, base, now)
    return noted(state, base, now, writing.room(state, base, now, tag, count))


@machine("media")
def store(state: NDArray, base: int, now: int, tag: int, count: int) -> int:
    """`writing.store` of a drive with errors."""
    catch_up(state, base, now)
    return noted(state, base, now, writing.store(state, base, now, tag, count))


@machine("media")
def stored(state: NDArray, base: int, now: int, tag: int) -> int:
    """`writing.stored` of a drive with errors."""
    catch_up(state, base, now)
    return noted(state, base, now, writing.stored(state, base, now, tag))


@machine("media")
def destage(state: NDArray, base: int, now: int) -> int:
    """`destaging.destage` of a drive with errors."""
    catch_up(state, base, now)
    return noted(state, base, now, destaging.destage(state, base, now))


@machine("media")
def write(state: NDArray, base: int, now: int) -> int:
    """`destaging.write` of a drive with errors."""
    catch_up(state, base, now)
    return noted(state, base, now, destaging.write(state, base, now))


@machine("media")
def written(state: NDArray, base: int, now: int) -> int:
    """`destaging.written` of a drive with errors: what is written can be read again."""
    catch_up(state, base, now)
    about_to_be_written(state, base)
    return noted(state, base, now, destaging.written(state, base, now))


WANTS = machine("media")(media.wanted_draws)
SET_DISTANCE = machine("media")(media.set_distance)
FAILED = machine("media")(media.failed)
OF_DISK: dict[Called, Called] = {
    queue.controller_time: controller_time,
    queue.enqueue: enqueue,
    reading.begin: begin,
    arm.media_time: media_time,
    arm.free: free,
    reading.next_unit: next_unit,
    reading.end: end,
    writing.admit: admit,
    writing.room: room,
    writing.store: store,
    writing.stored: stored,
    destaging.destage: destage,
    destaging.write: write,
    destaging.written: written,
}
"""For each function of a disk, that of a drive with errors."""
