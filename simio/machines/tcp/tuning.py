"""Autotuning of the receive buffer: it grows to twice what the program reads in a round trip.

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

_SPARE = 16
"""Segments beyond twice what was read (tcp_rcv_space_adjust)."""


@shared
def arrive(state: NDArray, base: int, now: int) -> None:
    """Data have arrived in order: once a window of them, a round trip has passed at most."""
    if state[base + c.RCV_NXT] < state[base + c.WINDOW_ENDS]:
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
