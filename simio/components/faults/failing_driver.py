"""The driver of a disk that can fail: it sends commands again, waits for answers that do not come, and gives up."""

from __future__ import annotations

from collections.abc import Callable

from simio.components.faults.failing_disk import FailingDrive
from simio.components.faults.failures import Failures
from simio.components.storage.disk import DiskDrive
from simio.components.storage.driver import DiskDriver, Execute
from simio.components.storage.interfaces import Initiator, Transport
from simio.description.model import Disk
from simio.machines.failing.requests import MOST
from simio.program.builder import Builder, Register

DONE, _MEDIUM, SILENT, _UNHEARD = range(4)
"""How a command ended: well, with an error of the medium, without an answer, or before it reached the disk."""
ALL = 2**32
"""More than ever wait for the driver to give a disk up."""


class FailingDriver(DiskDriver):
    """`DiskDriver` of a disk that reports errors of the medium, or stops answering at an instant.

    A command that ended with an error of the medium is sent again at once. What was not answered when `timeout` has
    passed since it was sent has failed, and the driver gives the disk up: all that still wait fail then, too, and
    whatever comes later fails at once. `gone` is the word that says so, and `noticed` lets pass who waits for it.
    The fault says what `timeout` is, or else the kernel's is given.
    A driver that may give the disk up for other reasons, too, says by `given_up` what the word is called.
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
        timeout: int,
        given_up: str = "",
    ) -> None:
        failure = disk.failure
        name = given_up or f"{drive.name} given up"
        super().__init__(
            p,
            initiator,
            drive,
            Until(p, transport, failure.at) if failure and failure.at else transport,
            depth,
        )
        self.failures = failures
        self.failure = failure
        self.timeout = failure.timeout or timeout if failure else timeout
        self.attempts = 1
        if disk.read_errors is not None and disk.read_errors.unrecovered:
            self.attempts += disk.read_errors.command_retries
        self.gone = p.machine(name, [0]) if failure or given_up else None
        self.noticed = p.container(name, unit="times")

    def _command(self, sector: Register, amount: int, execute: Execute) -> None:
        p = self.p
        result, left = p.register(), p.register(self.attempts)
        with p.until(left, "==", 0):
            p.let(result, "SET", DONE)
            with p.hold(self.queue):
                self._attempt(sector, amount, execute, result)
            self.initiator.complete()
            p.let(left, "SUB", left, 1)
            with p.when(result, "!=", _MEDIUM):
                p.let(left, "SET", 0)
            with p.when(left, ">", 0):
                self.initiator.issue(amount)
        with p.when(result, "!=", DONE):
            self.failures.fail()

    def _attempt(self, sector: Register, amount: int, execute: Execute, result: Register) -> None:
        """Send a command once; an answer that does not come is waited for, and the command aborted, which takes the
        link as long as its status would have."""
        p, failure = self.p, self.failure
        self.initiator.start()
        if failure is None or failure.at is None:
            self.transport.request()
            self._carried(sector, amount, execute, result)
            self.transport.reply()
            return
        sent, now = p.register(), p.register()
        p.let(sent, "SINCE", 0)
        with p.when(sent, ">=", failure.at):
            p.let(result, "SET", _UNHEARD)
        with p.when(sent, "<", failure.at):
            self.transport.request()
            self._carried(sector, amount, execute, result)
            p.let(now, "SINCE", 0)
            with p.when(now, ">=", failure.at):
                p.let(result, "SET", SILENT)
        with p.when(result, ">=", SILENT):
            self._wait_in_vain(sent)
        with p.when(result, "!=", _UNHEARD):
            self.transport.reply()

    def _carried(self, sector: Register, amount: int, execute: Execute, result: Register) -> None:
        """What the drive does for the command."""
        if isinstance(self.drive, FailingDrive):
            self.drive.failed = result
        execute(sector, amount, self.transport)
        if isinstance(self.drive, FailingDrive):
            self.drive.failed = None

    def _wait_in_vain(self, sent: Register) -> None:
        """Until the driver gives the disk up."""
        p, gone = self.p, self.gone
        assert gone is not None
        with p.loop(1):
            left = p.register()
            p.call(left, MOST, gone)
            with p.when(left, "==", 0):
                with p.fork("command timeout", daemon=True):
                    p.let(left, "SINCE", sent)
                    p.let(left, "SUB", self.timeout, left)
                    p.let(left, "MAX", left, 0)
                    p.advance(0, left, 1)
                    p.call(left, MOST, gone, 1)
                    p.put(self.noticed, ALL)
                p.get(self.noticed, 1)


class Until:
    """A transport to a drive that is there until an instant: from then on it neither sends nor asks for data."""

    def __init__(self, p: Builder, transport: Transport, end: int) -> None:
        self.p = p
        self.transport = transport
        self.end = end
        self.unit = transport.unit
        self.burst = transport.burst

    def request(self) -> None:
        """A command to the drive."""
        self.transport.request()

    def send(self, amount: int) -> None:
        """Data to the host, while the drive is there."""
        self._while_there(self.transport.send, amount)

    def fetch(self, amount: int) -> None:
        """Data from the host, while the drive is there."""
        self._while_there(self.transport.fetch, amount)

    def reply(self) -> None:
        """Status, or what ends the command in its place."""
        self.transport.reply()

    def _while_there(self, transfer: Callable[[int], None], amount: int) -> None:
        with self.p.loop(1):
            now = self.p.register()
            self.p.let(now, "SINCE", 0)
            with self.p.when(now, "<", self.end):
                transfer(amount)
