"""Drives of a target as an initiator has them over TCP: NVMe/TCP and iSCSI.

A command is a thread. It writes its data unit into a connection, waits until the other end has read it, does the
target's work there, and comes back with the data or the reply. So data units are in order on each connection, and
none needs an identifier here. All data units of a transfer go one behind the other, as one message.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from simio.components.host.host import Computer
from simio.components.network.demand import bus_times
from simio.components.network.rpc_tcp import MARK
from simio.components.passage import Passage
from simio.components.storage.connections import Queues, StorageConnection
from simio.components.storage.driver import HostInitiator
from simio.components.storage.interfaces import BlockDevice, Initiator
from simio.description.model import Adapter, Link
from simio.description.sheets.remote import DIGEST, RemoteLink
from simio.errors import RunError, quote
from simio.program.builder import Handle, Operand, Register, maximum, minimum
from simio.program.service import ceil_div, ratio
from simio.program.steps import UNBOUNDED

if TYPE_CHECKING:
    from simio.components.site import Site


class RemoteInitiator(HostInitiator):
    """The block layer and the initiator's driver: no interrupt of its own reports the end of a command."""

    def complete(self, size: Operand) -> None:
        """The kernel's work at the end of a request."""
        self.kernel.end_request(size)


class TargetInitiator:
    """The target's driver of a drive: its time is part of the cost of a command, and it polls."""

    tags = UNBOUNDED
    alone = UNBOUNDED

    def __init__(self, session: RemoteSession, disk: str) -> None:
        self.p = session.p
        self.queue = f"{session.target}: {disk}"
        self.largest = getattr(session.site.system.disks[disk].part.sheet, "largest", None)

    def requests(self, size: Operand) -> Iterator[Operand]:
        """The commands of the drive that a command of the target becomes."""
        return self.p.pieces(size, self.largest)

    def issue(self, size: Operand) -> None:
        """Nothing: see above."""

    def start(self) -> None:
        """Nothing: the drive learns of it by its doorbell."""

    def complete(self, size: Operand) -> None:
        """Nothing: see above."""


