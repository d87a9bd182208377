"""The steps of readers and writers of storage: devices, places, and requests outstanding."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from math import gcd
from typing import TYPE_CHECKING

from simio import units
from simio.components.site import Site
from simio.components.storage.interfaces import BlockDevice
from simio.description.model import Workload
from simio.errors import RunError
from simio.program.builder import Handle, Register
from simio.wording import counted
from simio.workloads.common.arrivals import ArrivalProcess, declare_load, pause
from simio.workloads.common.blocks import UNBUFFERED
from simio.workloads.common.room import check_room, check_sectors

if TYPE_CHECKING:
    from simio.workloads.reader import Reader
    from simio.workloads.writer import Writer

MOST_IN_TURN = 32
"""Devices that one thread can visit in turn: it remembers a place in each."""


class Access:
    """One way to read or write a device or file, for one thread; each method emits steps of that thread."""

    def open(self) -> None:
        """Open what is read or written, once, before everything else."""

    def rewind(self) -> None:
        """Begin a pass."""

    def request(self, at: Register, size: int, aligned: int, again: bool) -> None:
        """One request; `again`: in a later pass over the same range."""
        raise NotImplementedError

    def finish(self) -> None:
        """End a pass."""


class Unbuffered(Access):
    """Requests past the cache, by the kernel's `read_unbuffered` or `write_unbuffered`.

    Where they can fail, failures are counted, and bytes that were not delivered are not.
    """

    def __init__(
        self,
        site: Site,
        call: Callable[[BlockDevice, Register, int, int, bool], None],
        device: BlockDevice,
        direct: bool,
        delivered: Handle,
    ) -> None:
        self.p, self.call, self.device, self.direct, self.delivered = site.p, call, device, direct, delivered
        self.failures = site.failures() if site.can_fail(device.name) else None
        if self.failures:
            self.count = self.p.variable(f"{delivered.name} failed")
            self.p.tally(delivered.name, "failed", self.count.offset, "requests")

    def request(self, at: Register, size: int, aligned: int, again: bool) -> None:
        """One call, which returns when the device is done or has failed."""
        p = self.p
        if not self.failures:
            self.call(self.device, at, size, aligned, self.direct)
            p.mark(self.delivered, size)
            return
        with p.scope():
            failed, amount = p.register(), p.register(size)
            p.promise(size)
            with self.failures.watched(failed):
                self.call(self.device, at, size, aligned, self.direct)
            with p.when(failed == 0):
                p.mark(self.delivered, amount)
            with p.when(failed > 0):
                self.count.increment(failed)


MakeAccess = Callable[[BlockDevice, str, tuple[int, int], Handle], Access]
"""Access for a device, a thread's name, a span (first byte, size) and the stream that counts delivered bytes."""


def emit(site: Site, workload: Workload[Reader | Writer], targets: Sequence[str], make: MakeAccess) -> None:
    """The threads of a workload over its targets: one for each, several for each, or one for all of them in turn.

    Raises RunError for more targets than one thread goes through.
    """
    params = workload.params
    if params.pattern == "sequential" and params.passes == params.processes == 1:
        site.goes_over_once(targets)
    told = params.access in ("raw", "direct")
    devices = [site.device(params.host, target, reports_failures=told) for target in targets]
    for device in devices:
        _check(workload, device)
    verb = workload.kind
    if params.threads == "one":
        if len(devices) > MOST_IN_TURN:
            raise RunError(
                f"workload {workload.name!r} has one thread for {len(devices)} devices; "
                f"it can visit {MOST_IN_TURN} in turn"
            )
        _thread(site, workload, f"{workload.name}: {verb}", devices, make, (0, params.size))
        return
    share = params.size // params.processes
    for device in site.alike(devices) if params.access in UNBUFFERED else devices:
        for number in range(params.processes):
            which = f" {number + 1}" if params.processes > 1 else ""
            name = f"{workload.name}: {verb}{which} of {device.name}"
            first = number * share
            span = (first, share if number + 1 < params.processes else params.size - first)
            try:
                _thread(site, workload, name, [device], make, span, len(devices) * params.processes)
            except RunError as error:
                raise _left_over(error, params, span[1]) from error


def _left_over(error: RunError, params: Reader | Writer, share: int) -> RunError:
    """The error, with the reason for a block that the scenario does not name: a process's remainder."""
    left = [(share % size, size) for size, _ in params.sizes if share % size]
    if not left or error.at:
        return error
    rest, block, size = (units.format_quantity(n, "size") for n in (*left[0], params.size))
    return RunError(
        f"{error} (size {size} shared by {counted(params.processes, 'process', 'processes')} leaves {rest} after the "
        f"last whole block of {block}; make size a multiple of block times processes)",
        at=".size",
    )


def _check(workload: Workload[Reader | Writer], device: BlockDevice) -> None:
    params = workload.params
    if params.access in ("raw", "direct"):
        for key, size in (*(("block", size) for size, _ in params.sizes), ("size", params.size)):
            check_sectors(workload, device, key, size)
    check_room(workload, device, params.extent)


