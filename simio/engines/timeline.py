"""The compiled engine's timeline: rows at multiples of an interval that doubles when they are full."""

from __future__ import annotations

from simio.engines import layout as c
from simio.engines import tables
from simio.engines.jit import compiled
from simio.engines.tables import pointer

_MAX = 2**63 - 1


@compiled
def sample(control, row, time):
    """Record one row of the timeline."""
    times, samples = tables.timeline(control)
    resources, containers = tables.resources(control), tables.containers(control)
    sums, gauges, state = pointer(control[c.SUMS_AT]), pointer(control[c.GAUGES_AT]), pointer(control[c.STATE_AT])
    times[row] = time
    at = 0
    for r in range(control[c.RESOURCES]):
        samples[row, at] = resources[r, c.BUSY] + resources[r, c.IN_USE] * time
        samples[row, at + 1] = resources[r, c.QUEUE] + resources[r, c.LINE] * time
        at += 2
    for k in range(control[c.CONTAINERS]):
        samples[row, at] = containers[k, c.LEVEL]
        at += 1
    for m in range(control[c.MARKS]):
        samples[row, at] = sums[m]
        at += 1
    for g in range(control[c.GAUGES]):
        samples[row, at] = state[gauges[g]]
        at += 1


@compiled
def thin(control, rows):
    """Keep every second row of the timeline; returns how many are left."""
    times, samples = tables.timeline(control)
    kept = rows // 2
    for row in range(kept):
        times[row] = times[2 * row + 1]
        for at in range(samples.shape[1]):
            samples[row, at] = samples[2 * row + 1, at]
    return kept


@compiled
def catch_up(control, until):
    """Record the rows that are due before an instant, and when the next one is."""
    while control[c.NEXT_SAMPLE] < until:
        rows = control[c.ROWS]
        sample(control, rows, control[c.NEXT_SAMPLE])
        rows += 1
        if rows == control[c.SAMPLES]:
            rows = thin(control, rows)
            control[c.INTERVAL] *= 2
        control[c.ROWS] = rows
        if control[c.NEXT_SAMPLE] > _MAX - control[c.INTERVAL]:
            control[c.NEXT_SAMPLE] = _MAX
            break
        control[c.NEXT_SAMPLE] = pointer(control[c.TIMES_AT])[rows - 1] + control[c.INTERVAL]
    control[c.STOP] = min(control[c.UNTIL], control[c.NEXT_SAMPLE])
