"""Blocks of a file that a client of NFS version 3 has to keep until a COMMIT (RFC 1813, sections 3.3.7 and 3.3.21).

A server that boots anew may have lost what it has not committed; the write verifier in its replies tells. So a reply
with another verifier makes everything dirty again that was written under the one before, as in 4.4BSD's client
(nfs_clearcommit). The verifier is the number of the server's life, from 0 on.
"""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.door import machine

BLOCKS = 0
"""Blocks of the file."""
CURSOR = 1
"""The block at which the search for the next dirty one begins."""
VERIFIER = 2
"""The server's life that answered last."""
AGAIN = 3
"""Blocks that were made dirty again."""
FIRST = 4
"""First word of the blocks, one each, of SENT, WRITTEN and COUNTED."""

SENT = 1
"""On its way, or written."""
WRITTEN = 2
"""Answered by the server's present life."""
COUNTED = 4
"""Was told as written once."""


def initial(blocks: int) -> list[int]:
    """All of the file is dirty."""
    return [blocks, 0, 0, 0, *[0] * blocks]


@machine("network")
def following(state: NDArray, base: int) -> int:
    """The next block to send, now on its way; the number of blocks where there is none."""
    for block in range(state[base + 1], state[base]):
        if not state[base + 4 + block] & 1:
            state[base + 4 + block] |= 1
            state[base + 1] = block + 1
            return block
    return state[base]


@machine("network")
def answered(state: NDArray, base: int, block: int, verifier: int) -> int:
    """A reply about a block, or about none if `block` is beyond the file, with a verifier. 1 if the block counts."""
    if block < 0 or verifier < 0:
        return -1
    if verifier > state[base + 2]:
        state[base + 2] = verifier
        for other in range(state[base]):
            if state[base + 4 + other] & 2:
                state[base + 4 + other] &= 4
                state[base + 3] += 1
    if block >= state[base]:
        return 0
    if verifier < state[base + 2]:
        state[base + 4 + block] &= 4
        state[base + 3] += 1
        return 0
    state[base + 4 + block] |= 3
    return 1


@machine("network")
def counted(state: NDArray, base: int, block: int) -> int:
    """1 when a block is told as written for the first time, else 0."""
    if block < 0 or block >= state[base]:
        return -1
    if state[base + 4 + block] & 4:
        return 0
    state[base + 4 + block] |= 4
    return 1


@machine("network")
def left(state: NDArray, base: int) -> int:
    """How many blocks have to be sent, with none on its way; the search for them begins anew."""
    count = 0
    for block in range(state[base]):
        if not state[base + 4 + block] & 1:
            count += 1
    state[base + 1] = 0
    return count
