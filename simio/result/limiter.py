"""Find what limits a run: what is always busy, a thread that does one thing at a time, a full window, or none."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

from simio.engines.outcome import Outcome
from simio.limits import Cap
from simio.program.roles import RESEND_TIMER, SENT_AGAIN, TIMED_OUT
from simio.program.service import SECOND
from simio.program.steps import PAUSES, Program
from simio.result import usage
from simio.result.bonds import beside, in_turn
from simio.result.filling import limiting
from simio.result.holding import Holding
from simio.result.loads import loads
from simio.result.model import Limiter, LoadUse, Pace, ResourceUse, TallyValue, ThreadUse, Throughput
from simio.wording import counted, figure

SATURATED = 0.9
"""Share of the time from which a resource or a thread counts as busy all the time."""
BUSY = 0.75
"""Share of the time from which the busiest part is named, even if a machine waited for something else."""
MOSTLY = 0.5
"""Share of the time from which a machine's waiting is named as the limit."""
CROWD = 8
"""Requests in a queue from which on so many are under way that stages overlap."""
SENTENCES = {
    "resource": "{} is busy {:.1%} of the time",
    "thread": "{} is busy {:.1%} of the time and does one thing at a time",
    "lock": "{} is occupied {:.1%} of the time and serves one request at a time",
    "window": "{} passes {:.1%} of what it can",
}
NO_PACE = Pace()
LEADING = {False: 0.5, True: 0.85}
"""Least ratio of the time of what a lock's holders use to the lock's own for the limit to be that; where the holders
work themselves as well, only what takes nearly all of their time is."""


def limit_of(program: Program, outcome: Outcome, span: Throughput, cap: Cap | None = None) -> Limiter:
    """The limit of a run, by what was busy in its measured span, and by the bound `cap` on that."""
    resources = usage.resource_use(program, outcome, span)
    threads = limiting(program, outcome, span, usage.thread_use(program, outcome))
    tallies, open_loads = usage.tallies(program, outcome), loads(program, outcome, span)
    pace = usage.pace(program, outcome)
    full = filled(span, cap)
    return limiter(resources, threads, tallies, outcome.end, program, open_loads, pace, full, reached(span, cap))


def filled(span: Throughput, cap: Cap | None) -> Limiter | None:
    """The window that passes about what it can, such as the media of a disk that reads ahead; None if none does.

    No resource is held while it works, so that only the bound has it.
    """
    if cap is None or cap.kind != "window" or span.rate < SATURATED * cap.rate:
        return None
    share = min(float(span.rate / cap.rate), 1.0)
    return Limiter("window", cap.name, share, SENTENCES["window"].format(cap.name, share))


def reached(span: Throughput, cap: Cap | None) -> str:
    """The resource that the bytes delivered alone keep busy, by the bound; empty where none is."""
    return cap.name if cap and cap.kind == "resource" and span.rate >= SATURATED * cap.rate else ""


