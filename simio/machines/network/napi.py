"""NAPI: an interrupt, then a poll of a ring until it is empty, or more polls where its budget of packets is used up.

Linux net/core/dev.c, napi_poll and net_rx_action (5.4): a poll takes at most 64 packets; a softirq ends after 300
packets or 2 ms, and what is left then takes turns with processes (ksoftirqd). A poll that ends earlier lets the
adapter interrupt again, however soon the next packet comes. A program that reads may poll in its place
(napi_busy_loop), up to 8 packets at a time, as long as it has the queue.

With a timer (gro_flush_timeout; 5.10, napi_complete_done and napi_watchdog) merged buffers stay where they are at the
end of a poll, until a poll that finds nothing or begins after their jiffy; and with napi_defer_hard_irqs the adapter
does not interrupt before so many polls by the timer have found nothing.
"""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.door import machine
from simio.machines.layout import Layout
from simio.machines.nic import layout as c
from simio.machines.nic import moderation
from simio.machines.shared import shared

WEIGHT = 64
"""Packets of a poll (include/linux/netdevice.h, NAPI_POLL_WEIGHT)."""
BUDGET, LONGEST = 300, 2 * 10**9
"""Packets and ps of a softirq (net/core/dev.c, netdev_budget, netdev_budget_usecs)."""

BUSY_WEIGHT = 8
"""Packets of a poll by a program (net/core/dev.c, BUSY_POLL_BUDGET)."""

JIFFY = 4 * 10**9
"""ps of a tick (kernel/Kconfig.hz, CONFIG_HZ_250)."""

WORDS = Layout("NAPI")
RUNNING = WORDS.word("running", about="1 from the interrupt until it is armed again")
WAITING = WORDS.word("waiting", "packets", about="packets in the ring")
BATCH = WORDS.word("batch", about="number of the batch that gathers for an interrupt, or that gathered last")
POLLED = WORDS.word("polled", "packets", about="packets of the present poll")
FULL = WORDS.word("full", about="1: the poll that ended used up its budget")
TAKEN = WORDS.word("taken", "packets", about="packets of the present softirq")
BEGAN = WORDS.word("began", "ps", about="instant at which it began")
OWED = WORDS.word("owed", "ps", about="that processes get of the core before the softirq goes on")
HELD = WORDS.word("held", "threads", about="merged buffers that wait for the end of the poll")
BYTES = WORDS.word("bytes", "bytes", about="of all packets")
PACKETS = WORDS.word("packets", "packets", about="in all, each of those that the adapter has joined")
ADAPTIVE = WORDS.word("adaptive", about="1: the driver chooses count and delay after the load")
MODERATION = WORDS.include(moderation.WORDS)
OWNED = WORDS.word("owned", about="1: a program polls in place of a softirq")
POLLS = WORDS.word("polls", "polls")
INTERRUPTS = WORDS.word("interrupts", "interrupts")
COUNTS_FROM = WORDS.word("counts_from", about="what the delay of an interrupt counts from, as in simio.machines.nic")
EVENT = WORDS.word("event", "ps", initial=-c.NEVER, about="when it interrupted last")
LATEST = WORDS.word("latest", "ps", about="when the last packet came")
TIMEOUT = WORDS.word("timeout", "ps", about="after which the timer polls; 0: there is none")
DEFER = WORDS.word("defer", "polls", about="that find nothing before the adapter interrupts again")
IDLE_LEFT = WORDS.word("idle_left", "polls", about="of these that are still to come")
BUFFERS = WORDS.word("buffers", "buffers", about="that are being merged")
TIMED = WORDS.word("timed", about="1: the poll that ended starts the timer, and buffers of its jiffy stay")
MASKED = WORDS.word("masked", about="1: the adapter does not interrupt after it")
SLEEPS = WORDS.word("sleeps", about="1: only the timer polls")
PENDING = WORDS.word("pending", about="1: the timer has been started")
DEADLINE = WORDS.word("deadline", "ps", about="when it polls")
TIMERS = WORDS.word("timers", "polls", about="that it began")
SENT = WORDS.word("sent", "buffers", about="that were sent, and whose completions no poll has found")
SENT_FIRST = WORDS.word("sent_first", "ps", about="when the first of these was")
SENT_COUNT = WORDS.word("sent_count", "buffers", about="after which the adapter interrupts for them")
SENT_DELAY = WORDS.word("sent_delay", "ps", about="after which it does")
SENT_PENDING = WORDS.word("sent_pending", about="1: that delay is under way")

