"""The requests of a trace as rows of the machine that a replay takes them from, a chunk at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from simio.errors import RunError, ScenarioError
from simio.formats.traces.files import TraceFile
from simio.formats.traces.trace import Batch, Ints
from simio.machines import records
from simio.machines.layout import State
from simio.workloads.replay.addresses import Placement

CHUNK = 2**14
"""Requests that a program has at a time."""
Mode = Literal["closed", "recorded"]


@dataclass(frozen=True)
class Times:
    """Instants of the requests, in ps.

    Times of the trace count from `origin`, are multiplied by the fraction `scale`, and begin at `start`.
    """

    mode: Mode
    origin: int
    start: int
    scale: tuple[int, int]

    def scaled(self, times: Ints) -> Ints:
        """Times multiplied by the scale, rounded down."""
        numerator, denominator = self.scale
        whole, rest = np.divmod(times, denominator)
        scaled: Ints = whole * numerator + rest * numerator // denominator
        return scaled


@dataclass(frozen=True)
class TraceRows:
    """Gives the rows of a trace in chunks, each as the first words of the machine's `state`.

    `placements` are those of the trace's devices by name; the requests of other devices are left out.
    """

    trace: TraceFile
    times: Times
    placements: tuple[tuple[str, Placement], ...]
    state: tuple[int, ...]
    chunk: int

    def __call__(self) -> Iterator[Ints]:
        """The words of each chunk. Raises RunError if the trace has changed."""
        state, before, first = State(self.state), 0, True
        try:
            for batch, numbers in self.trace.batches():
                rows, before = self._rows(batch, numbers, before, first)
                first = first and not len(rows)
                for at in range(0, len(rows), self.chunk):
                    yield records.filled(state, rows[at : at + self.chunk])
        except ScenarioError as error:
            raise RunError(f"the trace has changed while it is replayed: {error.problems[0]}") from None

    def _rows(self, batch: Batch, numbers: Ints, before: int, first: bool) -> tuple[Ints, int]:
        """The rows of a batch; `before` is the time of the last request of the batch before it."""
        known = dict(self.placements)
        used = np.array([name in known for name in batch.devices])[batch.device]
        if not used.all():
            batch, numbers = batch.where(used), numbers[used]
        rows = np.zeros((len(batch), records.COLUMNS), dtype=np.int64)
        if not len(batch):
            return rows, before
        if self.times.mode == "recorded":
            assert batch.arrival is not None
            times = self.times.start + self.times.scaled(batch.arrival - self.times.origin)
            rows[:, records.WAIT] = np.diff(times, prepend=before)
            before = int(times[-1])
        else:
            assert batch.pause is not None
            rows[:, records.WAIT] = self.times.scaled(batch.pause)
            if first:
                rows[0, records.WAIT] = self.times.start
        for number in np.unique(batch.device).tolist():
            own = batch.device == number
            placement = known[batch.devices[number]]
            rows[own, records.PLACE] = placement.of(batch.place[own], batch.size[own])
            rows[own, records.TARGET] = placement.target
        rows[:, records.EXTENT] = 2 * batch.size + batch.writes
        rows[:, records.NUMBER] = numbers
        return rows, before
