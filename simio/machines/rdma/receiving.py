"""Receiving at one end of a queue pair: requests, responses, acknowledgements."""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.door import machine
from simio.machines.rdma import layout as c
from simio.machines.rdma.sending import first_behind, go_back, wakes
from simio.machines.shared import shared

TAKE, ACKNOWLEDGE, WAKE, MESSAGES = 1, 2, 4, 8
"""Actions that a packet asks for, added up: its payload is taken, an acknowledgement is sent, the sender is woken;
and MESSAGES times the number of SENDs, or of work requests, that are complete with it. A READ counts READS times."""
READS = 2**16


@machine("rdma")
def request(state: NDArray, base: int, number: int, info: int) -> int:
    """A request packet has come: what is to be done."""
    expected = state[base + c.EXPECTED]
    if number < expected:
        return repeated(state, base, number, info)
    if number > expected:
        return ahead(state, base, number, info)
    state[base + c.REFUSED] = 0
    answer = in_order(state, base, info)
    if state[base + c.HELD] == 0:
        return answer
    at = base + c.KEPT + state[base + c.EXPECTED] % c.WINDOW
    while state[at] > 0:
        # Its payload was taken as it came.
        more = in_order(state, base, state[at] - 1)
        answer = (answer | (more & WAKE)) + more // MESSAGES * MESSAGES
        state[at] = 0
        state[base + c.HELD] -= 1
        at = base + c.KEPT + state[base + c.EXPECTED] % c.WINDOW
    if state[base + c.HELD] > 0:
        state[base + c.REFUSED] = state[base + c.NAK_DUE] = 1
    return answer | ACKNOWLEDGE