WAIT, FIRST, RAISE = 0, 1, 2
MORE, ENDS = 0, 1
DONE, AGAIN, YIELD, GATHERS, RAISED, PROGRAM = range(6)


@shared
def begin(state: NDArray, base: int, now: int) -> int:
    """An interrupt is raised. Returns RAISE."""
    state[base + RUNNING] = 1
    state[base + BATCH] += 1
    state[base + EVENT] = now
    state[base + INTERRUPTS] += 1
    moderation.interrupted(state, base + MODERATION)
    state[base + TAKEN] = 0
    state[base + BEGAN] = now
    return RAISE


@machine("network")
def arrive(state: NDArray, base: int, now: int, length: int) -> int:
    """One more packet is in the ring: RAISE an interrupt, FIRST of a batch that gathers for one, or WAIT."""
    state[base + WAITING] += 1
    state[base + PACKETS] += 1
    state[base + BYTES] += length
    state[base + LATEST] = now
    if state[base + RUNNING]:
        return WAIT
    if state[base + WAITING] >= state[base + MODERATION + moderation.COUNT]:
        return begin(state, base, now)
    return FIRST if state[base + WAITING] == 1 else WAIT


@machine("network")
def joined(state: NDArray, base: int, packets: int) -> int:
    """The buffer that comes next has `packets` in it, all of which the driver counts. Returns 0."""
    state[base + PACKETS] += packets - 1
    return 0


@machine("network", word=BATCH)
def gathering(state: NDArray, base: int) -> int:
    """Number of the batch that gathers."""
    return state[base + BATCH]


@machine("network")
def longest(state: NDArray, base: int, now: int) -> int:
    """Time in ps for which a batch gathers at most, if no more packets come."""
    delay = state[base + MODERATION + moderation.DELAY]
    if state[base + COUNTS_FROM] == c.FROM_FIRST:
        return delay
    begun = state[base + LATEST] if state[base + COUNTS_FROM] == c.FROM_LAST else state[base + EVENT]
    return max(begun + delay - now, 0)


@machine("network")
def longer(state: NDArray, base: int, now: int, batch: int) -> int:
    """Time for which batch `batch` still gathers, as more packets have come; 0: no longer."""
    if state[base + RUNNING] or state[base + BATCH] != batch:
        return 0
    return max(state[base + LATEST] + state[base + MODERATION + moderation.DELAY] - now, 0)


@machine("network")
def expire(state: NDArray, base: int, now: int, batch: int) -> int:
    """Batch `batch` has waited long enough: RAISE if it still gathers, else WAIT."""
    if state[base + RUNNING] or state[base + BATCH] != batch or state[base + WAITING] == 0:
        return WAIT
    return begin(state, base, now)


@machine("network")
def polled(state: NDArray, base: int) -> int:
    """A packet has been taken from the ring and dealt with: MORE may follow in this poll, or it ENDS."""
    if not state[base + RUNNING] or state[base + WAITING] < 1:
        return -1
    state[base + WAITING] -= 1
    state[base + POLLED] += 1
    state[base + TAKEN] += 1
    most = BUSY_WEIGHT if state[base + OWNED] else WEIGHT
    return ENDS if state[base + WAITING] == 0 or state[base + POLLED] >= most else MORE


