"""A queue pair of the reliable connected service between two adapters (RoCEv2).

What each end sends and makes of what comes is a machine (`simio.machines.rdma`). The steps here are the adapters':
doorbells, work requests that are read, packets that are threads, payloads by DMA, completions.
"""

from __future__ import annotations

from fractions import Fraction

from simio.components.host.host import Computer
from simio.components.network.demand import bus_times
from simio.components.network.packet import Packet
from simio.components.network.path import NetworkPath
from simio.components.network.rdma.port import RdmaPort, RdmaPorts, payload
from simio.machines.layout import State
from simio.machines.rdma import dcqcn, receiving, sending
from simio.machines.rdma import layout as c
from simio.machines.rdma.layout import BASE
from simio.machines.rdma.receiving import ACKNOWLEDGE, MESSAGES, TAKE, WAKE
from simio.machines.tcp.layout import CE, ECT
from simio.program.builder import Builder, Handle, Operand, Register
from simio.program.roles import ACK_TIMER, IN_A_ROW, PACKETS_AGAIN, TIMEOUTS
from simio.program.service import SECOND

OUTSTANDING_READS = "its READs, as many as may be outstanding"
"""The wait of a queue pair that has more of them to send."""
DOORBELL = 8
"""Bytes of a doorbell register."""


