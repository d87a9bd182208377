"""The types of the values in a datasheet: numbers with a dimension, counts and switches.

A quantity is given as text with a unit (`"81.2 MB/s"`) or, from Python, as a number in the unit that simio
computes in: picoseconds (int) for a time, bytes (int) for a size, exact fractions of bytes/s, Hz, rev/s,
baud, m and ps/m, and of one for a share.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    PlainValidator,
    WithJsonSchema,
)
from pydantic.fields import FieldInfo
from pydantic_core import PydanticCustomError, core_schema

from simio import units
from simio.errors import quote

FROM_TEXT: Mapping[str, bool] = {"text": True}
"""The validation context of values from a file, in which a number without a unit is refused."""

_WHOLE = ("time", "size")
_WORD_VALUES: Mapping[str, None | str] = {"none": None, "auto": "auto"}


def word_of_none(value: object) -> object:
    """A value as it is, and `none` as null."""
    return None if value == "none" else value


@dataclass(frozen=True)
class OrNone:
    """Marks an optional whole number: `none` and null both say that there is none."""

    wanted = "a whole number, or 'none'"

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> Any:
        return core_schema.no_info_before_validator_function(word_of_none, handler(source))

    def __get_pydantic_json_schema__(self, schema: Any, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return {"anyOf": [*handler(schema)["anyOf"], {"const": "none"}]}


@dataclass(frozen=True)
class Quantity:
    """Marks a field as a quantity of a dimension.

    `positive` refuses zero, `signed` takes what is below zero; `word` is a word that may stand in place of a
    quantity: `none` (the value is `None`; a YAML null says the same) or `auto` (the value is `"auto"`).
    """

    dimension: str
    positive: bool = False
    word: str = ""
    signed: bool = False

    @property
    def example(self) -> str:
        """A value of this dimension as a user would write it."""
        return units.example(self.dimension)

    @property
    def wanted(self) -> str:
        """The expected value, for a message: `a size such as '64 KiB'`."""
        noun = units.DIMENSIONS[self.dimension].noun
        above = " above zero" if self.positive else ""
        either = f", or '{self.word}'" if self.word else ""
        return f"{noun}{above} such as '{self.example}'{either}"

    def read(self, value: object, *, from_text: bool = False) -> Any:
        """The value in the unit simio computes in; raises a pydantic error with found and expected."""
        if self.word and (value == self.word or (value is None and self.word == "none")):
            return _WORD_VALUES[self.word]
        number = self._number(value, from_text)
        if (number < 0 and not self.signed) or (self.positive and number == 0):
            raise refusal(quote(value) if isinstance(value, str) else str(value), self.wanted)
        return number

    def _number(self, value: object, from_text: bool) -> int | Fraction:
        if isinstance(value, bool) or value is None or not isinstance(value, (str, int, float, Fraction)):
            raise refusal(show(value), self.wanted)
        if not from_text and isinstance(value, (int, Fraction)):
            if self.dimension not in _WHOLE:
                return Fraction(value)
            if value != int(value):
                raise refusal(str(value), f"a whole number for {units.DIMENSIONS[self.dimension].noun}")
            return int(value)
        try:
            if self.signed and isinstance(value, str) and value.startswith("-"):
                return -units.parse(value[1:], self.dimension)
            return units.parse(value, self.dimension)
        except units.UnitError as error:
            either = f", or '{self.word}'" if self.word else ""
            raise refusal(error.found, error.expected + either, error.hint) from None

    def __get_pydantic_core_schema__(self, _source: Any, _handler: GetCoreSchemaHandler) -> Any:
        def read(value: object, info: core_schema.ValidationInfo) -> Any:
            return self.read(value, from_text=bool(info.context and info.context.get("text")))

        return core_schema.with_info_plain_validator_function(read)

    def __get_pydantic_json_schema__(self, _schema: Any, _handler: GetJsonSchemaHandler) -> dict[str, Any]:
        written: dict[str, Any] = {"type": "string", "pattern": self.pattern, "examples": [self.example]}
        if self.word != "none":
            return written
        return {"anyOf": [written, {"type": "null"}], "examples": [self.example, self.word]}

    @property
    def pattern(self) -> str:
        """A regular expression for an editor's first check of the text."""
        spelt = units.regex(self.dimension).removeprefix("^").removesuffix("$")
        spelt = f"-?{spelt}" if self.signed else spelt
        return f"^(?:{self.word}|{spelt})$" if self.word else f"^{spelt}$"


@dataclass(frozen=True)
class NonBlankText:
    """Marks a field as a text that is not blank, or as one of the `known` names of a `noun`."""

    wanted: str = "a text"
    known: tuple[str, ...] = ()
    noun: str = ""

    def read(self, value: object) -> str:
        """The text; raises a pydantic error with found and expected."""
        if not isinstance(value, str) or not value.strip():
            raise refusal(show(value), self.wanted)
        if self.known and value not in self.known:
            raise PydanticCustomError(
                "unknown", "{noun} {name}", {"noun": self.noun, "name": value, "known": self.known}
            )
        return value

    def __get_pydantic_core_schema__(self, _source: Any, _handler: GetCoreSchemaHandler) -> Any:
        return core_schema.no_info_plain_validator_function(self.read)


