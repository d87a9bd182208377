"""The compiled engine: runs the machine code of the loop over a program's tables."""

from __future__ import annotations

import time
from ctypes import addressof, c_char
from dataclasses import replace

import numpy as np

from simio.engines import codes
from simio.engines import layout as c
from simio.engines import outcome as contract
from simio.engines.feeding import Feeding
from simio.engines.native import Announce, Entry, entry, step_addresses
from simio.engines.outcome import (
    CHUNK,
    FIRST_INTERVAL,
    RECORD_LIMIT,
    THREAD_LIMIT,
    Ints,
    Options,
    Outcome,
    Status,
)
from simio.engines.prepared import FirstThreads, Prepared, prepare, zeros
from simio.machines.random import streams
from simio.program.steps import Program, named_row
from simio.waiting import Interrupt, interrupt, watcher

FIRST_LOG = 1024
"""Rows of the log at first; it doubles when it is full."""
SLICE = 1_000_000
"""Steps after which the loop first returns for a moment, so that Ctrl-C is seen and progress reported."""
LEAST_SLICE = 10_000
PAUSE = 0.2
"""Seconds between two returns of the loop, about."""


def run(
    program: Program,
    options: Options | None = None,
    announce: Announce | None = None,
    prepared: Prepared | None = None,
) -> Outcome:
    """Run `program` to its end, its time limit or an error; never raises for what the program does.

    `announce` gets a message if the engine has to be compiled first. `prepared` is the program's, if a caller has it
    (`simio.engines.prepared`). Raises RunError if the program has an operation that this engine lacks.
    """
    prepared = prepared or prepare(program, announce)
    loop = entry(announce, prepared.families)
    options = options or Options()
    # Watchers and feeds would see both runs of one that is made again.
    once = options.trace or options.watch or options.condense or program.feeds
    work = _Tables(program, prepared, options, FIRST_INTERVAL if once else prepared.room.interval)
    with interrupt() as ctrl_c:
        outcome = _run(loop, work, options, ctrl_c)
        if work.sparse and not ctrl_c.noticed:
            prepared.room.differs()
            outcome = _run(loop, _Tables(program, prepared, options), options, ctrl_c)
    return replace(outcome, status=Status.INTERRUPTED) if ctrl_c.noticed else outcome


def _run(loop: Entry, work: _Tables, options: Options, ctrl_c: Interrupt) -> Outcome:
    while True:
        status = work.slice(loop)
        if ctrl_c.noticed:
            work.hand_over_trace(options)
            return work.outcome(Status.INTERRUPTED)
        if status == c.SLICED:
            work.tell(options)
            continue
        if status == c.GROW_THREADS and len(work.threads) >= THREAD_LIMIT:
            return work.full(options)
        if status == c.GROW_THREADS:
            work.grow_threads()
        elif status == c.GROW_LOG:
            work.grow_log(options)
        elif status == Status.MACHINE and work.feed():
            continue
        elif status == c.GROW_TRACE and not options.watch:
            work.grow_trace()
        elif status == c.GROW_TRACE:
            work.hand_over_trace(options)
        else:
            work.hand_over_trace(options)
            return work.outcome(Status(status))


