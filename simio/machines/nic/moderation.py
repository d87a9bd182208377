"""Adaptive interrupt moderation as Linux has it: a search among five profiles by what the last samples were like.

A sample is 64 interrupts long, whatever else begins polls; it ends with a poll after which the driver asks for the
next one (Linux, mlx5/core/en_txrx.c: mlx5e_completion_event, mlx5e_napi_poll). The search goes on in its direction
while a sample is better than the one before: more bytes a second by a tenth, or as many in more packets, or as many
of both with fewer interrupts; else it turns. It rests where both neighbours are worse, until the load changes, or
after ten steps for as many samples (Linux, lib/dim/net_dim.c, include/linux/dim.h).
"""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.layout import Layout
from simio.machines.shared import shared

WORDS = Layout("moderation")
COUNT = WORDS.word("own_count", "completions", initial=1, about="after which the queue interrupts")
DELAY = WORDS.word("own_delay", "ps", about="after which it interrupts")
SEEN = WORDS.word("events", about="interrupts since the driver's sample of the load began")
SINCE = WORDS.word("since", "ps", about="when that began")
SINCE_PACKETS = WORDS.word("since_packets", "packets", about="that had been taken then")
SINCE_BYTES = WORDS.word("since_bytes", "bytes", about="of these")
BYTE_RATE = WORDS.word("byte_rate", "bytes/ms", about="of the sample before")
PACKET_RATE = WORDS.word("packet_rate", "packets/ms", about="of the sample before")
EVENT_RATE = WORDS.word("event_rate", "1/ms", about="interrupts of the sample before")
TABLE = WORDS.word("table", about="of profiles: of the delay from the last completion, or from the interrupt before")
PROFILE = WORDS.word("profile", initial=1, about="row of that table")
TUNE = WORDS.word("tune", about="state of the search among profiles")
STEPS_RIGHT = WORDS.word("steps_right")
STEPS_LEFT = WORDS.word("steps_left")
TIRED = WORDS.word("tired", about="steps until it rests")

EVENTS = 64
"""Interrupts of a sample (DIM_NEVENTS)."""
TOP, RESTING, RIGHT, LEFT = 0, 1, 2, 3
"""States of the search (DIM_PARKING_ON_TOP, DIM_PARKING_TIRED, DIM_GOING_RIGHT, DIM_GOING_LEFT)."""
WORSE, SAME, BETTER = 0, 1, 2
LAST = 4
"""The last profile."""
FROM_LAST, FROM_EVENT = 0, 1
"""Tables of profiles (NET_DIM_RX_CQE_PROFILES, NET_DIM_RX_EQE_PROFILES)."""
TABLES = {"last": FROM_LAST, "event": FROM_EVENT}
MICROSECOND = 1_000_000


@shared
def delay_of(table: int, profile: int) -> int:
    """Delay of a profile in ps."""
    if table == FROM_EVENT:
        return (1 if profile == 0 else 8 if profile == 1 else 16 << profile) * MICROSECOND
    return (2 if profile == 0 else 4 << profile) * MICROSECOND


@shared
def count_of(table: int, profile: int) -> int:
    """Completions of a profile."""
    return 256 if table == FROM_EVENT else max(256 >> profile, 64)


@shared
def interrupted(state: NDArray, own: int) -> None:
    """The queue interrupts."""
    state[own + SEEN] += 1


