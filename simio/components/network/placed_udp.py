"""UDP of a host whose packets come by an adapter with queues: a program on one core, softirqs on that or another."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from simio.components.host.host import INTERRUPT
from simio.components.network.interface import Interface
from simio.components.network.packet import Packet
from simio.components.network.pages import Blocks
from simio.components.network.queued import QueuedInterface
from simio.components.network.seat import Seat
from simio.components.network.stack import Stack
from simio.components.network.steering import Steering, steered
from simio.components.network.udp import UdpSocket
from simio.machines.network import datagram_gro, mailbox, ownership, profile
from simio.machines.tcp import offload
from simio.program.builder import Handle, Operand, Register, maximum, since


class SeatedStack(Stack):
    """A host's stack as one program on a core sees it."""

    threads = False
    segments = True

    def __init__(
        self,
        stack: Stack,
        interface: QueuedInterface,
        cores: tuple[int, int],
        merges: bool,
        ports: tuple[int, int],
    ) -> None:
        """`merges`: datagrams of one poll go up as one buffer (UDP_GRO). `ports` are what software steers by."""
        super().__init__(stack.kernel, stack.part)
        self.seat = Seat(stack, interface, cores, steered(stack, cores[0], ports))
        self.process, self.softirq = self.seat.process, self.seat.softirq
        self.queue = cores[1]
        self.merges = merges
        self.blocks = Blocks(f"{self.name} datagrams on core {cores[0]}", interface.lists, self.process, offload.MOST)

    def call(self) -> None:
        """See `Stack.call`."""
        self.process.spend("call")

    def program(self, cost: Operand) -> None:
        """See `Stack.program`."""
        with self.process.kept(), self.p.label("the program", self.name):
            self.process.core.spend(self.host.span(cost))

    def move(self, amount: Register, size: int, aligned: bool) -> None:
        """See `Stack.move`; the program's data are in its core's cache."""
        if self.sheet.copies:
            self.process.copy(profile.BUFFERED, amount)

    def udp(self, cost: int, data: Register, whole: int, offloaded: bool, priority: int) -> None:
        """See `Stack.udp`; datagrams that are merged cost once a buffer, as it goes up."""
        if priority != INTERRUPT:
            self.process.spend("datagram out")
        elif not self.merges:
            self.softirq.spend("datagram in")

    def packet_out(self, interface: Interface, priority: int) -> None:
        """See `Stack.packet_out`."""
        self.process.spend("packet out")
        self.seat.sent(self.process)

    def passes_on(self, name: str, packet: Packet, takes: Callable[[Packet], None]) -> None:
        """See `Stack.passes_on`; software steers it to another core before (RFS, RPS), if it is not merged."""
        if self.merges or not self.seat.steers:
            takes(packet)
            return

        def enters(length: Register, *words: Register) -> None:
            takes(replace(packet, length=length, words=words))

        Steering(self.seat, name, 1 + len(packet.words), enters).leave(packet)

    def packet_in(self) -> None:
        """See `Stack.packet_in`; the driver's softirq merges."""
        if self.merges:
            self.seat.driver.spend("merge")
        else:
            self.softirq.spend("up")

    def segment(self, interface: Interface, count: Operand, total: Register) -> None:
        """See `Stack.segment`: one buffer goes down, which the adapter cuts, or else software."""
        with self.process.kept():
            self.blocks.fill(total)
            self.process.spend("packet out")
            if not self.seat.interface.sheet.uso:
                self.process.spend("cut", count)
            self.seat.sent(self.process)

    def wait_for_room(self, room: Handle, data: Register, space: int) -> None:
        """See `Stack.wait_for_room`; a program that sleeps runs again once half of its buffer is free.

        Linux net/core/sock.c, sock_def_write_space.
        """
        p = self.p
        with p.scope():
            begun = p.now()
            p.get(room, data)
            with p.when(since(begun) > 0):
                more = p.register(maximum(space // 2 - data, 0))
                p.get(room, more)
                p.put(room, more)
                self.process.spend("switch")

    def socket(self, name: str, space: int) -> UdpSocket:
        """See `Stack.socket`."""
        return SeatedSocket(self, name, space)


class SeatedSocket(UdpSocket):
    """A socket whose reader is on a core; a buffer of datagrams that were merged is read by one call."""

    stack: SeatedStack

    def __init__(self, stack: SeatedStack, name: str, space: int) -> None:
        super().__init__(stack, name, space)
        p = self.p
        self.buffers = p.machine(f"{name} buffers", mailbox.initial(2**62, mailbox.MOST))
        self.asleep = p.variable(f"{name} asleep")
        self.unread = stack.seat.unread(name, stack.kernel.sheet.page, stack.kernel.sheet.page)
        if stack.merges:
            seat = stack.seat
            self.gro = p.machine(f"{name} GRO", datagram_gro.initial(stack.sheet.backlog if seat.steers else 1))
            p.tally(name, "merged", self.gro + datagram_gro.MERGED, "datagrams")
            self.steering = Steering(seat, name, 3, self._enters) if seat.steers else None

    def _came(self, length: Register) -> None:
        self.stack.seat.arrived(length)
        if self.unread:
            self.unread.came(self.stack.softirq, length)
        if not self.stack.merges:
            self._up(self.p.register(1), length)

    def arrive(self, length: Register, word: Register, queued: Callable[[], None] = lambda: None) -> None:
        """See `UdpSocket.arrive`; what is merged waits for the rest of its buffer (UDP_GRO)."""
        if not self.stack.merges:
            super().arrive(length, word, queued)
            return
        p, napi = self.p, self.stack.seat.napi
        self.queued = queued
        with p.scope():
            what = p.answer(datagram_gro.take, self.gro, length, word)
            with p.when(what == datagram_gro.HELD), napi.held(datagram_gro, self.gro), p.scope():
                count = p.answer(datagram_gro.flush, self.gro)
                with p.when(count > 0):
                    self._bring_up()
            with p.when(what == datagram_gro.FLUSHES):
                napi.went_up(datagram_gro, self.gro)
                self._bring_up()

    def _bring_up(self) -> None:
        """A merged buffer goes up, or to another core (RFS, RPS)."""
        p, gro = self.p, self.gro
        with p.scope():
            total, count = p.answer(datagram_gro.ready_total, gro), p.answer(datagram_gro.ready, gro)
            first = p.answer(datagram_gro.ready_first, gro)
            if self.steering:
                with self.stack.seat.driver.in_hand():
                    self.steering.leave(Packet(total, (count, first)))
            else:
                with self.stack.softirq.in_hand():
                    self._enters(total, count, first)

    def _enters(self, total: Register, count: Register, first: Register) -> None:
        """IP and UDP take a merged buffer, with the softirq's core in hand; each datagram needs room."""
        p, softirq = self.p, self.stack.softirq
        softirq.spend("up")
        softirq.spend("datagram in")
        with p.scope():
            number, kept, size = p.register(first), p.register(0), p.register(0)
            length, word = p.register(), p.register()

            def took() -> None:
                kept.set(kept + 1)
                size.set(size + length)
                self.queued()

            with p.loop(count):
                p.call(length, datagram_gro.length, self.gro, number)
                p.call(word, datagram_gro.word, self.gro, number)
                number.set(number + 1)
                super().arrive(length, word, took)
            with p.when(kept > 0):
                self._up(kept, size)

    def _up(self, count: Register, total: Register) -> None:
        """A buffer of datagrams can be read; wake the program if it sleeps."""
        p = self.p
        with p.scope():
            p.answer(mailbox.arrive, self.buffers, count, total)
            p.put(self.waiting, 1)
            with p.when(self.asleep.load() == 1):
                self.asleep.store(0)
                self.stack.softirq.spend("wake")

    def read(self, size: int, body: Callable[[Register, Register], None]) -> None:
        """See `UdpSocket.read`."""
        p, stack = self.p, self.stack
        stack.call()
        with p.scope():
            self._wait()
            count, total = p.answer(mailbox.length, self.buffers), p.answer(mailbox.take, self.buffers)
            with stack.process.kept():
                stack.process.spend("datagram read")
                stack.seat.take(total, 1, self._lines(total))
                if self.unread:
                    self.unread.take(stack.process, total)
            with p.loop(count), p.scope():
                self._take(count, total)
                body(count, total)

    def _lines(self, total: Register) -> Operand:
        """Cache lines of the list of fragments, one a page, of a buffer."""
        sheet, page = self.stack.sheet, self.stack.kernel.sheet.page
        size = sheet.shared_info + (total + (page - 1)) // page * sheet.fragment_size
        return self.p.register((size + (ownership.LINE - 1)) // ownership.LINE)

    def _wait(self) -> None:
        """Wait for a buffer: a program that polls does so first, and then sleeps."""
        p, polls = self.p, self.stack.seat.polls
        with p.scope():
            there = p.answer(mailbox.waiting, self.buffers)
            if polls:
                with p.when(there == 0):
                    polls.until(self._found)
                    self._found(there)
            with p.when(there > 0):
                p.get(self.waiting, 1)
            with p.when(there == 0):
                self.asleep.store(1)
                p.get(self.waiting, 1)
                self.stack.process.spend("switch")

    def _found(self, there: Register) -> None:
        self.p.call(there, mailbox.waiting, self.buffers)
