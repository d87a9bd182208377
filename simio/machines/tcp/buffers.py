"""The send buffer of the socket layer: how a write is cut into buffers, and what memory they take.

A write is cut as 4.3BSD-Reno's `sosend` does it: the room is looked up when the write begins, and again only once
that is used up; each piece fills a small buffer, or a cluster where much is left of the write. Small buffers merge
into the last one where its rest has room (`sbcompress`). Buffers are kept as runs of equal ones.
"""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.shared import shared
from simio.machines.tcp.layout import (
    APPENDED,
    BUFFER_DATA,
    BUFFER_FIRST,
    BUFFER_SIZE,
    CHAIN,
    CHUNK,
    CHUNK_MEMORY,
    CLOSED,
    CLOSING,
    CLUSTER,
    CLUSTER_ROOM,
    CLUSTER_THRESHOLD,
    END,
    END_OF_FILE,
    HAND_OVER,
    IN_CHAIN,
    LAST_MEMORY,
    LAST_ROOM,
    LAST_SIZE,
    LATEST,
    LOW_WATER,
    MEMORY,
    MEMORY_LIMIT,
    MOST_BYTES,
    RING,
    RUN_COUNT,
    RUN_HEAD,
    RUNS,
    SEND_SPACE,
    STATE,
    TAKEN,
    UNA,
    WRITE_LEFT,
    WRITE_SPACE,
    WRITER,
)
from simio.machines.tcp.waits import waiting

_MASK = 2**31 - 1


@shared
def space(state: NDArray, base: int, wanted: int) -> int:
    """Bytes that a write of `wanted` may use now, 0 if it has to wait."""
    used = state[base + APPENDED] - max(state[base + UNA], 1)
    room = min(state[base + SEND_SPACE] - used, state[base + MEMORY_LIMIT] - state[base + MEMORY])
    if room <= 0 or state[base + RUN_COUNT] >= state[base + RUNS]:
        return 0
    if room < wanted and room < state[base + LOW_WATER]:
        return 0
    return room


@shared
def room(state: NDArray, base: int, now: int, wanted: int) -> int:
    """Bytes of the next buffer of a write that has `wanted` bytes left; 0: the writer has to wait, and is noted;
    END_OF_FILE: the connection was reset."""
    if now > LATEST or wanted < 1 or state[base + CLOSING] or state[base + APPENDED] + wanted > MOST_BYTES:
        return -1
    if wanted != state[base + WRITE_LEFT] or state[base + WRITE_SPACE] <= 0:
        found = space(state, base, wanted)
        if found == 0:
            if state[base + STATE] == CLOSED:
                return END_OF_FILE
            state[base + WRITER] = wanted
            waiting(state, base, now, 0)
            return 0
        state[base + WRITE_SPACE] = found
        state[base + WRITE_LEFT] = wanted
    left = state[base + WRITE_SPACE]
    chunk = min(wanted, left)
    state[base + CHUNK_MEMORY] = state[base + BUFFER_SIZE]
    if state[base + BUFFER_SIZE] > 0:
        cluster = state[base + CLUSTER]
        if wanted > state[base + CLUSTER_THRESHOLD] and (left >= cluster or not state[base + CLUSTER_ROOM]):
            chunk = min(chunk, cluster)
            state[base + CHUNK_MEMORY] += cluster
        elif state[base + IN_CHAIN] > 0:
            chunk = min(chunk, state[base + BUFFER_DATA])
        else:
            chunk = min(chunk, state[base + BUFFER_FIRST])
    if state[base + HAND_OVER] > 0:
        chunk = min(chunk, state[base + HAND_OVER] - (state[base + APPENDED] - state[base + END]))
    state[base + CHUNK] = chunk
    return chunk


@shared
def store(state: NDArray, base: int, size: int, memory: int) -> None:
    """A filled buffer joins the send buffer: it merges into the last one, or becomes the last one."""
    small = memory == state[base + BUFFER_SIZE]
    if small and size <= state[base + LAST_ROOM] and state[base + LAST_SIZE] > 0:
        state[base + LAST_SIZE] += size
        state[base + LAST_ROOM] -= size
        return
    if state[base + LAST_SIZE] > 0:
        key = state[base + LAST_SIZE] << 31 | state[base + LAST_MEMORY]
        runs = state[base + RUNS]
        tail = base + RING + 2 * ((state[base + RUN_HEAD] + state[base + RUN_COUNT] + runs - 1) % runs)
        if state[base + RUN_COUNT] > 0 and state[tail] == key:
            state[tail + 1] += 1
        else:
            tail = base + RING + 2 * ((state[base + RUN_HEAD] + state[base + RUN_COUNT]) % runs)
            state[tail] = key
            state[tail + 1] = 1
            state[base + RUN_COUNT] += 1
    state[base + LAST_SIZE] = size
    state[base + LAST_MEMORY] = memory
    state[base + LAST_ROOM] = 0
    if small:
        whole = state[base + BUFFER_DATA] if state[base + IN_CHAIN] > 0 else state[base + BUFFER_FIRST]
        state[base + LAST_ROOM] = whole - size
    state[base + MEMORY] += memory
    state[base + CHAIN] += 1


@shared
def append(state: NDArray, base: int, now: int, size: int) -> int:
    """The buffer that `room` allowed has been filled. 1 where it, or the chain that it ends, has gone to TCP."""
    if size < 1 or size != state[base + CHUNK]:
        return -1
    memory = state[base + CHUNK_MEMORY]
    if memory > 0:
        store(state, base, size, memory)
    state[base + CHUNK] = 0
    state[base + APPENDED] += size
    state[base + WRITE_LEFT] -= size
    state[base + WRITE_SPACE] -= size
    if memory > state[base + BUFFER_SIZE]:
        # What a cluster leaves empty is lost to the present write, as in sosend.
        state[base + WRITE_SPACE] -= state[base + CLUSTER] - size
    state[base + IN_CHAIN] += 1
    over = state[base + HAND_OVER]
    pending = state[base + APPENDED] - state[base + END]
    ends = state[base + WRITE_LEFT] == 0 or state[base + WRITE_SPACE] <= 0
    if ends or over == 0 or (over > 0 and pending >= over) or state[base + RUN_COUNT] >= state[base + RUNS]:
        state[base + END] = state[base + APPENDED]
        state[base + IN_CHAIN] = 0
        return 1
    return 0


@shared
def release(state: NDArray, base: int, size: int) -> None:
    """The first `size` bytes of the send buffer are acknowledged: buffers that hold nothing else are freed."""
    taken = state[base + TAKEN] + size
    while state[base + RUN_COUNT] > 0:
        run = base + RING + 2 * state[base + RUN_HEAD]
        each = state[run] >> 31
        count = min(state[run + 1], taken // each)
        taken -= count * each
        state[base + MEMORY] -= count * (state[run] & _MASK)
        state[base + CHAIN] -= count
        if count < state[run + 1]:
            state[run + 1] -= count
            break
        state[base + RUN_COUNT] -= 1
        state[base + RUN_HEAD] = (state[base + RUN_HEAD] + 1) % state[base + RUNS]
    if state[base + RUN_COUNT] == 0 and 0 < state[base + LAST_SIZE] <= taken:
        taken -= state[base + LAST_SIZE]
        state[base + MEMORY] -= state[base + LAST_MEMORY]
        state[base + CHAIN] -= 1
        state[base + LAST_SIZE] = 0
        state[base + LAST_ROOM] = 0
    state[base + TAKEN] = taken
