"""Array controllers: the host sees one device, the controller issues the commands to the members."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import gcd

from simio.components.passage import Passage
from simio.components.storage.interfaces import BlockDevice, Initiator, Transport
from simio.components.volumes.parity import ControllerParity
from simio.description.model import Part
from simio.description.sheets.controllers import ArrayControllerSheet
from simio.program.builder import Builder, Register
from simio.program.steps import UNBOUNDED


class ArrayController:
    """Processors, parity engine and write cache of a controller.

    Drivers of members are made with its `initiator` and a transport from `transport`; `array` makes the device that
    the host sees.
    """

    def __init__(self, p: Builder, name: str, part: Part[ArrayControllerSheet]) -> None:
        self.p = p
        self.name = name
        self.sheet = part.sheet
        self.processor = p.resource(f"{name} processor", self.sheet.processors)
        self.parity = ArrayParity(self)
        self.initiator = ControllerInitiator(self)
        self.cache_size: int = self.sheet.write_cache or 0
        self.free = (
            p.container(f"{name} write cache free", self.cache_size, self.cache_size) if self.cache_size else None
        )
        self.passing = False
        self.host: Transport | None = None

    def work(self, cost: int) -> None:
        """Keep one processor busy for `cost` ps."""
        if cost:
            with self.p.hold(self.processor):
                self.p.advance(cost)

    def transport(self, member: Transport, host: Transport) -> PassingTransport:
        """The way between a member and the controller, and for reads of the host on to the host."""
        self.host = host
        return PassingTransport(self, member, host)

    def array(self, volume: BlockDevice, port: ArrayPort) -> ArrayDevice:
        """A volume of this controller as the host sees it."""
        return ArrayDevice(self, volume, port)

    @contextmanager
    def passes(self) -> Iterator[None]:
        """Steps emitted inside send what members deliver on to the host."""
        with self._passing(True):
            yield

    @contextmanager
    def keeps(self) -> Iterator[None]:
        """Steps emitted inside send the host nothing."""
        with self._passing(False):
            yield

    @contextmanager
    def _passing(self, now: bool) -> Iterator[None]:
        before, self.passing = self.passing, now
        yield
        self.passing = before


class ArrayParity(ControllerParity):
    """The parity engine of a controller, in whose memory a request has to be whole before what it computes of it goes
    on to the host."""

    def __init__(self, controller: ArrayController) -> None:
        super().__init__(controller.p, controller.name, controller.sheet.parity_rate)
        self.controller = controller

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Send nothing that is read inside on to the host."""
        with self.controller.keeps():
            yield

    @contextmanager
    def gathered(self, size: int) -> Iterator[None]:
        """Keep the data read inside; then send the host all that it wants of them."""
        with self.kept():
            yield
        if self.controller.passing and self.controller.host is not None:
            self.controller.host.send(size)


@dataclass(frozen=True)
class ArrayPort:
    """The attachment of an array: the host's initiator, the way between host and controller, places in the queue."""

    initiator: Initiator
    transport: Transport
    depth: int


class ControllerInitiator:
    """The controller's firmware as the one that issues commands to the members."""

    queue = ""
    tags = UNBOUNDED
    alone = 0

    def __init__(self, controller: ArrayController) -> None:
        self.controller = controller

    def requests(self, size: int) -> Iterator[int]:
        """Commands of at most `max_command`."""
        return self.controller.p.pieces(size, self.controller.sheet.max_command or size)

    def issue(self, size: int) -> None:
        """Processor time of a command."""
        self.controller.work(self.controller.sheet.command_cost)

    def start(self) -> None:
        """Nothing more: the processor that issues commands also starts them."""

    def complete(self, size: int) -> None:
        """Processor time of a completion."""
        self.controller.work(self.controller.sheet.completion_cost)


