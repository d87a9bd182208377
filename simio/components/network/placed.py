"""TCP of a host whose packets come by an adapter with queues: a program on one core, softirqs on that or another.

As Linux has it (5.4): a softirq takes what arrives as far as the socket is free, and leaves it in its backlog while a
program is in a call; the program works the backlog off on its own core (net/core/sock.c, release_sock). What goes
down is one buffer of up to 64 KiB, which the adapter cuts (TSO); what one poll finds is merged (GRO).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property

from simio.components.network.joining import Joining
from simio.components.network.merging import Merging
from simio.components.network.packet import Packet
from simio.components.network.pages import Blocks
from simio.components.network.path import NetworkPath
from simio.components.network.place import CorePlace
from simio.components.network.queued import QueuedInterface
from simio.components.network.seat import Seat
from simio.components.network.stack import Stack
from simio.components.network.steering import Steering, steered
from simio.components.network.tcp import Endpoint
from simio.machines.network import ownership, profile
from simio.machines.tcp import buffers, connection, layout, offload, receiving
from simio.machines.tcp.settings import TcpSettings
from simio.program.builder import Handle, Operand, Register, since
from simio.program.labels import called


class PlacedEndpoint(Endpoint):
    """One end of a connection whose program is on a core, and whose packets come by the queue of a core."""

    whole_buffers = True

    def __init__(
        self,
        stack: Stack,
        name: str,
        settings: TcpSettings,
        path: NetworkPath,
        buffer: int,
        aligned: bool,
        ports: tuple[int, int],
        cores: tuple[int, int],
    ) -> None:
        """Make an `Endpoint`; `cores` are those of its program and of its queue."""
        interface = path.source
        assert isinstance(interface, QueuedInterface)
        tso = interface.sheet.tso or 0
        self.cuts = not tso and bool(stack.sheet.gso)
        """True if software cuts buffers into segments, not the adapter."""
        most = min(max(tso, stack.sheet.gso or 0), offload.MOST) // settings.mss * settings.mss
        whole = max(offload.MOST // settings.mss, 1) * settings.mss
        settings = replace(settings, gso=most, ack_reader=stack.sheet.ack_reader, hand_over=whole)
        super().__init__(stack, name, settings, path, buffer, aligned, ports)
        self.placed = True
        p = self.p
        seat = self.seat = Seat(stack, interface, cores, steered(stack, cores[0], ports))
        self.queue, self.apart, self.far = seat.queue, seat.apart, seat.far
        self.process, self.softirq = seat.process, seat.softirq
        self.here = self.process
        sheet, length, page = stack.sheet, settings.mss + self.headers, stack.kernel.sheet.page
        self.owner = p.machine(
            f"{name} owner",
            ownership.WORDS.initial(
                head=sheet.shared_info, size=sheet.fragment_size, most=sheet.fragments, whole=settings.mss,
                each=-(-length // page),
            ),
        )  # fmt: skip
        self.unread = seat.unread(name, settings.mss, length)
        self.blocks = Blocks(name, interface.lists, seat.process, max(most, settings.mss))
        p.tally(name, "through the backlog", self.owner + ownership.LATER, "buffers")
        self.backlogged = p.container(f"{name} backlog", unit="turns")
        self.worked_off = p.container(f"{name} worked off", unit="turns")
        lro, gro = interface.sheet.lro, stack.sheet.gro
        self.steering = Steering(seat, name, self.segment.parameters, self._steered) if seat.steers else None
        self.merging = Merging(self, min(gro, offload.MOST)) if gro else None
        self.joining: Joining | None = Joining(self, min(lro, offload.MOST - self.headers)) if lro else None

    # --- holder of the socket ----------------------------------------------------------------------------

    @contextmanager
    def _at(self, place: CorePlace) -> Iterator[None]:
        """The body is emitted for what runs at a place."""
        before, self.here = self.here, place
        yield
        self.here = before

    def _own(self, *operations: str) -> None:
        """The program, in a call, takes the socket; it spins while a softirq is at it (lock_sock)."""
        p = self.p
        if self.inside:
            self._await_owner()
        with self.process.kept(), p.scope():
            for operation in operations:
                self.process.spend(operation)
            begun = p.now()
            p.seize(self.lock)
            moved = p.answer(ownership.own, self.owner, self.process.core.number)
            p.release(self.lock)
            self.process.spun(begun)
            with p.when(moved == 1):
                self.process.spend(f"move{self.far}")

    def _await_owner(self) -> None:
        """A thread of the kernel sleeps while another one, at the other direction, has the socket (__lock_sock)."""
        p = self.p
        with p.scope():
            begun = p.now()
            p.seize(self.owned)
            with p.when(since(begun) > 0):
                self.process.spend("switch")

    def _disown(self) -> None:
        """The program gives the socket back, once it has worked off the backlog (release_sock)."""
        p = self.p
        with p.scope():
            more = p.answer(ownership.leave, self.owner)
            with p.while_(more == 1):
                p.put(self.backlogged, 1)
                p.get(self.worked_off, 1)
                p.call(more, ownership.leave, self.owner)
        if self.inside:
            p.release(self.owned)

    def _when_free(self, body: Callable[[], None]) -> None:
        """A softirq, with its core in hand, does something if the socket is free; else its owner does, later."""
        p = self.p
        with p.scope():
            p.seize(self.lock)
            how = p.answer(ownership.ask, self.owner, self.softirq.core.number)
            with p.when(how < ownership.BACKLOG_HAS_IT), self._at(self.softirq):
                with p.when(how == ownership.ELSEWHERE):
                    self.softirq.spend(f"move{self.far}")
                body()
            p.release(self.lock)
            with p.when(how == ownership.BACKLOG_HAS_IT):
                # The owner is at work on the same lines meanwhile.
                if self.apart:
                    self.softirq.spend(f"move{self.far}")
                self._back_up(body)

    def _back_up(self, body: Callable[[], None]) -> None:
        """Something waits in the backlog until the owner of the socket has it done."""
        p = self.p
        with p.fork(f"{self.name} backlog"), self._at(self.process):
            p.get(self.backlogged, 1)
            body()
            p.put(self.worked_off, 1)

    def _in_softirq(self, body: Callable[[], None]) -> None:
        """A timer, or a packet that has left the adapter, starts work of a softirq."""
        with self._at(self.softirq), self.softirq.kept():
            self._when_free(body)

    @cached_property
    def owned(self) -> Handle:
        """The lock of a kernel thread that has the socket: one thread writes calls or replies, another reads."""
        return self.p.resource(f"{self.name} owner", lock=True)

    @property
    def _called(self) -> tuple[str, ...]:
        """The work to get into the kernel, of which the kernel itself has none."""
        return () if self.inside else ("call",)

    # --- what programs call ------------------------------------------------------------------------------

    def _open(self, active: int) -> None:
        p = self.p
        with p.scope():
            # A process that listens does so before the call takes time, or waits for its core.
            if active:
                self._own("call")
            p.answer(connection.open_up, self.state, active)
            if not active:
                self._own("call")
            self._push()
            self._disown()
        p.get(self.changes, 1)
        self.process.spend("switch")

    def close(self) -> None:
        """See `Endpoint.close`."""
        p = self.p
        self._own("call")
        with p.scope():
            done = p.register()
            with self._unless_closed(done):
                p.call(done, connection.close, self.state)
            self._push()
        self._disown()

    @called("writes to the socket")
    def write(self, size: Operand, moved: bool = True, pinned: bool = False) -> None:
        """See `Endpoint.write`; `pinned`: with MSG_ZEROCOPY, whose completion the program then reads."""
        p = self.p
        self._own(*self._called)
        with p.scope():
            left, room = p.register(size), p.register()
            with p.until(left == 0):
                self._wait(room, buffers.room, left, self.writers)
                with self._unless_reset(room, left):
                    self._fill(room, moved, pinned)
                    push = p.answer(buffers.append, self.state, room)
                    with p.when(push > 0):
                        self._output(push)
                        self._arm(push)
                    left.set(left - room)
        self._disown()
        if pinned:
            self.process.spend("notice")

    def _fill(self, room: Register, moved: bool, pinned: bool) -> None:
        """Fragments with the program's data: blocks that they are copied into, pages of a file or its own, pinned."""
        p, page = self.p, self.stack.kernel.sheet.page
        copied = moved and not pinned and self.stack.sheet.copies
        with self.process.kept(), p.scope():
            if copied:
                self.blocks.fill(room)
                self.process.copy(profile.BUFFERED, room)
            else:
                self.process.spend("pin" if pinned else "fragment out", p.register((room + (page - 1)) // page))

    @called("reads from the socket")
    def read(self, got: Register, size: int | Register) -> None:
        """See `Endpoint.read`."""
        p = self.p
        self._enter()
        self._wait(got, receiving.read, size, self.readers)
        with p.when(got < layout.END_OF_FILE):
            self._empty(got)
            self._answer_read(0)
        self._disown()

    def _enter(self) -> None:
        """A reader takes the socket; one that finds nothing polls for it before, if programs do."""
        p, polls = self.p, self.seat.polls
        if not polls:
            self._own(*self._called)
            return
        with p.scope():
            for operation in self._called:
                self.process.spend(operation)
            there = p.answer(receiving.readable, self.state)
            with p.when(there == 0):
                polls.until(lambda found: p.call(found, receiving.readable, self.state))
        self._own()

    def _empty(self, got: Register) -> None:
        """The program gets its data, from where they are."""
        p = self.p
        with self.process.kept(), p.scope():
            handed = (p.answer(one, self.owner) for one in (ownership.take, ownership.take_lines))
            self.seat.take(got, *(handed if self.apart else (0, 0)))
            if self.unread:
                self.unread.read(self.process, got, p.answer(receiving.unread, self.state))

    def work(self, cost: Operand) -> None:
        """See `Endpoint.work`."""
        with self.process.kept(), self.p.label("the program", self.stack.name):
            self.process.core.spend(self.stack.host.span(cost))

    def _wait(self, result: Register, function: Callable[..., int], amount: Register | int, line: object) -> None:
        p = self.p
        p.call(result, function, self.state, amount)
        with p.while_(result == 0):
            self._disown()
            p.get(line, 1)  # type: ignore[arg-type]
            self._own("switch")
            p.call(result, function, self.state, amount)

    # --- what TCP does ------------------------------------------------------------------------------------

    def _push(self, priority: int = 0) -> None:
        super()._push(priority)

    def _output(self, first: Register, priority: int = 0) -> None:
        """See `TcpProtocol._output`: buffers go, one after another on the core that is at it."""
        p = self.p
        p.call(first, offload.output, self.state)
        with p.while_(first > layout.TIMER):
            self._send(first, priority)
            p.call(first, offload.output, self.state)

    def _send(self, first: Register, priority: int) -> None:
        """One buffer: its words, the work on it, and its segments go."""
        p = self.p
        length, *words = p.arguments[: self.segment.parameters]
        self._options(words)
        with self.here.kept():
            self.here.spend("send")
            if self.cuts:
                with p.scope():
                    segments = p.register((first - 1) % 2**16)
                    segments.set((segments + (self.mss - 1)) // self.mss)
                    self.here.spend("cut", segments)
            self.seat.sent(self.here)
        with p.scope():
            left = p.register(first)
            with p.while_(left > 0):
                left.set(left - 1)
                p.call(words[0], offload.first, self.state, left)
                length.set(words[0] % 2**16 + self.headers)
                self._add_blocks(length, *words[3:])
                p.spawn(self.segment, *p.arguments[: self.segment.parameters])
                p.call(left, offload.rest, self.state, left)

    def _resume(self) -> None:
        self._in_softirq(self._push)

    def arrive(self, packet: Packet) -> None:
        """A poll has found a packet: it is merged, or goes up at once."""
        if self.unread:
            with self.p.scope():
                size = self.p.register(packet.words[0] % 2**16)
                with self.p.when(size > 0):
                    self.unread.came(self.seat.driver, size)
        if self.merging:
            self.merging.take(packet)
        else:
            self.goes_up(packet)

    def goes_up(self, packet: Packet) -> None:
        """A packet or merged buffer goes up to TCP, with the driver's core in hand."""
        if self.steering:
            self.steering.leave(packet)
        else:
            self.enters(packet)

    def _steered(self, length: Register, *words: Register) -> None:
        """A buffer that software has steered here enters."""
        plain, mark = self.unmarked(words)
        self.enters(Packet(length, plain, None, mark, self.name))

    def enters(self, packet: Packet) -> None:
        """IP and TCP take a packet or merged buffer, with the softirq's core in hand."""
        self.softirq.spend("up")
        self._when_free(lambda: self._input(packet))

    def _take(self, packet: Packet) -> None:
        p, words = self.p, packet.words
        with p.scope():
            bits = p.register(words[0] % 2**16)
            with self.here.kept():
                with p.when(bits > 0):
                    self.here.spend("data")
                    self.seat.arrived(bits)
                    if self.apart:
                        p.call(bits, ownership.came, self.owner, bits)
                    bits.set(1)
                with p.when(bits == 0):
                    self.here.spend("ack")
            self._accept(packet, bits)

    def _wake(self, line: Handle) -> None:
        """See `Endpoint._wake`; it is work, too."""
        self.here.spend("wake")
        super()._wake(line)

    def _timer(self, delay: Register) -> None:
        p = self.p
        left, bits = p.register(delay), p.register()

        def expires() -> None:
            p.call(bits, connection.expire, self.state)
            self.follow(bits)

        with p.label("timer", self.name):
            p.wait(left)
        self._in_softirq(expires)
