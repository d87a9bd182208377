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
from simio.machines.layout import Layout, State
from simio.machines.shared import shared

PLACES = 128
"""Transfers that take turns at once; what comes beyond them waits for the bus as a whole."""
FULL = 2 * PLACES

WORDS = Layout("bus")
WHOLE = WORDS.word("whole", "ps", about="whole ps of the clock's period; the rest is the fraction PART / OF")
PART = WORDS.word("part")
OF = WORDS.word("of")
WIDTH = WORDS.word("width", "bytes")
BURST = WORDS.word("burst", "bytes")
ACTIVE = WORDS.word("active", "transfers", about="transfers that have bursts left")
BEGUN = WORDS.word("begun", "ps", about="when the burst on the bus began")
ORDER = WORDS.table("order", PLACES, about="places of the active transfers, from the one whose burst is on the bus")
AMOUNT = WORDS.table("amount", PLACES, "bytes", about="of each place: bytes in all, 0 while the place is free")
DONE = WORDS.table("done", PLACES, "bursts", about="of each place: bursts done")
OVERHEAD = WORDS.table("overhead", PLACES, "clocks", about="of each place: clocks beside its data that a burst takes")
BURSTS = WORDS.table("bursts", PLACES, "bursts", about="of each place: bursts in all")
ALONE = WORDS.table("alone", PLACES, "ps", about="of each place: time in all, had it the bus alone")
LASTING = WORDS.word("lasting", "ps", about="time of the transfer that asked last, had it the bus alone")
MOST_CLOCKS = WORDS.word("most_clocks", "clocks", about="clocks of the longest transfer that can be reckoned")


LATEST = 9 * 10**18
"""Last instant in ps (104 days) at which a bus can be asked, so that what it answers stays below 2**63."""
LONGEST = 10**16
"""Longest transfer in ps, so that the sum of those that take turns stays below 2**63."""


