"""Threads that do one thing after another: the share of each call in a thread's time, and the causes of its waits."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from simio.explaining.model import Alternation, Call
from simio.explaining.path import Path
from simio.explaining.stages import Traced
from simio.program.steps import Op
from simio.result import usage
from simio.wording import merged

LEAST = 0.1
"""Share of a thread's time from which a call is one of those that it alternates between."""
NEARLY = 0.99
"""Share of `LEAST` that is left to rounding."""
FOLLOWED = 300
"""Waits in one kind of call that are followed to what ended them; of more, so many taken at random."""
TOGETHER = 0.8
"""Share of its time that calls have to take together; what mostly does something else does not alternate."""


@dataclass
class _Account:
    """Times of one kind of call so far, in ps, and its waits: rows at which each began and ended."""

    time: int = 0
    waiting: int = 0
    waits: list[tuple[int, int]] = field(default_factory=list)


def alternations(traced: Traced) -> tuple[Alternation, ...]:
    """The threads of the workloads that go from one kind of call to another and back; alike ones once.

    Times are shares of the measured span.
    """
    path, span = traced.path, traced.span
    length = span.until - span.since
    if length <= 0:
        return ()
    found = []
    order = path.by_thread
    sorted_serials = path.serials[order]
    several = _several(path, span.since, span.until)
    for serial in _threads(traced):
        if serial not in several:
            continue
        first, last = np.searchsorted(sorted_serials, [serial, serial + 1])
        accounts = _accounts(path, order[first:last], span.since, span.until)
        calls = {what: each for what, each in accounts.items() if what and each.time >= LEAST * length}
        if len(calls) > 1 and sum(each.time for each in calls.values()) >= TOGETHER * length:
            found.append((path.thread(serial), calls))
    if not found:
        return ()
    busiest, most = _busiest(traced)
    rate = span.rate / Fraction(most) if most else span.rate
    return tuple(
        Alternation(thread, _calls(path, calls, span.since, length), rate, busiest)
        for _, (thread, calls) in merged(found, lambda each: each[0])
    )


def _calls(path: Path, accounts: dict[str, _Account], since: int, length: int) -> tuple[Call, ...]:
    """Calls as shares of `length` ps, the longest first."""
    return tuple(
        Call(what, each.time / length, each.waiting / length, _waits_for(path, each, since, length))
        for what, each in sorted(accounts.items(), key=lambda item: -item[1].time)
    )


def _threads(traced: Traced) -> Iterator[int]:
    serial = 0
    for start in traced.program.starts:
        for _ in range(start.count):
            if not start.daemon:
                yield serial
            serial += 1


def _busiest(traced: Traced) -> tuple[str, float]:
    """The resource that works most in the measured span, and its share of it."""
    uses = [use for use in usage.resource_use(traced.program, traced.outcome, traced.span) if not use.lock]
    found = max(uses, key=lambda use: use.utilisation, default=None)
    return (found.name, found.utilisation) if found else ("", 0.0)


def _several(path: Path, since: int, until: int) -> set[int]:
    """Threads that are long in more than one kind of call between two instants; perhaps others nearly so."""
    before, after = path.by_thread[:-1], path.by_thread[1:]
    spent = np.minimum(path.times[after], until) - np.maximum(path.times[before], since)
    own = np.flatnonzero((spent > 0) & (path.serials[before] == path.serials[after]))
    count = len(path.steps.named)
    keys, places = np.unique(
        path.serials[before[own]] * count + path.steps.kinds[path.at[before[own]]], return_inverse=True
    )
    took = np.bincount(places, spent[own])
    long = keys[(took >= NEARLY * LEAST * (until - since)) & (keys % count > 0)] // count
    found, times = np.unique(long, return_counts=True)
    return set(found[times > 1].tolist())


def _accounts(path: Path, rows: NDArray[np.int64], since: int, until: int) -> dict[str, _Account]:
    """Calls of a thread, which has these rows of the path, between two instants."""
    times = path.times[rows]
    spent = np.minimum(times[1:], until) - np.maximum(times[:-1], since)
    kinds = path.steps.kinds[path.at[rows[:-1]]]
    waited = path.ops[rows[:-1]] != Op.ADVANCE
    ended = times[1:] <= until
    found: dict[str, _Account] = {}
    for kind in np.unique(kinds[spent > 0]):
        own = (kinds == kind) & (spent > 0)
        waits = np.flatnonzero(own & waited & ended)
        pairs = list(zip(rows[waits].tolist(), rows[waits + 1].tolist(), strict=True))
        found[path.steps.named[kind]] = _Account(int(spent[own].sum()), int(spent[own & waited].sum()), pairs)
    return found


def _waits_for(path: Path, account: _Account, since: int, length: int) -> tuple[tuple[str, float], ...]:
    """Reasons of waits, as shares of `length` ps: what happened meanwhile that ended them."""
    waits = account.waits
    if len(waits) > FOLLOWED:
        waits = random.Random(0).sample(waits, FOLLOWED)
    awaited: Counter[str] = Counter()
    for row, after in waits:
        for stretch in path.follow(after, max(int(path.times[row]), since)):
            awaited[stretch.what or stretch.where] += stretch.end - stretch.begin
    followed = sum(awaited.values())
    return tuple((what, time / followed * account.waiting / length) for what, time in awaited.most_common(5))
