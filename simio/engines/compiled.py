"""The compiled engine: the program's tables through one numba function.

Compiled code is cached in a folder of the user's own whose name holds a hash of every source that goes into it,
so that a change of any of them compiles anew, and two versions of simio or Python never share code.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from simio.engines import layout as c
from simio.engines.outcome import FIRST_INTERVAL, RECORD_LIMIT, SAMPLES, Ints, Options, Outcome, Status, Wait
from simio.machines.random import streams
from simio.program.steps import Program

if TYPE_CHECKING:
    from types import ModuleType

_kernel: ModuleType | None = None


def run(program: Program, options: Options | None = None) -> Outcome:
    """Run `program` to its end, its time limit or a fault; never raises for what the program does."""
    options = options or Options()
    kernel = load_kernel()
    work = _Tables(program, options)
    kernel.start(work.threads, work.heap, work.ring, work.stats, work.starts, work.control)
    status = kernel.RUNNING
    while status < 0:
        status = kernel.advance(
            program.steps, work.threads, work.heap, work.ring, work.free, work.resources, work.containers,
            program.draws, program.draw_table, work.state, work.streams, work.stats, work.sums,
            work.log, work.trace, work.times, work.samples, work.control,
            options.until, options.budget, int(options.trace),
        )  # fmt: skip
        if status == kernel.GROW_THREADS:
            work.grow_threads()
        elif status == kernel.GROW_LOG:
            work.log = _grown(work.log, min(2 * len(work.log), RECORD_LIMIT))
        elif status == kernel.GROW_TRACE:
            work.trace = _grown(work.trace, 2 * len(work.trace))
    kernel.finish(work.containers, work.control[c.NOW])
    return work.outcome(Status(status))


class _Tables:
    """The compiled engine's working tables for one run."""

    def __init__(self, program: Program, options: Options) -> None:
        self.starts = np.array(
            [[s.entry, s.time, s.count, int(s.daemon), program.names.index(s.name)] for s in program.starts],
            dtype=np.int64,
        )
        room = max(2 * int(self.starts[:, 2].sum()), 64)
        self.threads = _zeros(room, c.REGISTERS + program.registers)
        self.heap = _zeros(room, 3)
        self.ring = _zeros(room)
        self.free = _zeros(room)
        self.resources, self.containers = _resources(program), _containers(program)
        self.state = program.state.copy()
        self.streams = streams(options.seed, len(program.draws))
        self.stats = _zeros(len(program.names), 3)
        self.sums = _zeros(len(program.marks))
        self.log = _zeros(1024, 3)
        self.trace = _zeros(1024 if options.trace else 1, 3)
        self.times = _zeros(SAMPLES)
        self.samples = _zeros(SAMPLES, 2 * len(self.resources) + len(self.containers) + len(self.sums))
        self.control = _zeros(c.CONTROL_COLUMNS)
        self.control[[c.INTERVAL, c.NEXT_SAMPLE]] = FIRST_INTERVAL
        self.control[c.SLOT] = -1

    def grow_threads(self) -> None:
        """Make room for twice as many threads."""
        room = 2 * len(self.threads)
        self.threads = _grown(self.threads, room)
        self.heap = _grown(self.heap, room)
        self.free = _zeros(room)
        head = int(self.control[c.RING_HEAD])
        waiting = np.roll(self.ring, -head)
        self.ring = _zeros(room)
        self.ring[: len(waiting)] = waiting
        self.control[c.RING_HEAD] = 0

    def outcome(self, status: Status) -> Outcome:
        """What the run leaves behind."""
        end, control, resources = int(self.control[c.NOW]), self.control, self.resources
        fault = (0, 0)
        if status not in (Status.DONE, Status.UNTIL, Status.DEADLOCK):
            fault = (int(self.threads[control[c.SLOT], c.SERIAL]), int(control[c.STEP]))
        columns = [
            resources[:, c.BUSY] + resources[:, c.IN_USE] * end,
            resources[:, c.QUEUE] + resources[:, c.LINE] * end,
            *(resources[:, at] for at in (c.SEIZES, c.WAITS, c.LONGEST, c.IN_USE)),
        ]
        kept = [c.LEVEL, c.LOWEST, c.HIGHEST, c.PUT_TOTAL, c.GOT_TOTAL, c.BLOCKED]
        return Outcome(
            status=status,
            end=end,
            steps=int(control[c.EXECUTED]),
            events=int(control[c.EVENTS]),
            fault=fault,
            marks=self.log[: control[c.LOGGED]],
            resources=np.column_stack(columns),
            containers=self.containers[:, kept],
            container_area=tuple(_area(row) for row in self.containers),
            threads=self.stats,
            times=self.times[: control[c.ROWS]],
            samples=self.samples[: control[c.ROWS]],
            alive=self._alive(),
            state=self.state,
            streams=self.streams,
            trace=self.trace[: control[c.TRACED]],
        )

    def _alive(self) -> Ints:
        """Threads that have not ended, in order of creation."""
        live = self.threads[self.threads[:, c.FLAGS] & c.LIVE != 0]
        alive = live[:, [c.SERIAL, c.NAME, c.PC, c.WAIT, c.WHAT]]
        alive[(alive[:, 3] == Wait.READY) | (alive[:, 3] == Wait.JOIN), 4] = 0
        return alive[np.argsort(alive[:, 0])]


