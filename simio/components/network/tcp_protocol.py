"""TCP at one end of a connection, below the calls of programs: segments that go and come, and timers.

The machine (`simio.machines.tcp`) makes TCP's decisions; this file has threads, costs and waits. All that
touches an endpoint holds its lock, so that one CPU at a time works for a connection, as kernels do it.

A host that crashes knows nothing of its connections afterwards. It answers a segment of one with a reset (RFC 9293,
sections 3.5.1 and 3.10.7.1), which ends it at the other end.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from simio.components.faults.incarnations import Incarnations
from simio.components.faults.resetting import refuse
from simio.components.host.host import INTERRUPT, PROCESS
from simio.components.network.agreement import MOST_UNSCALED, options
from simio.components.network.ideal import IdealInterface
from simio.components.network.packet import Joins, Packet
from simio.components.network.path import NetworkPath
from simio.components.network.stack import IP_HEADER, TCP_HEADER, TIMESTAMPS, Stack
from simio.machines.tcp import buffers, connection, layout, marks, pacing, receiving, sending, timers
from simio.machines.tcp.recovery import RECOVERIES
from simio.machines.tcp.settings import TcpSettings, initial
from simio.program.builder import Handle, Register
from simio.program.roles import RESEND_TIMER, SENT_AGAIN, TIMED_OUT

_TALLIES = (
    (layout.WAITED + layout.FOR_WINDOW - 1, "ps", "the other end's window"),
    (layout.WAITED + layout.FOR_CONGESTION - 1, "ps", "its congestion window"),
    (layout.WAITED + layout.FOR_MORE - 1, "ps", "a full segment, or all ACKs (Nagle)"),
    (layout.WAITED + layout.FOR_ACKNOWLEDGEMENT - 1, "ps", "ACKs, its send buffer full"),
    (layout.WAITED + layout.FOR_TIMER - 1, "ps", RESEND_TIMER),
    (layout.RESENT, "segments", SENT_AGAIN),
    (layout.TIMEOUTS, "times", TIMED_OUT),
)
"""Counts of an endpoint: offset in its state, unit, and name."""
_WORDS = 2
"""Words of a segment without options; timestamps are one more, and two blocks of SACK come after that."""


class TcpProtocol:
    """The protocol at one end: its state, lock and timer, and the queues of its waiting threads."""

    whole_buffers = False
    """True if work is done once a buffer of several segments, so that a segment has no certain cost."""

    def __init__(
        self,
        stack: Stack,
        name: str,
        settings: TcpSettings,
        path: NetworkPath,
        buffer: int,
        aligned: bool,
        ports: tuple[int, int],
    ) -> None:
        """`path` leads to the other end; the program's buffer has `buffer` bytes, `aligned` to pages or not.

        `ports`, for packet traces, are its own and the other end's. `join` follows before anything is emitted.
        """
        p = self.p = stack.p
        self.stack = stack
        self.name = name
        self.path = path
        self.buffer, self.aligned = buffer, aligned
        self.inside = False
        """True if the kernel itself reads and writes here, which takes no system calls."""
        self.placed = False
        """True if its program and its softirq are on cores, and the socket has one of them as owner."""
        self.queue = 0
        """The core whose queue of the adapter takes its packets, where the adapter has several."""
        self.joining: Joins | None = None
        """Buffers that the adapter makes of its packets (LRO)."""
        self.timestamps, self.sacks = settings.timestamps, RECOVERIES[settings.recovery].selective
        self.mss, self.send_space = settings.mss, settings.send_space
        offered = settings.advertised_window or settings.receive_space
        self.window = min(offered, MOST_UNSCALED << settings.receive_shift)
        self.headers = IP_HEADER + TCP_HEADER + (TIMESTAMPS if settings.timestamps else 0)
        self.state = p.machine(name, initial(settings))
        for at, unit, what in _TALLIES:
            p.tally(name, what, self.state + at, unit)
        p.gauge(name, "congestion window", self.state + layout.CWND, "bytes")
        self.lock = p.resource(f"{name} lock", lock=True)
        self.readers = p.container(f"{name} readers", unit="wake-ups")
        self.writers = p.container(f"{name} writers", unit="wake-ups")
        self.changes = p.container(f"{name} changes of state", unit="wake-ups")
        self.marked, self.throttled = settings.ecn, settings.small_queue > 0
        words = _WORDS + (3 if self.sacks else 1 if self.timestamps else 0) + (1 if self.marked else 0)
        self.segment = p.procedure(f"{name} segment", 1 + words, self._segment)
        self.timer = p.procedure(f"{name} timer", 1, self._timer)
        self.peer: TcpProtocol
        self.incarnations = Incarnations(p, stack.host.description.crashes)
        self.flow = path.flow("tcp", ports, options(settings))
        # A handler keeps processes out until all that has come is dealt with; threads take turns with them.
        self.turn = INTERRUPT if stack.sheet.input == "interrupt" else PROCESS

    @property
    def instant(self) -> bool:
        """True if nothing that is done for the connection takes time, so that nobody ever waits for its lock."""
        sheet, free = self.stack.sheet, isinstance(self.path.source, IdealInterface)
        costs = sheet.tcp_send, sheet.ip_send, sheet.tcp_receive, sheet.ip_receive, sheet.walk_cost, sheet.socket_call
        summed = self.stack.checksum_byte and not self.path.source.checksum
        return free and not any(costs) and not summed and not self.stack.kernel.sheet.system_call

    def lock_up(self, priority: int) -> None:
        """Take the lock."""
        if not self.instant:
            self.p.seize(self.lock, priority=priority)

    def unlock(self) -> None:
        """Give the lock back."""
        if not self.instant:
            self.p.release(self.lock)

    @contextmanager
    def locked(self, priority: int) -> Iterator[None]:
        """Run the body with the lock held."""
        self.lock_up(priority)
        with self.p.scope():
            yield
        self.unlock()

    def join(self, far: TcpProtocol) -> None:
        """Make this and the far endpoint the two ends of one connection."""
        self.peer, far.peer = far, self

    @property
    def breakable(self) -> bool:
        """True if the connection may be reset, as one of the hosts crashes."""
        return any(len(end.incarnations) > 1 for end in (self, self.peer))

    def _output(self, first: Register, priority: int) -> None:
        """Send all segments that may go now, one after another on the CPU that is at it.

        `first` is a register for the machine's answers; the last one tells of timers (`_arm`).
        """
        p = self.p
        p.call(first, sending.output, self.state)
        with p.while_(first > layout.TIMER):
            self._send(first, priority)
            p.call(first, sending.output, self.state)

    def _push(self, priority: int) -> None:
        """Send what may go now, and have a timer under way."""
        with self.p.scope():
            first = self.p.register()
            self._output(first, priority)
            self._arm(first)

    def _send(self, first: Register, priority: int) -> None:
        """One segment, of which the machine gave `first`: its words, the CPU's work, and off it goes."""
        p = self.p
        length, *words = p.arguments[: self.segment.parameters]
        words[0].set(first - 1)
        self._options(words)
        length.set(words[0] % 2**16)
        if self.stack.sheet.walk_cost:
            with p.when(length > 0):
                self._walk(priority)
        self.stack.send(self.stack.sheet.tcp_send, length, self.path.source.checksum, priority)
        self.path.source.drive(priority)
        length.set(length + self.headers)
        self._add_blocks(length, *words[3:])
        p.spawn(self.segment, *p.arguments[: self.segment.parameters])

    def _options(self, words: list[Register]) -> None:
        """Emit the words of a segment behind its first; those that are left in `words` have no marks."""
        p = self.p
        p.call(words[1], sending.acknowledgement, self.state)
        if self.timestamps:
            p.call(words[2], connection.stamps, self.state)
        elif self.sacks:
            words[2].set(0)
        if self.marked:
            p.call(words.pop(), marks.marks, self.state)
        for number, block in enumerate(words[3:]):
            p.call(block, receiving.block, self.state, number)

    def _add_blocks(self, length: Register, *blocks: Register) -> None:
        """A SACK option of n blocks takes 8n + 2 bytes, padded to 8n + 4 (RFC 2018, section 3)."""
        p = self.p
        for number, block in enumerate(blocks):
            with p.when(block > 0):
                length.set(length + (12 if number == 0 else 8))

    def _segment(self, length: Register, *words: Register) -> None:
        """The thread that is a segment on its way to the other end."""
        packet = self._packet(length, *self.unmarked(words))
        gone = partial(self._left, packet) if self.throttled else None
        self.path.send(packet, partial(self.peer.arrive, packet), driven=True, gone=gone)

    def unmarked(self, words: tuple[Register, ...]) -> tuple[tuple[Register, ...], Register | None]:
        """The words of a segment's thread apart from the one of marks, None of a connection without."""
        return (words[:-1], words[-1]) if self.marked else (words, None)

    def _packet(self, length: Register, words: tuple[Register, ...], mark: Register | None) -> Packet:
        """The packet of a segment, addressed to the other end's queue."""
        return Packet(length, words, self.flow, mark, self.name, self.peer.queue, self.peer.joining)

    def _left(self, packet: Packet) -> None:
        """A segment has left the host: others may go that small queues kept back."""
        p = self.p
        with p.scope():
            more = p.register(packet.words[0] % 2**16)
            with p.when(more > 0):
                p.call(more, pacing.departed, self.state, more)
                with p.when(more > 0), p.fork(f"{self.name} resumed", daemon=True):
                    self._resume()

    def _resume(self) -> None:
        """Send what may go now."""
        with self.locked(self.turn):
            self._push(INTERRUPT)

    def arrive(self, packet: Packet) -> None:
        """A segment has come, and the adapter's handler passes it on: to TCP, or to a thread for that."""
        if self.stack.sheet.input == "interrupt":
            self._input(packet)
            return
        with self.p.fork(f"{self.name} input"):
            self._input(packet)

    def _input(self, packet: Packet) -> None:
        """TCP takes a segment, in the host's incarnation that the connection is of."""
        if len(self.incarnations) == 1:
            self._take(packet)
            return
        p = self.p
        with p.scope():
            over = p.register()
            self.incarnations.over(over, 0)
            with p.when(over == 0):
                self._take(packet)
            with p.when(over == 1):
                refuse(self, packet)

    def _take(self, packet: Packet) -> None:
        """TCP takes a segment; the argument registers may hold something else afterwards."""
        p, words = self.p, packet.words
        with self.locked(self.turn):
            self.stack.receive(self.stack.sheet.tcp_receive, words[0] % 2**16, self.path.source.checksum)
            self._accept(packet, p.register())

    def _accept(self, packet: Packet, bits: Register) -> None:
        """Give a segment to the machine, and carry out its answer; `bits` are a register for that."""
        p, words = self.p, packet.words
        if self.timestamps:
            p.call(bits, connection.take_stamps, self.state, words[2])
        if self.sacks:
            p.call(bits, connection.take_blocks, self.state, words[3], words[4])
        if packet.marks:
            p.call(bits, marks.take_marks, self.state, packet.marks)
        p.call(bits, connection.accept, self.state, words[0], words[1])
        self.follow(bits)

    def follow(self, bits: Register, watched: bool = False) -> None:
        """Carry out the machine's answer to a segment or a timer: send, wake threads, and have a timer under way.

        With `watched`, the thread of the timer does this, and looks for the next one itself.
        """
        p = self.p
        with p.when(bits > 0):
            with p.when(bits & layout.OUTPUT), p.scope():
                first = p.register()
                self._output(first, INTERRUPT)
                if not watched:
                    bits.set(bits + first)
            for bit, line in ((layout.WAKE_READER, self.readers), (layout.WAKE_WRITER, self.writers)):
                with p.when(bits & bit):
                    self._wake(line)
            with p.when(bits >= layout.CHANGED):
                with p.when(bits & layout.CHANGED):
                    self._wake(self.changes)
                if not watched:
                    self._arm(bits)

    def _wake(self, line: Handle) -> None:
        """Wake the process that waits in a line."""
        self.p.put(line, 1)

    def _arm(self, bits: Register) -> None:
        """Have a timer under way if the machine's last answer says that none is that it needs."""
        p = self.p
        with p.when(bits & layout.TIMER), p.scope():
            delay = p.answer(timers.sleep, self.state)
            p.spawn(self.timer, delay, daemon=True)

    def _timer(self, delay: Register) -> None:
        """The thread that waits for a timer, and for the next one as long as there is one."""
        p = self.p
        left, bits = p.register(delay), p.register()
        with p.until(left == 0):
            with p.label("timer", self.name):
                p.wait(left)
            with self.locked(self.turn):
                p.call(bits, connection.expire, self.state)
                self.follow(bits, watched=True)
                p.call(left, timers.sleep, self.state)

    def _walk(self, priority: int) -> None:
        if not self.stack.sheet.walk_cost:
            return
        p = self.p
        with p.scope():
            chain = p.answer(buffers.chain, self.state)
            self.stack.walk(chain, priority)
