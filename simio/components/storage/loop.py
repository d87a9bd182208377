"""Fibre Channel arbitrated loop (FC-AL, ANSI X3.272-1996): tenancies of a ring that its ports share.

A port arbitrates for the loop, opens another port, sends frames to it and closes. Every signal goes around by way
of all ports, each of which delays it. Only a private loop is modelled, and data in one direction at a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from simio.components.host.bus import BusMaster, DmaPath, dma_byte
from simio.components.passage import Passage
from simio.components.storage.connection import Connection
from simio.components.storage.fcp import COMMAND, PREFETCHED, RESPONSE, TRANSFER_READY
from simio.description.model import Link
from simio.description.sheets.disks import FibreChannelDisk
from simio.description.sheets.fibre_channel import FibreChannelAdapter, FibreChannelLoop
from simio.errors import RunError
from simio.program.builder import Builder, Operand, OperandT, least
from simio.program.service import SECOND, ceil_times, ratio

WORD = 4
"""Bytes of a transmission word: a primitive signal (FC-PH clause 16)."""


class Loop:
    """The ring as a resource that one pair of ports has at a time, and how long its signals take.

    `adapters` and `devices` are the ports in the order around the ring, the cable divided evenly between them.
    Without fairness adapters win against disks, and later disks against earlier ones, as their addresses decide.
    Raises RunError for more ports than the loop takes.
    """

    def __init__(
        self, p: Builder, link: Link[FibreChannelLoop], adapters: Sequence[str], devices: Sequence[str]
    ) -> None:
        self.p = p
        self.name = link.name
        self.sheet = sheet = link.part.sheet
        self.ring = [*adapters, *devices]
        if len(self.ring) > sheet.devices:
            raise RunError(
                f"loop {link.name!r} joins {len(self.ring)} ports; it takes {sheet.devices}", at=f"links.{link.name}"
            )
        self.ranks = [*adapters, *reversed(devices)]
        self.loop = p.resource(link.name)
        self.window = p.window(link.name, 1)
        self.byte = ratio(8 * sheet.code_bits, sheet.data_bits) * SECOND / sheet.signalling
        self.segment = sheet.port_words * WORD * self.byte + link.length * sheet.propagation / len(self.ring)
        self.word = ceil_times(WORD, self.byte)
        self.round_trip = ceil_times(len(self.ring), self.segment)

    @property
    def arbitration(self) -> int:
        """Time of ARB around the loop, in ps."""
        return self.round_trip + self.word

    @property
    def opening(self) -> int:
        """Time from OPN until the first frame may go, in ps: at once, or when R_RDY has come around."""
        return self.word if self.sheet.login_credit else self.round_trip + 2 * self.word

    @property
    def closing(self) -> int:
        """Time of CLS there and CLS back, in ps."""
        return self.round_trip + 2 * self.word

    def priority(self, port: str) -> int:
        """Place of a port among those that arbitrate; zero wins. All alike where access is fair."""
        return 0 if self.sheet.fair else self.ranks.index(port)

    def flight(self, source: str, target: str) -> int:
        """Time of a signal from one port to another, in ps."""
        distance = (self.ring.index(target) - self.ring.index(source)) % len(self.ring)
        return ceil_times(distance, self.segment)

    def frame_time(self, payload: OperandT) -> OperandT:
        """Time of a frame with its gap on the loop, in ps."""
        return ceil_times(payload + self.sheet.frame_overhead + self.sheet.gap, self.byte)

    def seize(self, port: str) -> None:
        """Arbitrate, win, and open another port."""
        self.p.seize(self.loop, priority=self.priority(port))
        self.p.advance(self.arbitration + self.opening)

    def close_behind(self) -> None:
        """Close, while sent data arrive; the sender continues."""
        with self.p.fork("CLS"):
            self.p.advance(self.closing)
            self.p.release(self.loop)


class Direction:
    """Frames from one port of a loop to another, under the credit of the latter."""

    def __init__(self, loop: Loop, source: str, target: str, credit: int) -> None:
        self.p = loop.p
        self.loop = loop
        self.credit = self.p.container(f"{loop.name}>{target} credit", credit, credit, "frames")
        self.window = self.p.window(f"{loop.name}>{target} credit", credit)
        self.delay = loop.flight(source, target)
        self.back = loop.round_trip - self.delay

    @contextmanager
    def frame(self, name: str, payload: Operand, drain: int, joined: bool = False) -> Iterator[None]:
        """Send a frame over the open loop; the body runs at the far end, before the frame's buffer there is freed.

        The sender continues when the frame has left it. With `joined`, its next JOIN waits for the body. `drain` is
        the least time that the body takes, in ps.
        """
        p, time, certain = self.p, self.loop.frame_time(payload), self.loop.frame_time(least(payload))
        p.occupy(self.window, certain + self.loop.round_trip + drain)
        p.occupy(self.loop.window, certain)
        p.get(self.credit, 1)
        p.wait(time)
        with p.fork(name, self.delay, joined=joined):
            yield
            with p.fork("R_RDY", self.back):
                p.put(self.credit, 1)


class LoopTransport:
    """FCP between an adapter and a disk on a loop.

    The disk arbitrates when it has `unit` bytes, and keeps the loop as long as there is more to send at once.
    """

    any_size = True
    pace = 0

    def __init__(
        self,
        p: Builder,
        loop: Loop,
        host_bus: DmaPath,
        adapter_sheet: FibreChannelAdapter,
        drive_sheet: FibreChannelDisk,
        device: str,
        adapter: str,
    ) -> None:
        self.p = p
        self.loop = loop
        self.device, self.adapter = device, adapter
        self.out = Direction(loop, adapter, device, drive_sheet.credit)
        self.back = Direction(loop, device, adapter, adapter_sheet.credit)
        self.out_payload = self._payload(adapter_sheet)
        self.back_payload = self._payload(drive_sheet)
        self.receiving = BusMaster(host_bus, f"{loop.name}>{adapter}", dma_byte(adapter_sheet))
        self.sending = BusMaster(host_bus, f"{adapter}>{loop.name}", dma_byte(adapter_sheet))
        self.connection = Connection(p, loop.loop, f"{device} to {adapter}")
        self.unit = self.burst = min(loop.sheet.gather, drive_sheet.buffer // drive_sheet.segments)

    def _payload(self, sheet: FibreChannelAdapter | FibreChannelDisk) -> int:
        return min(sheet.frame_payload, self.loop.sheet.max_payload)

    def request(self) -> None:
        """FCP_CMND to the disk, in a tenancy of its own."""
        self.loop.seize(self.adapter)
        with self.out.frame("FCP_CMND", COMMAND, 0, joined=True):
            pass
        self.loop.close_behind()
        self.p.join()

    def send(self, amount: Operand) -> None:
        """FCP_DATA to the host; each frame is in memory before its buffer is freed."""
        self._open()
        for payload in self.p.pieces(amount, self.back_payload):
            with self.back.frame("frame", payload, self.receiving.duration(least(payload))):
                self.receiving.transfer(payload)
        self.connection.linger(self.loop.closing)

    def fetch(self, amount: Operand) -> None:
        """FCP_XFER_RDY to the host and FCP_DATA back; returns when the disk has all of it.

        The adapter arbitrates when it has read the first frame from memory, and reads on ahead.
        """
        p = self.p
        self._report("FCP_XFER_RDY", TRANSFER_READY)
        staged = p.container(f"{self.adapter} staged", PREFETCHED, unit="frames")
        with p.fork("prefetch"), self.sending.turn():
            for payload in p.pieces(amount, self.out_payload):
                self.sending.read(payload)
                p.put(staged, 1)
            p.put(staged, 1)
        with p.hold(p.resource(f"{self.adapter} sequence", lock=True)):
            p.get(staged, 1)
            self.loop.seize(self.adapter)
            for payload in p.pieces(amount, self.out_payload):
                with self.out.frame("frame", payload, 0, joined=True):
                    pass
                p.get(staged, 1)
            self.loop.close_behind()
        p.join()

    def passage(self, writes: bool) -> Passage:
        """The loop, and the host's bus and memory."""
        loop, payload = self.loop, self.out_payload if writes else self.back_payload
        overhead = loop.sheet.frame_overhead + loop.sheet.gap
        way = Passage(windows={loop.window: loop.byte * (payload + overhead) / payload})
        return way + self.receiving.bus.passage(writes)

    def reply(self) -> None:
        """FCP_RSP to the host."""
        self._report("FCP_RSP", RESPONSE)

    def _open(self) -> None:
        """The disk has the loop, and the adapter is open."""
        with self.connection.opened():
            self.loop.seize(self.device)

    def _report(self, name: str, payload: int) -> None:
        """A short frame from the disk to the host's memory, and the end of the tenancy."""
        self._open()
        with self.back.frame(name, payload, self.receiving.duration(payload), joined=True):
            self.receiving.transfer(payload)
        self.loop.close_behind()
        self.p.join()
