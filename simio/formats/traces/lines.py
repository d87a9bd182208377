"""Traces with a request a line, read by the description of their columns."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np

from simio.errors import quote
from simio.formats.traces import cells
from simio.formats.traces.columns import SEPARATORS, Columns, TimeColumn
from simio.formats.traces.tokens import LineWords, words
from simio.formats.traces.trace import (
    HIGHEST,
    LARGEST,
    LATEST,
    LONGEST,
    Batch,
    Clock,
    Flags,
    Ints,
    LineBlock,
    Mistake,
    Mistakes,
    integers,
)
from simio.wording import counted


@dataclass(frozen=True)
class ColumnsFormat:
    """A trace format that its columns describe."""

    columns: Columns
    about: str = "columns that the scenario describes"

    @property
    def clock(self) -> Clock:
        """See `TraceFormat.clock`."""
        return self.columns.clock

    @property
    def arrivals(self) -> bool:
        """See `TraceFormat.arrivals`; without a column of them, they follow from responses and pauses."""
        return self.columns.arrival is not None or self.columns.response is not None

    @property
    def pauses(self) -> bool:
        """See `TraceFormat.pauses`; without a column of them, they follow from arrivals and responses."""
        return self.columns.pause is not None or self.columns.response is not None

    def batches(self, blocks: Iterable[LineBlock], file: str, ignore: Collection[str]) -> Iterator[Batch]:
        """See `TraceFormat.batches`."""
        reader = _Reader(self.columns, Mistakes(file), ignore)
        for block in blocks:
            if raw := reader.read(block):
                yield reader.batch(raw)
        reader.mistakes.refuse()


@dataclass(frozen=True)
class _Raw:
    """The columns of a block of lines: times in ps, arrivals since the clock's beginning."""

    lines: Ints
    place: Ints
    size: Ints
    device: Ints
    writes: Flags
    arrival: Ints | None
    response: Ints | None
    pause: Ints | None


