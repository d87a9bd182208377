"""After how many marks a run of the compiled engine may be repeating itself."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import numpy as np

from simio.engines import layout as c
from simio.engines.outcome import Ints

LONGEST = 20_000
"""Marks in the longest period that is looked for."""
PLACES = 32
"""Marks of a period that are looked at before all are."""
TASTE, SAMPLES = 12, 144
"""Samples of machines' states: after so many it is seen whether it is worth while to take all."""
WORDS = 10_000
"""Words of the state in a sample, about, spread over all of it."""
EVEN = 0.75
"""So much of the state has to grow evenly for that."""


def repeated(log: Ints) -> int:
    """The fewest marks after which the same ones came again, three times up to now, at evenly growing instants; or 0.

    It need not be a period of the state: that may be a multiple, or not repeat at all.
    """
    times, marks = log[:, 0], log[:, 1]
    count = len(log)
    apart = np.arange(1, min(count // 3, LONGEST) + 1)
    for look in range(PLACES):
        last = count - 1 - apart * look // PLACES
        even = (marks[last] == marks[last - apart]) & (marks[last] == marks[last - 2 * apart])
        even &= times[last] - times[last - apart] == times[last - apart] - times[last - 2 * apart]
        apart = apart[even]
    for period in apart.tolist():
        last, middle, first = (log[count - n * period :][:period] for n in (1, 2, 3))
        same = np.array_equal(last[:, 1], middle[:, 1]) and np.array_equal(middle[:, 1], first[:, 1])
        if same and np.array_equal(last[:, 0] - middle[:, 0], middle[:, 0] - first[:, 0]):
            return int(period)
    return 0


def rhythm(tables: Any, apart: int) -> Generator[int, None, int]:
    """How many times `apart` marks the state of the machines repeats after; yields marks up to the next sample.

    A connection times one segment a round trip, say, of which no mark tells. In between all grows evenly, until a
    replay finds that it ends. So the multiple is preferred after which it grew evenly all the time. What samples
    leave out of a large state is compared where the run stops next.
    """
    if not tables.state.size:
        return 1
    keys, states = [], []
    every = 1 + tables.state.size // WORDS
    for taken in range(1, SAMPLES + 1):
        control = tables.control
        keys.append([control[at] for at in (c.STEP, c.HEAPED, c.RING_COUNT, c.WORKING)])
        keys[-1].append(control[c.USED] - control[c.FREED])
        states.append(np.append(tables.state[::every], control[c.NOW]))
        if taken == TASTE and not _promising(np.array(states)):
            return 1
        if taken < SAMPLES:
            yield apart
    return _multiple(np.array(keys), np.array(states))


def _unevenly(states: Ints, multiple: int, rows: int) -> Any:
    """Where a word of the last rows has grown by another step than before."""
    last, middle, first = (states[len(states) - rows - n * multiple :][:rows] for n in (0, 1, 2))
    return last - middle != middle - first


def _promising(states: Ints) -> bool:
    """Whether most of the state grew evenly by some multiple."""
    return any(np.mean(_unevenly(states, multiple, 1)) <= 1 - EVEN for multiple in range(1, (TASTE - 1) // 2))


def _multiple(keys: Ints, states: Ints) -> int:
    """The one after which all has grown evenly for the longest time up to now, the last period at least; or 1."""
    states = states[:, (states != states[0]).any(axis=0)]
    count, found, longest = len(states), 1, 0
    for multiple in range(1, (count - 1) // 3 + 1):
        if _unevenly(states, multiple, 1).any() or (keys[-multiple - 1 :: -multiple] != keys[-1]).any():
            continue
        uneven = _unevenly(states, multiple, count - 2 * multiple).any(axis=1)
        even = len(uneven) - 1 - int(np.flatnonzero(uneven)[-1]) if uneven.any() else len(uneven)
        if even >= multiple and even > longest:
            found, longest = multiple, even
    return found
