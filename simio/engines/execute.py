"""Running a program on the engine that fits it, and messages for the runs that are aborted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from simio import units
from simio.engines.outcome import DEFAULT_BUDGET, THREAD_LIMIT, Aborted, Interrupted, Options, Outcome, Status, Wait
from simio.errors import RunError
from simio.machines.door import numbered
from simio.program.steps import Op, Program

if TYPE_CHECKING:
    from simio.engines.prepared import Prepared

ENGINES = ("compiled", "simpy")


def execute(
    program: Program,
    options: Options,
    engine: str | None = None,
    announce: Callable[[str], Any] | None = None,
    prepared: Callable[[Callable[[str], Any] | None], Prepared] | None = None,
) -> Outcome:
    """Run a program; `engine` is 'compiled' (the default) or 'simpy', which programs with Python processes need.

    `announce` is as in `simio.engines.compiled.run`, and `prepared` gives that engine its tables. Raises Aborted for
    a deadlock, a spent budget or another error of the run, naming the threads that caused it, Interrupted for Ctrl-C,
    and RunError for a program that cannot begin.
    """
    if engine not in (None, *ENGINES):
        raise RunError(f"there is no engine {engine!r}; there are {' and '.join(ENGINES)}")
    if program.guests and engine == "compiled":
        names = ", ".join(guest.name for guest in program.guests)
        raise RunError(f"{names}: processes written in Python run on the SimPy engine only; use --engine simpy")
    _check_starts(program)
    if engine == "simpy" or program.guests:
        from simio.engines import reference

        outcome = reference.run(program, options)
    else:
        from simio.engines import compiled

        outcome = compiled.run(program, options, announce, prepared(announce) if prepared else None)
    if outcome.status == Status.INTERRUPTED:
        raise Interrupted(outcome)
    if outcome.status not in (Status.DONE, Status.UNTIL):
        raise Aborted(explain(program, options, outcome), outcome)
    return outcome


def _check_starts(program: Program) -> None:
    """Refuse a program that begins with more threads than may live; the message names the most frequent."""
    if sum(start.count for start in program.starts) <= THREAD_LIMIT:
        return
    counts = Counter({start.name: 0 for start in program.starts})
    for start in program.starts:
        counts[start.name] += start.count
    ((name, most),) = counts.most_common(1)
    raise RunError(
        f"{counts.total():,} threads from the beginning, {most:,} of them {name!r}, are too many for one run: "
        f"at most {THREAD_LIMIT:,} may live at once; use fewer disks, streams or processes"
    )


def explain(program: Program, options: Options, outcome: Outcome) -> str:
    """The message for an aborted run: the error, where it happened, and what to do about it."""
    at = units.format_quantity(outcome.end, "time")
    where = _where(program, outcome)
    messages = {
        Status.DEADLOCK: f"deadlock at {at}: work remains and nothing can go on. {_waiting(program, outcome)}",
        Status.BUDGET: f"the budget of {options.budget:,} steps was spent at {at} of simulated time{where}; "
        "shorten the run (run.until, or less to transfer) or raise run.step_budget"
        + ("" if options.budget > DEFAULT_BUDGET else f" (default {DEFAULT_BUDGET:,})"),
        Status.HORIZON: f"time would pass the horizon of about 106 days{where}",
        Status.OVERFLOW: f"a value left the 64-bit range or was divided by zero at {at}{where}",
        Status.NEGATIVE: f"a negative time or amount at {at}{where}",
        Status.RELEASED: f"more was released than had been seized at {at}{where}",
        Status.OVERFULL: f"more was put into a container than it ever holds at {at}{where}",
        Status.MACHINE: f"a machine refused a request at {at}{where}",
        Status.RECORDS: f"more observations than a run may record at {at}{where}; shorten the run",
        Status.THREADS: f"more than {THREAD_LIMIT:,} threads would live at {at}{where}: more is begun than ends; "
        "offer less at a time, or shorten the run",
    }
    return messages[outcome.status]


def _where(program: Program, outcome: Outcome) -> str:
    serial, pc = outcome.fault
    rows = outcome.alive[outcome.alive[:, 0] == serial]
    name = f"thread {program.names[rows[0, 1]]!r}, " if len(rows) and rows[0, 1] >= 0 else ""
    op = Op(int(program.steps[pc, 0]))
    what = f" {numbered(int(program.steps[pc, 1])).name}" if op == Op.CALL else ""
    return f" ({name}step {pc}: {op.name}{what})"


def _waiting(program: Program, outcome: Outcome) -> str:
    """Every waiting thread and what it waits for; equal ones are counted."""
    rows = outcome.alive.tolist()
    groups = Counter(
        f"{program.names[name] if name >= 0 else 'a Python process'!r} waits {_for(program, Wait(wait), what)}"
        for _, name, _, wait, what in rows
        if wait != Wait.READY
    )
    return "; ".join(text + (f" ({count} threads)" if count > 1 else "") for text, count in groups.items())


def _for(program: Program, wait: Wait, what: int) -> str:
    if wait == Wait.RESOURCE:
        return f"for {program.resources[what].name!r}"
    if wait == Wait.JOIN:
        return "for its children"
    container = program.containers[what]
    return f"for {container.unit} {'from' if wait == Wait.GET else 'to fit into'} {container.name!r}"