class PassingTransport:
    """Send the host a member's data, piece by piece, while the member sends more."""

    any_size = False

    def __init__(self, controller: ArrayController, member: Transport, host: Transport) -> None:
        self.controller = controller
        self.member = member
        self.host = host
        self.unit = member.unit
        self.burst = member.burst
        self.pace = member.pace

    def request(self) -> None:
        """A command to the member."""
        self.member.request()

    def send(self, amount: int) -> None:
        """Move data from the member to the controller's memory, and from there to the host."""
        self.member.send(amount)
        if self.controller.passing:
            with self.controller.p.fork(f"{self.controller.name}: to host", joined=True):
                self.host.send(amount)

    def fetch(self, amount: int) -> None:
        """Move data from the controller's memory to the member."""
        self.member.fetch(amount)

    def reply(self) -> None:
        """Status from the member; returns when its data have left for the host, too."""
        self.member.reply()
        if self.controller.passing:
            self.controller.p.join()

    def passage(self, writes: bool) -> Passage:
        """The way of the member, and that to the host for data that it passes on at once."""
        onward = self.host.passage(writes) if self.controller.passing else Passage()
        return self.member.passage(writes) + onward


class ArrayDevice:
    """A hardware array behind the host's driver: one command of the host, whatever it takes of the members."""

    any_size = False

    def __init__(self, controller: ArrayController, volume: BlockDevice, port: ArrayPort) -> None:
        self.p = controller.p
        self.controller = controller
        self.volume = volume
        self.port = port
        self.name = volume.name
        self.capacity = volume.capacity
        self.sector = volume.sector
        self.queue = self.p.resource(f"{self.name} queue", port.depth, lock=True)

    def read(self, at: Register, size: int, aligned: int) -> None:
        """Members deliver through the controller's memory to the host; done with the last status."""
        for place, amount, grain in self._commands(at, size, aligned):
            self.controller.work(self.controller.sheet.request_cost)
            with self.controller.passes():
                self.volume.read(place, amount, grain)

    def write(self, at: Register, size: int, aligned: int) -> None:
        """Data come into the controller's memory; done when the cache has them or, without one, the members have.

        A command that is larger than the cache is written through.
        """
        cache = self.controller.free
        for place, amount, grain in self._commands(at, size, aligned):
            self.controller.work(self.controller.sheet.request_cost)
            if cache is None or amount > self.controller.cache_size:
                self._fetch(amount)
                self.volume.write(place, amount, grain)
                continue
            self.p.get(cache, amount)
            self._fetch(amount)
            # Condition that always holds: data written behind may still wait when the last write is done, so the
            # bound on delivered bytes must not count it.
            with (
                self.p.when(place >= 0),
                self.p.fork(f"{self.controller.name}: write behind"),
            ):
                self.volume.write(place, amount, grain)
                self.p.put(cache, amount)

    def flush(self) -> None:
        """Nothing if the controller has a write cache, which is its own to keep; else the members flush theirs."""
        if self.controller.free is None:
            self.volume.flush()

    def passage(self, writes: bool) -> Passage:
        """The way between controller and host."""
        return self.port.transport.passage(writes)

    def _fetch(self, size: int) -> None:
        for amount in self.p.pieces(size, self.port.transport.burst):
            self.port.transport.fetch(amount)

    def _commands(self, at: Register, size: int, aligned: int) -> Iterator[tuple[Register, int, int]]:
        """Run a for loop's body as each command of the host: a register with its address, its size and alignment."""
        p, port = self.p, self.port
        with p.scope():
            place, grain = p.register(at), aligned
            for amount in port.initiator.requests(size):
                grain = grain if amount == size else gcd(grain, amount)
                port.initiator.issue(amount)
                with p.fork(f"{self.name}: command", joined=True):
                    with p.hold(self.queue):
                        port.transport.request()
                        yield place, amount, grain
                        port.transport.reply()
                    port.initiator.complete(amount)
                place.set(place + amount)
            p.join()
