"""TCP connections: sockets at both ends, and what happens when a program calls, a segment arrives or a timer ends.

What TCP decides is the machine's (`simio.machines.tcp`); here is who does it, what it costs, and who waits. All that
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
from simio.components.network.packet import Packet
from simio.components.network.path import NetworkPath
from simio.components.network.stack import IP_HEADER, TCP_HEADER, TIMESTAMPS, Stack
from simio.errors import RunError
from simio.machines.door import Called
from simio.machines.tcp import buffers, connection, layout, marks, pacing, receiving, sending, timers
from simio.machines.tcp.recovery import RECOVERIES
from simio.machines.tcp.settings import TcpSettings, initial
from simio.program.builder import Handle, Operand, Register
from simio.program.labels import called

_TALLIES = (
    (layout.WAITED + layout.FOR_WINDOW - 1, "ps", "the other end's window"),
    (layout.WAITED + layout.FOR_CONGESTION - 1, "ps", "its congestion window"),
    (layout.WAITED + layout.FOR_MORE - 1, "ps", "more than a small segment, or all ACKs"),
    (layout.WAITED + layout.FOR_ACKNOWLEDGEMENT - 1, "ps", "ACKs, its send buffer full"),
    (layout.RESENT, "segments", "sent again"),
    (layout.TIMEOUTS, "times", "timed out"),
)
"""Counts of an endpoint: offset in its state, unit, and name."""
_WORDS = 2
"""Words of a segment without options; timestamps are one more, and two blocks of SACK come after that."""


class Endpoint:
    """One end of a connection: socket, protocol state, lock and timer."""

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
        self.peer: Endpoint
        self.incarnations = Incarnations(p, stack.host.description.crashes)
        self.flow = path.flow("tcp", ports, options(settings))
        # A handler keeps processes out until all that has come is dealt with; threads take turns with them.
        self.turn = INTERRUPT if stack.sheet.input == "interrupt" else PROCESS

    def join(self, far: Endpoint) -> None:
        """Make this and the far endpoint the two ends of one connection."""
        self.peer, far.peer = far, self

    @property
    def breakable(self) -> bool:
        """True if the connection may be reset, as one of the hosts crashes."""
        return any(len(end.incarnations) > 1 for end in (self, self.peer))

    # --- what programs call ------------------------------------------------------------------------------

    def connect(self) -> None:
        """connect(): returns when the connection is there."""
        self._open(active=1)

    def accept(self) -> None:
        """listen() and accept(): returns when the other end has connected.

        The program listens at once, before anything takes time, so that no other can be too early.
        """
        self._open(active=0)

    def _open(self, active: int) -> None:
        p = self.p
        with p.hold(self.lock, priority=PROCESS), p.scope():
            p.answer(connection.open_up, self.state, active)
            self.stack.call()
            self._output(PROCESS)
            self._arm()
        p.get(self.changes, 1)
        self.stack.kernel.wake()

    def close(self) -> None:
        """shutdown(): nothing more will be written; returns at once."""
        p = self.p
        self.stack.call()
        with p.hold(self.lock, priority=PROCESS), p.scope():
            done = p.register()
            with self._unless_closed(done):
                p.call(done, connection.close, self.state)
            self._output(PROCESS)
            self._arm()

    def work(self, cost: Operand) -> None:
        """The program's own work, of CPU time `cost`."""
        self.stack.program(cost)

    def reached(self, least: int) -> None:
        """Wait until the connection is in this state of `layout` or one behind it, such as TIME_WAIT."""
        p = self.p
        with p.scope():
            at = p.register()
            self.standing(at)
            with p.while_(at < least):
                p.get(self.changes, 1)
                self.standing(at)

    def renew(self, pristine: int) -> None:
        """Make this end what it was before it was opened, by `connection.renew`, once both have closed."""
        with self.p.hold(self.lock, priority=PROCESS), self.p.scope():
            self.p.answer(connection.renew, self.state, pristine)

    def standing(self, result: Register) -> None:
        """Emit `result` = 0 if the connection has been reset; else it is above."""
        self.p.call(result, connection.status, self.state)

    @contextmanager
    def _unless_closed(self, result: Register) -> Iterator[None]:
        if not self.breakable:
            yield
            return
        self.standing(result)
        with self.p.when(result > 0):
            yield

    @called("writes to the socket")
    def write(self, size: Operand, moved: bool = True, pinned: bool = False) -> None:
        """write() of `size` bytes: returns when all of them are in the socket buffer, or the connection is reset.

        Without `moved`, they are the kernel's already (sendfile), and only their places are noted; with `pinned`, the
        program's own pages are sent (MSG_ZEROCOPY). Raises RunError where the stack has none of that.
        """
        if pinned:
            raise RunError(
                f"{self.name} cannot send without a copy: that needs an adapter with queues "
                "(kind 'multiqueue-ethernet')"
            )
        p = self.p
        if not self.inside:
            self.stack.call()
        with p.scope():
            left, room = p.register(size), p.register()
            with p.until(left == 0):
                p.seize(self.lock, priority=PROCESS)
                self._wait(room, buffers.room, left, self.writers)
                p.release(self.lock)
                with self._unless_reset(room, left):
                    self.stack.work("socket buffers", self.stack.sheet.buffer_cost)
                    if moved:
                        self.stack.move(room, self.buffer, self.aligned)
                    p.seize(self.lock, priority=PROCESS)
                    self._append(room)
                    p.release(self.lock)
                    left.set(left - room)

    @contextmanager
    def _unless_reset(self, room: Register, left: Register) -> Iterator[None]:
        """Run the body if there is room; in a connection that has been reset, nothing is `left` to write."""
        if not self.breakable:
            yield
            return
        with self.p.when(room == layout.END_OF_FILE):
            left.set(0)
        with self.p.when(room < layout.END_OF_FILE):
            yield

    @called("reads from the socket")
    def read(self, got: Register, size: int | Register) -> None:
        """read() of at most `size` bytes: `got` is how many there were, or the end of file; waits for the first.

        After a reset, that is the end of file, too."""
        p = self.p
        if not self.inside:
            self.stack.call()
        p.seize(self.lock, priority=PROCESS)
        self._wait(got, receiving.read, size, self.readers)
        p.release(self.lock)
        with p.when(got < layout.END_OF_FILE):
            self.stack.move(got, self.buffer, self.aligned)
            with p.hold(self.lock, priority=PROCESS), p.scope():
                wants = p.answer(sending.wants, self.state)
                with p.when(wants > 0):
                    self._output(PROCESS)
                self._arm()

    def _wait(self, result: Register, function: Called, amount: Register | int, line: object) -> None:
        """Call until the result is above zero, waiting in `line` without the lock in between."""
        p = self.p
        p.call(result, function, self.state, amount)
        with p.while_(result == 0):
            p.release(self.lock)
            p.get(line, 1)  # type: ignore[arg-type]
            self.stack.kernel.wake()
            p.seize(self.lock, priority=PROCESS)
            p.call(result, function, self.state, amount)

    def _append(self, amount: Register) -> None:
        """Append copied data to the send buffer, whose chain is walked to its end; TCP may send them at once."""
        p = self.p
        with p.scope():
            push = p.register()
            self._walk(PROCESS)
            p.call(push, buffers.append, self.state, amount)
            with p.when(push > 0):
                self._output(PROCESS)
            self._arm()

    def _walk(self, priority: int) -> None:
        if not self.stack.sheet.walk_cost:
            return
        p = self.p
        with p.scope():
            chain = p.answer(buffers.chain, self.state)
            self.stack.walk(chain, priority)

    # --- what TCP does ------------------------------------------------------------------------------------

    def _output(self, priority: int) -> None:
        """Send all segments that may go now, one after another on the CPU that is at it."""
        p = self.p
        with p.scope():
            first = p.answer(sending.output, self.state)
            with p.while_(first > 0):
                self._send(first, priority)
                p.call(first, sending.output, self.state)

    def _send(self, first: Register, priority: int) -> None:
        """One segment, of which the machine gave `first`: its words, the CPU's work, and off it goes."""
        p = self.p
        length, *words = p.arguments[: self.segment.parameters]
        words[0].set(first - 1)
        p.call(words[1], sending.acknowledgement, self.state)
        if self.timestamps:
            p.call(words[2], connection.stamps, self.state)
        elif self.sacks:
            words[2].set(0)
        if self.marked:
            p.call(words.pop(), marks.marks, self.state)
        for number, block in enumerate(words[3:]):
            p.call(block, receiving.block, self.state, number)
        length.set(words[0] % 2**16)
        if self.stack.sheet.walk_cost:
            with p.when(length > 0):
                self._walk(priority)
        self.stack.send(self.stack.sheet.tcp_send, length, self.path.source.checksum, priority)
        self.path.source.drive(priority)
        length.set(length + self.headers)
        self._add_blocks(length, *words[3:])
        p.spawn(self.segment, *p.arguments[: self.segment.parameters])

    def _add_blocks(self, length: Register, *blocks: Register) -> None:
        """A SACK option of n blocks takes 8n + 2 bytes, padded to 8n + 4 (RFC 2018, section 3)."""
        p = self.p
        for number, block in enumerate(blocks):
            with p.when(block > 0):
                length.set(length + (12 if number == 0 else 8))

    def _segment(self, length: Register, *words: Register) -> None:
        """The thread that is a segment on its way to the other end."""
        mark = words[-1] if self.marked else None
        packet = Packet(length, words[:-1] if self.marked else words, self.flow, mark, self.name)
        gone = partial(self._left, packet) if self.throttled else None
        self.path.send(packet, partial(self.peer.arrive, packet), driven=True, gone=gone)

    def _left(self, packet: Packet) -> None:
        """A segment has left the host: others may go that small queues kept back."""
        p = self.p
        with p.scope():
            more = p.register(packet.words[0] % 2**16)
            with p.when(more > 0):
                p.call(more, pacing.departed, self.state, more)
                with (
                    p.when(more > 0),
                    p.fork(f"{self.name} resumed", daemon=True),
                    p.hold(self.lock, priority=self.turn),
                ):
                    self._output(INTERRUPT)
                    self._arm()

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
        with p.hold(self.lock, priority=self.turn), p.scope():
            bits, data = p.register(), p.register()
            data.set(words[0] % 2**16)
            self.stack.receive(self.stack.sheet.tcp_receive, data, self.path.source.checksum)
            self._accept(packet, bits)

    def _accept(self, packet: Packet, bits: Register) -> None:
        """The machine takes a segment, and what it asks for is done; `bits` are a register for that."""
        p, words = self.p, packet.words
        if self.timestamps:
            p.call(bits, connection.take_stamps, self.state, words[2])
        if self.sacks:
            p.call(bits, connection.take_blocks, self.state, words[3], words[4])
        if packet.marks:
            p.call(bits, marks.take_marks, self.state, packet.marks)
        p.call(bits, connection.accept, self.state, words[0], words[1])
        self.follow(bits)
        self._arm()

    def follow(self, bits: Register) -> None:
        """Do what the machine says after a segment or a timer: send, and wake whom it has something for."""
        p = self.p
        with p.when(bits > 0):
            with p.when(bits & 1):
                self._output(INTERRUPT)
            for bit, line in ((2, self.readers), (4, self.writers), (8, self.changes)):
                with p.when(bits & bit):
                    self._wake(line)

    def _wake(self, line: Handle) -> None:
        """Wake the process that waits in a line."""
        self.p.put(line, 1)

    def _arm(self) -> None:
        """Have a timer under way if the machine needs one and none is."""
        p = self.p
        with p.scope():
            delay = p.answer(timers.sleep, self.state)
            with p.when(delay > 0):
                p.spawn(self.timer, delay, daemon=True)

    def _timer(self, delay: Register) -> None:
        """The thread that waits for a timer, and for the next one as long as there is one."""
        p = self.p
        left, bits = p.register(delay), p.register()
        with p.until(left == 0):
            with p.label("timer", self.name):
                p.wait(left)
            with p.hold(self.lock, priority=self.turn):
                p.call(bits, connection.expire, self.state)
                self.follow(bits)
                p.call(left, timers.sleep, self.state)
