"""Traces of block requests: the columns that every format is read into, and the registry of formats."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field, fields
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from simio.errors import Place, Problem, ScenarioError

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]
Clock = Literal["first", "zero"]
"""The instant from which a trace's times count: its first request, or the zero of its own clock."""

MOST_PROBLEMS = 20
"""Problems of a trace that are reported."""
HIGHEST = 2**60
"""More bytes than any volume has."""
LARGEST = 2**30
"""Bytes of the largest request."""
LATEST = 2**62
"""The last time in a trace, in ps after the beginning of its clock: 53 days."""
LONGEST = 86_400 * 10**12
"""The longest response or pause in ps, a day: more is a mistake in a column."""


@dataclass(frozen=True)
class LineBlock:
    """Whole lines of a trace file, and the number of the first of them."""

    data: bytes
    first: int


@dataclass(frozen=True)
class Batch:
    """Requests of a trace in order, as arrays of one length.

    `lines` are line numbers, `place` is the first byte of a request, `size` its bytes, `device` the place of its
    device in `devices`, a list that grows from batch to batch. Times are in ps: `arrival` since the clock began,
    `pause` from the end of the request before to its start, `response` from its start to its end, or -1 where that is
    not known. None stands for what a format does not record.
    """

    lines: Ints
    place: Ints
    size: Ints
    writes: Flags
    device: Ints
    devices: list[str]
    arrival: Ints | None = None
    pause: Ints | None = None
    response: Ints | None = None

    def __len__(self) -> int:
        return len(self.lines)

    def where(self, chosen: Any) -> Batch:
        """The requests of a mask or a slice."""
        values = {item.name: getattr(self, item.name) for item in fields(self)}
        return Batch(**{k: v[chosen] if isinstance(v, np.ndarray) else v for k, v in values.items()})


class TraceFormat(Protocol):
    """A format of traces: `about` says in a line what it is, and which times of requests it has."""

    @property
    def about(self) -> str:
        """A line about the format, with its source."""

    @property
    def clock(self) -> Clock:
        """The beginning of the clock."""

    @property
    def arrivals(self) -> bool:
        """True if requests have times."""

    @property
    def pauses(self) -> bool:
        """True if the time from the end of a request to the next one is known."""

    def batches(self, blocks: Iterable[LineBlock], file: str, ignore: Collection[str]) -> Iterator[Batch]:
        """The requests of a file, without those whose kind `ignore` has.

        Raises ScenarioError with the place of each mistake.
        """


LEAVE_OUT = "to leave such lines out, set ignore: ['{word}']"
"""Advice for a kind of request that is not replayed."""


class Mistake(Exception):
    """A mistake in a line: what was found, what was expected, and a hint."""


@dataclass
class Mistakes:
    """The mistakes of a file, of which so many are kept before reading ends."""

    file: str
    found: list[Problem] = field(default_factory=list)

    def add(self, line: int, mistake: Mistake) -> None:
        """Note a mistake in a line. Raises ScenarioError if there are enough of them."""
        found, expected, hint = (*mistake.args, "")[:3]
        self.found.append(Problem("", found, expected, hint, Place(self.file, line, 1)))
        if len(self.found) == MOST_PROBLEMS:
            raise ScenarioError(self.found)

    def refuse(self) -> None:
        """Raise ScenarioError if there are any."""
        if self.found:
            raise ScenarioError(self.found)


def integers(values: Iterable[int]) -> Ints:
    """Numbers as an array."""
    return np.array(list(values), dtype=np.int64)


FORMATS: dict[str, TraceFormat] = {}
"""Formats by name."""


def register_format(name: str, form: TraceFormat) -> None:
    """Add a format of traces. Raises ValueError if there is another of the name."""
    if FORMATS.setdefault(name, form) is not form:
        raise ValueError(f"a trace format {name!r} is registered already")
