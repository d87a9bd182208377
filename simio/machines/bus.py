"""A bus that several devices use burst by burst, in turns: when each of their transfers is done.

Whoever has asked for the bus gets it for a burst, and then stands behind all others that have asked: round robin,
which is the order of arrival of bursts. The bus is never idle while there is work. A transfer of n bytes takes for
its first m bursts

    T(m) = ceil((ceil(min(m * burst, n) / width) + m * overhead) * period)

from the moment that it has the bus alone. When it is done among others follows from counting rounds, in closed form:
so a transfer costs no event a burst, only one more look for each time that others have come meanwhile.
"""

from __future__ import annotations

from fractions import Fraction

from numpy.typing import NDArray

from simio.machines.door import machine
from simio.machines.shared import shared

WHOLE = 0
"""Whole ps of the clock's period; the rest is a fraction of PART / OF."""
PART = 1
OF = 2
WIDTH = 3
BURST = 4
ACTIVE = 5
"""Transfers that have bursts left; ORDER lists their places from the one whose burst is on the bus."""
BEGUN = 6
"""Instant at which the burst on the bus began."""
ORDER = 7
PLACES = 128
"""Transfers that take turns at once; what comes beyond them waits for the bus as a whole."""
FULL = 256
AMOUNT = 135
"""Of each place: bytes in all, zero while the place is free."""
DONE = 263
"""Of each place: bursts done."""
OVERHEAD = 391
"""Of each place: clocks beside its data that each burst takes."""
MOST_CLOCKS = 519
"""Clocks of the longest transfer that can be reckoned."""
SIZE = 520
LATEST = 9 * 10**18
"""Last instant in ps (104 days) at which a bus can be asked, so that what it answers stays below 2**63."""
LONGEST = 10**16
"""Longest transfer in ps, so that the sum of those that take turns stays below 2**63."""


