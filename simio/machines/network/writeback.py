"""Blocks of a file that a client of NFS version 3 has to keep until a COMMIT (RFC 1813, sections 3.3.7 and 3.3.21).

A server that boots anew may have lost what it has not committed; the write verifier in its replies shows that. So a
reply with another verifier makes everything dirty again that was written under the one before, as in 4.4BSD's client
(nfs_clearcommit). The verifier is the number of the server's incarnation, from 0 on.
"""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.door import machine
from simio.machines.layout import Layout, State
from simio.machines.shared import shared

WORDS = Layout("write-back")
BLOCKS = WORDS.word("blocks", "blocks", about="blocks of the file")
CURSOR = WORDS.word("cursor", about="the block at which the search for the next dirty one begins")
VERIFIER = WORDS.word("verifier", about="the server's incarnation that answered last")
AGAIN = WORDS.word("again", "blocks", about="blocks that were made dirty again")
FLAGS = WORDS.table("flags", about="of each block, SENT, WRITTEN and COUNTED, those of 20 blocks in a word")

SENT = 1
"""On its way, or written."""
WRITTEN = 2
"""Answered by the server's present incarnation."""
COUNTED = 4
"""Has been reported as written once."""
BITS, ALL = 3, 7
IN_A_WORD = 20
"""Blocks whose flags are in one word."""


def initial(blocks: int) -> State:
    """All of the file is dirty."""
    return WORDS.initial(blocks=blocks, flags=[0] * words(blocks))


def words(blocks: int) -> int:
    """Words of state that the flags of so many blocks take."""
    return -(-blocks // IN_A_WORD)


@shared
def flags(state: NDArray, base: int, block: int) -> int:
    """The flags of a block."""
    return state[base + FLAGS + block // IN_A_WORD] >> (BITS * (block % IN_A_WORD)) & ALL


@shared
def set_flags(state: NDArray, base: int, block: int, value: int) -> int:
    """Give a block other flags; returns them."""
    word, shift = base + FLAGS + block // IN_A_WORD, BITS * (block % IN_A_WORD)
    state[word] = state[word] & ~(ALL << shift) | value << shift
    return value


@machine("network")
def following(state: NDArray, base: int) -> int:
    """The next block to send, now on its way; the number of blocks where there is none."""
    for block in range(state[base + CURSOR], state[base + BLOCKS]):
        if not flags(state, base, block) & SENT:
            set_flags(state, base, block, flags(state, base, block) | SENT)
            state[base + CURSOR] = block + 1
            return block
    return state[base + BLOCKS]


@machine("network")
def answered(state: NDArray, base: int, block: int, verifier: int) -> int:
    """A reply about a block, or about none if `block` is beyond the file, with a verifier. 1 if the block counts."""
    if block < 0 or verifier < 0:
        return -1
    if verifier > state[base + VERIFIER]:
        state[base + VERIFIER] = verifier
        for other in range(state[base + BLOCKS]):
            if flags(state, base, other) & WRITTEN:
                set_flags(state, base, other, flags(state, base, other) & COUNTED)
                state[base + AGAIN] += 1
    if block >= state[base + BLOCKS]:
        return 0
    if verifier < state[base + VERIFIER]:
        set_flags(state, base, block, flags(state, base, block) & COUNTED)
        state[base + AGAIN] += 1
        return 0
    set_flags(state, base, block, flags(state, base, block) | SENT | WRITTEN)
    return 1


@machine("network")
def counted(state: NDArray, base: int, block: int) -> int:
    """1 when a block is reported as written for the first time, else 0."""
    if block < 0 or block >= state[base + BLOCKS]:
        return -1
    if flags(state, base, block) & COUNTED:
        return 0
    set_flags(state, base, block, flags(state, base, block) | COUNTED)
    return 1


@machine("network")
def left(state: NDArray, base: int) -> int:
    """Number of blocks to send, with none on its way; the search for them begins anew."""
    count = 0
    for block in range(state[base + BLOCKS]):
        if not flags(state, base, block) & SENT:
            count += 1
    state[base + CURSOR] = 0
    return count
