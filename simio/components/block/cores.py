"""The cores of a host as places: work that is pinned to one waits for that one."""

from __future__ import annotations

from simio.components.host.host import Computer
from simio.errors import RunError
from simio.machines.block import layout as c
from simio.machines.block import siblings
from simio.program.builder import Builder, Handle, Operand


class Core:
    """A core, or one of its hardware threads: its resource, and the state that knows how long it has been idle."""

    def __init__(self, p: Builder, host: Computer, number: int, shared: int | None = None, thread: int = 0) -> None:
        """`shared` is the machine that it shares with its sibling, where it is the `thread` of so many there."""
        sheet = host.description.cpu.sheet
        self.p = p
        self.number = number
        self._shared = shared
        self._thread = thread
        self.resource: Handle = p.resource(f"{host.name}.core {number}")
        deep = bool(sheet.idle_deep)
        self.state = p.machine(
            f"{host.name}.core {number}",
            c.CORE.initial(
                exit=sheet.idle_exit,
                long=sheet.idle_deep if deep else c.NEVER,
                long_exit=sheet.idle_deep_exit,
                long_cold=sheet.idle_deep_cold,
                shared=-1 if shared is None else shared,
                thread=thread,
            ),
        )
        if shared is not None:
            p.set_word(shared + c.CORES + thread, self.state)

    def spend(self, time: Operand, process: int | None = None) -> None:
        """Work of this many ps at the core's full rate, by the holder of the core; longer while a sibling works, too.

        `process` is the machine of the process whose CPU time it is.
        """
        p = self.p
        if self._shared is None:
            p.wait(time)
            return
        with p.scope():
            if process is not None:
                p.answer(siblings.runs, process)
            left = p.answer(siblings.begin, self._shared, self._thread, time)
            with p.while_(left > 0):
                p.wait(left)
                p.call(left, siblings.left, self._shared, self._thread)
            if process is not None:
                p.call(left, siblings.ran, process)

    @property
    def shares(self) -> bool:
        """True if it is one of two hardware threads of a core."""
        return self._shared is not None


class Cores:
    """The cores of one host, each made when something first runs on it; they fill one socket after the other.

    With two hardware threads a core, numbers are those of Linux: the siblings of the first half of the CPUs, in the
    same order, are the second half.
    """

    def __init__(self, p: Builder, host: Computer) -> None:
        self.p = p
        self.host = host
        sheet = host.description.cpu.sheet
        self.count = host.description.cpus
        self._cores = host.description.cores
        self._rate = sheet.thread_rate
        self.a_socket = sheet.socket_cores or self._cores
        self._made: dict[int, Core] = {}
        self._siblings: dict[int, int] = {}

    def socket(self, number: int) -> int:
        """The socket of a core."""
        return number % self._cores // self.a_socket

    def core(self, number: int) -> Core:
        """A core by its number from 0 on. Raises RunError where the host has none of this number."""
        if number >= self.count:
            raise RunError(f"{self.host.name!r} has {self.count} CPUs, from 0 on, and none of number {number}")
        if number not in self._made:
            self._made[number] = Core(self.p, self.host, number, *self._shared(number))
        return self._made[number]

    def _shared(self, number: int) -> tuple[int | None, int]:
        thread, core = divmod(number, self._cores)
        if self._cores == self.count:
            return None, 0
        if core not in self._siblings:
            state = c.SIBLINGS.initial(rate=self._rate * siblings.FULL // 1)
            self._siblings[core] = self.p.machine(f"{self.host.name}.core {core} siblings", state)
        return self._siblings[core], thread