class _Tables:
    """The compiled engine's working tables for one run, whose timeline begins with an `interval` in ps."""

    def __init__(
        self, program: Program, prepared: Prepared, options: Options, interval: int = FIRST_INTERVAL
    ) -> None:
        self.steps = prepared.steps
        self.alike = prepared.alike
        self.draws = np.ascontiguousarray(program.draws)
        self.draw_table = np.ascontiguousarray(program.draw_table)
        self.resources, self.containers = prepared.resources.copy(), prepared.containers.copy()
        self.state = program.state.copy()
        self.feeding = Feeding(program)
        self.streams = streams(options.seed, len(program.draws))
        self.sums = zeros(len(program.marks))
        self.gauges = prepared.gauges
        self.room = prepared.room
        most = contract.CONDENSE_AT if options.condense else RECORD_LIMIT
        self.log = _empty(min(max(FIRST_LOG, self.room.log), most), c.LOG_COLUMNS)
        self.trace = _empty(CHUNK if options.watch else 1024 if options.trace else 1, c.TRACE_COLUMNS)
        width = 2 * len(self.resources) + len(self.containers) + len(self.sums) + len(self.gauges)
        rows = contract.sample_rows(width)
        self.times, self.samples = _empty(rows), _empty(rows, width)
        self.control = zeros(c.CONTROL_COLUMNS)
        self.control[[c.INTERVAL, c.NEXT_SAMPLE]] = interval
        self.control[[c.SLOT, c.HELD]] = -1
        self.control[[c.HELD_TIME, c.FIRST_TIME]] = c.LATEST
        self.control[c.STOP] = min(interval, options.until)
        self.control[c.USED_REGISTERS] = program.registers
        limits = (
            options.until,
            options.budget,
            RECORD_LIMIT,
            int(options.trace or options.watch is not None),
        )
        self.control[[c.UNTIL, c.BUDGET, c.RECORDS, c.TRACING]] = limits
        self._start(prepared.first)
        # A trace tells the steps that the loop runs, so that they have to be a thread's own.
        if not self.control[c.TRACING]:
            self.alike.share(self.threads[: len(prepared.first.threads)])
        self._address = 0
        self._interval = interval
        self._slice = SLICE
        self.delivered = [row for row, mark in enumerate(program.marks) if mark.role == "delivered"]

    def _start(self, first: FirstThreads) -> None:
        count = len(first.threads)
        room = max(min(max(2 * count, 64, self.room.threads), THREAD_LIMIT), count)
        # A FORK writes all of a row that is read later.
        self.threads, self.stats = self.room.threads_of(room), first.stats.copy()
        self.threads[:count] = first.threads
        self.heap, self.ring, self.free = _heap(room, first.later), _empty(room), _empty(room)
        self.ring[: len(first.due)] = first.due
        self.control[[c.RING_COUNT, c.WORKING]] = len(first.due), first.working
        self.control[[c.HEAPED, c.SEQUENCE]] = len(first.later)
        if len(first.later):
            self.control[c.FIRST_TIME] = first.later[0, 0]
        self.control[[c.USED, c.NEXT_SERIAL]] = count

    @property
    def sparse(self) -> bool:
        """True if the run was too short for its interval: the timeline lacks rows of a shorter one."""
        return self._interval > FIRST_INTERVAL and 2 * int(self.control[c.ROWS]) < len(self.times)

    def slice(self, loop: Entry) -> int:
        """Run on for a moment; returns the status, or SLICED if the budget allows more."""
        budget, executed = int(self.control[c.BUDGET]), int(self.control[c.EXECUTED])
        self.control[c.BUDGET] = min(budget, executed + self._slice)
        begun = time.monotonic()
        status = loop(self._placed())
        self.control[c.BUDGET] = budget
        if status != Status.BUDGET or self.control[c.EXECUTED] >= budget:
            return status
        self._slice = max(int(self._slice * min(PAUSE / max(time.monotonic() - begun, 1e-9), 4)), LEAST_SLICE)
        return c.SLICED

    def tell(self, options: Options) -> None:
        """Tell how far the run has come, if anybody watches it."""
        if by := watcher():
            delivered = int(self.sums[self.delivered].sum())
            by.runs(int(self.control[c.NOW]), options.until, delivered, options.work() if options.work else 0)

    def _placed(self) -> int:
        """Address of `control`, in which each table has its own and its rows."""
        if not self._address:
            rows = ("threads", "resources", "containers", "sums", "gauges", "draw_table", "log", "trace", "times")
            self.control[c.THREADS : c.SAMPLE_COLUMNS] = [len(getattr(self, name)) for name in rows]
            self.control[c.SAMPLE_COLUMNS] = self.samples.shape[1]
            self.control[c.STEPS_AT : c.CHOICE_AT] = [_address(getattr(self, name)) for name in c.TABLES]
            self.control[c.CHOICE_AT] = step_addresses()[-1]
            self._address = _address(self.control)
        return self._address

    def feed(self) -> bool:
        """Give the machine that refused a call its next words, and make the call again; False if there are none."""
        if not self.feeding.feed(self.state, self._called()):
            return False
        self.control[c.EXECUTED] -= 1
        self.control[c.TRACED] -= self.control[c.TRACING]
        return True

    def _called(self) -> int:
        """Offset of the machine of the CALL at which the loop stopped."""
        step, flags = self.steps[self.control[c.STEP]].tolist(), int(self.threads[self.control[c.SLOT], c.FLAGS])
        return named_row(step, flags >> c.INSTANCE)

    def grow_log(self, options: Options) -> None:
        """Make room for twice as many marks, or as many as a run may record; or condense those that there are."""
        most = contract.CONDENSE_AT if options.condense else RECORD_LIMIT
        if options.condense and len(self.log) == most:
            kept = options.condense(self.log)
            self.log[: len(kept)] = kept
            self.control[c.LOGGED] = len(kept)
            return
        self.log = _grown(self.log, min(2 * len(self.log), most))
        self._address = 0

    def grow_trace(self) -> None:
        """Make room for twice as many steps."""
        self.trace = _grown(self.trace, 2 * len(self.trace))
        self._address = 0

    def hand_over_trace(self, options: Options) -> None:
        """Pass the steps since the last call to whoever watches them, and forget them."""
        if options.watch:
            options.watch(self.trace[: self.control[c.TRACED]].copy())
            self.control[c.TRACED] = 0

    def grow_threads(self) -> None:
        """Make room for four times as many threads, or as many as there may be.

        Rows that no thread has had take no memory, and those that are copied are many pages.
        """
        room = min(4 * len(self.threads), THREAD_LIMIT)
        self.threads = _grown(self.threads, room)
        self.heap = _heap(room, self.heap[: self.control[c.HEAPED]])
        self.free = zeros(room)
        head = int(self.control[c.RING_HEAD])
        waiting = np.roll(self.ring, -head)
        self.ring = zeros(room)
        self.ring[: len(waiting)] = waiting
        self.control[c.RING_HEAD] = 0
        self._address = 0

    def full(self, options: Options) -> Outcome:
        """The outcome of a run that would start one thread too many; the step that tried to counts."""
        self.control[c.EXECUTED] += 1
        self.control[c.TRACED] += self.control[c.TRACING]
        self.hand_over_trace(options)
        return self.outcome(Status.THREADS)

    def outcome(self, status: Status) -> Outcome:
        """The outcome of the run until now, which ends here: the next one has its table of threads."""
        end, control, resources = int(self.control[c.NOW]), self.control, self.resources
        fault = (0, 0)
        if status not in (Status.DONE, Status.UNTIL, Status.DEADLOCK):
            thread = self.threads[control[c.SLOT]]
            step = self.alike.own(control[[c.STEP]], thread[[c.FLAGS]])
            fault = (int(thread[c.SERIAL]), int(step[0]))
        used = resources[:, [c.BUSY, c.QUEUE, c.SEIZES, c.WAITS, c.LONGEST, c.IN_USE]]
        used[:, :2] += resources[:, [c.IN_USE, c.LINE]] * end
        kept = [c.LEVEL, c.LOWEST, c.HIGHEST, c.PUT_TOTAL, c.GOT_TOTAL, c.BLOCKED]
        outcome = Outcome(
            status=status,
            end=end,
            steps=int(control[c.EXECUTED]),
            events=int(control[c.EVENTS]),
            fault=fault,
            marks=self.log[: control[c.LOGGED]],
            resources=used,
            containers=self.containers[:, kept],
            container_area=_areas(self.containers),
            threads=self.stats,
            times=self.times[: control[c.ROWS]],
            samples=self.samples[: control[c.ROWS]],
            alive=self._alive(),
            state=self.state,
            streams=self.streams,
            trace=self.trace[: control[c.TRACED]],
        )
        self.room.note(self.threads, len(self.log), int(control[c.INTERVAL]))
        return outcome

    def _alive(self) -> Ints:
        """Threads that have not ended, in order of creation."""
        threads = self.threads[: self.control[c.USED]]
        live = np.flatnonzero(threads[:, c.FLAGS] & c.LIVE)
        alive = threads[live[:, np.newaxis], [c.SERIAL, c.NAME, c.PC, c.WAIT, c.WHAT]]
        alive[:, 2] = self.alike.own(alive[:, 2], threads[live, c.FLAGS])
        waits = alive[:, 3]
        alive[(waits == codes.WAIT_READY) | (waits == codes.WAIT_JOIN), 4] = 0
        return alive[np.argsort(alive[:, 0])]


def _address(table: Ints) -> int:
    """Where a table begins; a third of the time that `__array_interface__` takes. No word of an empty one is read."""
    return addressof(c_char.from_buffer(table.data)) if table.size else 0


def _empty(*shape: int) -> Ints:
    """A table whose words are written before they are read."""
    return np.empty(shape, dtype=np.int64)


def _heap(rows: int, entries: Ints) -> Ints:
    """A heap with room for so many entries, which has these."""
    heap = np.full((rows + c.HEAP_SPARE, c.HEAP_COLUMNS), c.LATEST, dtype=np.int64)
    heap[: len(entries)] = entries
    return heap


def _grown(table: Ints, rows: int) -> Ints:
    larger = zeros(rows, table.shape[1])
    larger[: len(table)] = table
    return larger


def _areas(containers: Ints) -> tuple[int, ...]:
    """Each container's area from its four digits of 31 bits."""
    digits = containers[:, c.AREA : c.AREA + 4]
    if not digits[:, 2:].any():
        return tuple((digits[:, 0] + (digits[:, 1] << 31)).tolist())
    return tuple(one + (two << 31) + (three << 62) + (four << 93) for one, two, three, four in digits.tolist())
