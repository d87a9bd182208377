"""Threads that fill a cache faster than it is emptied towards where bytes are delivered: what they do is no limit."""

from __future__ import annotations

from bisect import bisect_right

import numpy as np

from simio.engines.outcome import Outcome
from simio.program.steps import Op, Program, named_row
from simio.result import usage
from simio.result.model import ThreadUse, Throughput

MUCH = 0.1
"""Share of what came into a cache in a span that has to be left there for its writers to be ahead."""


def limiting(
    program: Program, outcome: Outcome, span: Throughput, threads: tuple[ThreadUse, ...]
) -> tuple[ThreadUse, ...]:
    """The threads whose time may limit the deliveries of a span: all but those that only fill caches meanwhile."""
    filled = _filled(program, outcome, span)
    if not filled:
        return threads
    ahead = _that_put(program, filled)
    return tuple(each for each in threads if each.name not in ahead)


def _filled(program: Program, outcome: Outcome, span: Throughput) -> set[int]:
    """Rows of the containers of bytes yet to be delivered in which much of what came is left."""
    found = set()
    for row in set(program.behind) - set(program.ahead):
        sampled = outcome.samples[:, 2 * len(program.resources) + row]
        first, last = program.containers[row].level, int(outcome.containers[row, 0])
        since, until = usage.at_instants(outcome, [span.since, span.until], sampled, first, last)
        if until - since > MUCH * (until - since + span.amount):
            found.add(row)
    return found


def _that_put(program: Program, rows: set[int]) -> frozenset[str]:
    """Names of the threads a workload starts with that put something into containers."""
    places = np.flatnonzero(program.steps[:, 0] == Op.PUT)
    bodies = sorted(program.bodies)
    firsts = [first for first, _, _ in bodies]
    found = set()
    for start in program.starts:
        first, end, _ = bodies[bisect_right(firsts, start.entry) - 1]
        own = program.steps[places[(places >= first) & (places < end)]].tolist()
        if any(named_row(step, start.instance) in rows for step in own):
            found.add(start.name)
    return frozenset(found)
