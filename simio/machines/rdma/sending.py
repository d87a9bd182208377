"""Sending at one end of a queue pair: requests of its own, and responses to the other end's READs.

InfiniBand Architecture Specification, volume 1, section 9.7 (reliable service): packets have sequence numbers, of
which a READ takes as many as its response has packets. Numbers do not wrap here, as a simulation ends before.
"""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.door import machine
from simio.machines.rdma import layout as c
from simio.machines.rdma.dcqcn import departs
from simio.machines.shared import shared


@shared
def packets(state: NDArray, base: int, size: int) -> int:
    """Packets of a message: one at least."""
    mtu = state[base + c.MTU]
    return max((size + mtu - 1) // mtu, 1)


@machine("rdma")
def post(state: NDArray, base: int, kind: int, size: int) -> int:
    """Post a work request: its kind with flags, and the bytes of its message. Refuses more than the queue holds."""
    number = state[base + c.POSTED]
    if number - state[base + c.DONE] >= c.REQUESTS:
        return -1
    at = base + number % c.REQUESTS
    state[at + c.KIND], state[at + c.SIZE], state[at + c.FIRST] = kind, size, state[base + c.END]
    state[base + c.END] += packets(state, base, size)
    state[base + c.POSTED] += 1
    return number


@machine("rdma")
def ask(state: NDArray, base: int, most: int) -> int:
    """The adapter reads work requests: how many, of at most `most` at a time; 0 if it has them all."""
    count = min(state[base + c.POSTED] - state[base + c.ASKED], most)
    state[base + c.ASKED] += count
    return count


@machine("rdma")
def has(state: NDArray, base: int, count: int) -> int:
    """The adapter has so many work requests more: 1 if the sender has to be woken, else 0."""
    state[base + c.READY] += count
    return wakes(state, base)


@shared
def wakes(state: NDArray, base: int) -> int:
    """1 if the sender has to be woken, which is noted, else 0."""
    asleep = state[base + c.ASLEEP]
    state[base + c.ASLEEP] = 0
    return asleep


@shared
def request_goes(state: NDArray, base: int) -> int:
    """1 if a request of this end can go, else 0; moves on to the work request that is next."""
    if state[base + c.MISSING] > 0:
        return 1
    while state[base + c.CURRENT] < state[base + c.READY]:
        at = base + state[base + c.CURRENT] % c.REQUESTS
        if state[base + c.NXT] < state[at + c.FIRST] + packets(state, base, state[at + c.SIZE]):
            if state[at + c.KIND] % 8 == c.READ and state[base + c.READS] >= state[base + c.MOST_READS]:
                return 0
            return 1
        state[base + c.CURRENT] += 1
    return 0


@machine("rdma")
def ready(state: NDArray, base: int, now: int) -> int:
    """Time in ps until a packet may go; IDLE, and asleep, if there is none. Counts what the sender waits for."""
    if state[base + c.READS_SINCE] > 0:
        state[base + c.READS_WAITED] += now - state[base + c.READS_SINCE]
        state[base + c.READS_SINCE] = 0
    if state[base + c.ANSWERED] == state[base + c.ASKED_FOR] and not request_goes(state, base):
        state[base + c.ASLEEP] = 1
        if state[base + c.CURRENT] < state[base + c.READY]:
            state[base + c.READS_SINCE] = now
        return c.IDLE
    wait = max(state[base + c.GO_AT] - now, 0)
    state[base + c.RATE_WAITED] += wait
    return wait


@machine("rdma")
def goes(state: NDArray, base: int, now: int) -> int:
    """1 + the sequence number of the packet that goes now, 0 if there is none; OUT_LENGTH and OUT_INFO are set."""
    answers = state[base + c.ANSWERED] < state[base + c.ASKED_FOR]
    asks = request_goes(state, base)
    if not answers and not asks:
        return 0
    if answers and (not asks or state[base + c.TURN]):
        state[base + c.TURN] = 0
        number = response_out(state, base)
    else:
        state[base + c.TURN] = 1
        number = request_out(state, base)
        if state[base + c.DEADLINE] == 0:
            state[base + c.DEADLINE] = now + state[base + c.TIMEOUT]
    state[base + c.WENT_AT] = now
    departs(state, base, now, state[base + c.OUT_LENGTH])
    return number + 1


@shared
def put(state: NDArray, base: int, kind: int, flags: int, size: int, headers: int) -> None:
    """Set OUT_LENGTH and OUT_INFO; a payload is padded to four bytes."""
    payload = 0 if kind == c.READ else (size + 3) // 4 * 4
    state[base + c.OUT_LENGTH] = c.BASE + headers + payload
    state[base + c.OUT_INFO] = kind + flags + c.INFO * size


@shared
def request_out(state: NDArray, base: int) -> int:
    """The request packet that goes; returns its sequence number."""
    number, one = state[base + c.NXT], state[base + c.CURRENT]
    if state[base + c.MISSING] > 0:
        number = state[base + c.MISSING] - 1
        state[base + c.MISSING] = 0
        one = state[base + c.DONE]
        while number >= first_behind(state, base, one):
            one += 1
    at = base + one % c.REQUESTS
    kind, size, first, mtu = state[at + c.KIND], state[at + c.SIZE], state[at + c.FIRST], state[base + c.MTU]
    rest = size - (number - first) * mtu
    if number < state[base + c.TOP]:
        state[base + c.AGAIN] += 1
    behind = number + 1
    if kind % 8 == c.READ:
        behind = number + packets(state, base, rest)
        state[base + c.READS] += 1 if number == state[base + c.NXT] else 0
        put(state, base, c.READ, c.LAST, rest, c.RETH)
    else:
        last = rest <= mtu
        flags = c.LAST if last else 0
        if last or (number - first + 1) % state[base + c.INTERVAL] == 0 or number < state[base + c.TOP]:
            flags += c.ASKS
        headers = c.RETH if kind % 8 == c.WRITE and number == first else 0
        if last and kind & c.INVALIDATES:
            headers += c.IETH
        put(state, base, kind % 8, flags, min(rest, mtu), headers)
    if number == state[base + c.NXT]:
        state[base + c.NXT] = behind
    state[base + c.TOP] = max(state[base + c.TOP], behind)
    return number


@shared
def first_behind(state: NDArray, base: int, one: int) -> int:
    """The sequence number behind a work request."""
    at = base + one % c.REQUESTS
    return state[at + c.FIRST] + packets(state, base, state[at + c.SIZE])


@shared
def response_out(state: NDArray, base: int) -> int:
    """The response packet that goes; returns its sequence number."""
    at = base + state[base + c.ANSWERED] % c.REQUESTS
    mtu, first, number = state[base + c.MTU], state[at + c.R_FIRST], state[base + c.ANSWER_AT]
    rest = state[at + c.R_SIZE] - (number - first) * mtu
    last = rest <= mtu
    put(state, base, c.RESPONSE, c.LAST if last else 0, min(rest, mtu), c.AETH if last or number == first else 0)
    state[base + c.ANSWER_AT] += 1
    if last:
        state[base + c.ANSWERED] += 1
        state[base + c.ANSWER_AT] = state[base + (state[base + c.ANSWERED]) % c.REQUESTS + c.R_FIRST]
    return number


@machine("rdma")
def word(state: NDArray, base: int, offset: int) -> int:
    """A word of the state."""
    return state[base + offset]


@shared
def go_back(state: NDArray, base: int, number: int) -> None:
    """All from a sequence number on goes again."""
    state[base + c.NXT] = min(state[base + c.NXT], number)
    one, reads = state[base + c.DONE], 0
    while one < state[base + c.READY]:
        behind = first_behind(state, base, one)
        if behind > state[base + c.NXT]:
            break
        if state[base + one % c.REQUESTS + c.KIND] % 8 == c.READ and behind > state[base + c.READ_NXT]:
            reads += 1
        one += 1
    state[base + c.CURRENT] = one
    state[base + c.READS] = reads
    state[base + c.MISSING] = 0
