"""Isochronous streams: a reader fills a buffer that a player empties at a constant rate."""

from __future__ import annotations

from math import gcd

from simio import units
from simio.components.storage import BlockDevice
from simio.description.model import Workload
from simio.errors import RunError
from simio.lower import Site
from simio.machines import served as machines
from simio.machines.network.transfer_calls import RESTORE
from simio.program.builder import Handle, Register
from simio.program.service import ceil_times, per_byte

GRAIN = 1 << 20
"""Streams begin at multiples of so many bytes, one after another."""


def stream(site: Site, workload: Workload) -> None:
    """`streams` readers and players, each of `size` bytes."""
    params = workload.params
    targets = site.targets(params.from_)
    extent = -(-params.size // GRAIN) * GRAIN
    for number in range(params.streams):
        device = site.device(params.host, targets[number % len(targets)], params.into)
        start = number // len(targets) * extent
        _check(workload, device, start + extent)
        name = workload.name if params.streams == 1 else f"{workload.name} {number + 1}"
        _One(site, workload, name, device, start).emit()


def _check(workload: Workload, device: BlockDevice, end: int) -> None:
    params = workload.params
    if params.block % device.sector:
        found, sector = (units.format_quantity(n, "size") for n in (params.block, device.sector))
        raise RunError(
            f"workload {workload.name!r} reads {found}; {device.name!r} takes whole sectors of {sector}"
        )
    if end > device.capacity:
        size, room = (units.format_quantity(n, "size") for n in (end, device.capacity))
        raise RunError(
            f"workload {workload.name!r} has streams up to {size} of {device.name!r}, which holds {room}"
        )


class _One:
    """One stream: its buffer as two containers, what is there and what is free."""

    def __init__(self, site: Site, workload: Workload, name: str, device: BlockDevice, start: int) -> None:
        p = self.p = site.p
        self.params = params = workload.params
        self.name, self.device, self.start = name, device, start
        self.kernel = site.kernel(params.host)
        self.there = p.container(f"{name} there")
        self.free = p.container(f"{name} buffer", params.buffer, params.buffer)
        self.blocks = p.machine(f"{name} blocks", machines.windows(params.size, params.block))
        self.count = p.machine(f"{name} late frames", [0])
        p.tally(name, "late", self.count, "frames")
        self.late = p.observation(f"{workload.name}: lateness", "latency", "ps")
        self.delivered: Handle = site.delivered if params.streams == 1 else site.stream(name)
        self.slots = p.container(f"{name} slots", params.depth, params.depth, "requests")

    def emit(self) -> None:
        """The two threads."""
        p, params = self.p, self.params
        with p.thread(f"{self.name}: reader"):
            offset = p.register(0)
            for size in p.pieces(params.size, params.block):
                p.get(self.free, size)
                p.get(self.slots, 1)
                with p.fork("read"):
                    self._read(offset, size)
                    p.put(self.slots, 1)
                p.let(offset, "ADD", offset, size)
        with p.thread(f"{self.name}: player"):
            self._play()

    def _read(self, offset: Register, size: int) -> None:
        """One read; its bytes are there when all before them are."""
        p = self.p
        at, number = p.register(), p.register()
        p.let(at, "ADD", offset, self.start)
        whole = -(-size // self.device.sector) * self.device.sector
        aligned = gcd(self.start, self.params.block)
        if self.params.into:
            self.kernel.system_call()
            self.device.read(at, whole, aligned)
            self.kernel.wake()
        else:
            self.kernel.read_unbuffered(self.device, at, whole, aligned)
        p.let(number, "DIV", offset, self.params.block)
        p.call(number, machines.CAME, self.blocks, number)
        p.put(self.there, number)

    def _play(self) -> None:
        """Frame after frame, each when it is due, from when the buffer was full."""
        p, params = self.p, self.params
        period = ceil_times(params.frame, per_byte(params.rate))
        # What fits of the blocks that are read one after another.
        full = min(params.buffer // params.block * params.block, params.size)
        p.get(self.there, full)
        p.put(self.there, full)
        due, wait = p.register(), p.register()
        p.let(due, "SINCE", 0)
        with p.loop(params.size // params.frame):
            p.let(wait, "SINCE", due)
            p.let(wait, "SUB", 0, wait)
            with p.when(wait, ">", 0):
                p.advance(0, wait, 1)
            p.get(self.there, params.frame)
            p.let(wait, "SINCE", due)
            with p.when(wait, ">", 0):
                p.mark(self.late, wait)
                p.call(wait, RESTORE, self.count)
            p.put(self.free, params.frame)
            p.mark(self.delivered, params.frame)
            p.let(due, "ADD", due, period)
