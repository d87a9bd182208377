"""The initial state of a solid-state drive, and of the tables of its mapping."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from simio.machines.layout import State
from simio.machines.ssd import layout as w

READS_OUTSTANDING = 4096
"""Array reads that a drive keeps account of at once; of further ones the channel is taken in advance."""


def initial(
    dies: int, readers: int, channels: int, reads: Sequence[int], commands: int, fast: int = 0, **words: Any
) -> State:
    """State of a drive that holds `commands` commands, and whose dies do `readers` array reads at once each.

    `reads` are the times of the pages of a row of cells, in ps, `fast` that of a page in SLC mode.

    Raises ValueError for a word that the layout has not.
    """
    plane_rows = _own()
    die_rows = plane_rows + dies * readers
    channel_rows = die_rows + dies * w.DIE_COLUMNS
    tag_rows = channel_rows + channels
    # Units have tags, too, two a die.
    commands += 2 * dies
    read_rows = tag_rows + commands * w.TAG_COLUMNS
    die = w.DIE_ROW.initial()
    rows = [0] * (dies * readers) + list(die) * dies + [0] * channels
    rows += _chain(tag_rows, commands, w.TAG_COLUMNS, w.FIRST)
    rows += _chain(read_rows, READS_OUTSTANDING, w.READ_COLUMNS, w.NEXT)
    return w.WORDS.initial(
        dies=dies,
        readers=readers,
        channels=channels,
        bits=len(reads),
        reads=[*reads, *[0] * (w.FAST - len(reads)), fast],
        plane_rows=plane_rows,
        die_rows=die_rows,
        channel_rows=channel_rows,
        tag_rows=tag_rows,
        read_rows=read_rows,
        free_tag=tag_rows,
        free_read=read_rows,
        rows=rows,
        **words,
    )


def _own() -> int:
    """Words before the tables."""
    return sum(words.count or 0 for words in w.WORDS.words.values())


@lru_cache(maxsize=8)
def _chain(first: int, count: int, columns: int, link: int) -> list[int]:
    """Rows each of which names the next one."""
    rows = [0] * (count * columns)
    for number in range(count):
        rows[number * columns + link] = first + (number + 1) * columns if number + 1 < count else -1
    return rows


@lru_cache(maxsize=4)
def tables(logical: int, stripes: int, stripe: int, unit: int, room: int, cache: int, scale: int) -> State:
    """The tables of a mapping of `logical` sectors onto `stripes` of `stripe` sectors.

    There is a buffer of `room` sectors, and a cache in SLC mode of `cache` units.
    """
    map_at = sum(words.count or 0 for words in w.TABLES.words.values())
    owner_at = map_at + logical
    places = stripes * stripe + cache * unit
    valid_at = owner_at + places
    settled_at = valid_at + stripes
    buffer_at = settled_at + places // unit
    rows = array("q", [-1]) * (logical + places + stripes)
    rows += array("q", [0]) * (places // unit) + array("q", [-1]) * room
    return w.TABLES.initial(
        logical=logical,
        stripes=stripes,
        stripe=stripe,
        scale=scale,
        free_count=stripes,
        room=room,
        cache=cache,
        map_at=map_at,
        owner_at=owner_at,
        valid_at=valid_at,
        settled_at=settled_at,
        buffer_at=buffer_at,
        table_rows=rows,
    )