@machine("network")
def hold(state: NDArray, base: int) -> int:
    """One more merged buffer waits for the end of the poll. Returns 0."""
    state[base + HELD] += 1
    return 0


@machine("network")
def flushed(state: NDArray, base: int) -> int:
    """Number of merged buffers that wait for the end of the poll, which is now."""
    held = state[base + HELD]
    state[base + HELD] = 0
    state[base + FULL] = 1 if state[base + POLLED] >= WEIGHT else 0
    taken = state[base + POLLED]
    state[base + POLLED] = 0
    state[base + POLLS] += 1
    if state[base + TIMEOUT]:
        _postpone(state, base, taken)
    return held


@shared
def _postpone(state: NDArray, base: int, taken: int) -> None:
    """A poll of `taken` packets is over: what the timer does. One that used up its budget gives up all buffers."""
    full = state[base + FULL]
    state[base + TIMED] = 0
    state[base + MASKED] = 0
    if full and state[base + WAITING] > 0:
        return
    if taken > 0 and not full:
        state[base + TIMED] = 1 if state[base + BUFFERS] > 0 else 0
        state[base + IDLE_LEFT] = state[base + DEFER]
    if state[base + IDLE_LEFT] > 0:
        state[base + IDLE_LEFT] -= 1
        state[base + TIMED] = 1
        state[base + MASKED] = 1


@machine("network")
def gather(state: NDArray, base: int) -> int:
    """One more buffer is being merged. Returns 0."""
    state[base + BUFFERS] += 1
    return 0


@machine("network")
def gathered(state: NDArray, base: int) -> int:
    """One of these buffers goes up. Returns 0; refuses if there is none."""
    if state[base + BUFFERS] < 1:
        return -1
    state[base + BUFFERS] -= 1
    return 0


@machine("network")
def stays(state: NDArray, base: int, now: int, begun: int) -> int:
    """1 if a buffer that was begun 1 ps before `begun` stays after the poll that ends now, else 0."""
    if state[base + FULL] or not state[base + TIMED]:
        return 0
    return 1 if (begun - 1) // JIFFY == now // JIFFY else 0


@machine("network")
def starts(state: NDArray, base: int, now: int) -> int:
    """The poll is over: 1 if it starts the timer, 0 if that has been started before, or is not wanted."""
    if not state[base + TIMED]:
        return 0
    state[base + TIMED] = 0
    state[base + DEADLINE] = now + state[base + TIMEOUT]
    if state[base + PENDING]:
        return 0
    state[base + PENDING] = 1
    return 1


@machine("network")
def rest(state: NDArray, base: int, now: int) -> int:
    """Time until the timer polls, which polls may have put off; 0: now."""
    if state[base + DEADLINE] > now:
        return state[base + DEADLINE] - now
    state[base + PENDING] = 0
    return 0


@machine("network")
def fires(state: NDArray, base: int, now: int) -> int:
    """The timer fires: 1 if it begins a poll, 0 if a softirq is at it."""
    if state[base + RUNNING] and not state[base + SLEEPS]:
        return 0
    state[base + RUNNING] = 1
    state[base + SLEEPS] = 0
    state[base + BATCH] += 1
    state[base + TIMERS] += 1
    state[base + TAKEN] = 0
    state[base + BEGAN] = now
    return 1


@machine("network")
def complete(state: NDArray, base: int, now: int) -> int:
    """The next step after a poll.

    AGAIN: another poll, as the budget was used up; YIELD: the same, after processes that want the core. Else the
    interrupt is armed. DONE: nothing waits; GATHERS: packets that have come since the poll wait for others; RAISED:
    they are enough for an interrupt. PROGRAM: a program polled, and goes on.
    """
    if state[base + OWNED]:
        return PROGRAM
    if state[base + FULL] and state[base + WAITING] > 0:
        if state[base + TAKEN] < BUDGET and now - state[base + BEGAN] < LONGEST:
            return AGAIN
        state[base + TAKEN] = 0
        state[base + OWED] = now - state[base + BEGAN]
        return YIELD
    if state[base + MASKED]:
        state[base + SLEEPS] = 1
        return DONE
    if state[base + ADAPTIVE]:
        moderation.sample(state, base + MODERATION, now, state[base + PACKETS], state[base + BYTES])
    return armed(state, base, now)


