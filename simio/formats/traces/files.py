"""Trace files: read in blocks, a part of their requests chosen, and summed up without keeping any."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import lzma
import os
import re
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import IO, Any

import numpy as np

from simio.errors import Place, Problem, ScenarioError
from simio.formats.traces.trace import Batch, Ints, LineBlock, TraceFormat
from simio.sketch import Sketch

READ = 2**20
"""Bytes that are read at a time."""
LONGEST_LINE = 2**16
MOST_SIZES = 64
"""Different sizes of requests that are remembered of a device."""
_MARK = b"\xef\xbb\xbf"
"""The mark that some programs put before a text in UTF-8."""
_OPEN: dict[str, Callable[..., Any]] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
"""Functions that open a compressed file, by the end of its name."""


@dataclass(frozen=True)
class Choice:
    """The requests of a trace that are replayed, and what is changed of all of them.

    `first` and `last` count requests from 1; `since` and `until` are times in ps. Addresses and sizes are widened to
    multiples of `align` bytes. Arrivals may be up to `disorder` ps before those ahead of them, and then count as
    simultaneous. Kinds of requests that `ignore` has are left out.
    """

    first: int = 1
    last: int | None = None
    since: int | None = None
    until: int | None = None
    align: int | None = None
    disorder: int = 0
    ignore: tuple[str, ...] = ()


@dataclass(frozen=True)
class DeviceSummary:
    """The demand of a trace on a device: requests, the end of the last byte, and what all addresses are multiples of.

    `reads` and `writes` are the sizes of requests, None if there are more than `MOST_SIZES`.
    """

    name: str
    requests: int
    end: int
    grain: int
    reads: frozenset[int] | None
    writes: frozenset[int] | None


@dataclass(frozen=True)
class TraceSummary:
    """Properties of the chosen requests: devices by name, arrivals of the first and the last, measured responses.

    `digest` is the SHA-256 of all that was read of the file.
    """

    requests: int
    devices: tuple[DeviceSummary, ...]
    first: int | None
    last: int | None
    responses: Sketch | None
    digest: str


class TraceFile:
    """A trace in a file; equal to another if the requests that are chosen are the same."""

    def __init__(self, path: str, form: TraceFormat, choice: Choice) -> None:
        self.path, self.form, self.choice = path, form, choice

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TraceFile) and self._decisive == other._decisive

    def __hash__(self) -> int:
        return hash(self._decisive)

    @property
    def _decisive(self) -> tuple[TraceFormat, Choice, str]:
        """The values that decide the requests."""
        return self.form, self.choice, self.summary.digest

    @cached_property
    def summary(self) -> TraceSummary:
        """Properties of all chosen requests, computed when they are first asked for.

        Raises ScenarioError with the place of each mistake, and if there are none.
        """
        known = os.stat(self.path)
        form: Any = self.form
        return _summary(self.path, form, self.choice, (known.st_mtime_ns, known.st_size))

    def batches(self, digest: Any = None) -> Iterator[tuple[Batch, Ints]]:
        """The chosen requests with their numbers, from 1; `digest` is updated with all that is read.

        Raises ScenarioError with the place of each mistake.
        """
        choice, number, now = self.choice, 1, -(2**62)
        for given in self.form.batches(blocks(self.path, digest), self.path, choice.ignore):
            batch = given
            numbers = np.arange(number, number + len(batch))
            number += len(batch)
            if batch.arrival is not None:
                latest = np.maximum.accumulate(np.maximum(batch.arrival, now))
                self._check_order(batch, latest)
                batch, now = replace(batch, arrival=latest), int(latest[-1])
            chosen = numbers >= choice.first
            if choice.last is not None:
                chosen &= numbers <= choice.last
            if batch.arrival is not None and choice.since is not None:
                chosen &= batch.arrival >= choice.since
            if batch.arrival is not None and choice.until is not None:
                chosen &= batch.arrival < choice.until
            if not chosen.all():
                batch, numbers = batch.where(chosen), numbers[chosen]
            if len(batch):
                yield (_widened(batch, choice.align) if choice.align else batch), numbers
            if (choice.last is not None and number > choice.last) or (
                choice.until is not None and now >= choice.until
            ):
                return

    def _check_order(self, batch: Batch, latest: Ints) -> None:
        assert batch.arrival is not None
        wrong = np.flatnonzero(latest - batch.arrival > self.choice.disorder)
        if len(wrong):
            line = int(batch.lines[wrong[0]])
            before = -(-int(latest[wrong[0]] - batch.arrival[wrong[0]]) // 10**6)
            raise ScenarioError(
                Problem(
                    "",
                    f"an arrival before that of the request before, by {before} us",
                    "arrivals in ascending order",
                    f"with disorder: {before} us they would count as simultaneous",
                    Place(self.path, line, 1),
                )
            )


def blocks(path: str, digest: Any = None) -> Iterator[LineBlock]:
    """The lines of a file in blocks; one whose name ends in .gz, .bz2 or .xz is decompressed.

    Raises ScenarioError for a line that is too long, and for a compressed file that is broken.
    """
    number = 1
    try:
        with _open(path) as file:
            while data := file.read(READ):
                if not data.endswith(b"\n"):
                    data += (rest := file.readline(LONGEST_LINE))
                    if len(rest) == LONGEST_LINE and not rest.endswith(b"\n"):
                        line = number + data.count(b"\n")
                        found = f"a line of more than {LONGEST_LINE >> 10} KiB"
                        raise ScenarioError(Problem("", found, "a text file", place=Place(path, line, 1)))
                if digest:
                    digest.update(data)
                if number == 1:
                    data = data.removeprefix(_MARK)
                yield LineBlock(data, number)
                number += data.count(b"\n")
    except (OSError, EOFError, lzma.LZMAError, zlib.error) as error:
        raise ScenarioError(Problem(path, f"a file that cannot be read ({error})", "a trace file")) from None


def _open(path: str) -> IO[bytes]:
    opened: IO[bytes] = _OPEN.get(os.path.splitext(path)[1], open)(path, "rb")
    return opened


def _widened(batch: Batch, align: int) -> Batch:
    place = batch.place // align * align
    return replace(batch, place=place, size=-(-(batch.place + batch.size) // align) * align - place)


@lru_cache(maxsize=16)
def _summary(path: str, form: Any, choice: Choice, _state: tuple[int, int]) -> TraceSummary:
    digest = hashlib.sha256()
    trace, sums = TraceFile(path, form, choice), _Sums()
    for batch, _ in trace.batches(digest):
        sums.add(batch)
    if not sums.requests:
        wanted = f"a line for each request ({form.about})"
        raise ScenarioError(Problem("", "no requests", wanted, place=Place(path, 1, 1)))
    return TraceSummary(
        sums.requests,
        tuple(sums.devices[name].summary(name) for name in sorted(sums.devices, key=_natural)),
        sums.first,
        sums.last,
        sums.responses,
        digest.hexdigest(),
    )


def _natural(name: str) -> list[tuple[int, int | str]]:
    """A key by which device 10 comes after device 9."""
    return [(0, int(part)) if part.isdecimal() else (1, part) for part in re.split(r"(\d+)", name)]


@dataclass
class _DeviceSums:
    requests: int = 0
    end: int = 0
    grain: int = 0
    sizes: dict[bool, set[int]] = field(default_factory=lambda: {False: set(), True: set()})

    def add(self, batch: Batch) -> None:
        self.requests += len(batch)
        self.end = max(self.end, int((batch.place + batch.size).max()))
        self.grain = int(np.gcd.reduce(np.concatenate(([self.grain], batch.place, batch.size))))
        for writes, known in self.sizes.items():
            if len(known) <= MOST_SIZES:
                known.update(np.unique(batch.size[batch.writes == writes]).tolist())

    def summary(self, name: str) -> DeviceSummary:
        sizes = (frozenset(known) if len(known) <= MOST_SIZES else None for known in self.sizes.values())
        return DeviceSummary(name, self.requests, self.end, self.grain, *sizes)


@dataclass
class _Sums:
    requests: int = 0
    devices: dict[str, _DeviceSums] = field(default_factory=dict)
    first: int | None = None
    last: int | None = None
    responses: Sketch | None = None

    def add(self, batch: Batch) -> None:
        self.requests += len(batch)
        for number in np.unique(batch.device).tolist():
            name = batch.devices[number]
            own = self.devices.setdefault(name, _DeviceSums())
            own.add(batch.where(batch.device == number) if len(batch.devices) > 1 else batch)
        if batch.arrival is not None:
            self.first = int(batch.arrival[0]) if self.first is None else self.first
            self.last = int(batch.arrival[-1])
        if batch.response is not None:
            self.responses = self.responses or Sketch()
            self.responses.add(batch.response[batch.response >= 0])
