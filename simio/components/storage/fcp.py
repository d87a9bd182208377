"""SCSI over Fibre Channel (FCP, ANSI X3.269-1996): commands, data and responses as frames."""

from __future__ import annotations

from simio.components.host.bus import BusMaster, DmaPath, dma_byte
from simio.components.passage import Passage
from simio.components.storage.fibre_channel import FramePath
from simio.description.sheets.fibre_channel import FibreChannelAdapter
from simio.program.builder import Builder, Operand, least
from simio.program.steps import UNBOUNDED

COMMAND = 32
"""Bytes of an FCP_CMND information unit with a 16-byte command (FCP, clause 7.1)."""
TRANSFER_READY = 12
"""Bytes of an FCP_XFER_RDY information unit (FCP, clause 7.2)."""
RESPONSE = 24
"""Bytes of an FCP_RSP information unit without sense data (FCP, clause 7.4)."""
PREFETCHED = 2
"""Frames that an adapter has read from memory before they are sent: one is on the line while the next is read."""


class FcpTransport:
    """Frames `out` to a drive and `back` from it, each of which crosses the host's `bus`.

    The adapter moves frames between bus and line in the order in which they come, in each direction for itself.
    """

    any_size = True

    def __init__(
        self, p: Builder, out: FramePath, back: FramePath, bus: DmaPath, adapter_sheet: FibreChannelAdapter
    ) -> None:
        self.p = p
        self.out, self.back = out, back
        self.receiving = BusMaster(bus, back.hops[-1].name, dma_byte(adapter_sheet))
        self.sending = BusMaster(bus, out.hops[0].name, dma_byte(adapter_sheet))
        self.unit = back.payload
        self.burst = UNBOUNDED

    def request(self) -> None:
        """FCP_CMND to the drive."""
        with self.out.frame("FCP_CMND", COMMAND, 0, joined=True):
            pass
        self.p.join()

    def send(self, amount: Operand) -> None:
        """FCP_DATA to the host, in as many frames as it takes; each is in memory before its buffer is freed."""
        for payload in self.p.pieces(amount, self.back.payload):
            with self.back.frame("frame", payload, self.receiving.duration(least(payload))):
                self.receiving.transfer(payload)

    def fetch(self, amount: Operand) -> None:
        """FCP_XFER_RDY to the host and FCP_DATA back; returns when the drive has all of it.

        The adapter reads frames from memory ahead of the line, so that one is sent while the next crosses the bus.
        It sends the frames of one XFER_RDY after those of another.
        """
        p, name = self.p, self.out.hops[0].name
        with p.scope():
            self._transfer_ready()
            staged = p.container(f"{name} staged", PREFETCHED, unit="frames")
            with p.fork("prefetch"), self.sending.turn():
                for payload in p.pieces(amount, self.out.payload):
                    self.sending.read(payload)
                    p.put(staged, 1)
            with p.hold(p.resource(f"{name} sequence", lock=True)):
                for payload in p.pieces(amount, self.out.payload):
                    p.get(staged, 1)
                    with self.out.frame("frame", payload, 0, joined=True):
                        pass
            p.join()

    def _transfer_ready(self) -> None:
        """The drive has room: FCP_XFER_RDY to the host, in whose memory the adapter learns of it."""
        with self.back.frame("FCP_XFER_RDY", TRANSFER_READY, self.receiving.duration(TRANSFER_READY), joined=True):
            self.receiving.transfer(TRANSFER_READY)
        self.p.join()

    def passage(self, writes: bool) -> Passage:
        """The links in one direction, and the host's bus and memory."""
        frames = self.out if writes else self.back
        wires = {hop.wire: hop.byte * (frames.payload + hop.overhead) / frames.payload for hop in frames.hops}
        return Passage(wires) + self.receiving.bus.passage(writes)

    def reply(self) -> None:
        """FCP_RSP to the host."""
        with self.back.frame("FCP_RSP", RESPONSE, self.receiving.duration(RESPONSE), joined=True):
            self.receiving.transfer(RESPONSE)
        self.p.join()
