"""How threads of the compiled engine begin and end."""

from __future__ import annotations

import numpy as np

from simio.engines import codes
from simio.engines import layout as c
from simio.engines.jit import inlined
from simio.engines.lines import named, ready
from simio.engines.registers import copy_registers


@inlined
def start_child(steps, at, threads, slot, child, serial, registers, stats):
    """Fill the row of the thread that a FORK starts; returns whether it keeps the run alive."""
    me = np.uint64(slot)
    copy_registers(threads, me, child, registers)
    name = named(steps, at, 5, threads, me)
    threads[child, c.WAIT] = codes.WAIT_READY
    threads[child, c.PC] = steps[at, 1]
    threads[child, c.SERIAL] = serial
    threads[child, c.NAME] = name
    threads[child, c.PARENT] = slot
    threads[child, c.PARENT_SERIAL] = threads[me, c.SERIAL]
    threads[child, c.CHILDREN] = 0
    flags = threads[me, c.FLAGS] & ~c.JOINED | (c.JOINED if steps[at, 3] else 0)
    flags |= c.DAEMON if steps[at, 4] else 0
    threads[child, c.FLAGS] = flags
    stats[name, 0] += 1
    if steps[at, 3]:
        threads[me, c.CHILDREN] += 1
    return not flags & c.DAEMON


@inlined
def end_thread(threads, slot, pc, stats, ring, control):
    """Clear the row of a thread that ends and wake a waiting parent; returns whether it kept the run alive."""
    me = np.uint64(slot)
    stats[np.uint64(threads[me, c.NAME]), 1] += 1
    flags = threads[me, c.FLAGS]
    threads[me, c.FLAGS] = 0
    threads[me, c.PC] = pc
    parent = threads[me, c.PARENT]
    # The parent's row may be another thread's by now.
    if (
        flags & c.JOINED
        and threads[parent, c.FLAGS] & c.LIVE
        and threads[parent, c.SERIAL] == threads[me, c.PARENT_SERIAL]
    ):
        threads[parent, c.CHILDREN] -= 1
        if threads[parent, c.CHILDREN] == 0 and threads[parent, c.WAIT] == codes.WAIT_JOIN:
            ready(ring, control, threads, parent)
    return not flags & c.DAEMON
