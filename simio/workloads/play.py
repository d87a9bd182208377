"""Isochronous streams: programs that read frames and send them, and players to which they come in time or late."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, ClassVar, Literal

from pydantic import Field, model_validator

from simio.components.files.cached import CachedFile, Mount
from simio.components.network.agreement import Dialogue
from simio.components.network.demand import declare
from simio.components.network.playout import Playout, Told
from simio.components.site import Site
from simio.components.storage.interfaces import BlockDevice
from simio.description.model import Workload
from simio.description.quantities import Count, Extent, Flag, Limit, OptionalCount, Rate, refusal
from simio.description.sheets.base import size_text
from simio.description.workloads import HostNames, OptionalHosts, OptionalStorage, WorkloadParams
from simio.machines.tcp.layout import END_OF_FILE
from simio.program.builder import Register
from simio.program.service import ceil_times, per_byte
from simio.workloads import register_workload
from simio.workloads.common.room import check_room, check_sectors

Take = Callable[[int], None]
"""Emits a program's work on this many bytes in its memory."""


BUFFERED = "buffered"
"""The way of access that goes through the cache of a file system."""


class Play(WorkloadParams):
    """Streams of frames that are played at a constant rate, from memory or storage of a host, there or on another.

    A frame that is not there when it is due is late; the player waits for it and continues from there.
    """

    users: ClassVar[str | None] = "streams"
    routes: ClassVar[tuple[tuple[str, str], ...]] = (("from_", "to"), ("from_", "storage"))
    network: ClassVar[bool] = True

    from_: HostNames = Field(
        alias="from", description="host that has the streams, or list of hosts that have one each in turn"
    )
    servers: Annotated[
        OptionalCount, Field(description="how many of the hosts in `from` have streams; none: all")
    ] = None
    to: OptionalHosts = Field(
        None, description="host that plays them, or list of hosts in turn; none: where they are"
    )
    storage: OptionalStorage = Field(
        None,
        description="where they are read from; of a group of disks, each in turn has a stream; none: from memory",
    )
    access: Literal["raw", "direct", "buffered"] = Field("raw", description="how storage is read")
    block: Extent = Field(65536, description="bytes a read and a write of the programs")
    depth: Annotated[Count, Field(le=64)] = Field(
        1, description="blocks between storage and network; 1: one process reads and sends them in turn"
    )
    rate: Rate = Field(description="rate at which a stream is played")
    frame: Extent = Field(description="bytes of a frame")
    frames: Count = Field(description="frames of a stream")
    buffer: Extent = Field(description="bytes of the player's buffer, a block more than a frame at least")
    prefill: Limit = Field(
        None, description="bytes in the buffer when playing begins; none: as many as surely get there"
    )
    streams: Annotated[Count, Field(le=4096)] = Field(1, description="streams at once")
    window: Limit = Field(None, description="socket buffers at both ends; none: those of the stacks")
    nodelay: Flag = Field(False, description="whether TCP_NODELAY is set")

    def ends(self, stream: int) -> tuple[str, str]:
        """The host that has a stream, and the one that plays it; streams count from 0."""
        servers = self.from_[: self.servers]
        source = servers[stream % len(servers)]
        return source, self.to[stream % len(self.to)] if self.to else source

    @property
    def size(self) -> int:
        """Bytes of a stream."""
        return self.frame * self.frames

    @property
    def filled(self) -> int:
        """Bytes in the buffer when playing begins; a reader that needs room for a block leaves less than one."""
        return min(self.prefill or self.buffer - self.block, self.size)

    @model_validator(mode="after")
    def _has_a_source(self) -> Play:
        if self.servers is not None and self.servers > len(self.from_):
            raise refusal(str(self.servers), f"at most {len(self.from_)}, the hosts in from", field="servers")
        if self.storage is not None and len(self.from_) > 1:
            raise refusal(f"storage with {len(self.from_)} hosts in from", "one host", field="storage")
        if self.storage is None and any(first == last for first, last in map(self.ends, range(self.streams))):
            hint = "without it a stream comes from the memory of another host than the one that plays it"
            raise refusal("nothing", "storage", hint, "storage")
        if self.depth > 1 and (self.storage is None or self.access == BUFFERED):
            found = "without storage" if self.storage is None else f"with access {self.access}"
            hint = "memory needs no reading" if self.storage is None else "the file system reads ahead"
            raise refusal(f"{self.depth}, {found}", "1", hint, "depth")
        return self

    @model_validator(mode="after")
    def _fits_the_buffer(self) -> Play:
        if self.buffer < self.frame + self.block:
            needed = f"at least {size_text(self.frame + self.block)}, a frame and a block"
            raise refusal(size_text(self.buffer), needed, field="buffer")
        if self.prefill is not None and self.prefill > self.buffer - self.block:
            most = f"at most {size_text(self.buffer - self.block)}, the buffer less a block"
            raise refusal(size_text(self.prefill), most, "reading stops when no block fits", "prefill")
        return self


@register_workload("play", Play)
def play(site: Site, workload: Workload[Play]) -> None:
    """`streams` players of `frames` frames each; a frame that is shown counts as delivered."""
    p, name = site.p, workload.name
    params = workload.params
    told = Told(p, name, site.delivered)
    period = ceil_times(params.frame, per_byte(params.rate))
    for number in range(params.streams):
        own = name if params.streams == 1 else f"{name} {number + 1}"
        playout = Playout(p, own, params.buffer, params.frame, period)
        ends = Dialogue(*params.ends(number), params.window, params.nodelay)
        source = PlaySource(site, workload, own, number, ends.from_)
        if ends.to == ends.from_:
            _fill(site, own, source, playout)
        else:
            _send(site, params, own, source, playout, ends)
        with p.thread(f"{own}: player on {ends.to}"):
            playout.play(params.frames, params.filled, told)


