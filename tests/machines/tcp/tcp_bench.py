"""Two endpoints joined by a pipe, with a writer and a reader at each; every segment is recorded."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

from simio.machines.door import Called, call
from simio.machines.tcp import TcpSettings, buffers, connection, initial, receiving, sending, timers

US = 10**6
MS = 10**9
SECOND = 10**12
SYN, FIN, PUSH = 1, 2, 4
OUTPUT, WAKE_READER, WAKE_WRITER, CHANGED, TIMER = 1, 2, 4, 8, 16
END_OF_FILE = 2**40
BASE = 7
"""Something stands before an endpoint's state, as it does in a program with several machines."""


@dataclass(frozen=True)
class Segment:
    """One segment on its way, with the instant in ps at which it was sent and the end that sent it."""

    time: int
    end: int
    words: tuple[int, int, int, int, int]

    @property
    def seq(self) -> int:
        return self.words[0] >> 19

    @property
    def flags(self) -> int:
        return self.words[0] >> 16 & 7

    @property
    def length(self) -> int:
        return self.words[0] & 65535

    @property
    def ack(self) -> int:
        return self.words[1] >> 16

    @property
    def window(self) -> int:
        return self.words[1] & 65535

    def blocks(self) -> list[tuple[int, int]]:
        """Blocks of selective acknowledgement: start and end."""
        spans = [(self.ack + (word >> 31), word & (2**31 - 1)) for word in self.words[3:] if word]
        return [(start, start + length) for start, length in spans]


