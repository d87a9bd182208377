"""NVMe over RDMA: capsules by SEND, data by WRITE and READ of the target, over queue pairs.

NVM Express RDMA Transport Specification 1.0: a queue is a queue pair. The initiator sends a capsule with a key of the
memory that is meant; the target writes the data of a read there, with its response behind them, and reads those of a
write unless they came in the capsule. No CPU copies data.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from simio.components.host.interrupts import Interrupts
from simio.components.network.rdma.pair import End, queue_pair
from simio.components.network.rdma.port import RdmaPort
from simio.components.storage.connections import InTurn, Side
from simio.components.storage.remote import RemoteSession
from simio.errors import RunError
from simio.machines.rdma.layout import INVALIDATES, READ, REQUESTS, SEND, WRITE
from simio.program.builder import Handle, Operand, Register

COMMAND = 64
"""Bytes of a command capsule without data (NVMe Base 2.0, 3.3.3.1)."""
RESPONSE = 16
"""Bytes of a response capsule (NVMe Base 2.0, 3.3.3.2)."""


class RdmaQueue:
    """A queue pair for commands: the initiator's end and the target's."""

    def __init__(self, session: RdmaSession, name: str, number: int) -> None:
        site, p, sheet = session.site, session.p, session.sheet
        core = session.core(number)
        self.near, self.far = queue_pair(
            site.rdma, name, (session.host, session.target), (site.host(session.host), core)
        )
        self.target = Side(core, sheet, name, polled=True)
        self.tags = p.container(f"{name} commands", sheet.depth, sheet.depth, "commands")
        port: RdmaPort = self.far.port
        self.interrupts: Interrupts | None = None
        if not sheet.cores:
            count, delay = port.sheet.coalesce_count, port.sheet.coalesce_delay
            self.interrupts = Interrupts(p, port.kernel, self.far.name, count, delay)


class RdmaQueues(InTurn[RdmaQueue]):
    """The queue pairs of a session. Raises RunError for more commands than a queue pair holds."""

    def __init__(self, session: RdmaSession) -> None:
        sheet, name = session.sheet, session.link.name
        if 2 * sheet.depth > REQUESTS:
            raise RunError(
                f"found {sheet.depth} commands, expected at most {REQUESTS // 2}: a queue pair holds {REQUESTS} "
                "requests, two a command",
                at=f"{session.at}.depth",
            )
        each = [RdmaQueue(session, f"{name} queue {number + 1}", number) for number in range(sheet.connections)]
        super().__init__(session.p, f"{name} next queue", each)


class RdmaSession(RemoteSession):
    """A session over queue pairs (NVMe over RDMA)."""

    def _queues(self) -> Any:
        return RdmaQueues(self)

    def times(self, writes: bool) -> dict[Handle, Fraction]:
        """See `RemoteSession.times`."""
        own = self.queues.each[0]
        end: End = own.near if writes else own.far
        return end.least_times()

    def _command(self, line: Register, inside: Operand, size: Operand) -> None:
        """The capsule with `inside` bytes of data goes; returns when the target has taken it up."""

        def send(own: RdmaQueue) -> None:
            near, far = own.near, own.far
            near.register(size)
            near.spend()
            near.post(SEND, COMMAND + inside)
            self._later(near)
            self.p.get(far.received, 1)
            if own.interrupts:
                own.interrupts.raise_and_wait()
            far.poll()

        self.queues.on(line, send)

    def _reply(self, line: Register, data: Operand) -> None:
        """The response goes, behind `data` bytes of data; returns when the initiator has taken it up."""
        p = self.p

        def send(own: RdmaQueue) -> None:
            near, far = own.near, own.far
            writes = not isinstance(data, int) or data > 0
            far.spend(1 + writes)
            if writes:
                far.post(WRITE, data, ring=False, signalled=False)
            far.post(SEND + INVALIDATES, RESPONSE)
            self._later(far)
            p.get(near.received, 1)
            near.poll()

        self.queues.on(line, send)

    def _later(self, end: End) -> None:
        """The completion of the SEND is found later, without a waiting thread."""
        with self.p.fork("send completion", daemon=True):
            self.p.get(end.done, 1)
            end.poll()

    def _fetch(self, line: Register, size: Operand) -> None:
        """The target reads the data of a write."""

        def read(own: RdmaQueue) -> None:
            own.far.spend()
            own.far.post(READ, size)
            self.p.get(own.far.fetched, 1)
            if own.interrupts:
                own.interrupts.raise_and_wait()
            own.far.poll()

        self.queues.on(line, read)

    def _read(self, given: Register, place: Register, amount: Register) -> None:
        disk, at, size, line = self._begun(given, place, amount)
        self._command(line, 0, size)
        self._serve(line, disk, lambda device: device.read(at, size, device.sector))
        self._reply(line, size)
        self._done(line)

    def _flush(self, given: Register) -> None:
        disk, line = self._begun(given)
        self._command(line, 0, 0)
        self._serve(line, disk, lambda device: device.flush())
        self._reply(line, 0)
        self._done(line)

    def _write(self, given: Register, place: Register, amount: Register) -> None:
        p = self.p
        disk, at, size, line = self._begun(given, place, amount)
        inside = p.register(size)
        with p.when(size > self.sheet.with_command):
            inside.set(0)
        self._command(line, inside, size)
        with p.when(inside == 0):
            self._fetch(line, size)
        self._serve(line, disk, lambda device: device.write(at, size, device.sector))
        self._reply(line, 0)
        self._done(line)
