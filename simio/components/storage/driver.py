"""A host's driver of a disk: requests become commands, several outstanding at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from simio.components.faults.condition import Latch
from simio.components.faults.failures import Failures
from simio.components.faults.policy import Policy
from simio.components.faults.recovery import CommandRecovery
from simio.components.host.interrupts import Interrupts
from simio.components.host.kernel import UnixKernel
from simio.components.passage import Passage
from simio.components.storage.interfaces import Initiator, StorageDrive, Transport
from simio.components.turns import Turns
from simio.description.model import Adapter
from simio.description.sheets.adapters import StorageAdapter
from simio.program.builder import Builder, Operand, OperandT, Register
from simio.program.labels import labelled
from simio.program.service import ceil_div
from simio.program.steps import UNBOUNDED


class HostInitiator:
    """The block layer and the adapter's driver on a host: commands of at most `max_request`, an interrupt each."""

    queue = ""
    tags = UNBOUNDED
    alone = 0

    def __init__(self, p: Builder, kernel: UnixKernel, adapter: Adapter[StorageAdapter]) -> None:
        self.p = p
        self.kernel = kernel
        sheet = adapter.part.sheet
        self.cost = kernel.sheet.block_request + sheet.command_cost
        self.command_time: int = sheet.command_time
        self.processor = p.resource(f"{adapter.part.name} processor") if sheet.command_time else None
        self.interrupts = Interrupts(p, kernel, adapter.part.name, sheet.coalesce_count, sheet.coalesce_delay)

    def requests(self, size: OperandT) -> Iterator[OperandT]:
        """The commands that the block layer makes of a request."""
        return self.p.pieces(size, self.kernel.largest_request())

    @labelled("storage drivers", "kernel.host.name")
    def issue(self, size: Operand) -> None:
        """CPU time of the block layer and the driver."""
        self.kernel.host.work(self.cost)

    def start(self) -> None:
        """The adapter's own processor takes the command up."""
        if self.processor:
            with self.p.hold(self.processor):
                self.p.advance(self.command_time)

    def complete(self, size: Operand) -> None:
        """An interrupt, of its own or shared with other commands, and the kernel's work at the end of a request."""
        self.interrupts.raise_and_wait()
        self.kernel.end_request(size)


Execute = Callable[..., None]
"""A drive's work for a command: first sector, number of bytes, and transport; and, of commands that
can fail, which register is above 0 afterwards if the medium failed."""


class DiskDriver:
    """A disk as a block device: splits requests into commands and keeps up to `depth` outstanding.

    Without a `policy`, every command is carried out at once. With one, commands can fail, which `failures` learns.
    """

    def __init__(
        self,
        p: Builder,
        initiator: Initiator,
        drive: StorageDrive,
        transport: Transport,
        depth: int,
        policy: Policy | None = None,
        failures: Failures | None = None,
    ) -> None:
        self.p = p
        self.initiator = initiator
        self.drive = drive
        self.transport = transport
        self.name = drive.name
        self.sector = drive.sector
        self.capacity = drive.capacity
        queue = f"{initiator.queue or drive.name} driver queue"
        self.queue = p.resource(queue, min(depth, initiator.tags), lock=True)
        self.recovery: CommandRecovery | None = None
        if policy and failures:
            self.recovery = CommandRecovery(p, initiator, transport, self.queue, policy, failures)
        self.any_size = drive.any_size and transport.any_size and self.recovery is None

    @property
    def given_up(self) -> Latch | None:
        """Steps that ask if the driver has given the disk up; None if it never does."""
        return self.recovery.given_up if self.recovery and self.recovery.policy.gives_up else None

    def read(self, at: Register, size: Operand, aligned: int) -> None:
        """Read `size` bytes at the byte address `at`; returns when every command is done."""
        self._commands(at, size, self.drive.read)

    def write(self, at: Register, size: Operand, aligned: int) -> None:
        """Write `size` bytes at the byte address `at`; returns when every command is done."""
        self._commands(at, size, self.drive.write)

    def flush(self) -> None:
        """Have the drive's write cache flushed, if a power failure can lose its contents.

        One flush is under way at a time; who comes meanwhile is served by the next (Linux block/blk-flush.c).
        """
        if self.drive.volatile:
            turns = Turns(self.p, self.drive, self.name, "flushes")
            with self.p.scope():
                turns.serve(turns.next(), self._flush)

    def _flush(self) -> None:
        self.initiator.issue(0)
        with self.p.hold(self.queue):
            self.initiator.start()
            self.transport.request()
            self.drive.flush()
            self.transport.reply()
        self.initiator.complete(0)

    def passage(self, writes: bool) -> Passage:
        """The way of the data between host and drive, and the drive's work for a command."""
        return self.transport.passage(writes) + self.drive.passage

    def _commands(self, at: Register, size: Operand, execute: Execute) -> None:
        p = self.p
        most = self.initiator.alone
        if isinstance(size, int) and size <= most and self.recovery is None:
            with p.scope():
                self.initiator.issue(size)
                self._command(p.register(at // self.sector), size, execute)
            return
        sector = p.register(at // self.sector)
        for amount in self.initiator.requests(size):
            self.initiator.issue(amount)
            with p.fork("command", joined=True):
                if self.recovery:
                    self.recovery.command(amount, partial(execute, sector, amount))
                else:
                    self._command(sector, amount, execute)
            sector.set(sector + ceil_div(amount, self.sector))
        p.join()

    def _command(self, sector: Register, amount: Any, execute: Execute) -> None:
        """One command, in a thread of its own."""
        with self.p.hold(self.queue):
            self.initiator.start()
            self.transport.request()
            execute(sector, amount, self.transport)
            self.transport.reply()
        self.initiator.complete(amount)
