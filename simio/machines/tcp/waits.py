"""Reasons that keep a sender from sending, and for how long: they explain why a connection is not faster."""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.shared import shared
from simio.machines.tcp import layout as c


@shared
def waiting(state: NDArray, base: int, now: int, sends: int) -> None:
    """Count the time of the wait that ends, and note what is waited for from now on, unless the sender `sends`.

    Called as the sender chooses a segment, and as a writer finds no room. A small rest that is held back is not the
    reason where much more is under way and the buffer is full. A full segment is never held back by Nagle's rule: a
    burst that is deferred waits for the smaller window, and one that is paced for congestion control. A sender whose
    timer has run out waits for it until a round trip is timed again, whatever ends the wait.
    """
    why = state[base + c.WAIT]
    if why > 0:
        state[base + c.WAITED + why - 1] += now - state[base + c.WAIT_SINCE]
    state[base + c.WAIT] = 0
    state[base + c.WAIT_SINCE] = now
    if sends or state[base + c.STATE] < c.ESTABLISHED:
        return
    flight = state[base + c.NXT] - state[base + c.UNA]
    left = state[base + c.END] - state[base + c.NXT]
    free = min(state[base + c.SEND_WINDOW], state[base + c.CWND]) - flight
    paced = state[base + c.PACED] > 0 and free >= state[base + c.MSS]
    if state[base + c.BACKOFF] > 0 and state[base + c.RESEND_DUE] > 0:
        state[base + c.WAIT] = c.FOR_TIMER
    elif state[base + c.WRITER] > 0 and 2 * left < flight:
        state[base + c.WAIT] = c.FOR_ACKNOWLEDGEMENT
    elif left <= 0:
        return
    elif left < state[base + c.MSS] and left <= free:
        state[base + c.WAIT] = c.FOR_MORE
    elif state[base + c.SEND_WINDOW] <= state[base + c.CWND] and not paced:
        state[base + c.WAIT] = c.FOR_WINDOW
    else:
        state[base + c.WAIT] = c.FOR_CONGESTION


@shared
def silent(state: NDArray, base: int, now: int) -> None:
    """Count the time since the sender last looked as a wait for the retransmission timer, which has just run out.

    That is at most what the timer was set to: before, the sender waited for what it had noted.
    """
    quiet = now - state[base + c.WAIT_SINCE]
    timer = min(quiet, state[base + c.RTO] * max(state[base + c.RTO_TICK], 1))
    state[base + c.WAITED + c.FOR_TIMER - 1] += timer
    why = state[base + c.WAIT]
    if why > 0:
        state[base + c.WAITED + why - 1] += quiet - timer
    state[base + c.WAIT_SINCE] = now
