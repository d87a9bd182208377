"""Notes on a run that stands still: nothing is delivered any more although work is left, or pauses form a cycle."""

from __future__ import annotations

from collections.abc import Iterable

from simio import units
from simio.engines.outcome import Outcome, Status
from simio.program.steps import PAUSES, Program
from simio.result import measure, usage
from simio.wording import grouped, listed

Stop = tuple[str, str, str]
"""A wire that is stopped, from one end to the next, and the class of traffic, empty for all."""


def standstill(program: Program, outcome: Outcome) -> list[str]:
    """Notes on what a run that did not do all its work ended with, for more than half of its time."""
    if outcome.status == Status.DONE:
        return []
    return [*_silence(program, outcome), *_deadlock(program, outcome)]


def _silence(program: Program, outcome: Outcome) -> list[str]:
    times, _ = measure.deliveries(program, outcome)
    if not len(times) or 2 * int(times[-1]) >= outcome.end:
        return []
    last, end = int(times[-1]), outcome.end
    return [
        f"nothing was delivered after {units.format_quantity(last, 'time')}, {1 - last / end:.0%} of the run, "
        "although work was left: rates are means over all of it"
    ]


def _deadlock(program: Program, outcome: Outcome) -> list[str]:
    """A note on wires that pauses have stopped around a cycle, so that none of them can go on.

    A wire is stopped by the node that it leads to, which is full of what goes on over the next one.
    """
    begun: dict[str, int] = {}
    for tally in program.tallies:
        since = usage.waits_since(outcome, tally) if tally.what == PAUSES else 0
        if since and 2 * since < outcome.end:
            begun[tally.owner] = since
    stops = {name: _ends(name) for name in begun}
    names = [name for name, stop in stops.items() if _leads_back(stop, stops.values())]
    if not names:
        return []
    last = units.format_quantity(max(begun[name] for name in names), "time")
    labels = [label for label, _ in grouped(names, lambda name: name)]
    return [
        f"pauses have stopped {listed(labels)} since {last}, a cycle in which each waits for room behind the next, "
        "and none goes on (deadlock); routes without a cycle, or another class of traffic on part of it, have none"
    ]


def _ends(name: str) -> Stop:
    """The ends of a wire and the class that is stopped, of a name such as 'a>b' or 'a>b class 3'."""
    source, _, rest = name.partition(">")
    target, _, what = rest.partition(" ")
    return source, target, what[what.find("class") :] if "class" in what else ""


def _leads_back(first: Stop, stops: Iterable[Stop]) -> bool:
    """True if a wire's end leads to its beginning over other wires of the same class that are stopped."""
    source, target, what = first
    ahead: dict[str, set[str]] = {}
    for begin, end, other in stops:
        if other == what:
            ahead.setdefault(begin, set()).add(end)
    seen, left = {target}, [target]
    while left:
        new = ahead.get(left.pop(), set()) - seen
        seen |= new
        left += new
    return source in seen