def refusal(found: str, expected: str, hint: str = "", field: str = "") -> PydanticCustomError:
    """The error that a validator raises; `field` names the field at fault if it is not the validated one."""
    return PydanticCustomError(
        "refused",
        "found {found}; expected {expected}",
        {"found": found, "expected": expected, "hint": hint, "field": field},
    )


def show(value: object) -> str:
    """A plain value as a message quotes it."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return quote(value)
    if isinstance(value, Mapping):
        return "a mapping"
    if isinstance(value, (list, tuple)):
        return "a list"
    return str(value)


Time = Annotated[int, Quantity("time")]
Duration = Annotated[int, Quantity("time", positive=True)]
"""A time above zero."""
SignedTime = Annotated[int, Quantity("time", signed=True)]
"""A time, which may be below zero."""
OptionalTime = Annotated[int | None, Quantity("time", word="none")]
"""A time, or none."""
OptionalRate = Annotated[Fraction | None, Quantity("rate", positive=True, word="none")]
"""A rate, or none."""
Size = Annotated[int, Quantity("size")]
Extent = Annotated[int, Quantity("size", positive=True)]
"""A size above zero."""
Limit = Annotated[int | None, Quantity("size", positive=True, word="none")]
"""A size above zero, or none for no limit."""
Horizon = Annotated[int | None, Quantity("time", positive=True, word="none")]
"""A time above zero, or none."""
WarmUp = Annotated[int | Literal["auto"], Quantity("time", word="auto")]
"""A time, or `auto`."""
Rate = Annotated[Fraction, Quantity("rate", positive=True)]
Frequency = Annotated[Fraction, Quantity("frequency", positive=True)]
Rotation = Annotated[Fraction, Quantity("rotation", positive=True)]
Signalling = Annotated[Fraction, Quantity("signalling", positive=True)]
Length = Annotated[Fraction, Quantity("length")]
Share = Annotated[Fraction | None, Quantity("share", positive=True, word="none")]
"""A share above zero, or none."""
DelayPerLength = Annotated[Fraction, Quantity("delay_per_length")]


def _below_one(value: object, wanted: str) -> float:
    """A number from 0 to below 1, or a percentage with its sign."""
    number = value
    if isinstance(value, str):
        try:
            number = float(units.parse(value, "share"))
        except units.UnitError as error:
            raise refusal(error.found, wanted, error.hint if "," in value else "") from None
    if isinstance(number, bool) or not isinstance(number, int | float) or not 0 <= number < 1:
        raise refusal(show(value), wanted)
    return float(number)


def _probability(value: object) -> float:
    return _below_one(value, "a probability from 0 to below 1, such as 0.0001 or '0.01 %'")


def _part(value: object) -> float:
    return _below_one(value, "a share from 0 to below 1, such as 0.1 or '10 %'")


def _schema(example: str) -> WithJsonSchema:
    text = {"type": "string", "pattern": units.regex("share"), "examples": [example]}
    return WithJsonSchema({"anyOf": [{"type": "number", "minimum": 0, "exclusiveMaximum": 1}, text]})


Probability = Annotated[float, PlainValidator(_probability), _schema("0.01 %")]
"""A probability below one: a number, or a percentage as text."""
Part = Annotated[float, PlainValidator(_part), _schema("10 %")]
"""A share of a whole, below one: a number, or a percentage as text."""
Count = Annotated[int, Field(strict=True, ge=1, le=2**31 - 1)]
"""A whole number of at least one."""
Whole = Annotated[int, Field(strict=True, ge=0, le=2**31 - 1)]
"""A whole number, zero included."""
TrafficClass = Annotated[int, Field(strict=True, ge=0, le=7)]
"""A class of traffic (IEEE 802.1Q), of which 7 is the most urgent."""
OptionalCount = Annotated[Count | None, OrNone()]
"""A whole number of at least one, or none."""
OptionalWhole = Annotated[Whole | None, OrNone()]
"""A whole number, zero included, or none."""
Flag = Annotated[bool, Field(strict=True)]
Text = Annotated[str, Field(strict=True)]


@dataclass(frozen=True)
class Name:
    """Marks a field as the name of one of the things in a registry, which plug-ins may extend until its first use."""

    registry: Iterable[str | None]

    def __get_pydantic_core_schema__(self, _source: Any, _handler: GetCoreSchemaHandler) -> Any:
        return core_schema.literal_schema(list(self.registry))


class Values(BaseModel):
    """A frozen set of typed values that knows no other keys."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True, defer_build=True)


def quantity_of(field: FieldInfo | None) -> Quantity | None:
    """The quantity a field of a sheet is marked with, or None for a count, a switch, a word or a list."""
    marks = [mark for mark in field.metadata if isinstance(mark, Quantity)] if field else []
    return marks[0] if marks else None
