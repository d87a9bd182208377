"""The requests that a replay made, one by one: what each was, when it was made and how long it took."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from simio.engines.outcome import Ints
from simio.errors import RunError
from simio.program.roles import REQUEST
from simio.program.steps import Program
from simio.result.condensed import Sink

FIELDS = ("number", "target", "place", "extent", "latency")
"""Values that a request is recorded by, one mark each, all at once when it is done.

`number` is that in the trace, `target` the place of its device among those of the workload, `extent` twice its bytes
and 1 more for a write, `latency` in ps.
"""

Table = Mapping[str, Any]
"""Columns of requests in the order in which they were done, by name.

Workload and device are lists of text, the others arrays: request (its number in the trace), writes, offset and size
in bytes, start and latency in ps.
"""


class RequestLog:
    """Gives a table of requests to `write`, a part of them at a time."""

    def __init__(self, write: Callable[[Table], object]) -> None:
        self._write = write

    def begin(self, program: Program) -> Sink:
        """The receiver of a run's marks. Raises RunError if the program replays nothing."""
        marks = {row: mark.name.rpartition(":")[0] for row, mark in enumerate(program.marks) if mark.role == REQUEST}
        if not marks:
            raise RunError("there are no requests to write: only workloads of kind replay make requests one by one")
        devices = {
            name: [mark.name.removeprefix(f"{name}: ") for mark in program.marks if _delivers(mark, name)]
            for name in marks.values()
        }

        left = dict.fromkeys(marks, np.empty((0, 3), dtype=np.int64))
        """The first marks of a request that came at the end of a part of the record."""

        def add(records: Ints) -> None:
            for row, name in marks.items():
                own = np.concatenate((left[row], records[records[:, 1] == row]))
                whole = len(own) // len(FIELDS) * len(FIELDS)
                left[row] = own[whole:]
                if whole:
                    self._write(_table(name, devices[name], own[:whole]))

        return add


def _delivers(mark: Any, name: str) -> bool:
    return mark.role == "delivered" and mark.name.startswith(f"{name}: ")


def _table(name: str, devices: list[str], records: Ints) -> Table:
    number, target, place, extent, latency = records[:, 2].reshape(-1, len(FIELDS)).T
    return {
        "workload": [name] * len(number),
        "request": number,
        "device": np.array(devices, dtype=object)[target].tolist(),
        "writes": extent % 2 == 1,
        "offset": place,
        "size": extent // 2,
        "start": records[:: len(FIELDS), 0] - latency,
        "latency": latency,
    }
