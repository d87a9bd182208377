"""The send buffer of the socket layer: the buffers that writes are cut into, and their memory.

A write is cut as 4.3BSD-Reno's `sosend` does it: the room is looked up when the write begins, and again only once
that is used up; each piece fills a small buffer, or a cluster where much is left of the write. Small buffers merge
into the last one where its rest has room (`sbcompress`). Buffers are kept as runs of equal ones.
"""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.door import machine
from simio.machines.shared import shared
from simio.machines.tcp import layout as c
from simio.machines.tcp import segments
from simio.machines.tcp.waits import waiting

_MASK = 2**31 - 1


@shared
def space(state: NDArray, base: int, wanted: int) -> int:
    """Bytes of room for a write of `wanted`, 0 if it has to wait."""
    used = state[base + c.APPENDED] - max(state[base + c.UNA], 1)
    room = min(state[base + c.SEND_SPACE] - used, state[base + c.MEMORY_LIMIT] - state[base + c.MEMORY])
    if room <= 0 or state[base + c.RUN_COUNT] >= state[base + c.RUNS]:
        return 0
    if room < wanted and room < state[base + c.LOW_WATER]:
        return 0
    return room


@machine("tcp")
def room(state: NDArray, base: int, now: int, wanted: int) -> int:
    """Bytes of the next buffer of a write that has `wanted` bytes left.

    0: the writer has to wait, and is noted. END_OF_FILE: the connection was reset.
    """
    if now > c.LATEST or wanted < 1 or state[base + c.CLOSING] or state[base + c.APPENDED] + wanted > c.MOST_BYTES:
        return -1
    if wanted != state[base + c.WRITE_LEFT] or state[base + c.WRITE_SPACE] <= 0:
        found = space(state, base, wanted)
        if found == 0:
            if state[base + c.STATE] == c.CLOSED:
                return c.END_OF_FILE
            state[base + c.WRITER] = wanted
            waiting(state, base, now, 0)
            return 0
        if state[base + c.SEGMENT_ROOM] > 0:
            segments.write_begins(state, base)
        state[base + c.WRITE_SPACE] = found
        state[base + c.WRITE_LEFT] = wanted
    left = state[base + c.WRITE_SPACE]
    chunk = min(wanted, left)
    state[base + c.CHUNK_MEMORY] = state[base + c.MBUF_SIZE]
    if state[base + c.MBUF_SIZE] > 0:
        cluster = state[base + c.CLUSTER]
        if wanted > state[base + c.CLUSTER_THRESHOLD] and (left >= cluster or not state[base + c.CLUSTER_NEEDS_ROOM]):
            chunk = min(chunk, cluster)
            state[base + c.CHUNK_MEMORY] += cluster
        elif state[base + c.IN_CHAIN] > 0:
            chunk = min(chunk, state[base + c.MBUF_DATA])
        else:
            chunk = min(chunk, state[base + c.MBUF_FIRST])
    if state[base + c.HAND_OVER] > 0:
        chunk = min(chunk, state[base + c.HAND_OVER] - (state[base + c.APPENDED] - state[base + c.END]))
    state[base + c.CHUNK] = chunk
    return chunk


@shared
def store(state: NDArray, base: int, size: int, memory: int) -> None:
    """Add a filled buffer to the send buffer: merge it into the last one, or make it the last one."""
    small = memory == state[base + c.MBUF_SIZE]
    if small and size <= state[base + c.LAST_ROOM] and state[base + c.LAST_SIZE] > 0:
        state[base + c.LAST_SIZE] += size
        state[base + c.LAST_ROOM] -= size
        return
    if state[base + c.LAST_SIZE] > 0:
        key = state[base + c.LAST_SIZE] << 31 | state[base + c.LAST_MEMORY]
        runs = state[base + c.RUNS]
        tail = (
            base
            + state[base + c.RING]
            + 2 * ((state[base + c.RUN_HEAD] + state[base + c.RUN_COUNT] + runs - 1) % runs)
        )
        if state[base + c.RUN_COUNT] > 0 and state[tail] == key:
            state[tail + 1] += 1
        else:
            tail = base + state[base + c.RING] + 2 * ((state[base + c.RUN_HEAD] + state[base + c.RUN_COUNT]) % runs)
            state[tail] = key
            state[tail + 1] = 1
            state[base + c.RUN_COUNT] += 1
    state[base + c.LAST_SIZE] = size
    state[base + c.LAST_MEMORY] = memory
    state[base + c.LAST_ROOM] = 0
    if small:
        whole = state[base + c.MBUF_DATA] if state[base + c.IN_CHAIN] > 0 else state[base + c.MBUF_FIRST]
        state[base + c.LAST_ROOM] = whole - size
    state[base + c.MEMORY] += memory
    state[base + c.CHAIN] += 1


@machine("tcp")
def append(state: NDArray, base: int, now: int, size: int) -> int:
    """Take the buffer that `room` allowed, filled; 1 if it, or the chain that it ends, goes to TCP."""
    if size < 1 or size != state[base + c.CHUNK]:
        return -1
    memory = state[base + c.CHUNK_MEMORY]
    if memory > 0:
        store(state, base, size, memory)
    state[base + c.CHUNK] = 0
    state[base + c.APPENDED] += size
    state[base + c.WRITE_LEFT] -= size
    state[base + c.WRITE_SPACE] -= size
    if memory > state[base + c.MBUF_SIZE]:
        # Room that a cluster leaves empty is lost to the present write, as in sosend.
        state[base + c.WRITE_SPACE] -= state[base + c.CLUSTER] - size
    state[base + c.IN_CHAIN] += 1
    over = state[base + c.HAND_OVER]
    pending = state[base + c.APPENDED] - state[base + c.END]
    ends = state[base + c.WRITE_LEFT] == 0 or state[base + c.WRITE_SPACE] <= 0
    if ends or over == 0 or (over > 0 and pending >= over) or state[base + c.RUN_COUNT] >= state[base + c.RUNS]:
        state[base + c.END] = state[base + c.APPENDED]
        state[base + c.IN_CHAIN] = 0
        return 1
    return 0


@shared
def release(state: NDArray, base: int, size: int) -> None:
    """Free the buffers of the first `size` bytes in the send buffer, which are acknowledged."""
    used = state[base + c.HEAD_USED] + size
    while state[base + c.RUN_COUNT] > 0:
        run = base + state[base + c.RING] + 2 * state[base + c.RUN_HEAD]
        each = state[run] >> 31
        count = min(state[run + 1], used // each)
        used -= count * each
        state[base + c.MEMORY] -= count * (state[run] & _MASK)
        state[base + c.CHAIN] -= count
        if count < state[run + 1]:
            state[run + 1] -= count
            break
        state[base + c.RUN_COUNT] -= 1
        state[base + c.RUN_HEAD] = (state[base + c.RUN_HEAD] + 1) % state[base + c.RUNS]
    if state[base + c.RUN_COUNT] == 0 and 0 < state[base + c.LAST_SIZE] <= used:
        used -= state[base + c.LAST_SIZE]
        state[base + c.MEMORY] -= state[base + c.LAST_MEMORY]
        state[base + c.CHAIN] -= 1
        state[base + c.LAST_SIZE] = 0
        state[base + c.LAST_ROOM] = 0
    state[base + c.HEAD_USED] = used


@machine("tcp", word=c.CHAIN)
def chain(state: NDArray, base: int) -> int:
    """Buffers in the send buffer, which 4.3BSD walks along for each append and each segment."""
    return state[base + c.CHAIN]