class RemoteSession:
    """All that an initiator and a target have between them over one link of the scenario."""

    def __init__(self, site: Site, link: Link[RemoteLink]) -> None:
        """Raises RunError for a link without one initiator and drives of one other host."""
        self.site, self.p, self.link, self.sheet = site, site.p, link, link.part.sheet
        self.at = f"links.{link.name}"
        ports = [end for end in link.ends if end not in site.system.disks]
        self.disks = [end for end in link.ends if end in site.system.disks]
        if len(ports) != 1 or not self.disks:
            raise RunError(
                f"found the ends {', '.join(map(quote, link.ends))}, expected one adapter, of the initiator, and "
                "drives of the target",
                at=f"{self.at}.between",
            )
        self.host, key = ports[0].split(".", 1)
        self.adapter: Adapter[Any] = site.system.hosts[self.host].adapters[key]
        self.target = self._target()
        computer = site.host(self.target)
        self._check_cores()
        self.cores = [self._core(computer, number) for number in range(self.sheet.cores)] or [computer]
        self.queues: Any = self._queues()
        local = site.target_devices(self.target, self._polled if self.sheet.cores else None)
        self.devices = [local.device(disk) for disk in self.disks]
        self.commands = {
            writes: self.p.procedure(f"{link.name} {'write' if writes else 'read'}", 3, carry)
            for writes, carry in ((False, self._read), (True, self._write))
        }
        self.flushing = self.p.procedure(f"{link.name} flush", 1, self._flush)

    def _queues(self) -> Queues:
        return Queues(self)

    def times(self, writes: bool) -> dict[Handle, Fraction]:
        """Least time of a byte of the data of writes, or of reads, on each wire and bus between the hosts, in ps."""
        each = self.queues.each[0]
        sender = each.near if writes else each.far
        wires = {
            wire.wire: Fraction(wire.time(sender.mss + sender.headers), sender.mss) for wire in sender.path.spread
        }
        return {**wires, **dict(bus_times(sender.path, 1 + ratio(sender.headers, sender.mss)))}

    def _target(self) -> str:
        """The host that has the drives."""
        found = {host for disk in self.disks for host in self.site.attachments.owners(disk)} - {self.host}
        if len(found) != 1:
            has = " and ".join(sorted(map(quote, found))) if found else "no other host"
            raise RunError(
                f"{has} of the scenario {'have' if len(found) > 1 else 'has'} the drives of {self.link.name!r}; "
                "a target is one host, to which links join them",
                at=f"{self.at}.between",
            )
        return found.pop()

    def _check_cores(self) -> None:
        """Refuse more polling cores than the target has."""
        count = self.site.system.hosts[self.target].cpus
        if self.sheet.cores > count and not self.sheet.card:
            found = f"found {self.sheet.cores} cores that poll at {quote(self.target)}"
            raise RunError(f"{found}, expected at most its {count} CPUs", at=f"{self.at}.cores")

    def _polled(self, adapter: Adapter[Any], disk: str) -> Initiator:
        return TargetInitiator(self, disk)

    def _core(self, computer: Computer, number: int) -> Computer:
        """The target as one of its polling cores, or of its card's, sees it."""
        own = copy.copy(computer)
        what = "card" if self.sheet.card else "polling core"
        own.cpu = self.p.resource(f"{computer.name}.{what} {number + 1}")
        return own

    def core(self, number: int) -> Computer:
        """The CPUs that work for a connection at the target."""
        return self.cores[number % len(self.cores)]

    def device(self, disk: str, initiator: Initiator) -> RemoteDevice:
        """A drive as a block device of the initiator's host."""
        return RemoteDevice(self, self.disks.index(disk), initiator)

    # --- a command ----------------------------------------------------------------------------------------

    def _send(self, line: Register, out: bool, length: Operand, units: Operand, data: Operand) -> None:
        """Send data units of `length` bytes in all, with `data` bytes of data, to the other end, and go there."""
        digests = self.sheet.data_digest

        def pass_on(own: StorageConnection) -> None:
            messages, ends = (
                (own.out, (own.initiator, own.target)) if out else (own.back, (own.target, own.initiator))
            )
            ends[0].unit(units, data, digests)
            # The initiator's pages go as they are (MSG_SPLICE_PAGES), and the target's if it can do that.
            messages.send(length - MARK, not out and not self.sheet.zero_copy)
            ends[1].unit(units, data, digests)

        with self.p.scope():
            self.queues.on(line, pass_on)

    def _serve(self, line: Register, disk: Register, do: Callable[[BlockDevice], None]) -> None:
        """The target's work for a command, and that of its drive."""

        self.queues.on(line, lambda own: own.target.serve(self.sheet.command_cost))
        for number, device in enumerate(self.devices):
            with self.p.when(disk == number) if len(self.devices) > 1 else nullcontext():
                do(device)

    def _begun(self, *given: Register) -> tuple[Register, ...]:
        """Own registers for the procedure's arguments, and the one with the number of the connection."""
        own = tuple(map(self.p.register, given))
        line = self.queues.take()
        self.queues.on(line, lambda connection: self.p.get(connection.tags, 1))
        return (*own, line)

    def _done(self, line: Register) -> None:
        self.queues.on(line, lambda connection: self.p.put(connection.tags, 1))

    def _read(self, given: Register, place: Register, amount: Register) -> None:
        sheet = self.sheet
        disk, at, size, line = self._begun(given, place, amount)
        self._send(line, True, sheet.bare(sheet.command), 1, 0)
        self._serve(line, disk, lambda device: device.read(at, size, device.sector))
        units = self.p.register(sheet.units(size, sheet.unit_in))
        length = self.p.register(sheet.framed(sheet.header, size, sheet.unit_in))
        if not sheet.folded:
            units.set(units + 1)
            length.set(length + sheet.bare(sheet.reply))
        self._send(line, False, length, units, size)
        self._done(line)

    def _flush(self, given: Register) -> None:
        """A command without data (NVM Command Set 1.0, 3.2.1; SBC-3, SYNCHRONIZE CACHE)."""
        sheet = self.sheet
        disk, line = self._begun(given)
        self._send(line, True, sheet.bare(sheet.command), 1, 0)
        self._serve(line, disk, lambda device: device.flush())
        self._send(line, False, sheet.bare(sheet.reply), 1, 0)
        self._done(line)

    def _write(self, given: Register, place: Register, amount: Register) -> None:
        p, sheet = self.p, self.sheet
        disk, at, size, line = self._begun(given, place, amount)
        first = p.register(minimum(size, sheet.with_command))
        if sheet.whole:
            with p.when(first < size):
                first.set(0)
        sent = p.register(maximum(first, minimum(size, 0 if sheet.whole else sheet.unasked)))
        length, units = p.register(sheet.bare(sheet.command)), p.register(1)
        with p.when(first > 0):
            length.set(length + sheet.padded(first) + DIGEST * sheet.data_digest)
        with p.when(sent > first), p.scope():
            rest = p.register(sent - first)
            length.set(length + sheet.framed(sheet.header, rest, sheet.unit_out))
            units.set(units + sheet.units(rest, sheet.unit_out))
        self._send(line, True, length, units, sent)
        with p.while_(sent < size):
            rest = p.register(minimum(size - sent, sheet.burst))
            self._send(line, False, sheet.bare(sheet.ready), 1, 0)
            units.set(sheet.units(rest, sheet.unit_out))
            length.set(sheet.framed(sheet.header, rest, sheet.unit_out))
            self._send(line, True, length, units, rest)
            sent.set(sent + rest)
        self._serve(line, disk, lambda device: device.write(at, size, device.sector))
        self._send(line, False, sheet.bare(sheet.reply), 1, 0)
        self._done(line)


