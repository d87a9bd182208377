"""Explicit congestion notification (RFC 3168), and the receiver that echoes each mark as it comes (RFC 8257)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simio.machines.door import machine
from simio.machines.shared import shared
from simio.machines.tcp import layout as c

if TYPE_CHECKING:
    from numpy.typing import NDArray


@machine("tcp")
def take_marks(state: NDArray, base: int, word: int) -> int:
    """Take the codepoint and flags of the segment that arrives next: the last of its words."""
    state[base + c.STAGED_MARK] = word
    return 0


@machine("tcp", word=c.OUT_MARK)
def marks(state: NDArray, base: int) -> int:
    """Codepoint and flags of the segment that `sending.output` just gave."""
    return state[base + c.OUT_MARK]


@shared
def arrive(state: NDArray, base: int, length: int) -> None:
    """Take the marks of a segment (RFC 3168, section 6.1.3).

    An accurate receiver acknowledges what came before a change at once, with the echo that was (RFC 8257, section
    3.2; Linux net/ipv4/tcp_dctcp.h, dctcp_ece_ack_update).
    """
    word = state[base + c.STAGED_MARK]
    state[base + c.STAGED_MARK] = 0
    state[base + c.MARKED_ACK] = 1 if word & c.ECE else 0
    if length == 0:
        return
    marked = 1 if word & c.CE else 0
    if state[base + c.ACCURATE]:
        if marked != state[base + c.ECHO]:
            if state[base + c.SEGMENTS] > 0:
                state[base + c.EARLY_ACK] = state[base + c.RCV_NXT]
            state[base + c.ECHO] = marked
            state[base + c.ACK_NOW] = 1
        return
    if word & c.CWR:
        state[base + c.ECHO] = 0
    if marked:
        state[base + c.ECHO] = 1


@shared
def early(state: NDArray, base: int) -> int:
    """Give the acknowledgement that goes before a change of the echo: its first word, plus 1."""
    before = state[base + c.EARLY_ACK]
    state[base + c.EARLY_ACK] = 0
    state[base + c.OUT_MARK] = 0 if state[base + c.ECHO] else c.ECE
    window = max(state[base + c.RCV_EDGE] - before, 0) >> state[base + c.RECEIVE_SHIFT]
    state[base + c.OUT_WORD] = before << 16 | min(window, 65535)
    state[base + c.SEGMENTS] = 0
    return (state[base + c.MAX] << 19) + 1


@shared
def mark_output(state: NDArray, base: int, syn: bool, length: int, new: bool) -> None:
    """Set codepoint and flags of the segment that goes: new data are ECN-capable (RFC 3168, section 6.1)."""
    word = 0
    if not syn:
        if length > 0 and new:
            word = c.ECT
            if state[base + c.ANSWER]:
                state[base + c.ANSWER] = 0
                word += c.CWR
        if state[base + c.ECHO]:
            word += c.ECE
    state[base + c.OUT_MARK] = word