def initial(period: Fraction, width: int, burst: int) -> State:
    """Initial state of a bus: `period` of its clock in ps, `width` and `burst` in bytes."""
    whole, part = divmod(period.numerator, period.denominator)
    most = min(LONGEST // (whole + 1), LATEST // period.denominator)
    return WORDS.initial(whole=whole, part=part, of=period.denominator, width=width, burst=burst, most_clocks=most)


@shared
def clocked(state: NDArray, base: int, clocks: int) -> int:
    """Time of so many clocks in ps, rounded up."""
    of = state[base + OF]
    return clocks * state[base + WHOLE] + (clocks * state[base + PART] + of - 1) // of


@shared
def time_of(state: NDArray, base: int, place: int, bursts: int) -> int:
    """T of the first `bursts` bursts of the transfer at a place, in ps."""
    amount = min(bursts * state[base + BURST], state[base + AMOUNT + place])
    width = state[base + WIDTH]
    return clocked(state, base, (amount + width - 1) // width + bursts * state[base + OVERHEAD + place])


@shared
def more(state: NDArray, base: int, place: int, bursts: int) -> int:
    """Time of the next `bursts` bursts of a place, or of those that are left, in ps."""
    done = state[base + DONE + place]
    if done + bursts < state[base + BURSTS + place]:
        time = time_of(state, base, place, done + bursts)
    else:
        time = state[base + ALONE + place]
    return time - time_of(state, base, place, done) if done > 0 else time


@shared
def rounds_time(state: NDArray, base: int, rounds: int) -> int:
    """Time of `rounds` rounds in which each transfer that has bursts left gets one, in ps."""
    total = 0
    for at in range(state[base + ACTIVE]):
        total += more(state, base, state[base + ORDER + at], rounds)
    return total


@shared
def serve(state: NDArray, base: int, rounds: int) -> None:
    """Let so many rounds pass; who is done leaves the order."""
    state[base + BEGUN] += rounds_time(state, base, rounds)
    kept = 0
    for at in range(state[base + ACTIVE]):
        place = state[base + ORDER + at]
        bursts = state[base + BURSTS + place]
        state[base + DONE + place] = min(state[base + DONE + place] + rounds, bursts)
        if state[base + DONE + place] < bursts:
            state[base + ORDER + kept] = place
            kept += 1
    state[base + ACTIVE] = kept


@shared
def serve_one(state: NDArray, base: int) -> None:
    """Let the burst that is on the bus pass; who has more stands behind all others."""
    place = state[base + ORDER]
    state[base + BEGUN] += more(state, base, place, 1)
    state[base + DONE + place] += 1
    last = state[base + ACTIVE] - 1
    for at in range(last):
        state[base + ORDER + at] = state[base + ORDER + at + 1]
    if state[base + DONE + place] < state[base + BURSTS + place]:
        state[base + ORDER + last] = place
    else:
        state[base + ACTIVE] = last


@shared
def catch_up(state: NDArray, base: int, now: int) -> None:
    """Bring the state up to now: all bursts that have ended by now are done."""
    active = state[base + ACTIVE]
    if active == 0:
        return
    if active == 1:
        place = state[base + ORDER]
        bursts = state[base + BURSTS + place]
        time = more(state, base, place, bursts)
        if state[base + BEGUN] + time <= now:
            state[base + DONE + place] = bursts
            state[base + ACTIVE] = 0
            return
    if state[base + BEGUN] + more(state, base, state[base + ORDER], 1) > now:
        return
    low = 0
    high = 0
    for at in range(active):
        place = state[base + ORDER + at]
        high = max(high, state[base + BURSTS + place] - state[base + DONE + place])
    while low < high:
        middle = (low + high + 1) // 2
        if state[base + BEGUN] + rounds_time(state, base, middle) <= now:
            low = middle
        else:
            high = middle - 1
    serve(state, base, low)
    while state[base + ACTIVE] > 0 and state[base + BEGUN] + more(state, base, state[base + ORDER], 1) <= now:
        serve_one(state, base)


@machine("parts")
def begin(state: NDArray, base: int, now: int, amount: int, overhead: int) -> int:
    """A transfer of `amount` bytes asks for the bus, with `overhead` clocks a burst.

    Returns its place, plus PLACES if the bus was idle; FULL if there is no place; -1 for what could not be reckoned.
    """
    if now > LATEST or amount < 1 or amount > 2**40 or overhead < 0 or overhead > 2**20:
        return -1
    bursts = (amount - 1) // state[base + BURST] + 1
    clocks = (amount - 1) // state[base + WIDTH] + 1 + bursts * overhead
    if clocks > state[base + MOST_CLOCKS]:
        return -1
    time = clocked(state, base, clocks)
    state[base + LASTING] = time
    catch_up(state, base, now)
    place = 0
    while place < PLACES and state[base + AMOUNT + place] > 0:
        place += 1
    if place == PLACES:
        return FULL
    active = state[base + ACTIVE]
    state[base + AMOUNT + place] = amount
    state[base + DONE + place] = 0
    state[base + OVERHEAD + place] = overhead
    state[base + BURSTS + place] = bursts
    state[base + ALONE + place] = time
    state[base + ORDER + active] = place
    state[base + ACTIVE] = active + 1
    if active == 0:
        state[base + BEGUN] = now
        return PLACES + place
    return place


@machine("parts", word=LASTING)
def lasting(state: NDArray, base: int) -> int:
    """Time of the transfer that `begin` was asked for last, had it the bus alone, in ps."""
    return state[base + LASTING]


@machine("parts")
def rest(state: NDArray, base: int, now: int, answer: int) -> int:
    """Time in ps until the transfer to which `begin` gave this answer is done, if nobody else comes.

    Zero when it is done; its place is then free, and it must not be asked about again.
    """
    if now > LATEST or answer < 0 or answer > FULL:
        return -1
    if answer == FULL:
        return 0
    catch_up(state, base, now)
    place = answer % PLACES
    bursts = state[base + BURSTS + place]
    left = bursts - state[base + DONE + place]
    if left == 0:
        state[base + AMOUNT + place] = 0
        return 0
    end = state[base + BEGUN]
    turns = left
    for at in range(state[base + ACTIVE]):
        other = state[base + ORDER + at]
        end += more(state, base, other, turns)
        if other == place:
            turns = left - 1
    return end - now


@machine("parts")
def stall(state: NDArray, base: int, now: int, time: int) -> int:
    """The bus has stood still for `time` ps until now, since memory served others; all bursts shift. Returns 0."""
    if now > LATEST or time < 0 or time > LONGEST:
        return -1
    if state[base + ACTIVE] > 0:
        state[base + BEGUN] += time
    return 0