@dataclass
class _Reader:
    """Reads a file block by block, and remembers what the next block depends on."""

    columns: Columns
    mistakes: Mistakes
    ignore: Collection[str]
    devices: list[str] = field(default_factory=list)
    numbers: dict[str, int] = field(default_factory=dict)
    began: int | None = None
    """Whole part of the first arrival, from which others count; 0 if they count from zero."""
    after: int = 0
    """Pause behind the last request."""
    ended: int = 0
    """End of the last request, and of the pause behind it where the next one then arrives."""

    def __post_init__(self) -> None:
        if self.columns.clock == "zero":
            self.began = 0

    def read(self, block: LineBlock) -> _Raw | None:
        """The requests of a block, all columns at once or line by line; None if there are none."""
        first, data = block.first, block.data
        while first <= self.columns.header and data:
            _, _, data = data.partition(b"\n")
            first += 1
        if not data:
            return None
        found = words(data, SEPARATORS[self.columns.separator])
        raw = self._at_once(found, first) if found else None
        return raw or self._by_line(data, first)

    def batch(self, raw: _Raw) -> Batch:
        """A batch with the times that follow from others."""
        arrival, pause = raw.arrival, raw.pause
        if pause is not None:
            before = np.concatenate(([self.after], pause[:-1]))
            self.after = int(pause[-1])
            if arrival is None and raw.response is not None:
                ends = self.ended + np.cumsum(raw.response + pause)
                arrival = np.concatenate(([self.ended], ends[:-1]))
                self.ended = int(ends[-1])
            pause = before
        elif arrival is not None and raw.response is not None:
            # Overlapping requests leave no pause.
            pause = np.maximum(arrival - np.concatenate(([self.ended], (arrival + raw.response)[:-1])), 0)
            self.ended = int(arrival[-1] + raw.response[-1])
        return Batch(
            raw.lines, raw.place, raw.size, raw.writes, raw.device, self.devices, arrival, pause, raw.response
        )

    # --- all lines at once -------------------------------------------------------------------------------

    def _at_once(self, found: LineWords, first: int) -> _Raw | None:
        """The columns of a block whose lines are all alike and without mistakes; None for another."""
        columns, (lines, number) = self.columns, found.shape
        if number != (columns.count or number) or number < columns.least:
            return None
        place = _scaled(found.whole(columns.offset.column - 1), columns.offset.unit, 0, HIGHEST)
        size = _scaled(found.whole(columns.size.column - 1), columns.size.unit, 1, LARGEST)
        writes, device = self._directions(found), self._named(found)
        if place is None or size is None or writes is None or device is None:
            return None
        times: list[Ints | None] = []
        for column, most in ((columns.response, LONGEST), (columns.pause, LONGEST), (columns.arrival, LATEST)):
            times.append(self._times(found, column, most) if column else None)
            if column and times[-1] is None:
                return None
        response, pause, arrival = times
        numbers = np.arange(first, first + lines)
        return _Raw(numbers, place, size, device, writes, arrival, response, pause)

    def _directions(self, found: LineWords) -> Flags | None:
        direction = self.columns.direction
        if direction.read_bit is not None:
            flags = found.whole(direction.column - 1)
            return None if flags is None else (flags >> direction.read_bit) % 2 == 0
        texts = found.texts(direction.column - 1)
        if texts is None:
            return None
        kinds, which = texts
        if not set(kinds) <= {*direction.reads, *direction.writes}:
            return None
        return np.array([kind in direction.writes for kind in kinds])[which]

    def _times(self, found: LineWords, column: TimeColumn, most: int) -> Ints | None:
        decimal = found.decimal(column.column - 1)
        if decimal is None:
            return None
        whole, rest, digits = decimal
        if most == LATEST:
            if self.began is None:
                self.began = int(whole[0])
            whole = whole - self.began
        part, left = divmod(column.unit, 10**digits)
        if left or np.abs(whole).max() > (most // column.unit) - 1:
            return None
        return whole * column.unit + rest * part

    def _named(self, found: LineWords) -> Ints | None:
        which = np.zeros(found.shape[0], dtype=np.int64)
        names = [""]
        for column in self.columns.device:
            texts = found.texts(column - 1)
            if texts is None:
                return None
            kinds, own = texts
            names = [f"{name}_{kind}" if name else kind for name in names for kind in kinds]
            which = which * len(kinds) + own
        used, own = np.unique(which, return_inverse=True)
        return integers(self._number(names[at]) for at in used.tolist())[own.reshape(-1)]

    def _number(self, device: str) -> int:
        if device not in self.numbers:
            self.numbers[device] = len(self.devices)
            self.devices.append(device)
        return self.numbers[device]

    # --- line by line ------------------------------------------------------------------------------------

    def _by_line(self, data: bytes, first: int) -> _Raw | None:
        rows, lines = [], []
        for number, line in enumerate(data.split(b"\n"), first):
            text = line.decode("utf-8", "replace").strip()
            if text and not text.startswith("#"):
                try:
                    row = self._line(text)
                except Mistake as mistake:
                    self.mistakes.add(number, mistake)
                    continue
                if row:
                    rows.append(row)
                    lines.append(number)
        if not rows:
            return None
        place, size, writes, device, *times = zip(*rows, strict=True)
        arrival, response, pause = (None if each[0] is None else integers(each) for each in times)
        whole = [integers(each) for each in (lines, place, size, device)]
        return _Raw(whole[0], whole[1], whole[2], whole[3], np.array(writes), arrival, response, pause)

    def _line(self, text: str) -> tuple[int, int, bool, int, int | None, int | None, int | None] | None:
        columns = self.columns
        separator = SEPARATORS[columns.separator]
        given = text.split() if separator == " " else [word.strip().strip('"') for word in text.split(separator)]
        number = len(given)
        if number != (columns.count or number) or number < columns.least:
            least = columns.count or f"{columns.least} or more"
            raise Mistake(counted(number, "column"), f"{least}: {columns.named()}")
        word = given[columns.direction.column - 1]
        if word in self.ignore:
            return None
        writes = cells.direction(word, columns.direction)
        place = cells.whole(given, columns.offset, "an address", 0, HIGHEST)
        size = cells.whole(given, columns.size, "a size above zero", 1, LARGEST)
        device = self._number("_".join(given[column - 1] for column in columns.device))
        spans = cells.span(given, columns.response), cells.span(given, columns.pause)
        return place, size, writes, device, self._arrival(given), *spans

    def _arrival(self, given: list[str]) -> int | None:
        column = self.columns.arrival
        if column is None:
            return None
        value = cells.decimal(given, column)
        if self.began is None:
            self.began = int(value)
        time = round((value - self.began) * column.unit)
        if abs(time) >= LATEST:
            raise Mistake(quote(given[column.column - 1]), "a time at most 53 days after the first")
        return time


def _scaled(values: Ints | None, unit: int, least: int, most: int) -> Ints | None:
    if values is None or int(values.max()) > most // unit or int(values.min()) < least:
        return None
    return values * unit
