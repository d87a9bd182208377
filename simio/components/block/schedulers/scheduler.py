"""Costs that an I/O scheduler adds to a request: CPU time, and turns of a lock that all cores share."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from fractions import Fraction

from simio.components.block.cores import Cores
from simio.description.sheets.linux import LinuxKernelSheet
from simio.machines.block import layout as c
from simio.machines.block import locking
from simio.machines.block.processes import goes_on
from simio.program.builder import Builder, Register

SCHEDULED = 256
"""Requests of a hardware queue with a scheduler: twice BLKDEV_DEFAULT_RQ (block/blk-mq-sched.c)."""
HANDED = 4
"""Lines that move when a lock is handed on: its word is written and read, so is the node of the next in line."""


class Scheduler:
    """The scheduler of one drive on one host; without a lock of its own, it costs time and no more."""

    def __init__(self, p: Builder, cores: Cores, drive: str, users: int) -> None:
        """`users` processes read or write the drive through it."""
        self.p = p
        self.cores = cores
        self.drive = drive
        self.users = users
        sheet = cores.host.description.kernel.sheet
        assert isinstance(sheet, LinuxKernelSheet)
        self.sheet = sheet

    @property
    def cost(self) -> int:
        """CPU time a request outside of locks, in ps of the kernel's reference CPU."""
        return 0

    def submit(self, process: int, core: int) -> None:
        """A process, by the offset of its state, on a core that it holds, inserts and dispatches a request."""

    def admitted(self, process: str, writes: bool) -> AbstractContextManager[None]:
        """Around a request of a process, until its end: it waits here as long as too many are under way."""
        return nullcontext()

    def _limit(self, name: str, most: int) -> AbstractContextManager[None]:
        """Around a request of a kind of which at most so many are under way, first come, first served."""
        host = self.cores.host.name
        return self.p.hold(self.p.resource(f"{host}: {name} of {self.drive}", most, lock=True))

    def _lines(self, name: str = "", held: int = 0, moved: Fraction | int = 0, handed: int = 0) -> int:
        """The machine of data that cores share: time of a turn, and lines that move if another core had them."""
        host, cpu = self.cores.host, self.cores.host.description.cpu.sheet
        return self.p.machine(
            f"{host.name}: scheduler of {self.drive}{name}",
            c.LOCK.initial(
                held=held,
                near=int(moved * cpu.line_near),
                far=int(moved * cpu.line_far),
                handed=handed * cpu.line_near,
                handed_far=handed * cpu.line_far,
                socket=self.cores.a_socket,
            ),
        )

    def _spend(self, time: Register, process: int) -> None:
        """A process goes on working for so many ps."""
        self.p.call(time, goes_on, process, time)
        self.p.wait(time)


class LockingScheduler(Scheduler):
    """A scheduler with one lock a drive, which every request takes `turns` times; a waiting thread keeps its core."""

    turns = 2
    """One when it is inserted, one when it is dispatched."""

    def __init__(self, p: Builder, cores: Cores, drive: str, users: int = 1) -> None:
        super().__init__(p, cores, drive, users)
        host = cores.host
        held, lines = self.lock_costs
        self.lock = p.resource(f"{host.name}: scheduler of {drive}", lock=True)
        self.state = self._lines("", host.span(held) // self.turns, Fraction(lines, self.turns), HANDED)

    @property
    def lock_costs(self) -> tuple[int, int]:
        """Time in the lock a request, in ps of the reference CPU, and cache lines that move with it."""
        raise NotImplementedError

    def submit(self, process: int, core: int) -> None:
        """Take the lock for each turn."""
        p = self.p
        with p.loop(self.turns), p.scope(), p.hold(self.lock):
            self._spend(p.answer(locking.turn, self.state, core), process)


SCHEDULERS: dict[str, Callable[[Builder, Cores, str, int], Scheduler]] = {}
"""The schedulers by name."""


def register_scheduler(name: str, make: Callable[[Builder, Cores, str, int], Scheduler]) -> None:
    """Make a scheduler known by the name that a workload chooses it by. Raises ValueError for a name twice."""
    if SCHEDULERS.setdefault(name, make) is not make:
        raise ValueError(f"a scheduler {name!r} is registered already")