class End:
    """One end of a queue pair: verbs for programs, and the adapter's side of it."""

    other: End

    def __init__(self, name: str, port: RdmaPort, path: NetworkPath, host: Computer, mtu: int) -> None:
        """`host` is whose CPUs work for it; a full packet has a payload of `mtu` bytes."""
        p: Builder = port.p
        self.p, self.name, self.port, self.host, self.sheet = p, name, port, host, port.sheet
        self.path, self.mtu = path, mtu
        self.room = port.ahead(path.traffic_class, path.wires[0])
        self.state = p.machine(name, self._initial())
        self.bell = p.container(f"{name} work", unit="signals")
        self.clock = p.container(f"{name} rate limit", unit="signals")
        self.done = p.container(f"{name} completions", unit="completions")
        self.fetched = p.container(f"{name} completions of READs", unit="completions")
        self.received = p.container(f"{name} receive completions", unit="completions")
        p.tally(name, OUTSTANDING_READS, self.state + c.READS_WAITED, "ps", self.state + c.READS_SINCE)
        p.tally(name, ACK_TIMER, self.state + c.TIMER_WAITED, "ps")
        p.tally(name, "its rate (DCQCN)", self.state + c.RATE_WAITED, "ps")
        for what, offset, unit in (
            (PACKETS_AGAIN, c.AGAIN, "packets"), (TIMEOUTS, c.TIMEOUTS, "times"),
            (IN_A_ROW, c.MOST_IN_ROW, "times"),
            ("out of order", c.OUT_OF_ORDER, "packets"), ("acknowledgements", c.ACKS, "packets"),
            ("CNPs sent", c.NOTES, "packets"), ("rate cuts", c.CUTS, "times"),
        ):  # fmt: skip
            p.tally(name, what, self.state + offset, unit)
        self.doorbell = p.procedure(f"{name} doorbell", 0, self._doorbell)
        self.packet = p.procedure(f"{name} packet", 3, self._packet)
        self.note = p.procedure(f"{name} note", 1, self._note)
        self.timer = p.procedure(f"{name} timer", 0, self._timer)

    def _initial(self) -> State:
        sheet, wire = self.sheet, self.path.wires[0]
        controlled = sheet.congestion_control == "dcqcn"
        line = 1000 * SECOND // (wire.time(2000) - wire.time(1000)) if controlled else 0
        return c.QP.initial(
            mtu=self.mtu, line=line, rate=line, target=line, interval=sheet.ack_interval, most_reads=sheet.reads,
            keeps=int(sheet.recovery == "selective"),
            timeout=sheet.ack_timeout, asleep=1, alpha=c.ONE, gain=c.ONE // sheet.alpha_gain,
            least=int(sheet.least_rate), step=int(sheet.additive_rate), leap=int(sheet.hyper_rate),
            fast=sheet.fast_recovery, decay=sheet.alpha_period, period=sheet.increase_period,
            bytes=sheet.increase_bytes, note_gap=sheet.cnp_interval if controlled else 0,
        )  # fmt: skip

    def start(self) -> None:
        """Begin to send."""
        p = self.p
        with p.thread(f"{self.name} sender", daemon=True), p.forever():
            self._sender()

    def least_times(self) -> dict[Handle, Fraction]:
        """Least time in ps that a byte of data sent takes of each wire and bus on its way, for the bound."""
        wires = {wire.wire: Fraction(wire.time(self.mtu + BASE), self.mtu) for wire in self.path.wires}
        # Headers do not leave the adapters.
        return {**wires, **dict(bus_times(self.path, Fraction(1)))}

    # --- verbs -------------------------------------------------------------------------------------------

    def post(self, kind: int, size: Operand, ring: bool = True, signalled: bool = True) -> None:
        """Post a work request; without `ring` the doorbell follows with a later one. CPU time is `spend`'s."""
        p = self.p
        with p.scope():
            p.answer(sending.post, self.state, kind + (c.SIGNALLED if signalled else 0), size)
        if ring:
            p.spawn(self.doorbell)

    def spend(self, requests: int = 1, rings: int = 1) -> None:
        """CPU time to post work requests."""
        with self.p.label("verbs", self.host.name):
            self.host.work(requests * self.sheet.post_cost + rings * self.sheet.doorbell)

    def poll(self) -> None:
        """CPU time to take a completion from its queue."""
        with self.p.label("verbs", self.host.name):
            self.host.work(self.sheet.poll_cost)

    def register(self, size: Operand) -> None:
        """CPU time to make the memory of a transfer known to the adapter."""
        sheet, page = self.sheet, self.port.kernel.sheet.page
        if not sheet.register_cost and not sheet.register_page:
            return
        with self.p.label("verbs", self.host.name):
            self.host.work((size + (page - 1)) // page * sheet.register_page + sheet.register_cost)

    # --- the adapter -------------------------------------------------------------------------------------

    def _doorbell(self) -> None:
        """The doorbell, and the work requests that the adapter reads then."""
        p, sheet, bus = self.p, self.sheet, self.port.bus
        bus.mmio_write(DOORBELL + (sheet.work_request if sheet.inline_post else 0))
        count = p.answer(sending.ask, self.state, sheet.fetch)
        with p.when(count > 0):
            if not sheet.inline_post:
                bus.read(p.register(count * sheet.work_request), cached=True)
            p.call(count, sending.has, self.state, count)
            with p.when(count == 1):
                p.put(self.bell, 1)

    def _sender(self) -> None:
        """One packet after another, as long as there are any; the rate and the adapter's room decide when."""
        p = self.p
        with p.scope():
            wait = p.answer(sending.ready, self.state)
            with p.when(wait == c.IDLE):
                p.get(self.bell, 1)
            with p.when(wait < c.IDLE):
                with p.when(wait > 0):
                    # A clock of its own passes the time, so that the sender is not busy.
                    with p.fork("rate limit", daemon=True):
                        p.wait(wait)
                        p.put(self.clock, 1)
                    p.get(self.clock, 1)
                p.get(self.room, 1)
                number, info, length = p.answer(sending.goes, self.state), p.register(), p.register()
                with p.when(number == 0):
                    p.put(self.room, 1)
                with p.when(number > 0):
                    p.call(info, sending.word, self.state, c.OUT_INFO)
                    p.call(length, sending.word, self.state, c.OUT_LENGTH)
                    p.call(wait, receiving.starts, self.state)
                    with p.when(wait == 1):
                        p.spawn(self.timer, daemon=True)
                    p.spawn(self.packet, number - 1, info, length)

    def _timer(self) -> None:
        """Send again all that is outstanding if nothing has been acknowledged for long."""
        p = self.p
        with p.scope():
            left, wakes = p.answer(receiving.watch, self.state), p.register()
            with p.while_(left > 0):
                with p.label("timer", self.name):
                    p.wait(left)
                p.call(left, receiving.watch, self.state)
                p.call(wakes, receiving.rouse, self.state)
                with p.when(wakes == 1):
                    p.put(self.bell, 1)

    def _packet(self, *given: Register) -> None:
        """A request or response, from the reading of its payload to the other end."""
        p = self.p
        number, info, length = map(p.register, given)
        size, marks = p.register(info // c.INFO), p.register(ECT)
        with p.when(info % 8 == c.READ):
            size.set(0)
        self.port.fetch(size)
        packet = Packet(length, (number, info), marks=marks, stream=self.name)
        self.path.send(
            packet, lambda: self.other._arrived(number, info, size, marks), gone=lambda: p.put(self.room, 1)
        )

    def _note(self, given: Register) -> None:
        """An acknowledgement or congestion notification; it covers all packets until it leaves."""
        p = self.p
        kind, number = p.register(given), p.register(0)
        length, marks = p.register(c.BASE + c.AETH), p.register(ECT)
        with p.when(kind == c.CNP):
            length.set(c.BASE + c.NOTE)

        def gone() -> None:
            with p.when(kind == c.ACK):
                p.call(number, receiving.acknowledgement, self.state)

        packet = Packet(length, (number, kind), marks=marks, stream=self.name)
        self.path.send(packet, lambda: self.other._noted(number, kind), gone=gone)

    # --- receiving ---------------------------------------------------------------------------------------

    def _arrived(self, number: Register, info: Register, size: Register, marks: Register) -> None:
        p = self.p
        with p.scope():
            todo = p.register()
            with p.when(marks >= CE):
                p.call(todo, dcqcn.marked, self.state)
                with p.when(todo == 1):
                    p.spawn(self.note, c.CNP)
            kind = p.register(info % 8)
            with p.when(kind == c.RESPONSE):
                p.call(todo, receiving.response, self.state, number, info)
                self._take(todo, size)
                p.call(kind, receiving.responded, self.state)
                todo.set(todo % MESSAGES + kind)
                kind.set(c.RESPONSE)
            with p.when(kind < c.RESPONSE):
                p.call(todo, receiving.request, self.state, number, info)
                self._take(todo, size)
                with p.when(todo & ACKNOWLEDGE), p.scope():
                    due = p.answer(receiving.due, self.state)
                    with p.when(due == 1):
                        p.spawn(self.note, c.ACK)
            self._wake(todo)
            todo.set(todo // MESSAGES)
            with p.when(todo > 0):
                with p.when(kind == c.RESPONSE):
                    self._ended(todo)
                with p.when(kind < c.RESPONSE):
                    self._complete(todo, self.received)

    def _noted(self, number: Register, kind: Register) -> None:
        p = self.p
        with p.scope():
            todo = p.register()
            with p.when(kind == c.CNP):
                p.call(todo, dcqcn.cut, self.state)
            with p.when(kind == c.ACK):
                p.call(todo, receiving.acknowledged, self.state, number)
                self._wake(todo)
                todo.set(todo // MESSAGES)
                with p.when(todo > 0):
                    self._ended(todo)

    def _take(self, todo: Register, size: Register) -> None:
        with self.p.when(todo & TAKE):
            self.port.store(size)

    def _wake(self, todo: Register) -> None:
        with self.p.when(todo & WAKE):
            self.p.put(self.bell, 1)

    def _ended(self, todo: Register) -> None:
        """Work requests of this end are complete."""
        p = self.p
        with p.scope():
            count = p.register(todo % receiving.READS)
            with p.when(count > 0):
                self._complete(count, self.done)
            count.set(todo // receiving.READS)
            with p.when(count > 0):
                self._complete(count, self.fetched)

    def _complete(self, count: Register, where: Handle) -> None:
        """Completions are written, behind all data."""
        p = self.p
        with p.fork("completion"), p.loop(count):
            self.port.bus.post(self.sheet.completion)
            p.put(where, 1)


def queue_pair(
    ports: RdmaPorts, name: str, hosts: tuple[str, str], computers: tuple[Computer, Computer] | None = None
) -> tuple[End, End]:
    """The two ends of a queue pair between two hosts; `computers` are whose CPUs work for it."""
    paths = ports.path(*hosts), ports.path(*reversed(hosts))
    made = tuple(ports.port(ports.named(host)) for host in hosts)
    mtu = payload(paths, tuple(port.sheet.mtu for port in made))
    work = computers or tuple(port.host for port in made)
    first, second = (
        End(f"{name} on {host}", port, path, computer, mtu)
        for host, port, path, computer in zip(hosts, made, paths, work, strict=True)
    )
    first.other, second.other = second, first
    first.start()
    second.start()
    return first, second
