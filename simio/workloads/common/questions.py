"""Requests and responses as datagrams: programs with a socket each at either end, and clients that share them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from simio.components.host.host import PROCESS
from simio.components.network.rpc import LONGEST
from simio.components.network.sockets import SERVER_PORT
from simio.components.network.udp import UdpFlow, check_size
from simio.components.site import Site
from simio.description.model import Workload
from simio.machines.network import rpc as calls
from simio.program.builder import Handle, Register, minimum
from simio.workloads.common.arrivals import ArrivalProcess, pause

if TYPE_CHECKING:
    from simio.workloads.requests import Requests, RequestStep


class Questions:
    """All clients of a workload: `streams` of them, at programs in turn."""

    def __init__(
        self, site: Site, workload: Workload[Requests], step: RequestStep, took: Handle, think: Handle | None
    ) -> None:
        self.site, self.p, self.params, self.name = site, site.p, workload.params, workload.name
        self.step, self.took, self.think = step, took, think
        self.repeated = self.p.observation(f"{self.name}: sent again", "other", "bytes")
        for host, size in ((self.params.from_, step.request), (self.params.to, step.response)):
            check_size(self.name, site.sockets.stack(host), size)

    def emit(self) -> None:
        """The programs, and the threads of their clients."""
        count = self.params.servers or self.params.streams
        streams = list(self.site.streams(self.name, self.params.streams))
        for number in range(count):
            ServerProgram(self, number, streams[number::count]).emit()


class ServerProgram:
    """A program at the server with its socket, and the one that asks it, for `streams` of clients."""

    def __init__(self, whole: Questions, number: int, streams: list[str]) -> None:
        site, params = whole.site, whole.params
        p = self.p = whole.p
        self.whole, self.params, self.streams = whole, params, streams
        self.name = f"{whole.name} {number + 1}" if params.streams > 1 else whole.name
        to, back = site.network.path(params.from_, params.to), site.network.path(params.to, params.from_)
        wish, step = (params.core, params.queue), whole.step
        self.mine = site.sockets.seated(params.from_, to, number, wish, step.response)
        self.theirs = site.sockets.seated(params.to, back, number, wish, step.request)
        ports = site.sockets.port(), SERVER_PORT
        space = [end.sheet.datagram_receive_space for end in (self.mine, self.theirs)]
        self.inbox = self.mine.socket(f"{self.name} at {params.from_}", space[0])
        self.served = self.theirs.socket(f"{self.name} at {params.to}", space[1])
        ends = self.mine, self.theirs
        self.requests = UdpFlow(f"{self.name} request", ends, to, self.served.arrive, ports)
        self.answers = UdpFlow(f"{self.name} answer", ends[::-1], back, self.inbox.arrive, ports[::-1])
        self.states = [p.machine(f"{own} requests", calls.initial(1)) for own in streams]
        self.answered = [p.container(f"{own} answers", unit="answers") for own in streams]
        self.timers = [p.procedure(f"{own} timer", 2, self._timer_of(at)) for at, own in enumerate(streams)]

    def emit(self) -> None:
        """The threads at both ends."""
        p, params, step = self.p, self.params, self.whole.step
        with p.thread(f"{self.name}: server on {params.to}", daemon=True), p.forever():
            self.served.read(step.request, self._serve)
        with p.thread(f"{self.name}: answers on {params.from_}", daemon=True), p.forever():
            self.inbox.read(step.response, self._answered)
        for at, own in enumerate(self.streams):
            self._client(at, own)

    def _serve(self, length: Register, word: Register) -> None:
        p, step = self.p, self.whole.step
        p.mark(self.whole.site.delivered, length)
        if step.work:
            self.theirs.program(step.work)
        with p.scope():
            size = p.register(step.response)
            self.theirs.call()
            self.theirs.move(size, step.response, False)
            self.answers.send(size, word, PROCESS)

    def _answered(self, length: Register, word: Register) -> None:
        """An answer goes to the client that waits for it; one to a request that was answered before is dropped."""
        p, count = self.p, len(self.streams)
        with p.scope():
            own, xid = p.register(word % count), p.register(word // count)
            for at, state in enumerate(self.states):
                with p.when(own == at):
                    p.call(xid, calls.reply, state, xid)
                    with p.when(xid > 0):
                        p.put(self.answered[at], 1)

    def _client(self, at: int, own: str) -> None:
        p, params, step, whole = self.p, self.params, self.whole.step, self.whole
        arrivals = ArrivalProcess(p, own, params.arrivals, params.streams) if params.arrivals else None
        with p.thread(f"{own}: client on {params.from_}"), p.loop(params.count), p.scope():
            arrived = arrivals.wait() if arrivals else None
            with p.timed(whole.took, arrived), p.scope():
                size, word = p.register(step.request), p.answer(calls.call, self.states[at], 0)
                word.set(word * len(self.streams) + at)
                self._ask(size, word)
                p.spawn(self.timers[at], size, word, delay=params.timeout, daemon=True)
                p.get(self.answered[at], 1)
            p.mark(whole.site.delivered, step.response)
            pause(p, whole.think)

    def _ask(self, size: Register, word: Register) -> None:
        self.mine.call()
        self.mine.move(size, self.whole.step.request, False)
        self.requests.send(size, word, PROCESS)

    def _timer_of(self, at: int) -> Callable[[Register, Register], None]:
        def timer(size: Register, word: Register) -> None:
            """The thread that sends a request again as long as there is no answer."""
            p = self.p
            length, message = p.register(size), p.register(word)
            after, waits = p.register(self.params.timeout), p.register()
            p.call(waits, calls.outstanding, self.states[at], message // len(self.streams))
            with p.while_(waits == 1):
                p.mark(self.whole.repeated, length)
                self._ask(length, message)
                after.set(minimum(after * 2, LONGEST))
                p.wait(after)
                p.call(waits, calls.outstanding, self.states[at], message // len(self.streams))

        return timer
