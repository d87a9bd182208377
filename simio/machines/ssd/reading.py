"""Reads: array reads of the pages that a command needs, and the transfers of what was asked of each.

A command's pages are all read at once as far as their planes are free; each goes over its channel when it is ready.
Neighbouring sectors of one page are one array read.
"""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.door import machine
from simio.machines.shared import shared
from simio.machines.ssd import layout as w
from simio.machines.ssd.collecting import prepare
from simio.machines.ssd.flash import carry, read_page
from simio.machines.ssd.mapping import die_of, kind_of, place_of, plane_of


@shared
def new_tag(state: NDArray, base: int, now: int) -> int:
    """Row of a free command, now taken; -1 if there is none."""
    t = state[base + w.FREE_TAG]
    if t < 0:
        return -1
    state[base + w.FREE_TAG] = state[base + t + w.FIRST]
    state[base + t + w.FIRST] = -1
    state[base + t + w.DONE] = now
    return t


@shared
def free_tag(state: NDArray, base: int, t: int) -> None:
    """A command has ended."""
    state[base + t + w.FIRST] = state[base + w.FREE_TAG]
    state[base + w.FREE_TAG] = t


@shared
def same_row(state: NDArray, base: int, place: int, before: int) -> bool:
    """True if two places are in pages that the planes of a die read together: in the same place of each."""
    unit = state[base + w.UNIT]
    return place // unit == before // unit and kind_of(state, base, place) == kind_of(state, base, before)


@shared
def read_place(state: NDArray, base: int, now: int, t: int, place: int, before: int) -> None:
    """One more sector of a command, whose sector before was at the place `before`."""
    if before >= 0 and place // state[base + w.PAGE] == before // state[base + w.PAGE]:
        r = state[base + t + w.FIRST]
        if r >= 0:
            state[base + r + w.AMOUNT] += 1
        return
    die = die_of(state, base, place)
    if state[base + w.READERS] == 1 and before >= 0 and same_row(state, base, place, before):
        ready = state[base + t + w.ROW]
    else:
        ready = read_page(state, base, now, die, plane_of(state, base, place), kind_of(state, base, place))
        state[base + t + w.ROW] = ready
    r = state[base + w.FREE_READ]
    if r < 0:
        # No row is left for it: the channel is taken in advance.
        end = carry(state, base, ready, die % state[base + w.CHANNELS], 1)
        state[base + t + w.DONE] = max(state[base + t + w.DONE], end)
        return
    state[base + w.FREE_READ] = state[base + r + w.NEXT]
    state[base + r + w.NEXT] = state[base + t + w.FIRST]
    state[base + r + w.READY] = ready
    state[base + r + w.CHANNEL] = die % state[base + w.CHANNELS]
    state[base + r + w.AMOUNT] = 1
    state[base + t + w.FIRST] = r


@machine("ssd")
def read(state: NDArray, base: int, now: int, sector: int, count: int) -> int:
    """A command that reads `count` sectors of the mapping is with the flash: its tag; -1 if that cannot be."""
    if now > w.LATEST or sector < 0 or count < 1 or sector + count > state[base + w.SECTORS]:
        return -1
    if state[base + w.TABLES_AT]:
        prepare(state, base)
    t = new_tag(state, base, now)
    if t < 0:
        return -1
    before = -1
    for number in range(sector, sector + count):
        place = place_of(state, base, number)
        if place >= 0:
            read_place(state, base, now, t, place, before)
        before = place
    return t


@machine("ssd")
def gathering(state: NDArray, base: int, now: int, sector: int, count: int) -> int:
    """Time of the controller for the pages behind the first that a read gathers; -1 if that cannot be."""
    if now > w.LATEST or sector < 0 or count < 1 or sector + count > state[base + w.SECTORS]:
        return -1
    if state[base + w.TABLES_AT]:
        prepare(state, base)
    pages = 0
    before = -1
    for number in range(sector, sector + count):
        place = place_of(state, base, number)
        if place >= 0 and (before < 0 or place // state[base + w.PAGE] != before // state[base + w.PAGE]):
            pages += 1
        before = place
    return max(pages - 1, 0) * state[base + w.FRAGMENT]


@shared
def go_on(state: NDArray, base: int, now: int, t: int) -> int:
    """Send what is ready over the channels. Instant of the next page, or LAST more than when all will be there."""
    r = state[base + t + w.FIRST]
    kept = next_ready = -1
    while r >= 0:
        following = state[base + r + w.NEXT]
        if state[base + r + w.READY] <= now:
            end = carry(state, base, now, state[base + r + w.CHANNEL], state[base + r + w.AMOUNT])
            state[base + t + w.DONE] = max(state[base + t + w.DONE], end)
            state[base + r + w.NEXT] = state[base + w.FREE_READ]
            state[base + w.FREE_READ] = r
        else:
            if next_ready < 0 or state[base + r + w.READY] < next_ready:
                next_ready = state[base + r + w.READY]
            state[base + r + w.NEXT] = kept
            kept = r
        r = following
    state[base + t + w.FIRST] = kept
    if next_ready >= 0:
        return next_ready
    return w.LAST + max(state[base + t + w.DONE], now)


@machine("ssd")
def proceed(state: NDArray, base: int, now: int, tag: int) -> int:
    """Time to wait until a read has more to do; LAST more with the last, behind which the data are there."""
    at = go_on(state, base, now, tag)
    if at < w.LAST:
        return at - now
    free_tag(state, base, tag)
    return at - now + (state[base + w.DECODE] if at > w.LAST + now else 0)
