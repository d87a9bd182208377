"""A transfer of objects: a program that hands out parts, connections that carry them, and servers that answer."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

from simio.components.network.tcp import Endpoint
from simio.program.builder import Register, Variable, minimum, since
from simio.workloads.common.arrivals import ArrivalProcess
from simio.workloads.objects.http import HttpMessages

if TYPE_CHECKING:
    from simio.workloads.objects.service import ObjectServer, ObjectService


class ObjectTransfer:
    """The program of one client: an object after another, its parts over connections side by side."""

    def __init__(self, objects: ObjectService, name: str, host: str) -> None:
        self.objects, self.p, self.params, self.name, self.host = objects, objects.p, objects.params, name, host
        p, site = self.p, objects.site
        self.mine = objects.messages(site.sockets.stack(host))
        self.writes = self.params.access == "put"
        self.object, self.next = p.variable(f"{name} object"), p.variable(f"{name} next part")
        self.size = p.variable(f"{name} size") if objects.sizes else None
        self.wanted = p.container(f"{name} parts wanted", unit="parts")
        self.done = p.container(f"{name} parts done", unit="parts")

    def emit(self, arrivals: ArrivalProcess | None) -> None:
        """The threads of the program, its connections and their servers."""
        p, params, objects = self.p, self.params, self.objects
        servers = objects.servers
        for number in range(params.connections):
            self._connection(f"{self.name} connection {number + 1}", servers[number % len(servers)])
        control = self._control(servers[0]) if self.writes and params.largest > params.part else None
        with p.thread(f"{self.name}: client on {self.host}"):
            if control:
                control.connect()
            with p.loop(params.count), p.scope():
                arrived = arrivals.wait() if arrivals else None
                begun = p.now() if arrived is None else arrived
                with p.timed(objects.took, begun):
                    self._object(control)
                if self.size:
                    took = p.register(since(begun))
                    for which in objects.classes.of(self.size.load()):
                        p.mark(p.observation(f"{objects.name}: object {which}", "time", "ps"), took)

    def _object(self, control: Endpoint | None) -> None:
        """Draw an object, have its parts carried, and wait for the last."""
        p, params, objects = self.p, self.params, self.objects
        drawn = p.register()
        p.draw(drawn, objects.drawn)
        self.object.store(drawn)
        if self.size and objects.sizes:
            p.draw(drawn, objects.sizes)
            self.size.store(drawn)
        self.next.store(0)
        size = self._bytes()
        parts = (
            -(-size // params.part)
            if isinstance(size, int)
            else p.register((size + (params.part - 1)) // params.part)
        )
        with self._divided(parts):
            if control:
                self._ask(control)
        p.put(self.wanted, parts)
        p.get(self.done, parts)
        with self._divided(parts):
            if control:
                self._ask(control)

    def _bytes(self) -> int | Register:
        """Bytes of the object that is transferred."""
        return self.size.load() if self.size else self.params.largest

    def _divided(self, parts: int | Register) -> AbstractContextManager[None]:
        """Steps for an object of several parts."""
        return nullcontext() if isinstance(parts, int) else self.p.when(parts > 1)

    def _control(self, server: ObjectServer) -> Endpoint:
        """A connection that creates and completes uploads: CreateMultipartUpload, CompleteMultipartUpload."""
        p, params = self.p, self.params
        client, far = self.objects.connection(f"{self.name} control", self.host, server)
        theirs = self.objects.messages(server.stack)
        with p.thread(f"{self.name} control: server on {server.name}", daemon=True):
            far.accept()
            with p.forever():
                theirs.receive(far, params.request)
                server.begin()
                theirs.send(far, p.register(params.header))
                server.end()
        return client

    def _ask(self, control: Endpoint) -> None:
        with self.p.scope():
            self.mine.send(control, self.p.register(self.params.request))
            self.mine.receive(control, self.params.header)

    def _connection(self, name: str, server: ObjectServer) -> None:
        """One connection, the thread of the program that uses it, and that of the server."""
        p = self.p
        client, far = self.objects.connection(name, self.host, server)
        part = p.variable(f"{name} part")
        with p.thread(f"{name}: server on {server.name}", daemon=True):
            far.accept()
            with p.forever(), p.scope():
                ServerWork(self, server, far).emit(part)
        with p.thread(f"{name}: client on {self.host}", daemon=True):
            client.connect()
            with p.forever(), p.scope():
                self.mine.stack.kernel.slept(lambda: p.get(self.wanted, 1))
                self._part(client, part)
                p.put(self.done, 1)

    def _part(self, client: Endpoint, part: Variable) -> None:
        """Ask for the next part, or give it, and wait for the answer."""
        p, params, objects, mine = self.p, self.params, self.objects, self.mine
        begun, number = p.now(), self.next.increment(1)
        part.store(number)
        size = self.amount(number)
        mine.stack.work("the program", params.client_work)
        with p.scope():
            mine.send(client, p.register(params.request))
        if self.writes:
            mine.pieces(size, lambda _, piece: mine.send(client, piece))

        def first() -> None:
            p.mark(objects.began, since(begun))

        mine.receive(client, params.header, first)
        if not self.writes:
            mine.pieces(size, lambda _, piece: mine.receive(client, piece))
        p.mark(objects.part_took, since(begun))
        p.mark(objects.site.delivered, size)

    def amount(self, number: Register) -> Register:
        """A fresh register with the bytes of a part."""
        params, size = self.params, self.p.register()
        size.set(minimum(self._bytes() - number * params.part, params.part))
        return size


class ServerWork:
    """Work of a server's thread on a request."""

    def __init__(self, transfer: ObjectTransfer, server: ObjectServer, end: Endpoint) -> None:
        self.transfer, self.server, self.end = transfer, server, end
        self.p, self.params = transfer.p, transfer.params
        self.theirs: HttpMessages = transfer.objects.messages(server.stack)

    def emit(self, part: Variable) -> None:
        """Take a request, and answer it."""
        p, params, theirs, server = self.p, self.params, self.theirs, self.server
        theirs.receive(self.end, params.request)
        number, at = self.transfer.object.load(), part.load()
        size = self.transfer.amount(at)
        at.set(at * params.part)
        if self.transfer.writes:
            theirs.pieces(size, lambda offset, piece: self._store(number, at, offset, piece))
            server.begin()
            p.join()
        else:
            server.begin()
            self._fetch(number, at, size, 0)
        with p.scope():
            theirs.send(self.end, p.register(params.header))
        if not self.transfer.writes:
            theirs.pieces(size, lambda offset, piece: self._send(number, at, size, offset, piece))
        server.end()

    def _store(self, number: Register, at: Register, offset: Register, piece: Register) -> None:
        """A piece of a PUT comes, and is on its way to storage, one at a time."""
        p = self.p
        self.theirs.receive(self.end, piece)
        p.join()
        with p.scope():
            self.server.move(number, p.register(at + offset), piece, writes=True)

    def _fetch(self, number: Register, at: Register, size: Register, offset: Register | int) -> None:
        """The piece of a GET at an offset is fetched, if there is one, while the one before is sent."""
        p = self.p
        with p.scope():
            left = p.register(size - offset)
            with p.when(left > 0):
                left.set(minimum(left, self.params.buffer))
                self.server.move(number, p.register(at + offset), left, writes=False)

    def _send(self, number: Register, at: Register, size: Register, offset: Register, piece: Register) -> None:
        """A piece of a GET goes."""
        p = self.p
        p.join()
        with p.scope():
            self._fetch(number, at, size, p.register(offset + piece))
        self.theirs.send(self.end, piece)