def limiter(
    resources: tuple[ResourceUse, ...],
    threads: tuple[ThreadUse, ...],
    tallies: tuple[TallyValue, ...] = (),
    end: int = 0,
    program: Program | None = None,
    open_loads: tuple[LoadUse, ...] = (),
    pace: Pace = NO_PACE,
    full: Limiter | None = None,
    certain: str = "",
) -> Limiter:
    """The most plausible limit.

    A saturated resource limits before a window that is `full`, and that before a saturated thread: either may only
    seem busy because it uses the one before. A thread does before a lock (whose holders may wait), and a lock before
    the window. Of resources that are always busy, the one that is `certain` by the bound does. Of a bond's member the
    sentence tells what the others do; members that carry one at a time are busy together. With a `program`, a lock
    leads to what its holders use or wait for most (`_behind`), and a resource to one that it waits for (`_within`);
    `resources` are then in the order of the program's.

    If none is saturated, and all that arrives is served, the load is the limit. If nothing is busy for `BUSY` of the
    time, the limit is what a machine waited for most of the `end` ps of the run, such as a window, or the
    `pace` of the load itself. Otherwise the busiest part is named, after a wait of nearly all the time, or after
    the remark that the stages run one after another.
    """
    stopped = {tally.owner: tally.value / end for tally in tallies if tally.what == PAUSES and end}
    # A wire is taken while it is stopped, and does no work.
    servers = [
        ("resource", use.name, use.utilisation - stopped.get(use.name, 0.0)) for use in resources if not use.lock
    ]
    bonded = in_turn(servers, program.bonds) if program else None
    own = [("thread", use.name, use.busy) for use in threads]
    locks = [("lock", use.name, use.utilisation) for use in resources if use.lock]
    for group in (servers, own, locks):
        kind, name, busy = max(group, key=lambda item: item[2], default=("none", "", 0.0))
        if group is servers and busy < SATURATED and bonded and bonded.busy >= SATURATED:
            return bonded
        if busy >= SATURATED:
            if kind == "thread" and full:
                return full
            # Bytes that are lost behind a part keep it as busy, and it limits nothing.
            alike = [item for item in group if item[0] == "resource" and item[2] == busy]
            kind, name, busy = next((item for item in alike if item[1] == certain), (kind, name, busy))
            if kind == "lock" and program:
                return _behind(resources, program, tallies, end)
            if kind == "resource" and program:
                name, busy = _within(resources, name, program)
            others = beside(name, resources, program.bonds) if program else ""
            return Limiter(kind, name, busy, SENTENCES[kind].format(name, busy) + others)
    ordered = [item for item in sorted(servers + own + locks, key=lambda item: -item[2]) if item[2] > 0]
    # Turns that are only kept while a machine waits are no candidates.
    working = (
        item
        for item in ordered
        if not (program and item[0] == "lock" and _turn_of(resources, item[1], program, tallies, end))
    )
    candidates = list(islice(working, 2))
    steady = all(use.served and not (use.grows or use.lost or use.users) for use in open_loads)
    if program and open_loads and len(open_loads) == len(program.workloads) and steady and candidates:
        return _load(open_loads, candidates[0])
    if program and len(open_loads) == len(program.workloads) and candidates:
        thinking = _thinking(open_loads)
        if thinking >= MOSTLY:
            _, name, busy = candidates[0]
            sentence = f"The users think {thinking:.0%} of the time. Busiest: {name} {busy:.0%}"
            return Limiter("load", name, busy, sentence)
    waiting = _wait(tallies, end)
    if waiting and waiting.busy >= MOSTLY and all(busy < BUSY for _, _, busy in candidates):
        return waiting
    if not candidates:
        return Limiter("none", "", 0.0, "nothing is busy")
    busiest = ", ".join(f"{name} {busy:.0%}" for _, name, busy in candidates)
    if pace.share >= MOSTLY:
        who = "it pauses" if pace.owner == "trace" else "senders wait for it"
        sentence = f"The {pace.owner} sets the pace: {who} {pace.share:.0%} of the time. Busiest: {busiest}"
        return Limiter("load", candidates[0][1], candidates[0][2], sentence)
    if full:
        return full
    crowded = any(use.longest_line >= CROWD for use in resources)
    if waiting and waiting.busy >= SATURATED:
        why = f"; {waiting.sentence}"
    else:
        why = "" if open_loads or crowded else ": the stages run one after another"
    sentence = f"No part is saturated{why}. Busiest: {busiest}"
    return Limiter("none", candidates[0][1], candidates[0][2], sentence)


def _thinking(open_loads: tuple[LoadUse, ...]) -> float:
    """Share of their time that users think, if all loads are of users; of the load with the smallest share.

    Pauses that chance makes shorter than their mean do not make it more than all of the time.
    """
    shares = [use.served * use.think / SECOND / use.users if use.users else 0.0 for use in open_loads]
    return min(*shares, 1.0) if shares else 0.0


def _load(open_loads: tuple[LoadUse, ...], busiest: tuple[str, str, float]) -> Limiter:
    """The limit where no more arrives."""
    _, name, busy = busiest
    rate = sum(use.offered for use in open_loads)
    sentence = f"All {figure(rate)} requests a second that arrive are served. Busiest: {name} {busy:.0%}"
    return Limiter("load", name, busy, sentence)


def _within(resources: tuple[ResourceUse, ...], name: str, program: Program) -> tuple[str, float]:
    """Name and use of a saturated resource, or of another for which its holders wait while they have it.

    Lanes of PCI Express are taken while a transfer waits for memory. A line that was never longer than there are
    holders is theirs, in equal parts; where what is left of their use is less than that of the other, that limits.
    """
    rows = [row for row, use in enumerate(resources) if not use.lock and use.utilisation >= SATURATED]
    at = next(row for row in rows if resources[row].name == name)
    if len(rows) == 1:
        return name, resources[at].utilisation
    holding = Holding.of(program)
    inside = [row for row in rows if row != at and row in holding.beneath(at)]
    row = max(inside, key=lambda row: resources[row].utilisation, default=at)
    used = resources[row]
    waiting = [other for other in rows if other != row and row in holding.beneath(other)]
    held = sum(resources[other].units for other in waiting)
    if held > used.longest_line and resources[at].utilisation - used.mean_line / held < used.utilisation:
        at = row
    return resources[at].name, resources[at].utilisation


