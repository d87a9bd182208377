"""Buffers of several segments, worked by hand: the segments are those that would have gone one by one."""

from __future__ import annotations

from simio.machines.door import call
from simio.machines.tcp import buffers, connection, initial, offload, receiving, sending
from simio.machines.tcp import layout as c
from simio.machines.tcp.settings import TcpSettings

NOW = 10**12


class Sender:
    """An endpoint with a connection: what it hands down, as (place, length, flags)."""

    def __init__(self, **options: int) -> None:
        self.state = initial(TcpSettings(mss=1000, send_space=10**6, initial_window=10_000, **options), 10**6)

    def ask(self, function: object, a: int = 0, b: int = 0) -> int:
        return call(function, self.state, 0, NOW, a, b)  # type: ignore[arg-type]

    def write(self, size: int) -> None:
        assert self.ask(buffers.room, size) == size
        assert self.ask(buffers.append, size) == 1

    def sent(self, function: object = offload.output) -> list[tuple[int, int, int]]:
        found = []
        while (word := self.ask(function)) > c.TIMER:
            word -= 1
            found.append(((word >> 19) - 1, word & 65535, word >> 16 & 7))
        return found


def test_a_buffer_carries_what_the_window_lets_go_at_once() -> None:
    # 25 segments are written and ten may go: with buffers of 4096 bytes, four whole segments each.
    sender = Sender(gso=4096)
    sender.write(25_000)
    assert sender.sent() == [(0, 4000, 0), (4000, 4000, 0), (8000, 2000, 0)]


def test_the_last_buffer_has_the_small_rest_and_the_push() -> None:
    sender = Sender(gso=65536)
    sender.write(3300)
    assert sender.sent() == [(0, 3300, c.PUSH)]


def test_no_more_goes_than_segment_by_segment() -> None:
    alone, together = Sender(), Sender(gso=65536)
    for sender in (alone, together):
        sender.write(123_456)
    segments = alone.sent(sending.output)
    assert sum(length for _, length, _ in segments) == sum(length for _, length, _ in together.sent())
    ours, theirs = (sender.state[: c.OWN] for sender in (alone, together))
    ours[c.GSO] = theirs[c.GSO]
    assert ours == theirs


def test_small_queues_look_at_buffers() -> None:
    # 1500 bytes may wait below the socket: a first buffer of any size, and then none until it has left.
    sender = Sender(gso=4096, small_queue=1500)
    sender.write(25_000)
    assert sender.sent() == [(0, 4000, 0)]
    assert sender.state[c.BELOW] == 4000


def test_what_is_sent_again_goes_segment_by_segment() -> None:
    sender = Sender(gso=65536)
    sender.write(5000)
    sender.sent()
    for _ in range(3):
        sender.ask(connection.accept, 1 << 19, 1 << 16 | 65535)
    assert sender.sent() == [(0, 1000, 0)]


def test_a_buffer_is_cut_into_segments_and_the_last_has_its_flags() -> None:
    sender = Sender(gso=65536)
    left, cut = 1 << 19 | (c.PUSH | c.FIN) << 16 | 2300, []
    while left >= 0:
        word = sender.ask(offload.first, left)
        cut.append((word >> 19, word & 65535, word >> 16 & 7))
        left = sender.ask(offload.rest, left) - 1
    assert cut == [(1, 1000, 0), (1001, 1000, 0), (2001, 300, c.PUSH | c.FIN)]


def merged(**options: int) -> tuple[Sender, list[int]]:
    """A receiver to which buffers of 4000 bytes come, and what it acknowledges after each."""
    sender = Sender(receive_space=40_000, ack_delay=10**9, ack_tick=0, **options)
    told = []
    for number in range(3):
        bits = sender.ask(connection.accept, (1 + 4000 * number) << 19 | 4000, 1 << 16 | 65535)
        while bits & 1 and sender.ask(offload.output) > c.TIMER:
            told.append((sender.ask(sending.acknowledgement) >> 16) - 1)
    return sender, told


def test_a_merged_buffer_is_acknowledged_once() -> None:
    assert merged(gso=65536)[1] == [4000, 8000, 12_000]


def test_a_reader_acknowledges_what_narrows_the_window() -> None:
    # Nothing is read, so that each buffer narrows the window: no acknowledgement until the reader has taken data.
    sender, told = merged(gso=65536, ack_reader=True)
    assert told == []
    assert sender.ask(receiving.read, 12_000) == 12_000
    assert sender.ask(sending.wants) == 1
