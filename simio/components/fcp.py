"""SCSI over Fibre Channel (FCP, ANSI X3.269-1996): commands, data and responses as frames."""

from __future__ import annotations

from simio.components.bus import ParallelBus
from simio.components.fibre_channel import Path
from simio.program.builder import Builder

COMMAND = 32
"""Bytes of an FCP_CMND information unit with a 16-byte command (FCP, clause 7.1)."""
RESPONSE = 24
"""Bytes of an FCP_RSP information unit without sense data (FCP, clause 7.4)."""


class FcpTransport:
    """Frames `out` to a drive and `back` from it, each of which crosses the host's `bus`."""

    def __init__(self, p: Builder, out: Path, back: Path, bus: ParallelBus) -> None:
        self.p = p
        self.out, self.back = out, back
        self.bus = bus
        self.unit = back.payload

    def request(self) -> None:
        """FCP_CMND to the drive."""
        with self.out.frame("FCP_CMND", COMMAND, 0, joined=True):
            pass
        self.p.join()

    def send(self, amount: int) -> None:
        """FCP_DATA to the host, in as many frames as it takes; each is in memory before its buffer is freed."""
        left = amount
        while left:
            payload = min(left, self.back.payload)
            with self.back.frame("frame", payload, self.bus.duration(payload)):
                self.bus.transfer(payload)
            left -= payload

    def fetch(self, amount: int) -> None:
        """Not a path that is modelled yet."""
        raise NotImplementedError("writes over Fibre Channel")

    def reply(self) -> None:
        """FCP_RSP to the host."""
        with self.back.frame("FCP_RSP", RESPONSE, self.bus.duration(RESPONSE), joined=True):
            self.bus.transfer(RESPONSE)
        self.p.join()
