"""The timeline of a run: use, deliveries, lines and levels at each row that the engine kept."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from simio.engines.outcome import Outcome
from simio.program.steps import PROFILED, UNBOUNDED, Program
from simio.result.recorded import Level, Timeline
from simio.result.series import Series

Ints = NDArray[np.int64]
_BLOCK = 1024
"""Resources whose timelines are worked out at once, which bounds the memory beside them."""


def timeline(program: Program, outcome: Outcome) -> Timeline:
    """The engine's timeline as shares of each interval, bytes so far, lines and levels."""
    return Timeline.later(partial(_timeline, program, outcome.times, outcome.samples))


def _timeline(program: Program, times: Ints, samples: Ints) -> Timeline:
    names = [resource.name for resource in program.resources]
    units = np.array([resource.units for resource in program.resources])
    spans = np.maximum(np.diff(times, prepend=0), 1)
    shares: dict[str, Series[float]] = {}
    lines: dict[str, Series[float]] = {}
    for first in range(0, len(names), _BLOCK):
        some = slice(first, first + _BLOCK)
        areas = np.ascontiguousarray(samples[:, : 2 * len(names)][:, 2 * first : 2 * (first + _BLOCK)].T)
        grown = np.diff(areas, axis=1, prepend=0)
        used = grown[0::2] / spans / units[some, np.newaxis]
        shares |= {name: Series(own) for name, own in zip(names[some], used, strict=True)}
        waited = np.flatnonzero(grown[1::2].any(axis=1))
        found = grown[2 * waited + 1] / spans
        lines |= {names[first + row]: Series(own) for row, own in zip(waited.tolist(), found, strict=True)}
    for row, gauge in enumerate(program.gauges):
        if gauge.servers:
            worked = np.diff(samples[:, row - len(program.gauges)], prepend=0)
            shares[gauge.name] = Series(np.minimum(worked / spans / gauge.servers, 1.0))
    first = 2 * len(program.resources) + len(program.containers)
    columns = [first + row for row, mark in enumerate(program.marks) if mark.role == "delivered"]
    total = samples[:, columns].sum(axis=1)
    return Timeline(Series(times.copy()), shares, Series(total), lines, _levels(program, samples))


def _levels(program: Program, samples: Ints) -> tuple[Level, ...]:
    """Gauges, and containers of some size (others are signals and locks), that were not always the same."""
    first = 2 * len(program.resources)
    last = first + len(program.containers) + len(program.marks)
    told = [
        (last + row, gauge.owner, gauge.what, gauge.unit)
        for row, gauge in enumerate(program.gauges)
        if not (gauge.servers or gauge.what.startswith(PROFILED))
    ]
    told += [
        (first + row, container.name, "level", container.unit)
        for row, container in enumerate(program.containers)
        if 1 < container.capacity < UNBOUNDED
    ]
    varied = np.zeros(samples.shape[1], dtype=bool)
    for row in samples:
        varied |= row != samples[0]
    told = [each for each in told if varied[each[0]]]
    values = np.ascontiguousarray(samples[:, [column for column, *_ in told]].T)
    return tuple(
        Level(owner, what, unit, Series(own)) for (_, owner, what, unit), own in zip(told, values, strict=True)
    )
