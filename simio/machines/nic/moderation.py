"""Adaptive interrupt moderation as Linux has it: a search among five profiles by what the last samples were like.

A sample is 64 interrupts long. The search goes on in its direction while a sample is better than the one before:
more packets a second by a tenth, or as many with fewer interrupts; else it turns. It rests where both neighbours are
worse, until the load changes, or after ten steps for as many samples (Linux, lib/dim/net_dim.c, include/linux/dim.h).
"""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.nic import layout as c
from simio.machines.shared import shared

EVENTS = 64
"""Interrupts of a sample (DIM_NEVENTS)."""
TOP, RESTING, RIGHT, LEFT = 0, 1, 2, 3
"""States of the search (DIM_PARKING_ON_TOP, DIM_PARKING_TIRED, DIM_GOING_RIGHT, DIM_GOING_LEFT)."""
WORSE, SAME, BETTER = 0, 1, 2
LAST = 4
"""The last profile."""
MICROSECOND = 1_000_000


@shared
def delay_of(profile: int) -> int:
    """Delay of a profile in ps (NET_DIM_RX_CQE_PROFILES)."""
    return (2 if profile == 0 else 4 << profile) * MICROSECOND


@shared
def count_of(profile: int) -> int:
    """Completions of a profile (NET_DIM_RX_CQE_PROFILES)."""
    return max(256 >> profile, 64)


@shared
def sample(state: NDArray, queue: int, now: int) -> int:
    """An interrupt has been served: end the sample after 64 of these; 1 if the profile changes, else 0."""
    state[queue + c.EVENTS] += 1
    spent = (now - state[queue + c.SINCE]) // MICROSECOND
    if state[queue + c.EVENTS] < EVENTS or spent == 0:
        return 0
    packets = state[queue + c.TAKEN] - state[queue + c.SINCE_TAKEN]
    before = state[queue + c.PROFILE]
    _decide(state, queue, -(-packets * 1000 // spent), -(-EVENTS * 1000 // spent))
    state[queue + c.EVENTS] = 0
    state[queue + c.SINCE] = now
    state[queue + c.SINCE_TAKEN] = state[queue + c.TAKEN]
    if state[queue + c.PROFILE] == before:
        return 0
    state[queue + c.OWN_DELAY] = delay_of(state[queue + c.PROFILE])
    state[queue + c.OWN_COUNT] = count_of(state[queue + c.PROFILE])
    return 1


@shared
def _decide(state: NDArray, queue: int, packets: int, events: int) -> None:
    """A sample with so many packets and interrupts a ms: the next state of the search."""
    tune = state[queue + c.TUNE]
    found = _compared(state, queue, packets, events)
    if tune == TOP:
        if found != SAME:
            _leave(state, queue)
    elif tune == RESTING:
        state[queue + c.TIRED] -= 1
        if state[queue + c.TIRED] == 0:
            _leave(state, queue)
    else:
        if found != BETTER:
            _turn(state, queue)
        if _is_top(state, queue) == 1:
            _park(state, queue)
        else:
            _step(state, queue)
    if tune != TOP or state[queue + c.TUNE] != TOP:
        state[queue + c.PACKET_RATE] = packets
        state[queue + c.EVENT_RATE] = events


@shared
def _compared(state: NDArray, queue: int, packets: int, events: int) -> int:
    """A sample beside the one before: differences count from a tenth on."""
    known = state[queue + c.PACKET_RATE]
    if known == 0:
        return BETTER if packets > 0 else SAME
    if 100 * abs(packets - known) // known > 10:
        return BETTER if packets > known else WORSE
    known = state[queue + c.EVENT_RATE]
    if known > 0 and 100 * abs(events - known) // known > 10:
        return BETTER if events < known else WORSE
    return SAME


@shared
def _turn(state: NDArray, queue: int) -> None:
    """Go on in the other direction."""
    if state[queue + c.TUNE] == RIGHT:
        state[queue + c.TUNE] = LEFT
        state[queue + c.STEPS_LEFT] = 0
    else:
        state[queue + c.TUNE] = RIGHT
        state[queue + c.STEPS_RIGHT] = 0


@shared
def _is_top(state: NDArray, queue: int) -> int:
    """1 if the search came here from one side and has just been to the other, else 0."""
    right, left = state[queue + c.STEPS_RIGHT], state[queue + c.STEPS_LEFT]
    if state[queue + c.TUNE] == RIGHT:
        return 1 if left > 1 and right == 1 else 0
    return 1 if right > 1 and left == 1 else 0


@shared
def _leave(state: NDArray, queue: int) -> None:
    """Begin to search again."""
    state[queue + c.TUNE] = LEFT if state[queue + c.PROFILE] > 0 else RIGHT
    _move(state, queue)


@shared
def _park(state: NDArray, queue: int) -> None:
    """Stay until the load changes."""
    state[queue + c.STEPS_RIGHT] = 0
    state[queue + c.STEPS_LEFT] = 0
    state[queue + c.TIRED] = 0
    state[queue + c.TUNE] = TOP


@shared
def _step(state: NDArray, queue: int) -> None:
    """A step on, or a rest at an end or after ten steps."""
    if state[queue + c.TIRED] == 2 * (LAST + 1):
        state[queue + c.STEPS_RIGHT] = 0
        state[queue + c.STEPS_LEFT] = 0
        state[queue + c.TUNE] = RESTING
    elif _move(state, queue) == 0:
        _park(state, queue)


@shared
def _move(state: NDArray, queue: int) -> int:
    """To the next profile in the direction of the search: 1, or 0 where there is none."""
    if state[queue + c.TIRED] == 2 * (LAST + 1):
        return 0
    if state[queue + c.TUNE] == RIGHT:
        if state[queue + c.PROFILE] == LAST:
            return 0
        state[queue + c.PROFILE] += 1
        state[queue + c.STEPS_RIGHT] += 1
    else:
        if state[queue + c.PROFILE] == 0:
            return 0
        state[queue + c.PROFILE] -= 1
        state[queue + c.STEPS_LEFT] += 1
    state[queue + c.TIRED] += 1
    return 1
