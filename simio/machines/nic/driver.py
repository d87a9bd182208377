"""The driver of a queue: interrupts that wait for company, polls with a budget, buffers and doorbells.

An interrupt comes when so many completions have been written since the driver asked for one, or so long after the
first of them, the last of them or the interrupt before. It starts polls of at most 64 packets (Linux,
include/linux/netdevice.h, NAPI_POLL_WEIGHT), one after another until one finds fewer; then the driver asks for an
interrupt again. At the end of a poll it posts the buffers that it has back, and rings a doorbell for what it has to
send. A driver in user space polls for ever.
"""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.door import machine
from simio.machines.nic import layout as c
from simio.machines.nic import moderation, rings
from simio.machines.nic.adapter import advance, queue_of, record
from simio.machines.nic.cache import use
from simio.machines.shared import shared

NEXT_FLOWS = 64
"""Packets ahead on the line among which the next of a queue is looked for."""


@shared
def _start(state: NDArray, base: int, number: int) -> int:
    """Offset of a queue by its number."""
    return base + state[base + c.QUEUE_AT] + number * state[base + c.QUEUE_SIZE]


@shared
def _span(state: NDArray, base: int, place: int, packets: int) -> int:
    """Time from a packet of the line to one so many behind it, if `place` of its burst have come before it."""
    pauses = (place + packets) // state[base + c.BURST]
    return pauses * state[base + c.GAP] + (packets - pauses) * state[base + c.INNER]


@shared
def _next(state: NDArray, base: int, queue: int) -> int:
    """The earliest instant at which a packet that is still on the line can be seen in a queue."""
    if state[base + c.LEFT] == 0:
        return c.NEVER
    flow = state[base + c.FLOW]
    ahead = 0
    for _ in range(NEXT_FLOWS):
        if queue_of(state, base, flow) == queue or ahead + 1 == state[base + c.LEFT]:
            break
        ahead += 1
        flow += 1
        if flow == state[base + c.FLOWS]:
            flow = 0
    came = state[base + c.NEXT] + _span(state, base, state[base + c.PLACE], ahead) + state[base + c.INWARD]
    return max(came, state[base + c.UP_FREE]) + state[base + c.DATA] + state[base + c.VISIBLE]


@shared
def _seen(state: NDArray, base: int, queue: int, number: int) -> int:
    """The instant from which a packet that has been written to a ring can be seen."""
    return state[base + state[queue + c.SEEN_AT] + number % state[base + c.RING]]


@shared
def _due(state: NDArray, base: int, queue: int, delay: int) -> int:
    """The instant of the interrupt of a queue in which packets wait, if no others come."""
    armed = state[queue + c.ARMED]
    first = _seen(state, base, queue, state[queue + c.TAKEN])
    if state[base + c.COUNTS_FROM] == c.FROM_FIRST:
        return max(first, armed) + delay
    if state[base + c.COUNTS_FROM] == c.FROM_LAST:
        return max(_seen(state, base, queue, state[queue + c.FILLED] - 1) + delay, armed)
    return max(first, armed, state[queue + c.EVENT] + delay)


@machine("nic")
def asleep(state: NDArray, base: int, now: int, number: int) -> int:
    """Time until the interrupt of a queue, or until it is known better when that comes; 0: it comes now.

    2**62 stands for none: the line has no more packets, and the queue has none.
    """
    advance(state, base, now)
    queue = _start(state, base, number)
    first = state[queue + c.TAKEN]
    waiting = state[queue + c.FILLED] - first
    if waiting == 0:
        coming = _next(state, base, queue)
        return c.NEVER if coming == c.NEVER else max(coming - now, 1)
    own = queue + c.MODERATION
    count = state[own + moderation.COUNT]
    due = _due(state, base, queue, state[own + moderation.DELAY])
    if waiting < count and state[base + c.COUNTS_FROM] == c.FROM_LAST:
        coming = _next(state, base, queue)
        if coming < due:
            return max(coming - now, 1)
    if waiting >= count:
        due = min(due, max(_seen(state, base, queue, first + count - 1), state[queue + c.ARMED]))
    else:
        coming = _next(state, base, queue)
        if coming < c.NEVER:
            coming += _span(state, base, 0, count - waiting - 1)
            due = min(due, max(coming, now + 1))
            if due == coming:
                return due - now
    return max(due - now, 0)


