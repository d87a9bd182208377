"""A queue before a line, managed by a queue discipline (`simio.machines.network.disciplines`)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from zlib import crc32

from simio.components.network.packet import Left, Packet, dropped
from simio.description.sheets.queues import QueueSheet
from simio.machines.network import disciplines as d
from simio.machines.network.disciplines import fq_codel, priority
from simio.machines.network.disciplines import interface as q
from simio.machines.network.disciplines.interface import Turns
from simio.machines.tcp.layout import CE, ECT
from simio.program.builder import Builder, Handle, Operand, Register, since
from simio.program.service import ceil_times

ONE = 2**16


class ManagedQueue:
    """Packets of one line, which leave in order, or flow by flow in turn.

    A packet that waits is a thread. It enters, waits until it is first, is dropped, marked or let pass, and holds the
    line until its sender says that it has left.
    """

    def __init__(
        self,
        p: Builder,
        name: str,
        capacity: int,
        sheet: QueueSheet,
        byte: Fraction,
        owner: str,
        stops: bool = False,
    ) -> None:
        """`byte` is the time of a byte on the line in ps; drops, marks and waits are counted for `owner`.

        With `stops`, classes can be stopped.
        """
        self.p = p
        self.name, self.owner = name, owner
        self.sheet = sheet
        self.kind = d.DISCIPLINES[sheet.discipline]
        self._values = {
            "discipline": self.kind.number,
            "capacity": capacity,
            "marks": 1 if sheet.mark else 0,
            "mark_above": sheet.mark_above or 0,
            "least": sheet.red_least or capacity // 12,
            "most": sheet.red_most or capacity // 4,
            "chance": int(Fraction(str(sheet.red_chance)) * ONE),
            "weight": sheet.red_weight,
            "packet_time": ceil_times(1000, byte),
            "target": sheet.target,
            "interval": sheet.interval,
            "quantum": sheet.quantum,
        }
        self.turns = self.kind.stops if stops else self.kind.turns
        self._queues: dict[str, tuple[int, Handle]] = {}
        if self.kind.drawn:
            self.luck = p.uniform(f"{name} luck", 0, q.LUCK - 1)
        if self.turns:
            self.line = p.machine(f"{name} line", self.turns.line.initial(most=capacity))
            self.gate = p.container(f"{name} gate", unit="packets")
            p.gauge(name, "level", self.line + fq_codel.TOTAL, "bytes")
            p.line(owner, self.line + fq_codel.WAITS_AT)
        else:
            self.state = p.machine(name, q.WORDS.initial(**self._values))
            self.first = p.container(f"{name} first", 1, 1, "packets")
            p.gauge(name, "level", self.state + q.LEVEL, "bytes")
            p.line(owner, self.state + q.WAITS_AT)

    @contextmanager
    def passed(self, packet: Packet, size: Operand, refused: Left | None = None) -> Iterator[None]:
        """Run the body when a packet is first and may go; `left` has to follow in it, once.

        Else it is dropped, and `refused` emitted.
        """
        p = self.p
        state, first = self._of(packet)
        with p.scope():
            begun, answer, able = p.now(), p.register(0), p.register(0)
            if packet.marks:
                able.set(packet.marks % 2)
            if self.kind.drawn:
                p.draw(answer, self.luck)
            able.set(able + answer * 2)
            p.call(answer, d.enter, state, size, able)
            if self.turns:
                with p.when(answer != d.DROP):
                    self._enqueue(self.turns, answer, state, size)
            with p.when(answer == d.DROP):
                if refused:
                    refused()
                dropped(p, self.owner, packet)
            with p.when(answer != d.DROP):
                self._mark(packet, answer)
                p.get(first, 1)
                if self.turns:
                    self._claim(self.turns, state)
                able.set(size * 2)
                if packet.marks:
                    able.set(able + packet.marks % 2)
                begun.set(since(begun))
                p.call(answer, d.leave, state, able, begun)
                if self.turns:
                    self._serve(state, size)
                with p.when(answer == d.DROP):
                    self.left(packet)
                    if refused:
                        refused()
                    dropped(p, self.owner, packet)
                with p.when(answer != d.DROP):
                    self._mark(packet, answer)
                    yield

    def left(self, packet: Packet) -> None:
        """The packet that was first has left the line, or was dropped: the next one may go."""
        _, first = self._of(packet)
        self.p.put(first, 1)
        if self.turns:
            with self.p.scope():
                waiting = self.p.answer(fq_codel.free, self.line)
                with self.p.when(waiting > 0):
                    self.p.put(self.gate, waiting)

    def stop(self, number: int) -> None:
        """No packet of this class goes from now on; one that is first already does."""
        with self.p.scope():
            self.p.answer(priority.stop, self.line, number)

    def resume(self, number: int) -> None:
        """Packets of this class may go again."""
        with self.p.scope():
            waiting = self.p.answer(priority.resume, self.line, number)
            with self.p.when(waiting > 0):
                self.p.put(self.gate, waiting)

    def _of(self, packet: Packet) -> tuple[int, Handle]:
        """The queue of a packet, and the turn of its first packet.

        That of a connection is found by a hash that is scaled to the number of queues (Linux
        net/sched/sch_fq_codel.c, fq_codel_hash); CRC-32 of its name stands for that of addresses and ports.
        """
        if not self.turns:
            return self.state, self.first
        values, own = self._values, {}
        if self.kind.name == "priority":
            number, weights = packet.traffic_class, self.sheet.weights
            turn = weights[number] * self.sheet.quantum if number < len(weights) else 0
            values, own = values | {"quantum": turn}, {"number": number}
            name = f"{self.name} of class {number}"
        elif self.sheet.flows:
            name = f"{self.name} {crc32(packet.stream.encode()) * self.sheet.flows >> 32}"
        else:
            name = f"{self.name} of {packet.stream}"
        if name not in self._queues:
            state = self.p.machine(name, q.WORDS.initial(**values) + self.turns.own.initial(**own))
            self._queues[name] = state, self.p.container(f"{name} first", 1, 1, "packets")
        return self._queues[name]

    def _enqueue(self, turns: Turns, answer: Register, state: int, size: Operand) -> None:
        p = self.p
        with p.scope():
            stays = p.register(size)
            p.call(stays, turns.enqueued, state, self.line, stays)
            with p.when(stays == 0):
                answer.set(d.DROP)

    def _claim(self, turns: Turns, state: int) -> None:
        """Wait for the flow's turn."""
        p = self.p
        with p.scope():
            mine = p.register()
            p.call(mine, turns.claim, state, self.line)
            with p.while_(mine == 0):
                p.get(self.gate, 1)
                p.call(mine, turns.claim, state, self.line)

    def _serve(self, state: int, size: Operand) -> None:
        with self.p.scope():
            done = self.p.register(size)
            self.p.call(done, fq_codel.served, state, self.line, done)

    def _mark(self, packet: Packet, answer: Register) -> None:
        """Set the codepoint of a packet that is marked, once."""
        if packet.marks is None:
            return
        p = self.p
        with p.when(answer == d.MARK), p.scope():
            able = p.register(packet.marks % (2 * CE))
            with p.when(able == ECT):
                packet.marks.set(packet.marks + CE)
                p.mark(p.observation(f"{self.owner} marked", "other", "bytes"), packet.length)