class RemoteDevice:
    """A drive of a target as a block device of the initiator's host."""

    any_size = True

    def __init__(self, session: RemoteSession, number: int, initiator: Initiator) -> None:
        self.p, self.session, self.number, self.initiator = session.p, session, number, initiator
        self.local = session.devices[number]
        self.name, self.sector, self.capacity = self.local.name, self.local.sector, self.local.capacity

    def read(self, at: Register, size: Operand, aligned: int) -> None:
        """Read `size` bytes at the byte address `at`; returns when every command is done."""
        self._commands(at, size, writes=False)

    def write(self, at: Register, size: Operand, aligned: int) -> None:
        """Write `size` bytes at the byte address `at`; returns when every command is done."""
        self._commands(at, size, writes=True)

    def flush(self) -> None:
        """Have the drive's write cache flushed, if a power failure can lose its contents."""
        if self.session.site.drive(self.name).volatile:
            self.initiator.issue(0)
            self.p.spawn(self.session.flushing, self.number, joined=True)
            self.p.join()
            self.initiator.complete(0)

    def passage(self, writes: bool) -> Passage:
        """The way of the data between the target and its drive, and over the links between the hosts."""
        return self.local.passage(writes) + Passage.of(self.session.times(writes))

    def _declare(self, size: int, writes: bool) -> None:
        """Declare to the bound what the steps of commands, which many places share, do not show of `size` bytes."""
        Passage.of(self.session.times(writes)).declare(self.p, size)
        if len(self.session.devices) > 1:
            local = self.local.passage(writes)
            local.declare(self.p, size)
            local.visit(self.p, ceil_div(size, self.session.sheet.largest))

    def _commands(self, at: Register, size: Operand, writes: bool) -> None:
        p = self.p
        if isinstance(size, int):
            self._declare(size, writes)
        with p.scope():
            place = p.register(at)
            for amount in self.initiator.requests(size):
                for part in p.pieces(amount, self.session.sheet.largest):
                    self.initiator.issue(part)
                    p.spawn(self.session.commands[writes], self.number, place, part, joined=True)
                    place.set(place + part)
            p.join()
        self.initiator.complete(size)
