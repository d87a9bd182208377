"""TCP connections: the sockets at both ends, with the calls that programs make."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from simio.components.host.host import PROCESS
from simio.components.network.tcp_protocol import TcpProtocol
from simio.errors import RunError
from simio.machines.door import Called
from simio.machines.tcp import buffers, connection, layout, receiving, sending
from simio.program.builder import Operand, Register
from simio.program.labels import called


class Endpoint(TcpProtocol):
    """One end of a connection: the socket of a program, and the protocol below it."""

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
        with self.locked(PROCESS):
            p.answer(connection.open_up, self.state, active)
            self.stack.call()
            self._push(PROCESS)
        p.get(self.changes, 1)
        self.stack.kernel.wake()

    def close(self) -> None:
        """shutdown(): nothing more will be written; returns at once."""
        p = self.p
        self.stack.call()
        with self.locked(PROCESS):
            done = p.register()
            with self._unless_closed(done):
                p.call(done, connection.close, self.state)
            self._push(PROCESS)

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
        """Reset this end to its state before it was opened, by `connection.renew`, once both have closed."""
        with self.locked(PROCESS):
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
                self.lock_up(PROCESS)
                self._wait(room, buffers.room, left, self.writers)
                self.unlock()
                with self._unless_reset(room, left):
                    self.stack.work("socket buffers", self.stack.sheet.buffer_cost)
                    if moved:
                        self.stack.move(room, self.buffer, self.aligned)
                    with self.locked(PROCESS):
                        self._append(room)
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
        self.lock_up(PROCESS)
        self._wait(got, receiving.read, size, self.readers)
        self.unlock()
        with p.when(got < layout.END_OF_FILE):
            self.stack.move(got, self.buffer, self.aligned)
            with self.locked(PROCESS):
                self._answer_read(PROCESS)

    def _answer_read(self, priority: int) -> None:
        """Send what may go as data have been read, a window update above all."""
        p = self.p
        with p.scope():
            bits = p.answer(sending.wants, self.state)
            with p.when(bits > 0):
                with p.when(bits & layout.OUTPUT):
                    self._output(bits, priority)
                self._arm(bits)

    def _wait(self, result: Register, function: Called, amount: Register | int, line: object) -> None:
        """Call until the result is above zero, waiting in `line` without the lock in between."""
        p = self.p
        p.call(result, function, self.state, amount)
        with p.while_(result == 0):
            self.unlock()
            p.get(line, 1)  # type: ignore[arg-type]
            self.stack.kernel.wake()
            self.lock_up(PROCESS)
            p.call(result, function, self.state, amount)

    def _append(self, amount: Register) -> None:
        """Append copied data to the send buffer, whose chain is walked to its end; TCP may send them at once."""
        p = self.p
        with p.scope():
            push = p.register()
            self._walk(PROCESS)
            p.call(push, buffers.append, self.state, amount)
            with p.when(push > 0):
                self._output(push, PROCESS)
                self._arm(push)