@machine("nic")
def wake(state: NDArray, base: int, now: int, number: int) -> int:
    """An interrupt comes: time until the core of the queue runs, which was idle."""
    queue = _start(state, base, number)
    idle = now - state[queue + c.IDLE]
    state[queue + c.PHASE] = c.ASLEEP
    state[queue + c.EVENT] = now
    return state[base + c.LONG_EXIT] if idle >= state[base + c.LONG] else state[base + c.EXIT]


@machine("nic")
def work(state: NDArray, base: int, now: int, number: int) -> int:
    """Time of the next work of a queue's core; 0: it is done until the next interrupt."""
    advance(state, base, now)
    queue = _start(state, base, number)
    if state[queue + c.PHASE] == c.ASLEEP:
        time = _begin(state, base, queue, now)
    else:
        ready = _ready(state, base, queue, now)
        if ready > 0:
            time = _take(state, base, queue, now, ready)
        elif state[queue + c.BUDGET_LEFT] == 0 or state[base + c.POLLS] == 1:
            time = _again(state, base, queue, now)
        else:
            return _end(state, base, queue, now)
    time = _clocked(state, base, queue, now, time)
    state[queue + c.WORKED] += time // 1000
    return time


@shared
def _clocked(state: NDArray, base: int, queue: int, now: int, time: int) -> int:
    """Time that the core takes at its clock for what takes `time` at the full one.

    Each period a clock is chosen of which four fifths would have been busy; half way there, if that is slower (Linux,
    drivers/cpufreq/intel_pstate.c, get_target_pstate). The first period ends after a tenth of it.
    """
    if state[base + c.LEAST] == 1000:
        return time
    past = now - state[queue + c.CHOSEN]
    if past >= state[base + c.PERIOD] or (state[queue + c.CHOSEN] == 0 and 10 * past >= state[base + c.PERIOD]):
        before = state[queue + c.CLOCK]
        clock = min(max(1250 * (state[queue + c.BUSY] // 1000) // (past // 1000), state[base + c.LEAST]), 1000)
        state[queue + c.CLOCK] = clock if clock > before else (clock + before) // 2
        state[queue + c.CHOSEN] = now
        state[queue + c.BUSY] = 0
    time = time * 1000 // state[queue + c.CLOCK]
    state[queue + c.BUSY] += time
    return time


@shared
def _begin(state: NDArray, base: int, queue: int, now: int) -> int:
    """The interrupt, and the first poll."""
    time = state[base + c.POLL]
    if state[base + c.POLLS] == 0:
        state[base + c.INTERRUPTS] += 1
        moderation.interrupted(state, queue + c.MODERATION)
        time += state[base + c.START]
        if now - state[queue + c.IDLE] >= state[base + c.LONG]:
            time += state[base + c.LONG_COLD]
    state[queue + c.PHASE] = c.AWAKE
    state[queue + c.BUDGET_LEFT] = state[base + c.BUDGET]
    rings.reap(state, base, queue, now)
    return time


@shared
def _ready(state: NDArray, base: int, queue: int, now: int) -> int:
    """Packets that the present poll can take at once, up to a doorbell."""
    first = state[queue + c.TAKEN]
    most = min(state[queue + c.BUDGET_LEFT], state[queue + c.FILLED] - first)
    if state[base + c.BATCH] > 0:
        most = min(most, state[base + c.BATCH] - state[queue + c.PREPARED])
    found = 0
    while found < most and _seen(state, base, queue, first + found) <= now:
        found += 1
    return found


@shared
def _take(state: NDArray, base: int, queue: int, now: int, packets: int) -> int:
    """Take packets: CPU time of these."""
    first = state[queue + c.TAKEN]
    own = state[base + c.PACKET]
    sends = state[base + c.SENDS] == 1
    spent = 0
    for taken in range(first, first + packets):
        row = taken % state[base + c.RING]
        page = state[base + state[queue + c.PAGE_AT] + row]
        spent += own
        if state[base + c.SETS] > 0:
            state[base + c.READ] += 1
            if use(state, base, page, state[base + c.WAYS]) == 0:
                state[base + c.MISSED] += 1
                spent += state[base + c.MISS]
        came = state[base + state[queue + c.CAME_AT] + row]
        if not sends:
            rings.give_back(state, base, queue, page)
            state[base + c.HANDLED] += 1
            record(state, base, state[base + c.HANDLED], came, now + spent)
        elif state[queue + c.SENT] + state[queue + c.PREPARED] - state[queue + c.REAPED] < state[base + c.SEND_RING]:
            place = (state[queue + c.SENT] + state[queue + c.PREPARED]) % state[base + c.SEND_RING]
            state[base + state[queue + c.SENT_PAGE_AT] + place] = page
            state[base + state[queue + c.SENT_CAME_AT] + place] = came
            state[queue + c.PREPARED] += 1
            state[base + c.HANDLED] += 1
        else:
            state[base + c.NO_PLACE] += 1
            rings.give_back(state, base, queue, page)
            state[queue + c.POLL_TOOK] -= 1
    time = spent
    if state[base + c.LINE] > 0:
        free = max(state[base + c.LINE_FREE], now) + packets * state[base + c.LINE]
        state[base + c.LINE_FREE] = free
        time = max(time + packets * state[base + c.LINE], free - now)
    state[queue + c.TAKEN] = first + packets
    state[queue + c.POLL_TOOK] += packets
    state[queue + c.BUDGET_LEFT] -= packets
    if state[base + c.BATCH] > 0 and state[queue + c.PREPARED] == state[base + c.BATCH]:
        time += state[base + c.BELL]
        rings.ring(state, base, queue, now + time)
    return time


@shared
def _again(state: NDArray, base: int, queue: int, now: int) -> int:
    """The end of a poll that goes on with another one; of a driver that polls for ever, at the next packet."""
    time = _finish(state, base, queue, now) + state[base + c.POLL]
    state[base + c.POLLED] += 1
    if state[queue + c.BUDGET_LEFT] == 0:
        state[base + c.FULL] += 1
    if state[base + c.POLLS] == 1 and state[queue + c.FILLED] == state[queue + c.TAKEN]:
        coming = _next(state, base, queue)
        if coming == c.NEVER:
            return 0
        time = max(time, coming - now)
    elif state[base + c.POLLS] == 1:
        time = max(time, _seen(state, base, queue, state[queue + c.TAKEN]) - now)
    state[queue + c.BUDGET_LEFT] = state[base + c.BUDGET]
    rings.reap(state, base, queue, now)
    return time


@shared
def _end(state: NDArray, base: int, queue: int, now: int) -> int:
    """The end of a poll that found fewer packets than its budget: the driver asks for an interrupt."""
    time = _finish(state, base, queue, now)
    if time > 0:
        # The doorbell; what comes meanwhile is taken by the same poll.
        return time
    state[base + c.POLLED] += 1
    state[queue + c.PHASE] = c.ASLEEP
    state[queue + c.ARMED] = now
    state[queue + c.IDLE] = now
    if state[base + c.ADAPTIVE] == 1:
        # All frames are alike, so that their number stands for their bytes.
        taken = state[queue + c.TAKEN]
        moderation.sample(state, queue + c.MODERATION, now, taken, taken)
    return 0


@shared
def _finish(state: NDArray, base: int, queue: int, now: int) -> int:
    """Ring the doorbell, post buffers, and count the packets of a poll; CPU time of the doorbell."""
    time = 0
    if state[queue + c.PREPARED] > 0:
        time = state[base + c.BELL]
        rings.ring(state, base, queue, now + time)
    rings.post(state, base, queue)
    state[queue + c.FINISHED] += state[queue + c.POLL_TOOK]
    state[queue + c.POLL_TOOK] = 0
    return time


@machine("nic")
def finished(state: NDArray, base: int, number: int) -> int:
    """Packets of a queue's polls that are over, which have not been asked for before."""
    queue = _start(state, base, number)
    packets = state[queue + c.FINISHED]
    state[queue + c.FINISHED] = 0
    return packets


@machine("nic")
def recorded(state: NDArray, base: int) -> int:
    """The next recorded time of a packet, or 0 if there is none."""
    head = state[base + c.TIME_HEAD]
    if head == state[base + c.TIME_TAIL]:
        return 0
    state[base + c.TIME_HEAD] = max(head, state[base + c.TIME_TAIL] - c.TIMES) + 1
    return state[base + state[base + c.TIMES_AT] + (state[base + c.TIME_HEAD] - 1) % c.TIMES]


@machine("nic")
def used_up(state: NDArray, base: int) -> int:
    """Time for which the link's direction to the host carried packets since this was asked last."""
    time = state[base + c.UP_BUSY]
    state[base + c.UP_BUSY] = 0
    return time


@machine("nic")
def used_down(state: NDArray, base: int) -> int:
    """The same of the direction to the adapter."""
    time = state[base + c.DOWN_BUSY]
    state[base + c.DOWN_BUSY] = 0
    return time
