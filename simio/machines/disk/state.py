"""The state that a disk begins with."""

from __future__ import annotations

from collections.abc import Sequence
from math import isqrt
from typing import Any

from simio.machines.disk import layout as w
from simio.machines.disk.scheduling import SCHEDULING
from simio.machines.layout import State


def initial(
    zones: Sequence[tuple[int, ...]],
    seek: Sequence[int] | Sequence[tuple[int, int]],
    *,
    heads: int,
    revolution: int = 0,
    track_skew: int = 0,
    cylinder_skew: int = 0,
    hit_time: int = 0,
    miss_time: int = 0,
    segments: int = 1,
    depth: int = 1,
    scheduling: str = "fifo",
    **words: int | Sequence[int],
) -> State:
    """Initial state of a disk whose arm rests on the outermost cylinder.

    `zones` are (cylinders, sectors a track) from the outside in, or with them the skews of the zone between tracks
    and between cylinders, in sectors. `seek` is (single cylinder, average, full stroke) in ps, or a table of
    (cylinders, ps) in ascending order. The controller takes `hit_time` and `miss_time` for reads beyond the least,
    unless `overheads` are given. `depth` commands are held at once; `words` are others by name. Raises ValueError for
    an unknown name.
    """
    table: list[int] = []
    sector = cylinder = path = 0
    for cylinders, sectors, *skews in zones:
        own = [skew * revolution // sectors for skew in skews] or [track_skew, cylinder_skew]
        table += [sector, cylinder, sectors, path, *own]
        sector += cylinders * sectors * heads
        cylinder += cylinders
        path += cylinders * (heads * revolution + (heads - 1) * own[0] + own[1])
    curve = [word for row in seek if isinstance(row, tuple) for word in row]
    segment_table = w.ZONE_TABLE + len(table)
    command_table = segment_table + segments * w.SEGMENT_COLUMNS
    seek_table = command_table + (depth + 1) * w.COMMAND_COLUMNS
    words = {"overheads": [hit_time, hit_time, miss_time, miss_time, 0, 0]} | words
    words |= {} if curve else _formula(seek, max(cylinder - 1, 1))
    return w.WORDS.initial(
        heads=heads,
        revolution=revolution,
        seek_points=len(curve) // w.SEEK_COLUMNS,
        seek_table=seek_table,
        seek_rows=curve,
        sectors=sector,
        zone_count=len(zones),
        segments=segments,
        slots=depth + 1,
        policy=SCHEDULING[scheduling].number,
        in_order=int(SCHEDULING[scheduling].in_order),
        segment_table=segment_table,
        command_table=command_table,
        zone_table=table,
        segment_rows=[0] * (segments * w.SEGMENT_COLUMNS),
        command_rows=[0] * ((depth + 1) * w.COMMAND_COLUMNS),
        **words,
    )


def _formula(seek: Any, span: int) -> dict[str, int]:
    """The words of a seek curve through the times of one cylinder, of the mean and of `span` cylinders."""
    single, average, full = seek
    return {
        "seek_single": single,
        "seek_root": ((-10 * single + 15 * average - 5 * full) << 10) // (3 * isqrt(span << 20)),
        "seek_linear": ((7 * single - 15 * average + 8 * full) << 10) // (3 * span),
    }