@machine("network")
def rested(state: NDArray, base: int, now: int, begun: int) -> int:
    """Processes had the core from `begun` on: 1 if they go on, 0 if the next packets have their turn.

    The scheduler gives both as much time (Linux, kernel/sched/fair.c), as long as a process wants the core.
    """
    state[base + OWED] -= now - begun
    if now > begun and state[base + OWED] > 0:
        return 1
    state[base + BEGAN] = now
    return 0


@shared
def armed(state: NDArray, base: int, now: int) -> int:
    """The driver asks for an interrupt again: DONE, GATHERS or RAISED, by what waits."""
    state[base + RUNNING] = 0
    if state[base + WAITING] == 0:
        return DONE
    if state[base + WAITING] >= state[base + MODERATION + moderation.COUNT]:
        begin(state, base, now)
        return RAISED
    return GATHERS


@machine("network")
def take_over(state: NDArray, base: int) -> int:
    """A program begins to poll, and there are no interrupts: 1, or 0 if a softirq is at it."""
    if state[base + RUNNING]:
        return 0
    state[base + RUNNING] = 1
    state[base + OWNED] = 1
    state[base + BATCH] += 1
    return 1


@machine("network", word=WAITING)
def waiting(state: NDArray, base: int) -> int:
    """Packets in the ring."""
    return state[base + WAITING]


@machine("network")
def give_up(state: NDArray, base: int, now: int) -> int:
    """The program polls no more: what follows, as of `complete`. Refuses if none polled."""
    if not state[base + OWNED]:
        return -1
    state[base + OWNED] = 0
    return armed(state, base, now)


@machine("network")
def sent(state: NDArray, base: int, now: int) -> int:
    """One more buffer has been sent: RAISE an interrupt, FIRST of those that gather for one, or WAIT."""
    state[base + SENT] += 1
    if state[base + SENT] == 1:
        state[base + SENT_FIRST] = now
    if state[base + RUNNING]:
        return WAIT
    if state[base + SENT] >= state[base + SENT_COUNT]:
        return begin(state, base, now)
    return sent_late(state, base)


@shared
def sent_late(state: NDArray, base: int) -> int:
    """FIRST if completions wait, and their delay is not under way, else WAIT."""
    if state[base + RUNNING] or state[base + SENT] == 0 or state[base + SENT_PENDING]:
        return WAIT
    state[base + SENT_PENDING] = 1
    return FIRST


@machine("network")
def sent_since(state: NDArray, base: int) -> int:
    """The driver has asked for an interrupt: FIRST if completions have come since the poll, else WAIT."""
    return sent_late(state, base)


@machine("network")
def sent_rest(state: NDArray, base: int, now: int) -> int:
    """Time until the adapter interrupts for completions; 0: now, or a poll found them, or will."""
    rest = state[base + SENT_FIRST] + state[base + SENT_DELAY] - now
    if not state[base + RUNNING] and state[base + SENT] > 0 and rest > 0:
        return rest
    state[base + SENT_PENDING] = 0
    return 0


@machine("network")
def sent_expire(state: NDArray, base: int, now: int) -> int:
    """The delay is over: RAISE if completions have waited for it, else WAIT."""
    if state[base + RUNNING] or state[base + SENT] == 0:
        return WAIT
    return begin(state, base, now)


@machine("network")
def found(state: NDArray, base: int) -> int:
    """A poll finds this many completions of buffers that were sent."""
    count = state[base + SENT]
    state[base + SENT] = 0
    return count
