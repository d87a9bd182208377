"""The compiled engine's timeline: rows at multiples of an interval that doubles when they are full."""

from __future__ import annotations

from simio.engines import layout as c
from simio.engines.jit import compiled

_MAX = 2**63 - 1


@compiled
def sample(times, samples, row, time, resources, containers, sums, state, gauges):
    """Record one row of the timeline."""
    times[row] = time
    at = 0
    for r in range(resources.shape[0]):
        samples[row, at] = resources[r, c.BUSY] + resources[r, c.IN_USE] * time
        samples[row, at + 1] = resources[r, c.QUEUE] + resources[r, c.LINE] * time
        at += 2
    for k in range(containers.shape[0]):
        samples[row, at] = containers[k, c.LEVEL]
        at += 1
    for m in range(sums.size):
        samples[row, at] = sums[m]
        at += 1
    for g in range(gauges.size):
        samples[row, at] = state[gauges[g]]
        at += 1


@compiled
def thin(times, samples, rows):
    """Keep every second row of the timeline; returns how many are left."""
    kept = rows // 2
    for row in range(kept):
        times[row] = times[2 * row + 1]
        for at in range(samples.shape[1]):
            samples[row, at] = samples[2 * row + 1, at]
    return kept


@compiled
def catch_up(times, samples, rows, until, interval, next_sample, resources, containers, sums, state, gauges):
    """Record the rows that are due before an instant; returns rows, interval and the instant of the next row."""
    while next_sample < until:
        sample(times, samples, rows, next_sample, resources, containers, sums, state, gauges)
        rows += 1
        if rows == times.size:
            rows = thin(times, samples, rows)
            interval *= 2
        if next_sample > _MAX - interval:
            next_sample = _MAX
            break
        next_sample = times[rows - 1] + interval
    return rows, interval, next_sample