def _behind(
    resources: tuple[ResourceUse, ...], program: Program, tallies: tuple[TallyValue, ...], end: int
) -> Limiter:
    """The limit behind saturated locks: that of the busiest whose holders do not wait most of the time, if any.

    A turn that is kept while a machine waits, as for a full window, is as occupied as that is closed. Then the
    wait is the limit; the sentence adds what else is busy for `BUSY` of the time, such as the end that is waited for.
    """
    waits: list[tuple[int, Limiter]] = []
    full = [use for use in resources if use.lock and use.utilisation >= SATURATED]
    for lock in sorted(full, key=lambda use: -use.utilisation):
        found = _beneath(resources, lock.name, program)
        waiting = _turn_of(resources, lock.name, program, tallies, end) if found.name == lock.name else None
        if waiting is None:
            return found
        waits.append((lock.units, replace(waiting, sentence=f"{waiting.sentence}; {_needed(lock)}")))
    rest = [use for use in resources if BUSY <= use.utilisation < SATURATED]
    busiest = max(rest, key=lambda use: use.utilisation, default=None)
    also = f". Busiest: {busiest.name} {busiest.utilisation:.0%}" if busiest else ""
    # Holders of a lock of many units wait for one of fewer, which is nearer to the machine.
    nearest = min(waits, key=lambda each: each[0])[1]
    return replace(nearest, sentence=nearest.sentence + also)


def _turn_of(
    resources: tuple[ResourceUse, ...], name: str, program: Program, tallies: tuple[TallyValue, ...], end: int
) -> Limiter | None:
    """The wait of a machine, most of the time, for which holders of a lock keep it; None if there is none."""
    lock = next(row for row, use in enumerate(resources) if use.lock and use.name == name)
    if resources[lock].utilisation < MOSTLY or all(tally.unit != "ps" for tally in tallies):
        return None
    asked = Holding.of(program).asked(lock)
    waiting = _wait(tuple(tally for tally in tallies if tally.owner in asked), end)
    return waiting if waiting and waiting.busy >= MOSTLY else None


def _needed(lock: ResourceUse) -> str:
    """Words on a lock that is only as occupied as its holders wait, or use something else."""
    return f"{lock.name}, whose holders need it, is occupied {lock.utilisation:.1%}"


def _beneath(resources: tuple[ResourceUse, ...], name: str, program: Program) -> Limiter:
    """The limit behind a saturated lock: the busiest of what works for its holders, or what it is itself.

    A lock that orders the use of a part and works itself (the arm of a disk) is a limit. One whose holders spend
    their time with something else only passes on what limits.
    """
    at = next(row for row, use in enumerate(resources) if use.lock and use.name == name)
    lock = resources[at]
    holding = Holding.of(program)
    found = holding.beneath(at)
    row = max(found - {at}, key=lambda row: resources[row].utilisation, default=at)
    used, least = resources[row], LEADING[at in found] * lock.utilisation
    if row != at and at in found and used.utilisation >= least:
        # A resource that the holders of several such locks share is theirs in parts.
        alike = [other for other, use in enumerate(resources) if use.lock and use.utilisation >= SATURATED]
        least *= sum({other, row} <= holding.beneath(other) for other in alike)
    if row == at or used.utilisation < least:
        return Limiter("lock", name, lock.utilisation, SENTENCES["lock"].format(name, lock.utilisation))
    kind = "lock" if used.lock else "resource"
    sentence = SENTENCES[kind].format(used.name, used.utilisation)
    if used.utilisation < SATURATED:
        sentence += f"; {_needed(lock)}"
    return Limiter(kind, used.name, used.utilisation, sentence)


def _wait(tallies: tuple[TallyValue, ...], end: int) -> Limiter | None:
    """The machine that waited longest in a run of `end` ps, with its main reason; None if none waited."""
    waits: dict[str, list[TallyValue]] = {}
    for tally in tallies:
        if tally.unit == "ps":
            waits.setdefault(tally.owner, []).append(tally)
    if not waits or not end:
        return None
    # Senders wait behind a wire that is stopped.
    paused = [name for name, found in waits.items() if found[0].what == PAUSES and found[0].value >= MOSTLY * end]
    owner = max(paused or waits, key=lambda name: sum(tally.value for tally in waits[name]))
    # The end of a wait that goes on is known beforehand, and may lie behind that of the run.
    share = min(sum(tally.value for tally in waits[owner]) / end, 1.0)
    what = max(waits[owner], key=lambda tally: tally.value).what
    lost = _lost(tallies) if what == RESEND_TIMER else ""
    return Limiter("wait", owner, share, f"{owner} waits {share:.1%} of the time, mostly for {what}{lost}")


def _lost(tallies: tuple[TallyValue, ...]) -> str:
    """Words on what all senders lost: how often timers ran out, and segments that went again."""
    times, again = (sum(tally.value for tally in tallies if tally.what == what) for what in (TIMED_OUT, SENT_AGAIN))
    return f" ({counted(times, 'timeout')} in all, {counted(again, 'segment')} sent again)"
