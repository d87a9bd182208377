"""Traces with a request a line, described by their columns: a ready format, or one that a scenario describes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import field
from typing import Annotated, Literal

import numpy as np
from pydantic import BeforeValidator, Field, model_validator

from simio import units
from simio.deferred import dataclass
from simio.description.quantities import Count, Duration, Extent, OrNone, Text, Values, Whole, refusal
from simio.errors import quote
from simio.formats.traces import cells
from simio.formats.traces.tokens import Words, words
from simio.formats.traces.trace import (
    HIGHEST,
    LARGEST,
    LATEST,
    LONGEST,
    Batch,
    Block,
    Clock,
    Flags,
    Ints,
    Mistake,
    Mistakes,
    integers,
)
from simio.wording import counted

SEPARATORS = {"comma": ",", "semicolon": ";", "tab": "\t", "space": " "}


def _one(value: object) -> object:
    """A unit by its name alone is one of it."""
    return f"1 {value}" if isinstance(value, str) and units.dimension_of(value) else value


class TimeColumn(Values):
    """A column of times."""

    column: Count = Field(description="number of the column, from 1")
    unit: Annotated[Duration, BeforeValidator(_one)] = Field(description="time that 1 stands for")


class SizeColumn(Values):
    """A column of addresses or sizes."""

    column: Count = Field(description="number of the column, from 1")
    unit: Annotated[Extent, BeforeValidator(_one)] = Field(1, description="bytes that 1 stands for")


class DirectionColumn(Values):
    """The column that says which requests write."""

    column: Count = Field(description="number of the column, from 1")
    reads: tuple[Text, ...] = Field((), description="texts of a read")
    writes: tuple[Text, ...] = Field((), description="texts of a write")
    read_bit: Annotated[Annotated[Whole, Field(le=30)] | None, OrNone()] = Field(
        None, description="in place of texts: the column is a number, in which this bit is set for a read"
    )

    @model_validator(mode="after")
    def _says_which(self) -> DirectionColumn:
        if (self.read_bit is None) == (not self.reads and not self.writes):
            raise refusal("neither or both", "reads and writes, or else read_bit", field="reads")
        texts = [*self.reads, *self.writes]
        for text in texts:
            if texts.count(text) > 1:
                raise refusal(f"{quote(text)} twice", "each text once", field="reads")
        return self

    @property
    def wanted(self) -> str:
        """The texts that may be there."""
        if self.read_bit is not None:
            return f"a whole number, of which bit {self.read_bit} is set for a read,"
        *others, last = [*self.reads, *self.writes]
        return " or ".join([", ".join(others), last]) if others else last


def _listed(value: object) -> object:
    return (value,) if isinstance(value, int) else value


class Columns(Values):
    """The columns of a trace that has a request a line."""

    separator: Literal["comma", "semicolon", "tab", "space"] = Field(
        "comma", description="separator of columns; space is any white space"
    )
    header: Whole = Field(0, description="lines before the first request")
    count: Annotated[int | None, Field(strict=True, ge=1, le=1000)] = Field(
        None, description="columns of every line; none: at least the named ones"
    )
    clock: Clock = Field(
        "first", description="instant from which times count: the first request, or the clock's zero"
    )
    offset: SizeColumn = Field(description="address")
    size: SizeColumn = Field(description="size")
    direction: DirectionColumn = Field(description="read or write")
    device: Annotated[tuple[Count, ...], BeforeValidator(_listed)] = Field(
        (), description="number of the column that names the device, or numbers of several"
    )
    arrival: TimeColumn | None = Field(None, description="time at which the request was made")
    response: TimeColumn | None = Field(None, description="time that it took")
    pause: TimeColumn | None = Field(None, description="time from its end to the next request")

    @model_validator(mode="after")
    def _has_times(self) -> Columns:
        if self.arrival is None and self.pause is None:
            raise refusal("neither arrival nor pause", "one of both at least", field="arrival")
        return self

    @property
    def least(self) -> int:
        """Columns that a line has to have."""
        times = [each.column for each in (self.arrival, self.response, self.pause) if each]
        return max(self.offset.column, self.size.column, self.direction.column, *self.device, *times)

    def named(self) -> str:
        """The columns in words."""
        known = {self.offset.column: "address", self.size.column: "size", self.direction.column: "read or write"}
        known |= dict.fromkeys(self.device, "device")
        for name in ("arrival", "response", "pause"):
            if column := getattr(self, name):
                known[column.column] = name
        return ", ".join(known.get(number, "(ignored)") for number in range(1, (self.count or self.least) + 1))


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

    def batches(self, blocks: Iterable[Block], file: str, ignore: Collection[str]) -> Iterator[Batch]:
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

    def read(self, block: Block) -> _Raw | None:
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

    def _at_once(self, found: Words, first: int) -> _Raw | None:
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

    def _directions(self, found: Words) -> Flags | None:
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

    def _times(self, found: Words, column: TimeColumn, most: int) -> Ints | None:
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

    def _named(self, found: Words) -> Ints | None:
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
