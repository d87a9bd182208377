"""The servers of objects over HTTP, and the transfers that ask them."""

from __future__ import annotations

from math import gcd
from typing import TYPE_CHECKING

from simio.components.network.agreement import Dialogue
from simio.components.network.stack import Stack
from simio.components.network.tcp import Endpoint
from simio.components.site import Site
from simio.components.storage.interfaces import BlockDevice
from simio.description.model import Workload
from simio.errors import RunError
from simio.program.builder import Handle, Register
from simio.program.service import per_byte
from simio.workloads.common.arrivals import ArrivalProcess
from simio.workloads.common.room import check_room
from simio.workloads.common.sizes import SizeClasses, mean
from simio.workloads.objects.http import HttpMessages
from simio.workloads.objects.transfer import ObjectTransfer

if TYPE_CHECKING:
    from simio.workloads.objects import Objects

GRAIN = 4096
"""Bytes at multiples of which storage is read and written."""


class ObjectServer:
    """A host that serves objects: its storage, threads and times."""

    def __init__(self, objects: ObjectService, host: str) -> None:
        site, workload = objects.site, objects.workload
        self.p, self.params, self.objects, self.name = site.p, workload.params, objects, host
        self.stack = site.sockets.stack(host)
        names = site.targets(self.params.storage) if self.params.storage else []
        self.devices: list[BlockDevice] = [site.device(host, name) for name in names]
        for device in self.devices:
            check_room(workload, device, -(-self.params.objects // len(names)) * objects.extent + objects.beyond)
        threads = self.params.threads
        self.pool = self.p.resource(f"{workload.name}: threads of {host}", threads, lock=True) if threads else None

    def begin(self) -> None:
        """A request is there: a thread, the program's own work, and the time until the answer begins."""
        p, params = self.p, self.params
        if self.pool is not None:
            pool = self.pool
            self.stack.kernel.slept(lambda: p.seize(pool))
        self.stack.work("the program", params.work)
        if self.objects.first is not None:
            with p.scope(), p.label("time to the first byte", self.name):
                span = p.register()
                p.draw(span, self.objects.first)
                p.wait(span)

    def end(self) -> None:
        """The answer is in the socket."""
        if self.pool is not None:
            self.p.release(self.pool)

    def move(self, number: Register, at: Register, amount: Register, writes: bool) -> None:
        """Move bytes of object `number` from `at` on between storage and memory, while the caller waits in join()."""
        p, params = self.p, self.params
        if not self.devices and params.stream is None:
            return
        with p.fork("storage", joined=True):
            if params.stream is not None:
                with p.label("pace of an answer", self.name):
                    p.advance(0, amount, per_byte(params.stream))
            on, place = p.register(), p.register()
            count, aligned = len(self.devices), self.objects.aligned
            for which, device in enumerate(self.devices):
                on.set(number % count)
                with p.when(on == which):
                    place.set((number // count * self.objects.extent + at) // aligned * aligned)
                    whole = (
                        p.register((amount + (GRAIN - 1)) // GRAIN * GRAIN) if device.any_size else self.objects.chunk
                    )
                    (device.write if writes else device.read)(place, whole, aligned)


def _whole(amount: int, unit: int) -> int:
    """The least multiple of `unit` that is not less."""
    return -(-amount // unit) * unit


class ObjectService:
    """All servers and transfers of a workload."""

    def __init__(self, site: Site, workload: Workload[Objects]) -> None:
        self.site, self.p, self.workload = site, site.p, workload
        self.name, self.params = workload.name, workload.params
        p, params = self.p, self.params
        self.chunk = _whole(params.buffer, GRAIN)
        # Addresses are multiples of what pieces and parts have in common.
        self.aligned = GRAIN if params.part % GRAIN else gcd(self.chunk, params.part)
        # Objects lie as if all had the mean size; a larger one goes on where others are.
        self.extent = _whole(mean(params.weighted), self.chunk) + self.chunk
        self.beyond = _whole(params.largest, self.chunk) + self.chunk - self.extent
        self.sizes = p.discrete(f"{self.name}: size", params.weighted) if len(params.weighted) > 1 else None
        self.classes = SizeClasses(p, params.classes, params.weighted)
        self.first: Handle | None = None
        if params.first_byte:
            self.first = p.discrete(f"{self.name}: first byte", params.first_byte.times)
        self.drawn = p.uniform(f"{self.name}: object", 0, params.objects - 1)
        self.took = p.observation(f"{self.name}: object", "latency", "ps")
        self.part_took = p.observation(f"{self.name}: part", "time", "ps")
        self.began = p.observation(f"{self.name}: first byte", "time", "ps")
        if params.arrivals:
            p.load(self.name, self.took, params.arrivals.mean)
        self.servers = [ObjectServer(self, host) for host in params.to]

    def messages(self, stack: Stack) -> HttpMessages:
        """Protocol of one end for sending and receiving; raises RunError for TLS on a CPU whose rate is not known."""
        cpu = stack.host.description.cpu
        if self.params.tls and cpu.sheet.aes_gcm is None:
            raise RunError(
                f"the CPU of {stack.name!r}, {cpu.model}, has no aes_gcm, a core's rate of AES-GCM; give it as "
                f"hosts.{stack.name}.cpu.aes_gcm, such as `openssl speed -evp aes-256-gcm` measures it, "
                "or use tls: false",
                at=f"workload.{self.name}.tls",
            )
        return HttpMessages(stack, cpu.sheet.aes_gcm if self.params.tls else None, self.params.buffer)

    def emit(self) -> None:
        """The threads of all transfers."""
        params, hosts = self.params, self.params.from_
        for number, host in enumerate(hosts):
            name = self.name if len(hosts) == 1 else f"{self.name} {host}"
            count = (params.transfers + len(hosts) - 1 - number) // len(hosts)
            for own in self.site.streams(name, count):
                arrivals = ArrivalProcess(self.p, own, params.arrivals, params.transfers) if params.arrivals else None
                ObjectTransfer(self, own, host).emit(arrivals)

    def connection(self, name: str, host: str, server: ObjectServer) -> tuple[Endpoint, Endpoint]:
        """A connection from a client to a server."""
        params = self.params
        ends = Dialogue(host, server.name, params.window, nodelay=True)
        return self.site.sockets.connection(ends, name, (params.buffer, params.buffer), True)
