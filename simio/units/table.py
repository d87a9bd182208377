"""The closed table of units: dimensions, their units and factors."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import NamedTuple

from simio.errors import Place, Problem, SimioError

# Engines count in int64; a bit is left free so that a sum of two quantities cannot overflow.
LIMIT = 2**62

_DECIMAL = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_BINARY = {"Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40}
_SIZES = {
    prefix + unit: Fraction(factor, parts)
    for unit, parts in (("B", 1), ("bit", 8))
    for prefix, factor in (_DECIMAL | _BINARY).items()
}
_TIMES = {
    "ps": Fraction(1),
    "ns": Fraction(10**3),
    "us": Fraction(10**6),
    "ms": Fraction(10**9),
    "s": Fraction(10**12),
    "min": Fraction(60 * 10**12),
    "h": Fraction(3600 * 10**12),
}
_LENGTHS = {"mm": Fraction(1, 1000), "cm": Fraction(1, 100), "m": Fraction(1), "km": Fraction(1000)}


class Dimension(NamedTuple):
    """A dimension: its name in messages, base unit and units (factors to the base unit).

    `whole` dimensions are ints of the base unit, others Fractions.  `reading` lists, from the largest, the
    units for output, each with the least number that it is used for.
    """

    name: str
    noun: str
    base: str
    whole: bool
    example: str
    units: Mapping[str, Fraction]
    reading: tuple[tuple[str, Fraction], ...]


def _dimension(
    name: str, noun: str, base: str, example: str, units: Mapping[str, Fraction], reading: str
) -> Dimension:
    whole = base in ("ps", "bytes")
    steps = []
    for word in reading.split():
        unit, _, least = word.partition(">")
        steps.append((unit, Fraction(least or 1)))
    return Dimension(name, noun, base, whole, example, MappingProxyType(dict(units)), tuple(steps))


def _prefixed(unit: str, prefixes: str) -> dict[str, Fraction]:
    return {prefix + unit: Fraction(_DECIMAL[prefix]) for prefix in ("", *prefixes)}


_TABLE = (
    _dimension("time", "a time", "ps", "10 us", _TIMES, "h>10 min>10 s ms us ns ps"),
    _dimension("size", "a size", "bytes", "64 KiB", _SIZES, "TB GB MB kB B"),
    _dimension(
        "rate", "a rate", "bytes/s", "50 MB/s", {f"{unit}/s": factor for unit, factor in _SIZES.items()},
        "TB/s>10 GB/s>10 MB/s>0.1 kB/s B/s",
    ),
    _dimension("frequency", "a frequency", "Hz", "33 MHz", _prefixed("Hz", "kMG"), "GHz MHz kHz Hz"),
    _dimension(
        "request_rate", "a number of requests a second", "1/s", "120 /s",
        {"/s": Fraction(1), "/min": Fraction(1, 60), "/h": Fraction(1, 3600), **_prefixed("IOPS", "kM"),
         **_prefixed("requests/s", "kM"), **_prefixed("transactions/s", "kM"),
         **_prefixed("packets/s", "kM")},
        "/s /min /h",
    ),
    _dimension("rotation", "a speed of rotation", "rev/s", "7200 rpm", {"rpm": Fraction(1, 60)}, "rpm"),
    _dimension(
        "signalling", "a signalling rate", "baud", "1.0625 Gbaud", _prefixed("baud", "kMG"),
        "Gbaud Mbaud kbaud baud",
    ),
    _dimension("length", "a length", "m", "10 m", _LENGTHS, "km m cm mm"),
    _dimension(
        "delay_per_length", "a delay per length", "ps/m", "5 ns/m",
        {f"{t}/{m}": _TIMES[t] / _LENGTHS[m] for m in ("m", "km", "cm") for t in ("ps", "ns", "us", "ms")},
        "ms/m us/m ns/m ps/m",
    ),
    _dimension("share", "a share", "1", "1 %", {"%": Fraction(1, 100)}, "%"),
)  # fmt: skip

DIMENSIONS: Mapping[str, Dimension] = MappingProxyType({dimension.name: dimension for dimension in _TABLE})

DIMENSION_OF = {unit: dimension.name for dimension in _TABLE for unit in dimension.units}
SIZE_READING_BINARY = tuple((f"{prefix}B", Fraction(1)) for prefix in reversed(_BINARY))


class UnitError(SimioError, ValueError):
    """A text that is not the expected quantity; also a ValueError, so that pydantic collects it."""

    def __init__(self, found: str, expected: str, hint: str = "") -> None:
        super().__init__(found, expected, hint)
        self.found = found
        self.expected = expected
        self.hint = hint

    def __str__(self) -> str:
        return str(self.problem(""))

    def problem(self, path: str, place: Place | None = None) -> Problem:
        """This error as a problem of a file, at key path `path`."""
        return Problem(path, self.found, self.expected, self.hint, place)


def known(dimension: str) -> Dimension:
    """The dimension of this name. Raises ValueError if there is none."""
    try:
        return DIMENSIONS[dimension]
    except KeyError:
        raise ValueError(f"no dimension '{dimension}'; there are {', '.join(DIMENSIONS)}") from None


def example(dimension: str) -> str:
    """A quantity of this dimension as it may be written, for messages and documentation: `'10 us'`."""
    return known(dimension).example


def units_of(dimension: str) -> tuple[str, ...]:
    """Every unit of this dimension, as it must be spelt."""
    return tuple(known(dimension).units)


def dimension_of(unit: str) -> str | None:
    """The dimension that has this unit, or None; no unit belongs to two."""
    return DIMENSION_OF.get(unit)