class Bench:
    """Ends 0 and 1; by default end 0 sends and end 1 receives and reads at once.

    `delay` is that of each direction in ps, `byte` the time of a byte on the line in ps. `fate(segment, number)`
    says what becomes of the `number`th segment that an end sends: the extra delays of its copies that arrive.
    """

    def __init__(
        self,
        settings: TcpSettings | None = None,
        other: TcpSettings | None = None,
        *,
        delay: int = 10 * MS,
        byte: int = 0,
        header: int = 40,
        fate: Callable[[Segment, int], Iterable[int]] = lambda segment, number: (0,),
        set_up: bool = False,
        states: Callable[[list[int]], Any] = list,
    ) -> None:
        first = settings or TcpSettings()
        both = (
            first,
            other or replace(first, send_shift=first.receive_shift, receive_shift=first.send_shift),
        )
        spaces = (None, None) if set_up else (both[1].receive_space, both[0].receive_space)
        self.settings = both
        self.states = [states([99] * BASE + initial(each, space)) for each, space in zip(both, spaces, strict=True)]
        self.delay, self.byte, self.header, self.fate = delay, byte, header, fate
        self.now = 0
        self.events: list[tuple[int, int, Callable[[], None]]] = []
        self.order = count()
        self.trace: list[Segment] = []
        self.sent = [0, 0]
        self.line_free = [0, 0]
        self.writes: list[list[int]] = [[], []]
        self.waiting = [False, False]
        self.closing = [False, False]
        self.written = [0, 0]
        self.received = [0, 0]
        self.read_times: list[list[tuple[int, int]]] = [[], []]
        self.reads = [2**30, 2**30]
        self.ended = [-1, -1]
        self.pieces: list[list[int]] = [[], []]
        self.arrived: list[list[tuple[int, int]]] = [[], []]
        self.sleepers = [0, 0]
        self.slept = [0, 0]
        for end in (0, 1):
            self.at(0, lambda end=end: self.read(end))

    # --- the machine ---------------------------------------------------------------------------------------

    def ask(self, end: int, function: Called, a: int = 0, b: int = 0) -> int:
        return int(call(function, self.states[end], BASE, self.now, a, b))

    def look(self, end: int, at: int) -> int:
        """A word of an end's state."""
        return int(self.states[end][BASE + at])

    def state(self, end: int) -> int:
        return self.ask(end, connection.status)

    # --- time ----------------------------------------------------------------------------------------------

    def at(self, time: int, action: Callable[[], None]) -> None:
        heapq.heappush(self.events, (time, next(self.order), action))

    def run(self, until: int = 10**17, events: int = 10**6) -> Bench:
        for _ in range(events):
            if not self.events or self.events[0][0] > until:
                return self
            self.step()
        raise AssertionError("too many events")

    def step(self) -> None:
        """Let the next thing happen."""
        self.now, _, action = heapq.heappop(self.events)
        action()

    # --- what a host does ----------------------------------------------------------------------------------

    def output(self, end: int) -> None:
        while (word := self.ask(end, sending.output)) > TIMER:
            words = (
                word - 1,
                self.ask(end, sending.acknowledgement),
                self.ask(end, connection.stamps),
                self.ask(end, receiving.block, 0),
                self.ask(end, receiving.block, 1),
            )
            self.transmit(Segment(self.now, end, words))
        assert word in (0, TIMER)
        self.sleep(end, word)

    def transmit(self, segment: Segment) -> None:
        end = segment.end
        number = self.sent[end]
        self.sent[end] += 1
        self.trace.append(segment)
        begin = max(self.now, self.line_free[end])
        self.line_free[end] = begin + (segment.length + self.header) * self.byte
        for extra in self.fate(segment, number):
            self.at(self.line_free[end] + self.delay + extra, lambda: self.arrive(1 - end, segment))

    def arrive(self, end: int, segment: Segment) -> None:
        words = segment.words
        self.arrived[end].append((segment.seq, segment.seq + segment.length))
        self.ask(end, connection.take_stamps, words[2])
        self.ask(end, connection.take_blocks, words[3], words[4])
        self.handle(end, self.ask(end, connection.accept, words[0], words[1]))

    def handle(self, end: int, bits: int) -> None:
        assert bits >= 0
        if bits & OUTPUT:
            self.output(end)
        else:
            self.sleep(end, bits & TIMER)
        if bits & WAKE_READER:
            self.read(end)
        if bits & WAKE_WRITER:
            self.waiting[end] = False
            self.write(end)
        if bits & CHANGED:
            self.write(end)

    def sleep(self, end: int, told: int) -> None:
        """Ask whether a thread has to sleep, which the machine has `told` (TIMER, or 0) with its last answer."""
        time = self.ask(end, timers.sleep)
        assert time >= 0
        assert (time > 0) == (told == TIMER)
        if time:
            self.sleepers[end] += 1
            self.slept[end] += 1
            self.at(self.now + time, lambda: self.expire(end))

    def expire(self, end: int) -> None:
        self.sleepers[end] -= 1
        self.handle(end, self.ask(end, connection.expire))

    # --- what programs do ----------------------------------------------------------------------------------

    def connect(self) -> Bench:
        self.ask(1, connection.open_up, 0)
        assert self.ask(0, connection.open_up, 1) == 1
        self.output(0)
        return self

    def start(self, end: int, writes: Iterable[int], close: bool = False, time: int = 0) -> Bench:
        """From `time` on, the end writes; with `close`, it closes after that."""

        def begin() -> None:
            self.writes[end] += writes
            self.closing[end] = self.closing[end] or close
            self.write(end)

        self.at(time, begin)
        return self

    def write(self, end: int) -> None:
        if self.waiting[end] or self.state(end) < 4:
            return
        writes = self.writes[end]
        while writes:
            chunk = self.ask(end, buffers.room, writes[0])
            assert 0 <= chunk <= writes[0]
            if chunk == 0:
                self.waiting[end] = True
                return
            self.pieces[end].append(chunk)
            writes[0] -= chunk
            self.written[end] += chunk
            if writes[0] == 0:
                writes.pop(0)
            if self.ask(end, buffers.append, chunk):
                self.output(end)
        if self.closing[end]:
            self.closing[end] = False
            if self.ask(end, connection.close):
                self.output(end)

    def start_reading(self, end: int, times: Iterable[tuple[int, int]]) -> Bench:
        """The end reads only so: at each time in ps, so many bytes at most."""
        self.reads[end] = 0
        for time, most in times:
            self.at(time, lambda most=most: self.read(end, most))
        return self

    def read(self, end: int, most: int = 0) -> None:
        """Read all there is, or with `most` once so many bytes."""
        once = most > 0
        most = most or self.reads[end]
        while most:
            size = self.ask(end, receiving.read, most)
            assert size >= 0
            if size == END_OF_FILE:
                self.ended[end] = self.now
                return
            if size == 0:
                return
            self.received[end] += size
            self.read_times[end].append((self.now, size))
            self.check(end)
            wants = self.ask(end, sending.wants)
            if wants == OUTPUT:
                self.output(end)
            else:
                self.sleep(end, wants)
            if once:
                return

    def check(self, end: int) -> None:
        """All bytes that have been read have arrived: there is no gap below them."""
        if self.received[end] <= getattr(self, "_checked", {}).get(end, (0, 0))[0]:
            return
        edge = self.__dict__.setdefault("_checked", {}).get(end, (0, 1))[1]
        spans = sorted(self.arrived[end])
        left = []
        for start, stop in spans:
            if start <= edge:
                edge = max(edge, stop)
            else:
                left.append((start, stop))
        self.arrived[end] = left
        assert self.received[end] <= edge - 1
        self._checked[end] = (self.received[end], edge)

    # --- what came of it -----------------------------------------------------------------------------------

    def data(self, end: int) -> list[Segment]:
        """Segments of data that an end sent."""
        return [segment for segment in self.trace if segment.end == end and segment.length]

    def lines(self, unit: int = MS) -> list[tuple[float, str, int, int, int]]:
        """The trace: time, who sent, sequence number, length, acknowledgement."""
        return [
            (segment.time / unit, "AB"[segment.end], segment.seq, segment.length, segment.ack)
            for segment in self.trace
        ]


def lose(end: int, *numbers: int) -> Callable[[Segment, int], tuple[int, ...]]:
    """The segments of an end with these numbers are lost."""
    return lambda segment, number: () if segment.end == end and number in numbers else (0,)
