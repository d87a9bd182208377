"""Requests to a server of objects by datagrams: one socket for all clients, and answers that may be lost.

A request that has no answer in time is sent again by the client, each time after twice as long. The server keeps no
record of requests, so that one may be served twice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simio.components.files.objects import ObjectAccess
from simio.components.host.host import PROCESS
from simio.components.network.rpc import LONGEST, WORD
from simio.components.network.sockets import SERVER_PORT
from simio.components.network.udp import PLACES, UdpFlow, check_size
from simio.components.site import Site
from simio.description.messages import ADDRESS
from simio.description.model import Workload
from simio.machines.network import mailbox
from simio.machines.network import rpc as calls
from simio.program.builder import Register, minimum
from simio.workloads.common.arrivals import ArrivalProcess, pause
from simio.workloads.serve.server import Service

if TYPE_CHECKING:
    from simio.workloads.serve import Serve


class DatagramService(Service):
    """A server of objects with all its clients, over UDP."""

    def __init__(self, site: Site, workload: Workload[Serve]) -> None:
        super().__init__(site, workload)
        p, params, name = self.p, self.params, self.name
        self.stack = site.sockets.stack(params.to)
        check_size(name, self.stack, params.largest + max(params.request, params.header))
        self.socket = p.machine(f"{name} socket", mailbox.initial(self.stack.sheet.datagram_receive_space, PLACES))
        self.threads = p.resource(f"{name} threads", params.threads or params.connections, lock=True)
        self.dropped = p.observation(f"{name}: dropped", "other", "bytes")
        self.repeated = p.observation(f"{name}: sent again", "other", "bytes")

    def _connection(self, own: str, host: str) -> None:
        """A client, and what its datagrams cause at the server."""
        p, params = self.p, self.params
        arrivals = ArrivalProcess(p, own, params.arrivals, params.connections) if params.arrivals else None
        client = Client(self, own, host)
        with p.thread(f"{own}: client on {host}"), p.loop(params.count), p.scope():
            arrived = arrivals.wait() if arrivals else None
            with p.timed(self.took, arrived), p.loop(params.steps), p.scope():
                client.ask()
            pause(p, self.think)


class Client:
    """A client with one request outstanding, and the threads that its datagrams are."""

    def __init__(self, service: DatagramService, own: str, host: str) -> None:
        p, site, params = service.p, service.site, service.params
        self.service, self.p, self.params = service, p, params
        self.mine, self.theirs = site.sockets.stack(host), service.stack
        self.access = ObjectAccess(service.store, own, params.access, service.mounts, params.sync)
        ports = site.sockets.port(), SERVER_PORT
        to, back = site.network.path(host, params.to), site.network.path(params.to, host)
        self.requests = UdpFlow(f"{own} request", (self.mine, self.theirs), to, self._come, ports)
        self.answers = UdpFlow(f"{own} answer", (self.theirs, self.mine), back, self._answered, ports[::-1])
        self.state = p.machine(f"{own} requests", calls.initial(1))
        self.answered = p.container(f"{own} answers", unit="answers")
        self.length = p.variable(f"{own} answer")
        self.timer = p.procedure(f"{own} timer", 2, self._timer)

    def ask(self) -> None:
        """Ask for an object, or give it to the server, until there is an answer."""
        p, params, service = self.p, self.params, self.service
        number, writes = p.register(), p.register(0)
        p.draw(number, service.asked_for)
        if service.writes:
            p.draw(writes, service.writes)
        size = service.store.size(number)
        out, word = p.register(params.request + size * writes), p.register()
        p.call(word, calls.call, self.state, number * 2 + writes)
        word.set(word * WORD + number * 2 + writes)
        self._send(out, word)
        p.spawn(self.timer, out, word, delay=params.timeout, daemon=True)
        self.mine.call()
        self.mine.kernel.slept(lambda: p.get(self.answered, 1))
        out.set(self.length.load())
        self.mine.move(out, params.largest, False)
        p.mark(service.site.delivered, size)

    def _send(self, length: Register, word: Register) -> None:
        self.mine.call()
        self.mine.move(length, self.params.largest, False)
        self.requests.send(length, word, PROCESS)

    def _timer(self, length: Register, word: Register) -> None:
        """The thread that sends a request again as long as there is no answer."""
        p = self.p
        size, message, after, waits = (
            p.register(length),
            p.register(word),
            p.register(self.params.timeout),
            p.register(),
        )
        p.call(waits, calls.outstanding, self.state, message // WORD)
        with p.while_(waits == 1):
            p.mark(self.service.repeated, size)
            self._send(size, message)
            after.set(minimum(after * 2, LONGEST))
            p.wait(after)
            p.call(waits, calls.outstanding, self.state, message // WORD)

    def _come(self, length: Register, word: Register) -> None:
        """A request has come: it waits in the socket for a thread of the server, if there is room."""
        p, service = self.p, self.service
        with p.scope():
            fits = p.answer(mailbox.arrive, service.socket, length + ADDRESS, word)
            with p.when(fits == 0):
                p.mark(service.dropped, length)
            with p.when(fits == 1), p.fork("request"), p.scope():
                self._serve(p.register(length), p.register(word))

    def _serve(self, length: Register, word: Register) -> None:
        """A thread of the server takes the oldest request, which is this one, and answers it."""
        p, params, service = self.p, self.params, self.service
        service.kernel.slept(lambda: p.seize(service.threads))
        with p.scope():
            p.answer(mailbox.take, service.socket)
        self.theirs.call()
        self.theirs.move(length, params.largest, False)
        number, writes = p.register(word % WORD // 2), p.register(word % 2)
        service.work()
        self.access.open()
        length.set(params.header)

        def read() -> None:
            self.access.read(number)
            length.set(length + service.store.size(number))

        service.choose(writes, read, lambda: self.access.write(number))
        self.theirs.call()
        self.theirs.move(length, params.largest, False)
        self.answers.send(length, word, PROCESS)
        p.release(service.threads)

    def _answered(self, length: Register, word: Register) -> None:
        """An answer has come; one to a request that was answered before is dropped."""
        p = self.p
        with p.scope():
            about = p.answer(calls.reply, self.state, word // WORD)
            with p.when(about > 0):
                self.length.store(length)
                p.put(self.answered, 1)
