"""A sender alone, beside a script that acknowledges: what packetdrill does, with segments of 1000 bytes."""

from __future__ import annotations

from typing import Any

from tcp_bench import BASE, MS, SECOND

from simio.machines.door import Called, call
from simio.machines.tcp import NAGLE_SMALL, TcpSettings, buffers, connection, initial, sending
from simio.machines.tcp import layout as c

MSS = 1000


def linux(**options: Any) -> TcpSettings:
    """The sender of Linux, as `stacks/linux-6.x` has it; slow start after idle time is off, as in these tests."""
    plain: dict[str, Any] = {
        "mss": MSS,
        "send_space": 2**22,
        "receive_space": 2**16 - 1,
        "send_shift": 7,
        "initial_window": 10 * MSS,
        "byte_counting": True,
        "byte_limit": 0,
        "grow_when_limited": True,
        "idle_restart": False,
        "idle_halving": True,
        "max_cwnd": 2**30,
        "nagle": NAGLE_SMALL,
        "recovery": "newreno",
        "time_each": True,
        "rto_tick": 10**6,
        "rto_min": 200 * MS,
        "rto_initial": SECOND,
        "rto_max": 120 * SECOND,
        "rto_granularity": 200 * MS,
    }
    return TcpSettings(**(plain | options))


class Drill:
    """The sender; `now` is the time in ps. The handshake has taken `round_trip`."""

    def __init__(self, settings: TcpSettings, round_trip: int = 100 * MS) -> None:
        self.state = [99] * BASE + initial(settings)
        self.now = SECOND
        self.work = 0
        """Time in ps that the CPU takes for a segment."""
        self.sent: list[tuple[int, int, int]] = []
        """Segments of data: time in ms, first byte from 0 on, length."""
        self.ask(connection.open_up, 1)
        self.output()
        self.now += round_trip
        self.take(0 << 19 | c.SYN << 16, 1 << 16 | 65535)
        assert self.look(c.STATE) == c.ESTABLISHED
        self.start = self.now

    def ask(self, function: Called, a: int = 0, b: int = 0) -> int:
        return call(function, self.state, BASE, self.now, a, b)

    def look(self, word: int) -> int:
        return self.state[BASE + word]

    @property
    def cwnd(self) -> float:
        """The congestion window in segments."""
        return self.look(c.CWND) / MSS

    @property
    def ssthresh(self) -> float:
        return self.look(c.SSTHRESH) / MSS

    @property
    def time(self) -> float:
        """Time in ms since the connection was there."""
        return (self.now - self.start) / MS

    def output(self) -> int:
        """Send all that may go; returns the segments of data."""
        count = 0
        while (word := self.ask(sending.output)) > c.TIMER:
            self.now += self.work
            if length := (word - 1) & 65535:
                self.sent.append((int(self.time), ((word - 1) >> 19) - 1, length))
                count += 1
        assert word in (0, c.TIMER)
        return count

    def take(self, first: int, second: int) -> int:
        return self.output() if self.ask(connection.accept, first, second) & 1 else 0

    def at(self, time: float) -> Drill:
        """Let time pass until `time` ms after the connection was there; timers that run out on the way send."""
        until = self.start + round(time * MS)
        while True:
            due = min(
                (self.look(word) for word in (c.RESEND_DUE, c.PERSIST_DUE, c.LOSS_DUE) if self.look(word)),
                default=until + 1,
            )
            if due > until:
                break
            self.now = max(self.now, due)
            if self.ask(connection.expire) & 1:
                self.output()
        self.now = until
        return self

    def write(self, segments: int) -> int:
        """The program writes; returns the segments that go at once."""
        left, count = segments * MSS, 0
        while left:
            size = self.ask(buffers.room, left)
            assert size > 0
            left -= size
            if self.ask(buffers.append, size):
                count += self.output()
        return count

    def ack(self, segments: int, window: int = 2**20) -> int:
        """An acknowledgement of the first so many segments arrives; returns the segments that go at once."""
        return self.take(1 << 19, (1 + segments * MSS) << 16 | window >> 7)


__all__ = ["MSS", "Drill", "linux"]