@shared
def in_order(state: NDArray, base: int, info: int) -> int:
    """A request packet in order."""
    kind = info % 8
    if kind == c.READ:
        return read_in(state, base, state[base + c.EXPECTED], info // c.INFO)
    state[base + c.EXPECTED] += 1
    answer = TAKE + (ACKNOWLEDGE if info & c.ASKS else 0)
    return answer + (MESSAGES if kind == c.SEND and info & c.LAST else 0)


@shared
def read_in(state: NDArray, base: int, number: int, size: int) -> int:
    """A READ is to be answered."""
    if state[base + c.ASKED_FOR] - state[base + c.ANSWERED] >= c.REQUESTS:
        return 0
    at = base + state[base + c.ASKED_FOR] % c.REQUESTS
    state[at + c.R_FIRST], state[at + c.R_SIZE] = number, size
    if state[base + c.ASKED_FOR] == state[base + c.ANSWERED]:
        state[base + c.ANSWER_AT] = number
    state[base + c.ASKED_FOR] += 1
    mtu = state[base + c.MTU]
    state[base + c.EXPECTED] = max(state[base + c.EXPECTED], number + max((size + mtu - 1) // mtu, 1))
    return WAKE * wakes(state, base)


@shared
def repeated(state: NDArray, base: int, number: int, info: int) -> int:
    """A request that has come before: a READ is answered again, anything else acknowledged again."""
    if info % 8 == c.READ:
        return read_in(state, base, number, info // c.INFO)
    return ACKNOWLEDGE


@shared
def ahead(state: NDArray, base: int, number: int, info: int) -> int:
    """A request beyond the expected one: kept or dropped, and a NAK goes for what is missing, once."""
    state[base + c.OUT_OF_ORDER] += 1
    answer = 0
    at = base + c.KEPT + number % c.WINDOW
    if state[base + c.KEEPS] and number - state[base + c.EXPECTED] < c.WINDOW and state[at] == 0:
        state[at] = 1 + info
        state[base + c.HELD] += 1
        answer = 0 if info % 8 == c.READ else TAKE
    if not state[base + c.REFUSED]:
        state[base + c.REFUSED] = state[base + c.NAK_DUE] = 1
        answer += ACKNOWLEDGE
    return answer


@machine("rdma")
def due(state: NDArray, base: int) -> int:
    """An acknowledgement is due: 1 if it has to be sent, 0 if one that waits will do."""
    waits = state[base + c.ACK_DUE]
    state[base + c.ACK_DUE] = 1
    return 1 - waits


@machine("rdma")
def acknowledgement(state: NDArray, base: int) -> int:
    """An acknowledgement goes: the sequence number that is expected next times 2, plus 1 if it is a NAK."""
    nak = state[base + c.NAK_DUE]
    state[base + c.ACK_DUE] = state[base + c.NAK_DUE] = 0
    state[base + c.ACKS] += 1
    return state[base + c.EXPECTED] * 2 + nak


@machine("rdma")
def acknowledged(state: NDArray, base: int, now: int, answer: int) -> int:
    """An acknowledgement has come; WAKE, and MESSAGES times the completions of work requests."""
    number = answer // 2
    if number > state[base + c.ACKED]:
        state[base + c.ACKED] = number
    if answer % 2 and number >= state[base + c.ACKED] and number < state[base + c.TOP]:
        if state[base + c.KEEPS]:
            state[base + c.MISSING] = number + 1
        else:
            go_back(state, base, number)
    done = complete(state, base, now)
    return done + (WAKE * wakes(state, base) if answer % 2 else 0)


@machine("rdma")
def response(state: NDArray, base: int, number: int, info: int) -> int:
    """A response packet has come: TAKE if it is the next one, and WAKE where something goes because of it."""
    one = reader(state, base)
    if one == state[base + c.READY]:
        return 0
    expected = max(state[base + c.READ_NXT], state[base + one % c.REQUESTS + c.FIRST])
    if number < expected or number > expected and state[base + c.LOST] == expected + 1:
        return 0
    if number > expected:
        state[base + c.LOST] = expected + 1
        go_back(state, base, expected)
        return WAKE * wakes(state, base)
    state[base + c.READ_NXT] = number + 1
    if number + 1 < first_behind(state, base, one):
        return TAKE
    state[base + c.READS] -= 1
    return TAKE + WAKE * wakes(state, base)


@machine("rdma")
def responded(state: NDArray, base: int, now: int) -> int:
    """A response's payload is in memory: MESSAGES times the completions of work requests."""
    return complete(state, base, now)


@shared
def reader(state: NDArray, base: int) -> int:
    """The first READ without all of its response, or the number of work requests that the adapter has."""
    one = max(state[base + c.READER], state[base + c.DONE])
    while one < state[base + c.READY]:
        kind = state[base + one % c.REQUESTS + c.KIND] % 8
        if kind == c.READ and first_behind(state, base, one) > state[base + c.READ_NXT]:
            break
        one += 1
    state[base + c.READER] = one
    return one


@shared
def complete(state: NDArray, base: int, now: int) -> int:
    """Complete work requests in order; returns MESSAGES times those that are signalled, a READ counting READS."""
    done, before = 0, state[base + c.DONE]
    state[base + c.IN_ROW] = 0
    while state[base + c.DONE] < state[base + c.READY]:
        at = base + state[base + c.DONE] % c.REQUESTS
        behind = first_behind(state, base, state[base + c.DONE])
        seen = state[base + c.READ_NXT] if state[at + c.KIND] % 8 == c.READ else state[base + c.ACKED]
        if seen < behind:
            break
        if state[at + c.KIND] & c.SIGNALLED:
            done += MESSAGES * READS if state[at + c.KIND] % 8 == c.READ else MESSAGES
        state[base + c.DONE] += 1
        state[base + c.NXT] = max(state[base + c.NXT], behind)
    state[base + c.CURRENT] = max(state[base + c.CURRENT], state[base + c.DONE])
    if state[base + c.DONE] > before or state[base + c.DEADLINE] > 0:
        outstanding = unfinished(state, base) < state[base + c.TOP]
        state[base + c.DEADLINE] = now + state[base + c.TIMEOUT] if outstanding else 0
    return done


@shared
def unfinished(state: NDArray, base: int) -> int:
    """The least sequence number that is missing: of a READ that is first, of its response."""
    if state[base + c.DONE] == state[base + c.POSTED]:
        return state[base + c.END]
    at = base + state[base + c.DONE] % c.REQUESTS
    seen = state[base + c.READ_NXT] if state[at + c.KIND] % 8 == c.READ else state[base + c.ACKED]
    return max(seen, state[at + c.FIRST])


@machine("rdma")
def starts(state: NDArray, base: int) -> int:
    """1 if the timer has to be started, which is noted, else 0."""
    if state[base + c.WATCHED] or state[base + c.DEADLINE] == 0:
        return 0
    state[base + c.WATCHED] = 1
    return 1


@machine("rdma")
def watch(state: NDArray, base: int, now: int) -> int:
    """Time in ps until the timer has to look again; 0 if nothing is outstanding, and it stops.

    After the deadline, all that is outstanding goes again.
    """
    if state[base + c.DEADLINE] == 0:
        state[base + c.WATCHED] = 0
        return 0
    if now >= state[base + c.DEADLINE]:
        state[base + c.TIMEOUTS] += 1
        state[base + c.IN_ROW] += 1
        state[base + c.MOST_IN_ROW] = max(state[base + c.MOST_IN_ROW], state[base + c.IN_ROW])
        if state[base + c.ASLEEP]:
            state[base + c.TIMER_WAITED] += min(now - state[base + c.WENT_AT], state[base + c.TIMEOUT])
            state[base + c.READS_SINCE] = 0
        state[base + c.LOST] = 0
        go_back(state, base, unfinished(state, base))
        state[base + c.DEADLINE] = now + state[base + c.TIMEOUT]
    return state[base + c.DEADLINE] - now


@machine("rdma")
def rouse(state: NDArray, base: int) -> int:
    """1 if the sender has to be woken, which is noted, else 0."""
    return wakes(state, base)
