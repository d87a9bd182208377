"""Threads that do one thing after another: how much of its time each takes for which call, and what it waits for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from simio.explaining.model import Alternation, Call
from simio.explaining.path import Path
from simio.explaining.stages import Traced
from simio.program.steps import Op
from simio.report.alike import merged
from simio.result import measure

LEAST = 0.1
"""Share of a thread's time from which a call is one of those that it alternates between."""
TOGETHER = 0.8
"""Share of its time that calls have to take together; what mostly does something else does not alternate."""


@dataclass
class _Account:
    """What one kind of call has taken so far, in ps."""

    time: int = 0
    waiting: int = 0
    awaited: Counter[str] = field(default_factory=Counter)


def alternations(traced: Traced) -> tuple[Alternation, ...]:
    """The threads of the workloads that go from one kind of call to another and back; alike ones once.

    Told over the measured span, as shares of it.
    """
    path, span = traced.path, traced.span
    length = span.until - span.since
    if length <= 0:
        return ()
    busiest, most = _busiest(traced)
    found = []
    for serial in _threads(traced):
        accounts = _accounts(path, serial, span.since, span.until)
        calls = tuple(
            Call(what, each.time / length, each.waiting / length, _waits(each, length))
            for what, each in sorted(accounts.items(), key=lambda item: -item[1].time)
            if what and each.time >= LEAST * length
        )
        if len(calls) > 1 and sum(call.share for call in calls) >= TOGETHER:
            rate = span.rate / Fraction(most) if most else span.rate
            found.append(Alternation(path.thread(serial), calls, rate, busiest))
    return tuple(each for _, each in merged(found, lambda each: each.thread))


def _threads(traced: Traced) -> Iterator[int]:
    serial = 0
    for start in traced.program.starts:
        for _ in range(start.count):
            if not start.daemon:
                yield serial
            serial += 1


def _busiest(traced: Traced) -> tuple[str, float]:
    """The resource that works most in the measured span, and its share of it."""
    uses = [use for use in measure.resource_use(traced.program, traced.outcome, traced.span) if not use.turn]
    found = max(uses, key=lambda use: use.utilisation, default=None)
    return (found.name, found.utilisation) if found else ("", 0.0)


def _accounts(path: Path, serial: int, since: int, until: int) -> dict[str, _Account]:
    """Calls of a thread between two instants."""
    rows = np.flatnonzero(path.serials == serial)
    times = path.times[rows]
    spent = np.minimum(times[1:], until) - np.maximum(times[:-1], since)
    found: dict[str, _Account] = {}
    for index in np.flatnonzero(spent > 0):
        row, after = int(rows[index]), int(rows[index + 1])
        account = found.setdefault(path.steps.calls[int(path.at[row])], _Account())
        account.time += int(spent[index])
        if path.ops[row] != Op.ADVANCE:
            account.waiting += int(spent[index])
            if path.times[after] <= until:
                _add(account.awaited, path, row, after, since)
    return found


def _add(awaited: Counter[str], path: Path, row: int, after: int, since: int) -> None:
    """What a wait was for: what happened meanwhile that ended it."""
    for stretch in path.follow(after, max(int(path.times[row]), since)):
        awaited[stretch.what or stretch.where] += stretch.end - stretch.begin


def _waits(account: _Account, length: int) -> tuple[tuple[str, float], ...]:
    return tuple((what, time / length) for what, time in account.awaited.most_common(5))
