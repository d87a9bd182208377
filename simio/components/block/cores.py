"""The cores of a host as places: work that is pinned to one waits for that one."""

from __future__ import annotations

from simio.components.host.host import Computer
from simio.errors import RunError
from simio.machines.block import layout as c
from simio.program.builder import Builder, Handle


class Core:
    """A core: its resource, and the state that knows how long it has been idle."""

    def __init__(self, p: Builder, host: Computer, number: int) -> None:
        sheet = host.description.cpu.sheet
        self.number = number
        self.resource: Handle = p.resource(f"{host.name}.core {number}")
        deep = bool(sheet.idle_deep)
        self.state = p.machine(
            f"{host.name}.core {number}",
            c.CORE.initial(
                exit=sheet.idle_exit,
                long=sheet.idle_deep if deep else c.NEVER,
                long_exit=sheet.idle_deep_exit,
                long_cold=sheet.idle_deep_cold,
            ),
        )


class Cores:
    """The cores of one host, each made when something first runs on it; they fill one socket after the other."""

    def __init__(self, p: Builder, host: Computer) -> None:
        self.p = p
        self.host = host
        self.count = host.description.cpus
        self.a_socket = host.description.cpu.sheet.socket_cores or self.count
        self._made: dict[int, Core] = {}

    def socket(self, number: int) -> int:
        """The socket of a core."""
        return number // self.a_socket

    def core(self, number: int) -> Core:
        """A core by its number from 0 on. Raises RunError where the host has none of this number."""
        if number >= self.count:
            raise RunError(f"{self.host.name!r} has {self.count} CPUs, from 0 on, and none of number {number}")
        if number not in self._made:
            self._made[number] = Core(self.p, self.host, number)
        return self._made[number]
