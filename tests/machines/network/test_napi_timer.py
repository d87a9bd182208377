"""The timer of a queue's polls, and what the delay of an interrupt counts from, worked by hand (times in ps)."""

from __future__ import annotations

import pytest

from simio.machines.door import call
from simio.machines.network import gro, napi
from simio.machines.nic import moderation
from simio.machines.nic.layout import FROM_EVENT, FROM_FIRST, FROM_LAST

ACK = 5 << 16 | 1000
TIMEOUT = 20_000
MICROSECOND = moderation.MICROSECOND


class Queue:
    """A queue whose packets come and are polled at given instants."""

    def __init__(self, **words: int) -> None:
        self.state = napi.WORDS.initial(**{"own_count": 1, "timeout": TIMEOUT, **words})

    def ask(self, function: object, now: int, *args: int) -> int:
        return call(function, self.state, 0, now, *args)  # type: ignore[arg-type]

    def come(self, now: int, packets: int = 1) -> list[int]:
        return [self.ask(napi.arrive, now, 1500) for _ in range(packets)]

    def poll(self, now: int, begun: int | None = None, stays: int = 0) -> tuple[int, int]:
        """Take all packets of a poll that ends at `now`: what follows, and whether the timer is started.

        A buffer that was `begun` before is asked whether it stays.
        """
        while self.state[napi.WAITING] and self.ask(napi.polled, now) == napi.MORE:
            pass
        self.ask(napi.flushed, now)
        if begun is not None:
            assert self.ask(napi.stays, now, begun + 1) == stays
        return self.ask(napi.complete, now), self.ask(napi.starts, now)


def test_without_a_buffer_that_is_merged_there_is_no_timer() -> None:
    queue = Queue()
    assert queue.come(0) == [napi.RAISE]
    assert queue.poll(1000) == (napi.DONE, 0)
    assert queue.come(2000) == [napi.RAISE]


def test_a_buffer_stays_until_the_timer_finds_nothing() -> None:
    queue = Queue()
    queue.come(0)
    queue.ask(napi.gather, 500)
    assert queue.poll(1000, 500, stays=1) == (napi.DONE, 1)
    # The adapter may interrupt: a packet does at 15 000, and its poll puts the timer off.
    assert queue.come(15_000) == [napi.RAISE]
    assert queue.poll(16_000, 500, stays=1) == (napi.DONE, 0)
    assert queue.ask(napi.rest, 21_000) == 15_000
    assert queue.ask(napi.rest, 36_000) == 0
    assert queue.ask(napi.fires, 36_000) == 1
    assert queue.poll(37_000, 500, stays=0) == (napi.DONE, 0)
    assert (queue.state[napi.INTERRUPTS], queue.state[napi.TIMERS], queue.state[napi.POLLS]) == (2, 1, 3)


def sampled(defer: int, rounds: int) -> int:
    """When the last sample of a queue ended that interrupts each us, and whose timer polls 21 ns after each poll."""
    queue = Queue(adaptive=1, defer=defer)
    for at in range(0, rounds * MICROSECOND, MICROSECOND):
        assert queue.come(at) == [napi.RAISE]
        queue.ask(napi.gather, at)
        assert queue.poll(at + 1000, at, stays=1) == (napi.DONE, 1)
        assert (queue.ask(napi.rest, at + 21_000), queue.ask(napi.fires, at + 21_000)) == (0, 1)
        queue.ask(napi.gathered, at + 22_000)
        assert queue.poll(at + 22_000) == (napi.DONE, 0)
    return int(queue.state[napi.MODERATION + moderation.SINCE])


def test_a_sample_of_the_load_has_64_interrupts_and_no_polls_of_the_timer() -> None:
    assert sampled(defer=0, rounds=63) == 0
    assert sampled(defer=0, rounds=64) == 63 * MICROSECOND + 1000


def test_a_sample_ends_when_the_driver_asks_for_an_interrupt() -> None:
    # The poll after the interrupt leaves the adapter without one, until that of the timer has found nothing.
    assert sampled(defer=1, rounds=64) == 63 * MICROSECOND + 22_000


