"""Names of machine functions by which older code calls them."""

from __future__ import annotations

from simio.machines.network import carrier, cells, errors, handler, queue, ring

QUEUE_ENTER = queue.enter
QUEUE_LEAVE = queue.leave
HANDLER_ARRIVE = handler.arrive
HANDLER_GATHERING = handler.gathering
HANDLER_EXPIRE = handler.expire
HANDLER_SERVED = handler.served
ERRORS_PASS = errors.passing
ERRORS_NEXT = errors.following
COUNT_TO = handler.count_to
CELLS_START = cells.start
CELLS_FINISH = cells.finish
CELLS_WHOLE = cells.whole
RING = ring.ring
CARRIER_ASK = carrier.ask
CARRIER_START = carrier.start
CARRIER_CHECK = carrier.check
