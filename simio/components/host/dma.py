"""The DMA engine of a programmable card: transactions of its own, to measure the way into a host's memory with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from simio.components.host.pcie import PcieBus
from simio.description.model import Adapter
from simio.description.sheets.pcie import DmaEngineSheet, RootComplexSheet
from simio.program.builder import Builder, Operand, Register
from simio.program.labels import labelled
from simio.program.service import ceil_times, per_byte

READS, WRITES = 1, 2

Writer = Literal["cold", "host", "device"]


@dataclass(frozen=True)
class DmaWindow:
    """A range of host memory from address 0 on, and its last writer: a core, the device, or none of late.

    `memory` is the socket that it belongs to, `core` that of the core which wrote it.
    """

    size: int
    written: Writer
    memory: int
    core: int

    def cached(self, root: RootComplexSheet) -> int:
        """Bytes of it that the last-level cache holds: the last ones written, as far as there is room.

        A core's lines have all of the cache, a device's the share of DDIO. Reads by a device change nothing there.
        """
        room = {"cold": 0, "host": root.cache, "device": int(root.cache * (root.device_share or 0))}[self.written]
        return min(self.size, room)


class DmaEngine:
    """Transactions wait for the engine one after another, and reads for a place among those under way.

    A transaction occupies the engine for a fixed time and its bytes, packet by packet; what is read goes through it
    when it has come, what is written before it leaves. A line is far if the cache or memory that has it is that of
    another socket.
    """

    def __init__(self, p: Builder, adapter: Adapter[DmaEngineSheet], bus: PcieBus, window: DmaWindow) -> None:
        self.p = p
        self.name = adapter.part.name
        self.sheet = adapter.part.sheet
        self.bus = bus
        self.window = window
        self.byte = per_byte(self.sheet.rate)
        self.engine = p.resource(f"{self.name} engine")
        self.places = p.container(f"{self.name} reads", self.sheet.reads, self.sheet.reads, "requests")
        self.slots = p.window(f"{self.name} reads", self.sheet.reads)
        self.last = p.variable(f"{self.name} direction") if self.sheet.turn else None
        root = bus.root.sheet
        self.hot = window.cached(root)
        self.near = 0 if window.written != "host" else root.snoop_latency
        self.away = bus.sheet.socket != window.memory
        self.held_away = bus.sheet.socket != (window.core if window.written == "host" else window.memory)

    @labelled("DMA engine", "name")
    def read(self, at: Register, size: int) -> None:
        """Read `size` bytes from address `at`."""
        p, sheet, bus = self.p, self.sheet, self.bus
        requests = min(bus.requests(size), sheet.reads)
        p.advance(sheet.issue)
        p.occupy(self.slots, requests * bus.latency(cached=True))
        p.get(self.places, requests)
        with p.scope():
            cached = self.hot == self.window.size
            bus.read(size, cached=cached, place=at, remote=self.held_away, reach=self._reach(at))
        p.put(self.places, requests)
        self._pass(READS, -(-size // sheet.line) * sheet.line, bus.requests(size) * sheet.transaction)

    @labelled("DMA engine", "name")
    def write(self, at: Register, size: int) -> None:
        """Write `size` bytes to address `at`; done when they have left the card."""
        sheet = self.sheet
        self.p.advance(sheet.issue)
        self._pass(WRITES, size, max(sheet.transaction, sheet.write_time - ceil_times(size, self.byte)))
        self.bus.write(size, cached=self.hot == self.window.size, place=at, remote=self.away)

    def _pass(self, direction: int, size: int, time: int) -> None:
        """A transaction's `time` of the engine, and then its bytes, packet by packet and in turns with others."""
        p = self.p
        for amount in p.pieces(size, self.bus.sheet.payload):
            with p.hold(self.engine):
                if self.last is not None:
                    with p.scope():
                        before = self.last.swap(direction)
                        with p.when(before != direction):
                            p.advance(self.sheet.turn)
                p.advance(time * amount // size, amount, self.byte)

    def _reach(self, at: Register) -> Operand:
        """Time in ps by which a line at `at` is farther than one that the near last-level cache has."""
        root = self.bus.root.sheet
        hit = self.near + (root.socket_latency if self.held_away else 0)
        miss = root.memory_latency + (root.socket_latency if self.away else 0)
        if self.hot == self.window.size:
            return hit
        if not self.hot:
            return miss
        p = self.p
        extra = p.register(miss)
        with p.when(at >= self.window.size - self.hot):
            extra.set(hit)
        return extra
