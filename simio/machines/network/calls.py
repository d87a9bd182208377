"""The machine functions of network paths by number, from 48 to 63."""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.network import carrier, cells, errors, handler, queue, ring
from simio.machines.shared import shared

QUEUE_ENTER = 48
QUEUE_LEAVE = 49
HANDLER_ARRIVE = 50
HANDLER_GATHERING = 51
HANDLER_EXPIRE = 52
HANDLER_SERVED = 53
ERRORS_PASS = 54
ERRORS_NEXT = 55
COUNT_TO = 56
CELLS_START = 57
CELLS_FINISH = 58
CELLS_WHOLE = 59
RING = 60
CARRIER_ASK = 61
CARRIER_START = 62
CARRIER_CHECK = 63

NAMES = {
    QUEUE_ENTER: "queue.enter",
    QUEUE_LEAVE: "queue.leave",
    HANDLER_ARRIVE: "handler.arrive",
    HANDLER_GATHERING: "handler.gathering",
    HANDLER_EXPIRE: "handler.expire",
    HANDLER_SERVED: "handler.served",
    ERRORS_PASS: "errors.pass",
    ERRORS_NEXT: "errors.next",
    COUNT_TO: "count.to",
    CELLS_START: "cells.start",
    CELLS_FINISH: "cells.finish",
    CELLS_WHOLE: "cells.whole",
    RING: "ring",
    CARRIER_ASK: "carrier.ask",
    CARRIER_START: "carrier.start",
    CARRIER_CHECK: "carrier.check",
}

_enter = queue.enter
_leave = queue.leave
_arrive = handler.arrive
_gathering = handler.gathering
_expire = handler.expire
_served = handler.served
_errors_pass = errors.passing
_errors_next = errors.following
_count_to = handler.count_to
_cells_start = cells.start
_cells_finish = cells.finish
_cells_whole = cells.whole
_ring = ring.ring
_carrier_ask = carrier.ask
_carrier_start = carrier.start
_carrier_check = carrier.check


@shared
def network(function: int, state: NDArray, base: int, now: int, a: int, b: int) -> int:
    """Value of a machine function of network paths; negative if the machine refuses."""
    if function == 48:
        return _enter(state, base, a)
    if function == 49:
        return _leave(state, base, a)
    if function == 50:
        return _arrive(state, base, a)
    if function == 51:
        return _gathering(state, base)
    if function == 52:
        return _expire(state, base, a)
    if function == 53:
        return _served(state, base)
    if function == 54:
        return _errors_pass(state, base, a)
    if function == 55:
        return _errors_next(state, base, a)
    if function == 56:
        return _count_to(state, base, a)
    if function == 57:
        return _cells_start(state, base, now, a)
    if function == 58:
        return _cells_finish(state, base, now, a, b)
    if function == 59:
        return _cells_whole(state, base, now, a)
    if function == 60:
        return _ring(state, base, now, a, b)
    if function == 61:
        return _carrier_ask(state, base, now)
    if function == 62:
        return _carrier_start(state, base, now, a)
    if function == 63:
        return _carrier_check(state, base, now)
    return -1