def _zeros(*shape: int) -> Ints:
    return np.zeros(shape, dtype=np.int64)


def _grown(table: Ints, rows: int) -> Ints:
    larger = _zeros(rows, table.shape[1])
    larger[: len(table)] = table
    return larger


def _area(row: Ints) -> int:
    """A container's area from its four digits of 31 bits."""
    return sum(int(row[c.AREA + digit]) << (31 * digit) for digit in range(4))


def _resources(program: Program) -> Ints:
    table = _zeros(len(program.resources), c.RESOURCE_COLUMNS)
    for row, resource in zip(table, program.resources, strict=True):
        row[c.UNITS] = resource.units
        row[[c.HEAD, c.TAIL]] = -1
    return table


def _containers(program: Program) -> Ints:
    table = _zeros(len(program.containers), c.CONTAINER_COLUMNS)
    for row, container in zip(table, program.containers, strict=True):
        row[c.CAPACITY] = container.capacity
        row[[c.LEVEL, c.LOWEST, c.HIGHEST]] = container.level
        row[[c.GET_HEAD, c.GET_TAIL, c.PUT_HEAD, c.PUT_TAIL]] = -1
    return table


def source_hash() -> str:
    """Hash of everything that decides what the compiled code does."""
    import numba

    digest = hashlib.sha256(f"{sys.version} {numba.__version__} {np.__version__}".encode())
    package = Path(__file__).parent.parent
    for path in [*sorted((package / "machines").glob("*.py")), *sorted((package / "engines").glob("*.py"))]:
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def cache_folder() -> Path:
    """Where compiled code is kept: $SIMIO_CACHE, or simio under the user's cache folder; made if need be.

    Where that cannot be written (a read-only home), a private folder under the temporary one.
    """
    given = os.environ.get("SIMIO_CACHE") or os.environ.get("XDG_CACHE_HOME")
    base = Path(given) if given else Path.home() / ".cache"
    for root in (
        base / "simio",
        Path(tempfile.gettempdir()) / f"simio-{os.getuid() if hasattr(os, 'getuid') else 0}",
    ):
        folder = root / "compiled" / source_hash()
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            if not _own(root):
                continue
            with tempfile.TemporaryFile(dir=folder):
                return folder
        except OSError:
            continue
    return Path(tempfile.mkdtemp(prefix="simio-"))


def _own(folder: Path) -> bool:
    """Whether only this user can have put code there; who plants a cache runs it here."""
    if not hasattr(os, "getuid"):
        return True
    status = folder.stat()
    return status.st_uid in (os.getuid(), 0) and not status.st_mode & 0o002


def load_kernel(announce: Callable[[str], Any] | None = None) -> ModuleType:
    """The compiled kernel, from the cache or compiled now; `announce` is told before a compilation starts."""
    global _kernel
    if _kernel is None:
        import numba

        folder = cache_folder()
        numba.config.CACHE_DIR = str(folder)  # type: ignore[attr-defined]
        numba.config.LOOP_VECTORIZE = numba.config.SLP_VECTORIZE = 0  # type: ignore[attr-defined]
        if announce and not any(folder.rglob("*.nbc")):
            announce("compiling the engine (once for this version; some ten seconds) …")
        from simio.engines import kernel

        _kernel = kernel
    return _kernel
