"""The columns of a trace that has a request a line: a ready format's, or those that a scenario describes."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, model_validator

from simio import units
from simio.description.quantities import Count, Duration, Extent, OrNone, Text, Values, Whole, refusal
from simio.errors import quote
from simio.formats.traces.trace import Clock

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
