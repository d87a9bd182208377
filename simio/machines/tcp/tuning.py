"""Autotuning of the receive buffer: it grows to twice what the program reads in a round trip, or by half of itself.

The first is Linux's rule, the second FreeBSD's (sys/netinet/tcp_input.c, tcp_autorcvbuf): once half a round trip has
passed, if more than three eighths of the buffer have arrived in it, in order.

Linux net/ipv4/tcp_input.c, tcp_rcv_space_adjust and tcp_rcv_rtt_measure (J. Heffner's "dynamic right-sizing", after
M. Fisk and W. Feng, Los Alamos, 2000). That the window grows with the memory that segments take (tcp_grow_window) is
left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simio.machines.shared import shared
from simio.machines.tcp import layout as c

if TYPE_CHECKING:
    from numpy.typing import NDArray

READ, ARRIVED = 0, 1
"""Rules, as TUNED_BY has them."""
_SPARE = 16
"""Segments beyond twice what was read (tcp_rcv_space_adjust)."""


@shared
def arrive(state: NDArray, base: int, now: int) -> None:
    """Data have arrived in order: once a window of them, a round trip has passed at most."""
    if state[base + c.TUNED_BY] == ARRIVED or state[base + c.RCV_NXT] < state[base + c.WINDOW_ENDS]:
        return
    if state[base + c.WINDOW_ENDS] > 0:
        took = now - state[base + c.WINDOW_BEGAN]
        known = state[base + c.RECEIVER_RTT]
        state[base + c.RECEIVER_RTT] = max(took if known == 0 else min(known, took), 1)
    else:
        state[base + c.TUNED_AT] = now
    state[base + c.WINDOW_ENDS] = state[base + c.RCV_EDGE]
    state[base + c.WINDOW_BEGAN] = now


@shared
def copied(state: NDArray, base: int, now: int, size: int) -> None:
    """The program has read `size` bytes: once a round trip, the buffer follows."""
    if state[base + c.TUNED_BY] == ARRIVED:
        return
    state[base + c.COPIED] += size
    trip = state[base + c.RECEIVER_RTT]
    if trip == 0 or now - state[base + c.TUNED_AT] < trip:
        return
    read, before = state[base + c.COPIED], state[base + c.TUNED_SPACE]
    if read > before:
        if before > 0:
            wanted = 2 * read + _SPARE * state[base + c.MSS]
            # A sender in slow start sends twice as much in the next round trip.
            wanted += 2 * (wanted * (read - before) // before)
            space = min(wanted, state[base + c.AUTOTUNE])
            if space > state[base + c.RECEIVE_SPACE]:
                state[base + c.ADVERTISED_WINDOW] = max(state[base + c.ADVERTISED_WINDOW], space)
                state[base + c.RECEIVE_SPACE] = space
        state[base + c.TUNED_SPACE] = read
    state[base + c.COPIED] = 0
    state[base + c.TUNED_AT] = now


@shared
def sent(state: NDArray, base: int, now: int) -> None:
    """A segment goes, with a timestamp: the second rule begins to count, unless it does so already."""
    if state[base + c.TUNED_BY] == ARRIVED and state[base + c.TUNED_AT] == 0:
        state[base + c.TUNED_AT] = now


@shared
def counted(state: NDArray, base: int, now: int, size: int) -> None:
    """`size` bytes have arrived in order; 0: some have not, which ends the count (second rule)."""
    if state[base + c.TUNED_BY] != ARRIVED:
        return
    half = (state[base + c.SRTT] >> 3) * max(state[base + c.RTO_TICK], 1) // 2
    if size > 0 and (half == 0 or state[base + c.TUNED_AT] == 0 or now - state[base + c.TUNED_AT] <= half):
        state[base + c.COPIED] += size
        return
    space = state[base + c.RECEIVE_SPACE]
    if size > 0 and state[base + c.COPIED] > space // 2 // 4 * 3 and space < state[base + c.AUTOTUNE]:
        space = min(space + space // 2, state[base + c.AUTOTUNE])
        state[base + c.ADVERTISED_WINDOW] = max(state[base + c.ADVERTISED_WINDOW], space)
        state[base + c.RECEIVE_SPACE] = space
    state[base + c.TUNED_AT] = 0
    state[base + c.COPIED] = 0