def initial(period: Fraction, width: int, burst: int) -> list[int]:
    """Initial state of a bus: `period` of its clock in ps, `width` and `burst` in bytes."""
    whole, part = divmod(period.numerator, period.denominator)
    state = [0] * SIZE
    state[WHOLE], state[PART], state[OF], state[WIDTH], state[BURST] = (
        whole, part, period.denominator, width, burst,
    )  # fmt: skip
    state[MOST_CLOCKS] = min(LONGEST // (whole + 1), LATEST // period.denominator)
    return state


@shared
def bursts_of(state: NDArray, base: int, place: int) -> int:
    """Bursts of the transfer at a place."""
    burst = state[base + 4]
    return (state[base + 135 + place] + burst - 1) // burst


@shared
def time_of(state: NDArray, base: int, place: int, bursts: int) -> int:
    """T of the first `bursts` bursts of the transfer at a place, in ps."""
    amount = min(bursts * state[base + 4], state[base + 135 + place])
    width = state[base + 3]
    clocks = (amount + width - 1) // width + bursts * state[base + 391 + place]
    of = state[base + 2]
    return clocks * state[base] + (clocks * state[base + 1] + of - 1) // of


@shared
def more(state: NDArray, base: int, place: int, bursts: int) -> int:
    """Time of the next `bursts` bursts of a place, or of those that are left, in ps."""
    done = state[base + 263 + place]
    time = time_of(state, base, place, min(done + bursts, bursts_of(state, base, place)))
    return time - time_of(state, base, place, done) if done > 0 else time


@shared
def rounds_time(state: NDArray, base: int, rounds: int) -> int:
    """Time of `rounds` rounds in which each transfer that has bursts left gets one, in ps."""
    total = 0
    for at in range(state[base + 5]):
        total += more(state, base, state[base + 7 + at], rounds)
    return total


@shared
def serve(state: NDArray, base: int, rounds: int) -> None:
    """Let so many rounds pass; who is done leaves the order."""
    state[base + 6] += rounds_time(state, base, rounds)
    kept = 0
    for at in range(state[base + 5]):
        place = state[base + 7 + at]
        bursts = bursts_of(state, base, place)
        state[base + 263 + place] = min(state[base + 263 + place] + rounds, bursts)
        if state[base + 263 + place] < bursts:
            state[base + 7 + kept] = place
            kept += 1
    state[base + 5] = kept


@shared
def serve_one(state: NDArray, base: int) -> None:
    """Let the burst that is on the bus pass; who has more stands behind all others."""
    place = state[base + 7]
    state[base + 6] += more(state, base, place, 1)
    state[base + 263 + place] += 1
    last = state[base + 5] - 1
    for at in range(last):
        state[base + 7 + at] = state[base + 7 + at + 1]
    if state[base + 263 + place] < bursts_of(state, base, place):
        state[base + 7 + last] = place
    else:
        state[base + 5] = last


@shared
def settle(state: NDArray, base: int, now: int) -> None:
    """Bring the state up to now: all bursts that have ended by now are done."""
    active = state[base + 5]
    if active == 0:
        return
    if active == 1:
        place = state[base + 7]
        bursts = bursts_of(state, base, place)
        time = more(state, base, place, bursts)
        if state[base + 6] + time <= now:
            state[base + 263 + place] = bursts
            state[base + 5] = 0
            return
    if state[base + 6] + more(state, base, state[base + 7], 1) > now:
        return
    low = 0
    high = 0
    for at in range(active):
        place = state[base + 7 + at]
        high = max(high, bursts_of(state, base, place) - state[base + 263 + place])
    while low < high:
        middle = (low + high + 1) // 2
        if state[base + 6] + rounds_time(state, base, middle) <= now:
            low = middle
        else:
            high = middle - 1
    serve(state, base, low)
    while state[base + 5] > 0 and state[base + 6] + more(state, base, state[base + 7], 1) <= now:
        serve_one(state, base)


@machine("parts")
def time_alone(state: NDArray, base: int, amount: int, overhead: int) -> int:
    """Time of a transfer of `amount` bytes that has the bus alone, with `overhead` clocks a burst, in ps."""
    if amount < 1 or amount > 2**40 or overhead < 0 or overhead > 2**20:
        return -1
    bursts = (amount - 1) // state[base + 4] + 1
    clocks = (amount - 1) // state[base + 3] + 1 + bursts * overhead
    if clocks > state[base + 519]:
        return -1
    of = state[base + 2]
    return clocks * state[base] + (clocks * state[base + 1] + of - 1) // of


@machine("parts")
def begin(state: NDArray, base: int, now: int, amount: int, overhead: int) -> int:
    """A transfer of `amount` bytes asks for the bus, with `overhead` clocks a burst.

    Returns its place, plus PLACES if the bus was idle; FULL if there is no place; -1 for what could not be reckoned.
    """
    if now > LATEST or amount < 1 or amount > 2**40 or overhead < 0 or overhead > 2**20:
        return -1
    bursts = (amount - 1) // state[base + 4] + 1
    if (amount - 1) // state[base + 3] + 1 + bursts * overhead > state[base + 519]:
        return -1
    settle(state, base, now)
    place = 0
    while place < PLACES and state[base + 135 + place] > 0:
        place += 1
    if place == PLACES:
        return FULL
    active = state[base + 5]
    state[base + 135 + place] = amount
    state[base + 263 + place] = 0
    state[base + 391 + place] = overhead
    state[base + 7 + active] = place
    state[base + 5] = active + 1
    if active == 0:
        state[base + 6] = now
        return PLACES + place
    return place


@machine("parts")
def rest(state: NDArray, base: int, now: int, answer: int) -> int:
    """Time in ps until the transfer to which `begin` gave this answer is done, if nobody else comes.

    Zero when it is done; its place is then free, and it must not be asked about again.
    """
    if now > LATEST or answer < 0 or answer > FULL:
        return -1
    if answer == FULL:
        return 0
    settle(state, base, now)
    place = answer % PLACES
    bursts = bursts_of(state, base, place)
    left = bursts - state[base + 263 + place]
    if left == 0:
        state[base + 135 + place] = 0
        return 0
    end = state[base + 6]
    turns = left
    for at in range(state[base + 5]):
        other = state[base + 7 + at]
        end += more(state, base, other, turns)
        if other == place:
            turns = left - 1
    return end - now


@machine("parts")
def stall(state: NDArray, base: int, now: int, time: int) -> int:
    """The bus has stood still for `time` ps until now, since memory served others; all bursts shift. Returns 0."""
    if now > LATEST or time < 0 or time > LONGEST:
        return -1
    if state[base + 5] > 0:
        state[base + 6] += time
    return 0
