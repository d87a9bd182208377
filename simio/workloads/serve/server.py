"""The connections of a server of objects: what happens at both ends of each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from simio.components.files.cached import Mount
from simio.components.files.objects import ObjectAccess, ObjectStore
from simio.components.network.agreement import Dialogue
from simio.components.network.tcp import Endpoint
from simio.components.site import Site
from simio.description.model import Workload
from simio.program.builder import Handle, Register, Variable
from simio.workloads.common.arrivals import ArrivalProcess, declare_load, pause
from simio.workloads.common.room import check_room
from simio.workloads.common.sockets import exactly

if TYPE_CHECKING:
    from simio.workloads.serve import Serve

UNIT = 2**32
"""Weight of the most popular object, in whole numbers."""


class Service:
    """A server of objects with all its clients."""

    def __init__(self, site: Site, workload: Workload[Serve]) -> None:
        self.site, self.p, self.params, self.name = site, site.p, workload.params, workload.name
        p, params, name = self.p, self.params, self.name
        self.kernel = site.kernel(params.to)
        devices = [site.device(params.to, target) for target in site.targets(params.storage)]
        self.mounts = []
        if params.access == "buffered":
            self.mounts = [
                Mount(self.kernel, site.file_system(workload, device.name).sheet, device) for device in devices
            ]
        self.store = ObjectStore(self.kernel, name, params.objects, params.sizes, devices)
        for device in devices:
            check_room(workload, device, self.store.extent)
        capacity = params.cache or (sum(mount.sheet.cache for mount in self.mounts[:1]) or None)
        if capacity is not None:
            self.store.keep(capacity, params.warm)
        self.pool = p.resource(f"{name} threads", params.threads, lock=True) if params.threads else None
        self.asked_for = self._popularity()
        share = round(params.writes * UNIT)
        self.writes = p.discrete(f"{name}: writes", [(0, UNIT - share), (1, share)]) if share else None
        whole = "transaction" if params.steps > 1 else "request"
        self.took = p.observation(f"{name}: {whole}", "latency", "ps")
        self.think = p.exponential(f"{name}: think", params.think) if params.think else None
        declare_load(p, name, self.took, params, params.connections)

    def _popularity(self) -> Handle:
        """Draws the number of an object by Zipf's law."""
        params, name = self.params, f"{self.name}: object"
        if not params.popularity:
            return self.p.uniform(name, 0, params.objects - 1)
        weights = [(rank, max(round(UNIT * (rank + 1) ** -params.popularity), 1)) for rank in range(params.objects)]
        return self.p.discrete(name, weights)

    def emit(self) -> None:
        """The threads at both ends of all connections."""
        params = self.params
        hosts = params.from_
        for number, host in enumerate(hosts):
            name = self.name if len(hosts) == 1 else f"{self.name} {host}"
            count = (params.connections + len(hosts) - 1 - number) // len(hosts)
            for own in self.site.streams(name, count):
                self._connection(own, host)

    def _connection(self, own: str, host: str) -> None:
        """A client and the server's thread for it."""
        p, params = self.p, self.params
        largest = params.largest + max(params.request, params.header)
        ends = Dialogue(host, params.to, params.window, params.nodelay)
        client, server = self.site.sockets.connection(ends, own, (largest, largest), True)
        asked = p.variable(f"{own}: asked")
        access = ObjectAccess(self.store, own, params.access, self.mounts, params.sync)
        arrivals = ArrivalProcess(p, own, params.arrivals, params.connections) if params.arrivals else None
        with p.thread(f"{own}: server on {params.to}"):
            server.accept()
            access.open()
            with p.loop(params.count), p.loop(params.steps), p.scope():
                exactly(p, server, params.request)
                with self._working():
                    self._serve(server, access, asked.load())
            server.close()
        with p.thread(f"{own}: client on {host}"):
            client.connect()
            with p.loop(params.count), p.scope():
                arrived = arrivals.wait() if arrivals else None
                with p.timed(self.took, arrived), p.loop(params.steps), p.scope():
                    self._ask(client, asked)
                pause(p, self.think)
            client.close()

    def _ask(self, client: Endpoint, asked: Variable) -> None:
        """Ask for an object, or give it to the server, and wait for the answer."""
        p, params = self.p, self.params
        number, writes = p.register(), p.register(0)
        p.draw(number, self.asked_for)
        if self.writes:
            p.draw(writes, self.writes)
        size = self.store.size(number)
        asked.store(number * 2 + writes)
        out, back = p.register(params.request), p.register(params.header)
        self.choose(writes, lambda: back.set(back + size), lambda: out.set(out + size))
        client.write(out)
        exactly(p, client, back)
        p.mark(self.site.delivered, size)

    def _serve(self, server: Endpoint, access: ObjectAccess, word: Register) -> None:
        """Read or write the object that a client asks for, and answer."""
        p, params = self.p, self.params
        number, writes = p.register(word // 2), p.register(word % 2)
        size, back = self.store.size(number), p.register(params.header)

        def write() -> None:
            exactly(p, server, size)
            self.work()
            access.write(number)

        def read() -> None:
            self.work()
            access.read(number)
            back.set(back + size)

        self.choose(writes, read, write)
        server.write(back)

    def choose(self, writes: Register, read: Callable[[], None], write: Callable[[], None]) -> None:
        """Emit the one or the other, or only what can be."""
        p = self.p
        if not self.writes:
            read()
            return
        with p.when(writes == 0):
            read()
        with p.when(writes == 1):
            write()

    def work(self) -> None:
        """The program's own work."""
        if self.params.work:
            with self.p.label("the program", self.params.to):
                self.site.host(self.params.to).work(self.params.work)

    @contextmanager
    def _working(self) -> Iterator[None]:
        """Run the body in one of the server's threads, once one is free."""
        p, pool = self.p, self.pool
        if pool is None:
            yield
            return
        self.kernel.slept(lambda: p.seize(pool))
        yield
        p.release(pool)
