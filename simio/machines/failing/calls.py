"""Functions of a drive whose media has read errors: those of a disk, with its errors, and some of errors alone."""

from __future__ import annotations

import inspect
from typing import cast

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
def enqueue(state: NDArray, base: int, now: int, sector: int, size: int) -> int:
    """`queue.enqueue` of a drive with errors."""
    catch_up(state, base, now)
    tag = noted(state, base, now, queue.enqueue(state, base, now, sector, size))
    if tag >= 0:
        state[errors_at(state, base) + GAVE_UP + tag] = 0
    return tag


@machine("media")
def media_time(state: NDArray, base: int, now: int, tag: int) -> int:
    """`arm.media_time` of a drive with errors."""
    catch_up(state, base, now)
    time = noted(state, base, now, arm.media_time(state, base, now, tag))
    return after_media(state, base, tag, time) if time >= 0 else time


@machine("media")
def next_unit(state: NDArray, base: int, now: int, tag: int, count: int) -> int:
    """`reading.next_unit` of a drive with errors: until it has the sectors, or gives them up."""
    catch_up(state, base, now)
    if not before_next(state, base, tag, count):
        return fails(state, base, now, tag)
    time = noted(state, base, now, reading.next_unit(state, base, now, tag, count))
    return after_next(state, base, now, tag, time) if time >= 0 else time


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
    queue.enqueue: enqueue,
    arm.media_time: media_time,
    reading.next_unit: next_unit,
    destaging.written: written,
}
"""For each function of a disk, that of a drive with errors."""


def _alike(function: Called) -> Called:
    """`function` of a disk for a drive with errors: no more than catching up before, and noting the pass after."""
    name, given = function.__name__, ", ".join(inspect.signature(function).parameters)
    scope = {"__name__": __name__, "catch_up": catch_up, "noted": noted, "of_disk": function}
    lines = ("catch_up(state, base, now)", f"return noted(state, base, now, of_disk({given}))")
    exec("\n    ".join((f"def {name}({given}):", *lines)), scope)
    return machine("media")(cast(Called, scope[name]))


for _function in (
    queue.controller_time, queue.write_time, reading.begin, reading.end, arm.free, writing.admit, writing.room,
    writing.store, writing.stored, destaging.destage, destaging.rouse, destaging.write,
):  # fmt: skip
    OF_DISK[_function] = _alike(_function)
