"""An array controller on a card in the host: its members' data are in its own memory, and cross the host's bus."""

from __future__ import annotations

from fractions import Fraction

from simio.components.host.bus import BusMaster, HostBus, dma_byte
from simio.components.passage import Passage
from simio.description.sheets.adapters import StorageAdapter
from simio.program.builder import Builder, Register
from simio.program.service import ceil_times
from simio.program.steps import UNBOUNDED

STATUS = 4
"""Bytes of the word by which a card reports that a request is done."""


class CardMemory:
    """The memory of the card as a bus to which members transfer: never in the way, as fast as the device."""

    def __init__(self, p: Builder) -> None:
        self.p = p

    def duration(self, amount: int, device_byte: Fraction = Fraction(0), read: bool = False) -> int:
        """Time of a transfer by a device that moves a byte in `device_byte` ps, in ps."""
        return ceil_times(amount, device_byte)

    def transfer(self, amount: int, device_byte: Fraction = Fraction(0), read: bool = False) -> None:
        """`amount` bytes by a device that moves a byte in `device_byte` ps."""
        self.p.advance(self.duration(amount, device_byte))

    def transfer_packet(self, amount: Register, device_byte: Fraction = Fraction(0), read: bool = False) -> None:
        """The same for as many bytes as a register holds."""
        self.p.advance(0, amount, device_byte)

    def passage(self, read: bool) -> Passage:
        """Nothing that others would wait for."""
        return Passage()


class CardTransport:
    """Between the memory of the card and that of the host: DMA, one transfer after another in each direction."""

    any_size = False
    unit = burst = UNBOUNDED
    pace = 0

    def __init__(self, bus: HostBus, name: str, adapter: StorageAdapter) -> None:
        self.to_host = BusMaster(bus, f"{name} to host", dma_byte(adapter))
        self.from_host = BusMaster(bus, f"{name} from host", dma_byte(adapter))

    def request(self) -> None:
        """The driver's write to a register of the card; its time is in the cost of a command."""

    def send(self, amount: int) -> None:
        """Move data from the card's memory to the host's."""
        self.to_host.transfer(amount)

    def fetch(self, amount: int) -> None:
        """Move data from the host's memory to the card's."""
        with self.from_host.turn():
            self.from_host.read(amount)

    def reply(self) -> None:
        """A status word into the host's memory."""
        self.to_host.transfer(STATUS)

    def passage(self, writes: bool) -> Passage:
        """The host's bus and memory."""
        return self.to_host.bus.passage(writes)
