"""The adapter: packets from the line into rings, and packets from rings to the line, over one link to the host.

It is brought up to the present whenever a driver looks at it, transfer by transfer in the order in which these are
ready. What a transfer finds, such as a posted buffer, is what drivers have done until it begins; a transfer that
would begin later waits for the next look. So the result is that of an event for each, at a look for many of them.
"""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.nic import layout as c
from simio.machines.nic.cache import use
from simio.machines.shared import shared


@shared
def queue_of(state: NDArray, base: int, flow: int) -> int:
    """Offset of the queue that a flow's packets go to."""
    number = state[base + state[base + c.FLOW_AT] + flow]
    return base + state[base + c.QUEUE_AT] + number * state[base + c.QUEUE_SIZE]


@shared
def advance(state: NDArray, base: int, now: int) -> int:
    """Bring the adapter up to `now`: every transfer that has begun by then."""
    while True:
        inward = c.NEVER
        if state[base + c.LEFT] > 0:
            inward = max(state[base + c.NEXT] + state[base + c.INWARD], state[base + c.PIPE_FREE])
        outward = c.NEVER
        at = base
        if state[base + c.SEND_HEAD] < state[base + c.SEND_TAIL]:
            at = base + state[base + c.SEND_AT]
            at += state[base + c.SEND_HEAD] % state[base + c.SEND_ROOM] * c.SEND_WORDS
            outward = state[at + c.READY]
        ready = min(inward, outward)
        begin = max(ready, state[base + c.UP_FREE])
        if begin > now:
            return 0
        if inward <= outward:
            _receive(state, base, begin)
        else:
            _send(state, base, at, begin)


@shared
def _receive(state: NDArray, base: int, begin: int) -> None:
    """The next packet of the line, whose transfer would begin at `begin`, or which is dropped."""
    came = state[base + c.NEXT]
    state[base + c.PIPE_FREE] = max(came + state[base + c.INWARD], state[base + c.PIPE_FREE]) + state[base + c.PIPE]
    queue = queue_of(state, base, state[base + c.FLOW])
    pass_line(state, base)
    kept = state[base + c.KEPT]
    done = base + state[base + c.DONE_AT] + kept % state[base + c.ROOM]
    if state[done] > came:
        state[base + c.NO_ROOM] += 1
        return
    state[base + c.KEPT] = kept + 1
    filled = state[queue + c.FILLED]
    if filled == state[queue + c.POSTED]:
        state[base + c.NO_BUFFER] += 1
        state[done] = begin
        return
    time = state[base + c.DATA]
    if filled % state[base + c.DESCRIPTORS] == 0:
        time += state[base + c.ASK]
        state[base + c.DOWN_FREE] = max(state[base + c.DOWN_FREE], begin) + state[base + c.BRING]
        state[base + c.DOWN_BUSY] += state[base + c.BRING]
    session = state[base + c.SESSION]
    if session == 0:
        time += state[base + c.COMPLETION]
    else:
        if state[queue + c.IN_SESSION] == 0:
            time += 2 * state[base + c.COMPLETION]
        state[queue + c.IN_SESSION] = (state[queue + c.IN_SESSION] + 1) % session
    state[base + c.UP_FREE] = begin + time
    state[base + c.UP_BUSY] += time
    state[done] = begin + time
    row = filled % state[base + c.RING]
    state[base + state[queue + c.SEEN_AT] + row] = begin + time + state[base + c.VISIBLE]
    state[base + state[queue + c.CAME_AT] + row] = came
    state[queue + c.FILLED] = filled + 1
    if state[base + c.SETS] > 0:
        use(state, base, state[base + state[queue + c.PAGE_AT] + row], state[base + c.DEVICE_WAYS])


@shared
def pass_line(state: NDArray, base: int) -> None:
    """The next packet has come off the line; the one after it follows at once, or after the pause between bursts."""
    state[base + c.CAME] += 1
    state[base + c.LEFT] -= 1
    state[base + c.PLACE] += 1
    gap = state[base + c.INNER]
    if state[base + c.PLACE] == state[base + c.BURST]:
        state[base + c.PLACE] = 0
        rest = state[base + c.NEXT_REST] + state[base + c.GAP_REST]
        gap = state[base + c.GAP]
        if rest >= state[base + c.GAP_PARTS]:
            rest -= state[base + c.GAP_PARTS]
            gap += 1
        state[base + c.NEXT_REST] = rest
    state[base + c.NEXT] += gap
    flow = state[base + c.FLOW] + 1
    if flow == state[base + c.FLOWS]:
        flow = 0
    state[base + c.FLOW] = flow


@shared
def _send(state: NDArray, base: int, at: int, begin: int) -> None:
    """The adapter asks for a packet to send; with the last one of a doorbell it writes a completion."""
    up = state[base + c.SEND_ASK]
    bring = state[base + c.SEND_BRING]
    come = max(state[base + c.DOWN_FREE], begin + up + state[base + c.FETCH_ROUND]) + bring
    state[base + c.DOWN_FREE] = come
    state[base + c.DOWN_BUSY] += bring
    gone = max(state[base + c.WIRE_FREE], come) + state[base + c.FRAME]
    state[base + c.WIRE_FREE] = gone
    bell = state[at + c.LAST_OF]
    if bell >= 0:
        up += state[base + c.COMPLETION]
        queue = state[at + c.OF_QUEUE]
        row = bell % state[base + c.SEND_RING]
        state[base + state[queue + c.BELL_TIME_AT] + row] = max(begin + up, gone) + state[base + c.VISIBLE]
    state[base + c.UP_FREE] = begin + up
    state[base + c.UP_BUSY] += up
    state[base + c.SEND_HEAD] += 1
    record(state, base, state[base + c.SEND_HEAD], state[at + c.ARRIVED], gone + state[base + c.OUTWARD])


@shared
def record(state: NDArray, base: int, number: int, came: int, end: int) -> None:
    """Keep the time of a packet, its `number` counting from the start, if it is one of the sample.

    A generator reads its clock when it has taken the packet, and takes one after another.
    """
    taken = end + state[base + c.STAMPS]
    if state[base + c.STAMP] > 0:
        taken = max(taken, state[base + c.STAMPED]) + state[base + c.STAMP]
        state[base + c.STAMPED] = taken
    if number % state[base + c.SAMPLE] == 0:
        state[base + state[base + c.TIMES_AT] + state[base + c.TIME_TAIL] % c.TIMES] = taken - came
        state[base + c.TIME_TAIL] += 1
