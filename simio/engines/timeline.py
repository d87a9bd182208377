"""The compiled engine's timeline: rows at multiples of an interval that doubles when they are full."""

from __future__ import annotations

from simio.engines import layout as c
from simio.engines.jit import compiled


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