def _fill(site: Site, name: str, source: PlaySource, playout: Playout) -> None:
    """A program on the player's host reads a stream into the player's buffer."""
    p = site.p

    def take(amount: int) -> None:
        p.promise(amount)
        source.kernel.slept(lambda: p.get(playout.room, amount))
        playout.fill(amount)

    source.readers()
    with p.thread(f"{name}: reader on {source.host}"):
        source.blocks(take)


def _send(site: Site, params: Play, name: str, source: PlaySource, playout: Playout, ends: Dialogue) -> None:
    """A program reads a stream and writes it to a connection, at whose end another fills the player's buffer."""
    p = site.p
    sender, receiver = site.sockets.connection(ends, name, (params.block, params.block), True)

    def write(amount: int) -> None:
        declare(sender, receiver, amount)
        sender.write(amount)

    source.readers()
    with p.thread(f"{name}: sender on {ends.from_}"):
        sender.connect()
        source.blocks(write)
        sender.close()
    with p.thread(f"{name}: receiver on {ends.to}"):
        receiver.accept()
        got, rest = p.register(), p.register()
        with p.until(got >= END_OF_FILE):
            receiver.stack.kernel.slept(lambda: p.get(playout.room, params.block))
            receiver.read(got, params.block)
            rest.set(got % END_OF_FILE)
            playout.fill(rest)
            p.put(playout.room, params.block - rest)


class PlaySource:
    """The source of a stream: the program's memory, or a place of its own on a disk or volume."""

    def __init__(self, site: Site, workload: Workload[Play], name: str, number: int, host: str) -> None:
        self.site, self.workload, self.name, self.host = site, workload, name, host
        self.p = site.p
        self.params = workload.params
        self.kernel = site.kernel(host)
        params = self.params
        self.device: BlockDevice | None = None
        self.start = 0
        if params.storage is not None:
            targets = site.targets(params.storage)
            target = targets[number % len(targets)]
            if params.streams == 1:
                site.goes_over_once([target])
            span = -(-params.size // params.block) * params.block
            self.start = number // len(targets) * span
            self.device = site.device(host, target)
            self._check(self.device, self.start + span)
        slots = params.depth if params.depth > 1 else 0
        self.free = [self.p.container(f"{name} block {n + 1} free", 1, 1, "blocks") for n in range(slots)]
        self.read = [self.p.container(f"{name} block {n + 1} read", 1, 0, "blocks") for n in range(slots)]

    def _check(self, device: BlockDevice, end: int) -> None:
        if self.params.access != BUFFERED:
            check_sectors(self.workload, device, "block", self.params.block)
        check_room(self.workload, device, end)

    def readers(self) -> None:
        """Processes that read several blocks at once, each into memory of its own, if there are any."""
        params = self.params
        if self.device is None:
            return
        whole, rest = divmod(params.size, params.block)
        for slot in range(len(self.free)):
            name = f"{self.name}: disk {slot + 1} on {self.host}"
            with self.p.thread(name):
                at = self.p.register(self.start + slot * params.block)
                mine = (whole + params.depth - 1 - slot) // params.depth
                if mine:
                    with self.p.loop(mine):
                        self._read_ahead(self.device, slot, at, params.block)
                if rest and whole % params.depth == slot:
                    self._read_ahead(self.device, slot, at, rest)

    def _read_ahead(self, device: BlockDevice, slot: int, at: Register, amount: int) -> None:
        p, params = self.p, self.params
        self.kernel.slept(lambda: p.get(self.free[slot], 1))
        self._raw(device, at, amount)
        p.put(self.read[slot], 1)
        at.set(at + params.depth * params.block)

    def _raw(self, device: BlockDevice, at: Register, amount: int) -> None:
        """One read past the cache, in whole sectors."""
        params = self.params
        size = -(-amount // device.sector) * device.sector
        with self.p.scope():
            self.kernel.read_unbuffered(device, at, size, params.block, params.access == "direct")

    def blocks(self, take: Take) -> None:
        """The steps of the program that has one block after another in its memory, and its work on each."""
        p, params = self.p, self.params
        if self.device is None:
            for amount in p.pieces(params.size, params.block):
                take(amount)
        elif self.free:
            for slot, amount in p.turns(params.size, params.block, params.depth):
                self._take_read(slot, amount, take)
        elif params.access == BUFFERED:
            self._cached(self.device, take)
        else:
            at = p.register(self.start)
            for amount in p.pieces(params.size, params.block):
                self._raw(self.device, at, amount)
                take(amount)
                at.set(at + amount)

    def _take_read(self, slot: int, amount: int, take: Take) -> None:
        p = self.p
        self.kernel.slept(lambda: p.get(self.read[slot], 1))
        take(amount)
        p.put(self.free[slot], 1)

    def _cached(self, device: BlockDevice, take: Take) -> None:
        """read() of a file, which the file system reads ahead."""
        p, params = self.p, self.params
        mount = Mount(self.kernel, self.site.file_system(self.workload, device.name).sheet, device)
        span = (self.start, params.size)
        file = CachedFile(mount, self.name, span, True)
        at = p.register(self.start)
        file.open()
        file.rewind()
        for amount in p.pieces(params.size, params.block):
            file.read(at, amount, params.block, copy=True)
            take(amount)
            at.set(at + amount)
