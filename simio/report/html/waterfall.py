"""The path of one unit of work as a picture in proportion: areas are times."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from simio import units
from simio.explaining.model import Waterfall
from simio.report.html.curves import Figure, plain

CELLS = 160
"""Intervals that a path of more stretches than this is divided into."""
_KINDS = {"service": "#3b82d6", "waiting": "#dd7f2a", "delay": "#8a96a6"}
_FULL = 0.84
"""Height of a place that takes all of an interval, in rows."""
_NAME = 30
"""Characters of a name at an axis."""
_UNITS = ((10**12, "s"), (10**9, "ms"), (10**6, "us"), (10**3, "ns"), (1, "ps"))


def waterfall(found: Waterfall) -> Figure:
    """A row for each place, coloured by kind; where a place takes part of an interval, its bar is as much lower."""
    places = list(dict.fromkeys(each.where for each in found.segments))
    edges = _edges(found)
    whole = max(edges[-1], 1)
    scale, unit = next(each for each in _UNITS if whole >= each[0])
    spent = _spent(found, edges)
    data: list[dict[str, Any]] = []
    for kind, colour in _KINDS.items():
        own = [(key, time) for key, time in spent.items() if key[1] == kind]
        if own:
            data.append(
                {"type": "bar", "orientation": "h", "name": kind, "marker": {"color": colour, "line": {"width": 0}}}
                | _bars(own, spent, places, edges, scale)
            )
    shares = [sum(time for (each, *_), time in spent.items() if each == place) / whole for place in places]
    names = [f"{short(place)} {share:.1%}" for place, share in zip(places, shares, strict=True)]
    layout = {
        "xaxis": {"title": {"text": f"time since the unit before was delivered ({unit})"}},
        "yaxis": rows(names), "barmode": "overlay", "bargap": 0, "showlegend": True, "height": 110 + 30 * len(places),
    }  # fmt: skip
    about = ", ".join(f"{place} {share:.1%}" for place, share in zip(places, shares, strict=True))
    return {"data": data, "layout": layout, "about": f"height: share of the moment; of the whole: {about}"}


def short(text: str) -> str:
    """A name at an axis, cut where it is long."""
    return plain(text if len(text) <= _NAME else f"{text[: _NAME - 1]}…")


def rows(names: Sequence[str]) -> dict[str, Any]:
    """An axis of rows with these names, from the top down."""
    return {
        "tickmode": "array", "tickvals": list(range(len(names))), "ticktext": list(names),
        "range": [len(names) - 0.4, -0.6], "showgrid": False, "zeroline": False,
    }  # fmt: skip


Key = tuple[str, str, int]
"""A place, a kind, and the number of an interval."""


def _edges(found: Waterfall) -> list[int]:
    """The instants in ps between intervals: where stretches begin and end, or of equal length if these are many."""
    ends = sorted({0, *(each.begin for each in found.segments), *(each.end for each in found.segments)})
    if len(ends) <= CELLS:
        return ends
    return sorted({ends[-1] * step // CELLS for step in range(CELLS + 1)})


def _spent(found: Waterfall, edges: Sequence[int]) -> dict[Key, int]:
    """The time in ps that each kind of stretch at each place takes of each interval."""
    spent: dict[Key, int] = {}
    for each in found.segments:
        cell = max(bisect_right(edges, each.begin) - 1, 0)
        while cell < len(edges) - 1 and edges[cell] < each.end:
            time = min(each.end, edges[cell + 1]) - max(each.begin, edges[cell])
            key = (each.where, each.kind, cell)
            spent[key] = spent.get(key, 0) + time
            cell += 1
    return {key: time for key, time in sorted(spent.items(), key=lambda one: one[0][2]) if time}


def _bars(
    own: Sequence[tuple[Key, int]], spent: dict[Key, int], places: Sequence[str], edges: Sequence[int], scale: int
) -> dict[str, Any]:
    """The bars of one kind: in each row upward from the base line, on top of the kinds before."""
    lengths = [after - before for before, after in pairwise(edges)]
    kinds = list(_KINDS)
    heights, middles, hints = [], [], []
    for (place, kind, cell), time in own:
        below = sum(spent.get((place, each, cell), 0) for each in kinds[: kinds.index(kind)])
        height = _FULL * time / lengths[cell]
        base = places.index(place) + _FULL / 2 - _FULL * below / lengths[cell]
        heights.append(float(f"{height:.4g}"))
        middles.append(round(base - height / 2, 4))
        taken = units.format_quantity(time, "time")
        hints.append(f"{plain(place)}<br>{kind}, {taken}, {time / lengths[cell]:.0%} of this interval")
    return {
        "y": middles, "width": heights, "hovertext": hints, "hoverinfo": "text",
        "base": [float(f"{edges[cell] / scale:.7g}") for (_, _, cell), _ in own],
        "x": [float(f"{lengths[cell] / scale:.7g}") for (_, _, cell), _ in own],
    }  # fmt: skip