def _thread(
    site: Site,
    workload: Workload[Reader | Writer],
    name: str,
    devices: Sequence[BlockDevice],
    make: MakeAccess,
    span: tuple[int, int],
    shares: int = 1,
) -> None:
    """A thread over some devices, to which one of `shares` of all arrivals comes."""
    p, params = site.p, workload.params
    delivered = [site.stream(f"{workload.name}: {device.name}") for device in devices]
    latency = p.observation(f"{workload.name}: block", "latency", "ps")
    accesses = [
        make(device, name if len(devices) == 1 else f"{name} of {device.name}", span, stream)
        for device, stream in zip(devices, delivered, strict=True)
    ]
    places = RequestPlaces(site, workload, name, span[0], min(device.capacity for device in devices))
    load = ThreadLoad(site, workload, name, latency, shares)
    with p.thread(name):
        at = p.register()
        for access in accesses:
            access.open()
        for again in range(min(params.passes, 2)):
            with p.loop(params.passes - 1 if again else 1):
                at.set(span[0])
                for access in accesses:
                    access.rewind()
                for size in places.requests(at, span[1]):
                    for access in accesses:
                        places.work_once()
                        with load.request():
                            access.request(at, size, places.aligned, again > 0)
                for access in accesses:
                    access.finish()


class ThreadLoad:
    """Pace of the requests of a thread: after one another, some at a time, or as they arrive."""

    def __init__(
        self, site: Site, workload: Workload[Reader | Writer], name: str, latency: Handle, shares: int
    ) -> None:
        self.p, self.latency, params = site.p, latency, workload.params
        depth = params.depth or 1
        self.slots = self.p.container(f"{name} slots", depth, depth, "requests") if depth > 1 else None
        self.arrivals = ArrivalProcess(self.p, name, params.arrivals, shares) if params.arrivals else None
        self.apart = self.slots is not None or (
            self.arrivals is not None and params.depth is None and params.access in UNBUFFERED
        )
        """True if requests have threads of their own."""
        every = params.passes * (params.size // params.largest) * shares // params.processes
        known = params.threads == "each" and len(params.sizes) == 1
        declare_load(self.p, workload.name, latency, params, shares, every if known else 0)

    @contextmanager
    def request(self) -> Iterator[None]:
        """One request, waited for or in a thread of its own; its time counts from its arrival."""
        p = self.p
        with p.scope():
            arrived = None
            if self.arrivals:
                arrived = self.arrivals.wait()
            if self.slots is not None:
                p.get(self.slots, 1)
            with p.fork("request") if self.apart else nullcontext():
                with p.timed(self.latency, arrived):
                    yield
                if self.slots is not None:
                    p.put(self.slots, 1)


class RequestPlaces:
    """Addresses of the requests of a thread, one after the other, with their sizes and the pauses before them."""

    def __init__(self, site: Site, workload: Workload[Reader | Writer], thread: str, start: int, room: int) -> None:
        self.p = p = site.p
        self.params = params = workload.params
        self.think = p.exponential(f"{thread}: think", params.think) if params.think else None
        self.mix = None
        if len(params.sizes) > 1:
            weights = [(number, weight) for number, (_, weight) in enumerate(params.sizes)]
            self.mix = p.discrete(f"{thread}: size", weights)
        self.drawn = {}
        if params.pattern == "random":
            self.drawn = {
                size: p.uniform(f"{thread}: place for {size}", 0, room // size - 1) for size, _ in params.sizes
            }
        self.host = site.host(params.host) if params.work else None
        self.aligned = gcd(start, *(size for size, _ in params.sizes), params.stride or 0)

    def requests(self, at: Register, size: int) -> Iterator[int]:
        """Run a for loop's body for every request over `size` bytes from `at` on, which is set; yields sizes."""
        p, params = self.p, self.params
        if self.mix:
            yield from self._mixed(at, size, self.mix)
            return
        block = params.largest
        for amount in p.pieces(size, block):
            pause(p, self.think)
            if self.drawn:
                p.draw(at, self.drawn[block])
                at.set(at * block)
            yield amount
            if not self.drawn:
                at.set(at + (params.stride or amount))

    def _mixed(self, at: Register, size: int, mix: Handle) -> Iterator[int]:
        """Requests of `size` bytes together in the mean, each of a size drawn by weight."""
        p, sizes = self.p, self.params.sizes
        mean = sum(length * weight for length, weight in sizes) // sum(weight for _, weight in sizes)
        with p.loop(max(size // mean, 1)):
            pause(p, self.think)
            which = p.register()
            p.draw(which, mix)
            for number, (length, _) in enumerate(sizes):
                with p.when(which == number):
                    if self.drawn:
                        p.draw(at, self.drawn[length])
                        at.set(at * length)
                    yield length
                    if not self.drawn:
                        at.set(at + length)

    def work_once(self) -> None:
        """The program's own work before a request."""
        if self.host:
            with self.p.label("the program", self.host.name):
                self.host.work(self.params.work)
