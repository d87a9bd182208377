"""Places of sectors: in the tables of the mapping once the drive is written to, and before that by a rule."""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.shared import shared
from simio.machines.ssd import layout as w


@shared
def scattered(sector: int) -> int:
    """A number below 2**32 that looks random, always the same for a sector (multiply and xor-shift)."""
    number = ((sector & 0x7FFFFFFF) * 0x9E3779B1) & 0xFFFFFFFF
    number ^= number >> 15
    number = (number * 0x85EBCA6B) & 0xFFFFFFFF
    number ^= number >> 13
    number = (number * 0x27D4EB2F) & 0xFFFFFFFF
    return number ^ (number >> 16)


@shared
def place_of(state: NDArray, base: int, sector: int) -> int:
    """Place of a sector in the flash; -1 where the drive needs none: it is in the buffer, or was never written."""
    if state[base + w.TABLES_AT] and not state[base + w.IN_PLACE]:
        t = base + state[base + w.TABLES_AT]
        place = state[t + state[t + w.MAP_AT] + sector % state[t + w.LOGICAL]]
        if place < 0 or not state[t + state[t + w.SETTLED_AT] + place // state[base + w.UNIT]]:
            return -1
        return place
    if state[base + w.PLACEMENT] == w.NOWHERE:
        return -1
    if state[base + w.PLACEMENT] >= w.SCATTERED:
        return scattered(sector)
    return sector


@shared
def die_of(state: NDArray, base: int, place: int) -> int:
    """Die of a place: units go over the dies in turn, from channel to channel."""
    return place // state[base + w.UNIT] % state[base + w.DIES]


@shared
def plane_of(state: NDArray, base: int, place: int) -> int:
    """Plane of a place within its die."""
    return place % state[base + w.UNIT] // state[base + w.PAGE] % state[base + w.PLANES]


@shared
def kind_of(state: NDArray, base: int, place: int) -> int:
    """Number of a place's page in its row of cells, of which each bit of a cell has one; FAST in SLC mode."""
    if state[base + w.TABLES_AT] and not state[base + w.IN_PLACE]:
        t = base + state[base + w.TABLES_AT]
        if place >= state[t + w.STRIPES] * state[t + w.STRIPE]:
            return w.FAST
    return place % state[base + w.UNIT] // (state[base + w.PAGE] * state[base + w.PLANES])