@shared
def sample(state: NDArray, own: int, now: int, packets: int, size: int) -> int:
    """The driver asks for an interrupt: end the sample after 64 of these; 1 if the profile changes, else 0.

    `own` is where the words of the queue's moderation are, which has had so many packets and bytes in all.
    """
    spent = (now - state[own + SINCE]) // MICROSECOND
    if state[own + SEEN] < EVENTS or spent == 0:
        return 0
    before = state[own + PROFILE]
    came, length = packets - state[own + SINCE_PACKETS], size - state[own + SINCE_BYTES]
    _decide(state, own, -(-length * 1000 // spent), -(-came * 1000 // spent), -(-EVENTS * 1000 // spent))
    state[own + SEEN] = 0
    state[own + SINCE] = now
    state[own + SINCE_PACKETS] = packets
    state[own + SINCE_BYTES] = size
    if state[own + PROFILE] == before:
        return 0
    state[own + DELAY] = delay_of(state[own + TABLE], state[own + PROFILE])
    state[own + COUNT] = count_of(state[own + TABLE], state[own + PROFILE])
    return 1


@shared
def _decide(state: NDArray, own: int, size: int, packets: int, events: int) -> None:
    """A sample with so many bytes, packets and interrupts a ms: the next state of the search."""
    tune = state[own + TUNE]
    found = _compared(state, own, size, packets, events)
    if tune == TOP:
        if found != SAME:
            _leave(state, own)
    elif tune == RESTING:
        state[own + TIRED] -= 1
        if state[own + TIRED] == 0:
            _leave(state, own)
    else:
        if found != BETTER:
            _turn(state, own)
        if _is_top(state, own) == 1:
            _park(state, own)
        else:
            _step(state, own)
    if tune != TOP or state[own + TUNE] != TOP:
        state[own + BYTE_RATE] = size
        state[own + PACKET_RATE] = packets
        state[own + EVENT_RATE] = events


@shared
def _differ(value: int, known: int) -> bool:
    """True if two rates differ by more than a tenth."""
    return 100 * abs(value - known) // known > 10


@shared
def _compared(state: NDArray, own: int, size: int, packets: int, events: int) -> int:
    """A sample beside the one before: differences count from a tenth on."""
    known = state[own + BYTE_RATE]
    if known == 0:
        return BETTER if size > 0 else SAME
    if _differ(size, known):
        return BETTER if size > known else WORSE
    known = state[own + PACKET_RATE]
    if known == 0:
        return BETTER if packets > 0 else SAME
    if _differ(packets, known):
        return BETTER if packets > known else WORSE
    known = state[own + EVENT_RATE]
    if known > 0 and _differ(events, known):
        return BETTER if events < known else WORSE
    return SAME


@shared
def _turn(state: NDArray, own: int) -> None:
    """Go on in the other direction."""
    if state[own + TUNE] == RIGHT:
        state[own + TUNE] = LEFT
        state[own + STEPS_LEFT] = 0
    else:
        state[own + TUNE] = RIGHT
        state[own + STEPS_RIGHT] = 0


@shared
def _is_top(state: NDArray, own: int) -> int:
    """1 if the search came here from one side and has just been to the other, else 0."""
    right, left = state[own + STEPS_RIGHT], state[own + STEPS_LEFT]
    if state[own + TUNE] == RIGHT:
        return 1 if left > 1 and right == 1 else 0
    return 1 if right > 1 and left == 1 else 0


@shared
def _leave(state: NDArray, own: int) -> None:
    """Begin to search again."""
    state[own + TUNE] = LEFT if state[own + PROFILE] > 0 else RIGHT
    _move(state, own)


@shared
def _park(state: NDArray, own: int) -> None:
    """Stay until the load changes."""
    state[own + STEPS_RIGHT] = 0
    state[own + STEPS_LEFT] = 0
    state[own + TIRED] = 0
    state[own + TUNE] = TOP


@shared
def _step(state: NDArray, own: int) -> None:
    """A step on, or a rest at an end or after ten steps."""
    if state[own + TIRED] == 2 * (LAST + 1):
        state[own + STEPS_RIGHT] = 0
        state[own + STEPS_LEFT] = 0
        state[own + TUNE] = RESTING
    elif _move(state, own) == 0:
        _park(state, own)


@shared
def _move(state: NDArray, own: int) -> int:
    """Go to the next profile in the direction of the search: 1, or 0 where there is none."""
    if state[own + TIRED] == 2 * (LAST + 1):
        return 0
    if state[own + TUNE] == RIGHT:
        if state[own + PROFILE] == LAST:
            return 0
        state[own + PROFILE] += 1
        state[own + STEPS_RIGHT] += 1
    else:
        if state[own + PROFILE] == 0:
            return 0
        state[own + PROFILE] -= 1
        state[own + STEPS_LEFT] += 1
    state[own + TIRED] += 1
    return 1
