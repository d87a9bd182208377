"""Completions of what was sent: the interrupts for them, and polls that find them, worked by hand (times in ps)."""

from __future__ import annotations

from simio.machines.door import call
from simio.machines.network import napi

DELAY = 16_000_000


class Queue:
    """A queue that interrupts after four completions, or after 16 us."""

    def __init__(self) -> None:
        self.state = napi.WORDS.initial(own_count=128, sent_count=4, sent_delay=DELAY)

    def ask(self, function: object, now: int, *args: int) -> int:
        return call(function, self.state, 0, now, *args)  # type: ignore[arg-type]


def test_the_first_of_some_starts_the_delay_and_the_fourth_interrupts() -> None:
    queue = Queue()
    assert [queue.ask(napi.sent, now) for now in (0, 10, 20, 30)] == [napi.FIRST, napi.WAIT, napi.WAIT, napi.RAISE]
    assert queue.ask(napi.sent, 40) == napi.WAIT
    # The delay that the first one started ends while the poll is under way.
    assert queue.ask(napi.sent_rest, 50) == 0
    assert queue.ask(napi.sent_expire, 50) == napi.WAIT
    assert queue.ask(napi.found, 60) == 5
    assert queue.ask(napi.complete, 60) == napi.DONE
    assert queue.ask(napi.sent_since, 60) == napi.WAIT
    assert queue.state[napi.INTERRUPTS] == 1


def test_the_delay_counts_from_the_first_that_no_poll_has_found() -> None:
    queue = Queue()
    assert queue.ask(napi.sent, 1_000_000) == napi.FIRST
    # Packets have come, and their poll finds it.
    assert queue.ask(napi.arrive, 2_000_000, 1500) == napi.FIRST
    assert queue.ask(napi.expire, 10_000_000, 0) == napi.RAISE
    assert queue.ask(napi.polled, 11_000_000) == napi.ENDS
    assert queue.ask(napi.found, 11_000_000) == 1
    queue.ask(napi.flushed, 11_000_000)
    # Another is sent before the poll is over, and the delay is still under way.
    assert queue.ask(napi.sent, 12_000_000) == napi.WAIT
    assert queue.ask(napi.complete, 13_000_000) == napi.DONE
    assert queue.ask(napi.sent_since, 13_000_000) == napi.WAIT
    assert queue.ask(napi.sent_rest, 17_000_000) == 12_000_000 + DELAY - 17_000_000
    assert queue.ask(napi.sent_rest, 28_000_000) == 0
    assert queue.ask(napi.sent_expire, 28_000_000) == napi.RAISE


def test_a_completion_that_comes_as_a_poll_ends_starts_the_delay() -> None:
    queue = Queue()
    queue.ask(napi.arrive, 0, 1500)
    queue.ask(napi.expire, 8_000_000, 0)
    queue.ask(napi.polled, 9_000_000)
    assert queue.ask(napi.found, 9_000_000) == 0
    queue.ask(napi.flushed, 9_000_000)
    assert queue.ask(napi.sent, 9_500_000) == napi.WAIT
    assert queue.ask(napi.complete, 10_000_000) == napi.DONE
    assert queue.ask(napi.sent_since, 10_000_000) == napi.FIRST
    assert queue.ask(napi.sent_rest, 10_000_000) == DELAY - 500_000