def test_a_timer_that_finds_a_softirq_at_work_does_nothing() -> None:
    queue = Queue()
    queue.come(0)
    queue.ask(napi.gather, 0)
    queue.poll(1000)
    queue.come(20_500)
    assert (queue.ask(napi.rest, 21_000), queue.ask(napi.fires, 21_000)) == (0, 0)
    assert queue.state[napi.TIMERS] == 0


def test_interrupts_are_put_off_until_two_polls_have_found_nothing() -> None:
    queue = Queue(defer=2)
    assert queue.come(0) == [napi.RAISE]
    assert queue.poll(1000) == (napi.DONE, 1)
    # Asleep: packets come without an interrupt, and the timer finds them.
    assert queue.come(5000, 3) == [napi.WAIT] * 3
    assert (queue.ask(napi.rest, 21_000), queue.ask(napi.fires, 21_000)) == (0, 1)
    assert queue.poll(22_000) == (napi.DONE, 1)
    # That poll found some: again two polls, of which the first had been counted at its own end.
    assert queue.come(23_000) == [napi.WAIT]
    assert (queue.ask(napi.rest, 42_000), queue.ask(napi.fires, 42_000)) == (0, 1)
    assert queue.poll(43_000) == (napi.DONE, 1)
    assert (queue.ask(napi.rest, 63_000), queue.ask(napi.fires, 63_000)) == (0, 1)
    assert queue.poll(64_000) == (napi.DONE, 1)
    assert (queue.ask(napi.rest, 84_000), queue.ask(napi.fires, 84_000)) == (0, 1)
    assert queue.poll(85_000) == (napi.DONE, 0)
    assert queue.come(86_000) == [napi.RAISE]
    assert queue.state[napi.INTERRUPTS] == 2


def test_a_poll_that_uses_up_its_budget_gives_up_all_buffers() -> None:
    queue = Queue()
    queue.come(0, 70)
    queue.ask(napi.gather, 0)
    for _ in range(64):
        queue.ask(napi.polled, 1000)
    queue.ask(napi.flushed, 1000)
    assert queue.ask(napi.stays, 1000, 1) == 0
    assert queue.ask(napi.complete, 1000) == napi.AGAIN
    assert queue.ask(napi.starts, 1000) == 0


def test_a_buffer_of_an_earlier_jiffy_goes_up() -> None:
    queue = Queue()
    queue.come(0)
    queue.ask(napi.gather, 0)
    late = napi.JIFFY + 10
    queue.ask(napi.polled, late)
    queue.ask(napi.flushed, late)
    assert [queue.ask(napi.stays, late, begun + 1) for begun in (napi.JIFFY - 1, napi.JIFFY)] == [0, 1]


def test_a_buffer_knows_when_it_was_begun() -> None:
    state = gro.WORDS.initial(most=65535)
    assert call(gro.begun, state, 0, 0) == 0
    call(gro.stage, state, 0, 0, 7, 0)
    call(gro.take, state, 0, 0, 1 << 19 | 1448, ACK)
    call(gro.date, state, 0, 500)
    assert call(gro.begun, state, 0, 0) == 501
    call(gro.flush, state, 0, 0)
    assert call(gro.begun, state, 0, 0) == 0


@pytest.mark.parametrize(
    ("counts_from", "first", "after"), [(FROM_FIRST, 8000, 0), (FROM_LAST, 8000, 3000), (FROM_EVENT, 0, 0)]
)
def test_a_delay_counts_from_the_first_packet_the_last_one_or_the_interrupt_before(
    counts_from: int, first: int, after: int
) -> None:
    queue = Queue(own_count=100, own_delay=8000, counts_from=counts_from, timeout=0)
    assert queue.come(1_000_000) == [napi.FIRST]
    batch = queue.ask(napi.gathering, 1_000_000)
    assert queue.ask(napi.longest, 1_000_000) == first
    queue.come(1_003_000)
    if counts_from == FROM_LAST:
        assert queue.ask(napi.longer, 1_008_000, batch) == after
        assert queue.ask(napi.longer, 1_011_000, batch) == 0
    assert queue.ask(napi.expire, 1_011_000, batch) == napi.RAISE
    assert queue.poll(1_012_000)[0] == napi.DONE
    # 4 ns after the interrupt: another 4 of 8 are left, if they count from it.
    queue.come(1_015_000)
    assert queue.ask(napi.longest, 1_015_000) == (4000 if counts_from == FROM_EVENT else 8000)
