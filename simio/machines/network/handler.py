"""An interrupt handler that serves packets one after another, and when it has to be called.

While it runs, what arrives is served without another interrupt: it looks for more before it returns. When it does
not run, packets wait until `count` of them have come, or the first has waited long enough; then one interrupt serves
them all.
"""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.door import machine
from simio.machines.layout import Layout

WORDS = Layout("interrupt handler")
RUNNING = WORDS.word("running", about="1 from when the interrupt is raised until the handler has served all packets")
UNSERVED = WORDS.word("unserved", "packets", about="packets that wait for the handler or are being served")
BATCH = WORDS.word("batch", about="number of the batch that gathers, or that gathered last")
RAISED = WORDS.word("raised", "interrupts", about="interrupts raised")

COUNTER = Layout("counter")
COUNT = COUNTER.word("count")

WAIT = 0
FIRST = 1
RAISE = 2


@machine("network")
def arrive(state: NDArray, base: int, count: int) -> int:
    """One more packet: RAISE if the interrupt has to be raised for it, FIRST if it is the first of a batch that
    gathers, else WAIT."""
    if count < 1:
        return -1
    state[base + UNSERVED] += 1
    if state[base + RUNNING] == 1:
        return WAIT
    if state[base + UNSERVED] >= count:
        state[base + RUNNING] = 1
        state[base + BATCH] += 1
        state[base + RAISED] += 1
        return RAISE
    return FIRST if state[base + UNSERVED] == 1 else WAIT


@machine("network", word=BATCH)
def gathering(state: NDArray, base: int) -> int:
    """Number of the batch that gathers."""
    return state[base + BATCH]


@machine("network")
def expire(state: NDArray, base: int, batch: int) -> int:
    """Batch `batch` has waited long enough: RAISE if it still gathers and has to be served now, else WAIT."""
    if state[base + RUNNING] == 1 or state[base + BATCH] != batch or state[base + UNSERVED] == 0:
        return WAIT
    state[base + RUNNING] = 1
    state[base + BATCH] += 1
    state[base + RAISED] += 1
    return RAISE


@machine("network")
def served(state: NDArray, base: int) -> int:
    """The handler has served a packet: 1 if there are more, 0 if it returns; -1 if none was there."""
    if state[base + RUNNING] != 1 or state[base + UNSERVED] < 1:
        return -1
    state[base + UNSERVED] -= 1
    if state[base + UNSERVED] == 0:
        state[base + RUNNING] = 0
        return 0
    return 1


@machine("network")
def count_to(state: NDArray, base: int, count: int) -> int:
    """One more of something: 1 with every `count`th, else 0."""
    if count < 1:
        return -1
    state[base + COUNT] += 1
    if state[base + COUNT] >= count:
        state[base + COUNT] = 0
        return 1
    return 0
