"""Find what limits a run: what is always busy, a thread that does one thing at a time, a full window, or none."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import islice
from typing import NamedTuple

from simio.engines.outcome import Outcome
from simio.limits import Cap
from simio.program.roles import ACK_TIMER, PACKETS_AGAIN, RESEND_TIMER, SENT_AGAIN, TIMED_OUT, TIMEOUTS
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
TIMERS = {RESEND_TIMER: (TIMED_OUT, SENT_AGAIN, "segment"), ACK_TIMER: (TIMEOUTS, PACKETS_AGAIN, "packet")}
"""Counts beside a timer that is waited for: how often it ran out, and what went again, with its name."""
NO_PACE = Pace()
LEADING = {False: 0.5, True: 0.85}
"""Least ratio of the time of what a lock's holders use to the lock's own for the limit to be that; where the holders
work themselves as well, only what takes nearly all of their time is."""


class Busy(NamedTuple):
    """A part, `kind` of which is a key of `SENTENCES`, and the share of the time that it is busy."""

    kind: str
    name: str
    share: float

    def __str__(self) -> str:
        """The part with its share, as sentences have it."""
        return f"{self.name} {self.share:.0%}"

    def limits(self, also: str = "") -> Limiter:
        """The part as the limit; its sentence ends in `also`."""
        return Limiter(self.kind, self.name, self.share, SENTENCES[self.kind].format(self.name, self.share) + also)


NOTHING = Busy("none", "", 0.0)


@dataclass(frozen=True)
class Evidence:
    """The use of each part in a run of `end` ps, in which `limiter` finds the limit.

    `full` is a window that passes about what it can, `certain` the resource that the bytes delivered alone keep busy
    by the bound. With a `program`, `resources` are in the order of the program's.
    """

    resources: tuple[ResourceUse, ...]
    threads: tuple[ThreadUse, ...]
    tallies: tuple[TallyValue, ...] = ()
    end: int = 0
    program: Program | None = None
    open_loads: tuple[LoadUse, ...] = ()
    pace: Pace = NO_PACE
    full: Limiter | None = None
    certain: str = ""

    @classmethod
    def of(
        cls,
        program: Program,
        outcome: Outcome,
        span: Throughput,
        cap: Cap | None,
        threads: tuple[ThreadUse, ...],
        tallies: tuple[TallyValue, ...],
        open_loads: tuple[LoadUse, ...],
    ) -> Evidence:
        """The evidence of a run whose measured span has the bound `cap`; `threads` are as in `usage.thread_use`."""
        return cls(
            usage.resource_use(program, outcome, span),
            limiting(program, outcome, span, threads),
            tallies,
            outcome.end,
            program,
            open_loads,
            usage.pace(program, outcome),
            filled(span, cap),
            reached(span, cap),
        )


def limit_of(program: Program, outcome: Outcome, span: Throughput, cap: Cap | None) -> Limiter:
    """The limit of a run, by what was busy in its measured span, and by the bound `cap` on that."""
    threads, tallies = usage.thread_use(program, outcome), usage.tallies(program, outcome)
    return limiter(Evidence.of(program, outcome, span, cap, threads, tallies, loads(program, outcome, span)))


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


def limiter(seen: Evidence) -> Limiter:
    """The most plausible limit.

    If nothing is saturated, and all that arrives is served, the load is the limit. If nothing is busy for `BUSY` of
    the time, the limit is what a machine waited for most of the run, such as a window, or the pace of the load
    itself. Otherwise the busiest part is named, after a wait of nearly all the time, or after the remark that the
    stages run one after another.
    """
    stopped = {tally.owner: tally.value / seen.end for tally in seen.tallies if tally.what == PAUSES and seen.end}
    # A wire is taken while it is stopped, and does no work.
    servers = [
        Busy("resource", use.name, use.utilisation - stopped.get(use.name, 0.0))
        for use in seen.resources
        if not use.lock
    ]
    threads = [Busy("thread", use.name, use.busy) for use in seen.threads]
    locks = [Busy("lock", use.name, use.utilisation) for use in seen.resources if use.lock]
    saturated = _saturated(seen, servers, threads, locks)
    if saturated:
        return saturated
    ordered = sorted(servers + threads + locks, key=lambda part: -part.share)
    # Turns that are only kept while a machine waits are no candidates.
    working = (part for part in ordered if part.share > 0 and not (part.kind == "lock" and _turn_of(seen, part.name)))
    busiest = list(islice(working, 2))
    return _load(seen, busiest) or _unsaturated(seen, busiest)


def _saturated(seen: Evidence, servers: list[Busy], threads: list[Busy], locks: list[Busy]) -> Limiter | None:
    """The limit that is busy all the time; None if nothing is.

    A saturated resource limits before a window that is full, and that before a saturated thread: either may only
    seem busy because it uses the one before. A thread does before a lock (whose holders may wait), and a lock before
    the window. Members of a bond that carry one at a time are busy together.
    """
    server, thread, lock = (
        max(parts, key=lambda part: part.share, default=NOTHING) for parts in (servers, threads, locks)
    )
    if server.share >= SATURATED:
        return _resource(seen, servers, server)
    bonded = in_turn(servers, seen.program.bonds) if seen.program else None
    if bonded and bonded.busy >= SATURATED:
        return bonded
    if thread.share >= SATURATED:
        return seen.full or thread.limits()
    if lock.share >= SATURATED:
        return _behind(seen, seen.program) if seen.program else lock.limits()
    return None


def _resource(seen: Evidence, servers: list[Busy], busiest: Busy) -> Limiter:
    """The limit where a resource is saturated.

    Of those that are as busy, it is the one that is certain by the bound: bytes that are lost behind a part keep it
    busy, and limit nothing. A resource leads to one that its holders wait for (`_within`). Of a bond's member the
    sentence tells what the others do.
    """
    alike = (part for part in servers if part.share == busiest.share)
    part = next((part for part in alike if part.name == seen.certain), busiest)
    if seen.program is None:
        return part.limits()
    part = _within(seen.resources, part.name, seen.program)
    return part.limits(beside(part.name, seen.resources, seen.program.bonds))


def _load(seen: Evidence, busiest: list[Busy]) -> Limiter | None:
    """The limit where all work comes from loads that the system keeps up with, or whose users mostly think."""
    program, open_loads = seen.program, seen.open_loads
    if not program or len(open_loads) != len(program.workloads) or not busiest:
        return None
    part = busiest[0]
    if open_loads and all(use.served and not (use.grows or use.lost or use.users) for use in open_loads):
        rate = sum(use.offered for use in open_loads)
        sentence = f"All {figure(rate)} requests a second that arrive are served. Busiest: {part}"
        return Limiter("load", part.name, part.share, sentence)
    thinking = _thinking(open_loads)
    if thinking >= MOSTLY:
        return Limiter("load", part.name, part.share, f"The users think {thinking:.0%} of the time. Busiest: {part}")
    return None


def _unsaturated(seen: Evidence, busiest: list[Busy]) -> Limiter:
    """The limit where nothing is saturated: a wait, the pace of the load, a window that is full, or none."""
    waiting = _wait(seen.tallies, seen.end)
    if waiting and waiting.busy >= MOSTLY and all(part.share < BUSY for part in busiest):
        return waiting
    if not busiest:
        return Limiter("none", "", 0.0, "nothing is busy")
    first, pace = busiest[0], seen.pace
    told = f"Busiest: {', '.join(map(str, busiest))}"
    if pace.share >= MOSTLY:
        who = "it pauses" if pace.owner == "trace" else "senders wait for it"
        sentence = f"The {pace.owner} sets the pace: {who} {pace.share:.0%} of the time. {told}"
        return Limiter("load", first.name, first.share, sentence)
    if seen.full:
        return seen.full
    crowded = any(use.longest_line >= CROWD for use in seen.resources)
    if waiting and waiting.busy >= SATURATED:
        why = f"; {waiting.sentence}"
    else:
        why = "" if seen.open_loads or crowded else ": the stages run one after another"
    return Limiter("none", first.name, first.share, f"No part is saturated{why}. {told}")


def _thinking(open_loads: tuple[LoadUse, ...]) -> float:
    """Share of their time that users think, if all loads are of users; of the load with the smallest share.

    Pauses that chance makes shorter than their mean do not make it more than all of the time.
    """
    shares = [use.served * use.think / SECOND / use.users if use.users else 0.0 for use in open_loads]
    return min(*shares, 1.0) if shares else 0.0


def _within(resources: tuple[ResourceUse, ...], name: str, program: Program) -> Busy:
    """A saturated resource, or another for which its holders wait while they have it.

    Lanes of PCI Express are taken while a transfer waits for memory. A line that was never longer than there are
    holders is theirs, in equal parts; where what is left of their use is less than that of the other, that limits.
    """
    rows = [row for row, use in enumerate(resources) if not use.lock and use.utilisation >= SATURATED]
    at = next(row for row in rows if resources[row].name == name)
    if len(rows) == 1:
        return Busy("resource", name, resources[at].utilisation)
    holding = Holding.of(program)
    inside = [row for row in rows if row != at and row in holding.beneath(at)]
    row = max(inside, key=lambda row: resources[row].utilisation, default=at)
    used = resources[row]
    waiting = [other for other in rows if other != row and row in holding.beneath(other)]
    held = sum(resources[other].units for other in waiting)
    if held > used.longest_line and resources[at].utilisation - used.mean_line / held < used.utilisation:
        at = row
    return Busy("resource", resources[at].name, resources[at].utilisation)


def _behind(seen: Evidence, program: Program) -> Limiter:
    """The limit behind saturated locks: that of the busiest whose holders do not wait most of the time, if any.

    A turn that is kept while a machine waits, as for a full window, is as occupied as that is closed. Then the
    wait is the limit; the sentence adds what else is busy for `BUSY` of the time, such as the end that is waited for.
    """
    waits: list[tuple[int, Limiter]] = []
    full = [use for use in seen.resources if use.lock and use.utilisation >= SATURATED]
    for lock in sorted(full, key=lambda use: -use.utilisation):
        found = _beneath(seen.resources, lock.name, program)
        waiting = _turn_of(seen, lock.name) if found.name == lock.name else None
        if waiting is None:
            return found
        waits.append((lock.units, replace(waiting, sentence=f"{waiting.sentence}; {_needed(lock)}")))
    rest = [use for use in seen.resources if BUSY <= use.utilisation < SATURATED]
    busiest = max(rest, key=lambda use: use.utilisation, default=None)
    also = f". Busiest: {busiest.name} {busiest.utilisation:.0%}" if busiest else ""
    # Holders of a lock of many units wait for one of fewer, which is nearer to the machine.
    nearest = min(waits, key=lambda each: each[0])[1]
    return replace(nearest, sentence=nearest.sentence + also)


def _turn_of(seen: Evidence, name: str) -> Limiter | None:
    """The wait of a machine, most of the time, for which holders of a lock keep it; None if there is none."""
    if seen.program is None:
        return None
    lock = next(row for row, use in enumerate(seen.resources) if use.lock and use.name == name)
    if seen.resources[lock].utilisation < MOSTLY or all(tally.unit != "ps" for tally in seen.tallies):
        return None
    asked = Holding.of(seen.program).asked(lock)
    waiting = _wait(tuple(tally for tally in seen.tallies if tally.owner in asked), seen.end)
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
        return Busy("lock", name, lock.utilisation).limits()
    also = f"; {_needed(lock)}" if used.utilisation < SATURATED else ""
    return Busy("lock" if used.lock else "resource", used.name, used.utilisation).limits(also)


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
    lost = _lost(tallies, *TIMERS[what]) if what in TIMERS else ""
    return Limiter("wait", owner, share, f"{owner} waits {share:.1%} of the time, mostly for {what}{lost}")


def _lost(tallies: tuple[TallyValue, ...], ran_out: str, resent: str, unit: str) -> str:
    """Words on what all senders lost: how often timers ran out, and segments or packets that went again."""
    times, again = (sum(tally.value for tally in tallies if tally.what == what) for what in (ran_out, resent))
    return f" ({counted(times, 'timeout')} in all, {counted(again, unit)} sent again)"
