"""The driver of a disk to which the way is down at times: what is lost on it is aborted and sent again."""

from __future__ import annotations

from collections.abc import Callable

from simio.components.faults.failing_driver import ALL, DONE, SILENT, FailingDriver
from simio.components.faults.failures import Failures
from simio.components.faults.interruptions import Told, Way
from simio.components.storage.disk import DiskDrive
from simio.components.storage.driver import Execute
from simio.components.storage.interfaces import Initiator, Transport
from simio.description.model import Disk
from simio.machines.failing.requests import ADD, MOST
from simio.program.builder import Builder, Register

_UNTOLD = 1
"""A command was lost in an interruption of which the driver is not told."""
_TOLD = 2
"""It was lost in the first of those of which it is, which is interruption 0; one more for each later one."""


class InterruptedDriver(FailingDriver):
    """`FailingDriver` whose commands, their data or their status may be lost on the way.

    A command that was lost is sent again: when its timeout is over or, where the driver is told of the interruption,
    when that is. It keeps its place among those that are outstanding. When that was in vain the driver gives the
    disk up, for good, so that what it wrote meanwhile elsewhere is not read from here.
    """

    def __init__(
        self,
        p: Builder,
        initiator: Initiator,
        drive: DiskDrive,
        transport: Transport,
        depth: int,
        failures: Failures,
        disk: Disk,
        way: Way,
    ) -> None:
        self.way = way
        self.line = Interrupted(p, transport, way)
        given_up = f"{disk.name} given up by {way.host}" if way.loses else ""
        super().__init__(p, initiator, drive, self.line, depth, failures, disk, way.timeout, given_up)
        self.count = p.machine(f"{disk.name} lost from {way.host}", [0])
        p.tally(disk.name, "commands lost on the way", self.count, "commands")

    def _attempt(self, sector: Register, amount: int, execute: Execute, result: Register) -> None:
        """Send a command until it was not lost, or was given up."""
        p, line = self.p, self.line
        with p.loop(1):
            left = p.register(self.way.retries + 1)
            sent, line.lost, line.open = p.register(), p.register(), p.register(0)
            with p.until(left, "==", 0):
                p.let(result, "SET", DONE)
                p.let(line.lost, "SET", 0)
                self._hold(result)
                p.let(sent, "SINCE", 0)
                with p.when(result, "==", DONE):
                    super()._attempt(sector, amount, execute, result)
                    line.forgotten(sent)
                with p.when(result, ">=", SILENT):
                    line.abort()
                    p.let(line.lost, "SET", 0)
                with p.when(line.lost, "==", 0):
                    p.let(left, "SET", 0)
                with p.when(line.lost, ">", 0):
                    self._lose(sent, left, result)
                    with p.when(left, ">", 0):
                        self.initiator.issue(amount)

    def _carried(self, sector: Register, amount: int, execute: Execute, result: Register) -> None:
        """The drive does nothing for what did not reach it."""
        with self.p.when(self.line.lost, "==", 0):
            super()._carried(sector, amount, execute, result)

    def _hold(self, result: Register) -> None:
        """Wait while the driver knows that the way is down; `result` tells if the disk was given up."""
        p = self.p
        with p.loop(1):
            now = p.register()
            if self.gone is not None:
                p.call(now, MOST, self.gone)
                with p.when(now, ">", 0):
                    p.let(result, "SET", SILENT)
            for _, each in self.way.told:
                p.let(now, "SINCE", 0)
                with p.when(now, ">=", each.known), p.when(now, "<", each.end), p.when(result, "==", DONE):
                    self._wait_until(each.over)
                    if each.lost:
                        self._give_up(result)

    def _lose(self, sent: Register, left: Register, result: Register) -> None:
        """Wait until a command that was lost is to be sent again, of which `left` tells if it is, and abort it."""
        p, lost = self.p, self.line.lost
        p.let(result, "SET", DONE)
        with p.loop(1):
            word = p.register()
            p.call(word, ADD, self.count, 1)
            with p.when(lost, "==", _UNTOLD):
                p.let(word, "SINCE", sent)
                p.let(word, "SUB", self.way.timeout, word)
                p.let(word, "MAX", word, 0)
                p.advance(0, word, 1)
                if self.way.loses:
                    p.let(left, "SUB", left, 1)
                    with p.when(left, "==", 0):
                        self._give_up(result)
        for number, each in self.way.told:
            with p.when(lost, "==", _TOLD + number):
                self._wait_until(each.over)
                if each.lost:
                    self._give_up(result)
                    p.let(left, "SET", 0)
        self.line.abort()

    def _wait_until(self, instant: int) -> None:
        p = self.p
        with p.loop(1):
            left = p.register()
            p.let(left, "SINCE", 0)
            p.let(left, "SUB", instant, left)
            p.let(left, "MAX", left, 0)
            p.advance(0, left, 1)

    def _give_up(self, result: Register) -> None:
        """The disk is not asked any more."""
        p, gone = self.p, self.gone
        assert gone is not None
        p.let(result, "SET", SILENT)
        with p.loop(1):
            word = p.register()
            p.call(word, MOST, gone)
            with p.when(word, "==", 0):
                p.call(word, MOST, gone, 1)
                p.put(self.noticed, ALL)


class Interrupted:
    """A transport over a way that is down at times.

    What is on its way at any instant of an interruption, or waits for the way until then, is lost; then nothing more
    comes of the command from either side. `lost` is the register of the command's thread that says so; `open` is 1
    from when the command leaves until it has ended or is aborted.
    """

    def __init__(self, p: Builder, transport: Transport, way: Way) -> None:
        self.p = p
        self.transport = transport
        self.way = way
        self.unit = transport.unit
        self.burst = transport.burst
        self.lost: Register
        self.open: Register

    def request(self) -> None:
        """A command to the drive."""
        self.p.let(self.open, "SET", 1)
        self._exposed(self.transport.request)

    def send(self, amount: int) -> None:
        """Data to the host."""
        self._exposed(lambda: self.transport.send(amount))

    def fetch(self, amount: int) -> None:
        """Data from the host."""
        self._exposed(lambda: self.transport.fetch(amount))

    def reply(self) -> None:
        """Status."""
        with self.p.when(self.lost, "==", 0):
            self.p.let(self.open, "SET", 0)
            self._exposed(self.transport.reply)

    def abort(self) -> None:
        """What ends a command that was lost takes what its status would have."""
        with self.p.when(self.open, "==", 1):
            self.p.let(self.open, "SET", 0)
            self.transport.reply()

    def forgotten(self, sent: Register) -> None:
        """A command is lost if the driver was told of an interruption while it was outstanding."""
        p = self.p
        with p.loop(1):
            now = p.register()
            p.let(now, "SINCE", 0)
            for number, each in self.way.told:
                with p.when(now, ">", each.known), p.when(sent, "<", each.end):
                    p.let(self.lost, "MAX", self.lost, _TOLD + number)

    def _exposed(self, transfer: Callable[[], None]) -> None:
        p = self.p
        with p.when(self.lost, "==", 0), p.loop(1):
            since, now = p.register(), p.register()
            p.let(since, "SINCE", 0)
            transfer()
            p.let(now, "SINCE", 0)
            for number, each in enumerate(self.way.interruptions):
                with p.when(now, ">", each.begin), p.when(since, "<", each.end):
                    kind = _TOLD + number if isinstance(each, Told) else _UNTOLD
                    p.let(self.lost, "MAX", self.lost, kind)
