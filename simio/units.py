"""Quantities as people write them ("64 KiB", "81.2 MB/s") and as simio computes with them.

A closed table of units, exact throughout: times are whole picoseconds and sizes whole bytes (int),
everything else is a rational number (Fraction) of its base unit.  What could be read in two ways ("KB",
"Mbps", "M") is refused, and the message names the meanings.  Decimal prefixes are those of the SI, binary
ones of IEC 80000-13.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import Literal, overload

from simio.errors import Fault, Place, SimioError, did_you_mean, quote

# Engines count in int64; a bit is left free so that a sum of two quantities cannot overflow.
LIMIT = 2**62

_MAX_TEXT = 100
_MAX_EXPONENT = 99

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


@dataclass(frozen=True)
class Dimension:
    """What is measured: its name in messages, base unit and units (factors to the base unit).

    ``whole`` dimensions are ints of the base unit, others Fractions.  ``reading`` lists, from the largest,
    the units a reader likes to see, each with the least number it is used for.
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
)  # fmt: skip

DIMENSIONS: Mapping[str, Dimension] = MappingProxyType({dimension.name: dimension for dimension in _TABLE})

_DIMENSION_OF = {unit: dimension.name for dimension in _TABLE for unit in dimension.units}
_SIZE_READING_BINARY = tuple((f"{prefix}B", Fraction(1)) for prefix in reversed(_BINARY))


class UnitError(SimioError, ValueError):
    """A text that is not the quantity it should be; a ValueError too, so that pydantic collects it."""

    def __init__(self, found: str, expected: str, hint: str = "") -> None:
        super().__init__(found, expected, hint)
        self.found = found
        self.expected = expected
        self.hint = hint

    def __str__(self) -> str:
        return str(self.fault(""))

    def fault(self, path: str, place: Place | None = None) -> Fault:
        """The same as a fault of a file, at key path ``path``."""
        return Fault(path, self.found, self.expected, self.hint, place)


def _known(dimension: str) -> Dimension:
    try:
        return DIMENSIONS[dimension]
    except KeyError:
        raise ValueError(f"no dimension '{dimension}'; there are {', '.join(DIMENSIONS)}") from None


def example(dimension: str) -> str:
    """A quantity of this dimension as it may be written, for messages and documentation: ``'10 us'``."""
    return _known(dimension).example


def units_of(dimension: str) -> tuple[str, ...]:
    """Every unit of this dimension, as it must be spelt."""
    return tuple(_known(dimension).units)


def dimension_of(unit: str) -> str | None:
    """The dimension that has this unit, or None; no unit belongs to two."""
    return _DIMENSION_OF.get(unit)


# ---------------------------------------------------------------- reading

_DIGITS = "[0-9](?:_?[0-9])*"
_NUMBER = rf"\+?(?:{_DIGITS}(?:\.{_DIGITS})?|\.{_DIGITS})(?:[eE][+-]?[0-9]+)?"
_QUANTITY = re.compile(rf"({_NUMBER}) *([^ 0-9.,_+-].*)?")
_NOT_FINITE = re.compile(r"[+-]?\.?(?:nan|inf|infinity)(?![a-z])", re.IGNORECASE)
_NOT_DECIMAL = re.compile("0(?:[xX][0-9a-fA-F]|[oObB][0-9])")
_GROUPED = re.compile(r"[0-9]{1,3}(?:[, '][0-9]{3})+(?![0-9])")


def regex(dimension: str) -> str:
    """A pattern for JSON Schema (ECMA 262) that accepts the way quantities of this dimension are written.

    It checks spelling only; that a value is whole and within bounds is for :func:`parse` to say.
    """
    return f"^{_NUMBER} *(?:{'|'.join(_known(dimension).units)})$"


@overload
def parse(text: object, dimension: Literal["time", "size"]) -> int: ...
@overload
def parse(
    text: object,
    dimension: Literal["rate", "frequency", "rotation", "signalling", "length", "delay_per_length"],
) -> Fraction: ...
@overload
def parse(text: object, dimension: str) -> int | Fraction: ...
def parse(text: object, dimension: str) -> int | Fraction:
    """The quantity that ``text`` ("<number> <unit>") stands for, in the dimension's base unit, exactly.

    Times are ints of picoseconds and sizes ints of bytes; others are Fractions: rates of bytes/s,
    frequencies of Hz, rotation of revolutions/s, signalling of baud, lengths of m, delays per length of
    ps/m.

    Raises UnitError for anything else: no unit or an unknown, ambiguous or wrong one; a number that is
    negative, not finite or not decimal; a time or size that is not whole; what exceeds 2**62 of the base
    unit.  Raises ValueError for a dimension that does not exist.
    """
    wanted = _known(dimension)
    if not isinstance(text, str):
        raise _not_text(text, wanted)
    written = text.strip()
    if len(written) > _MAX_TEXT:
        raise UnitError(f"{quote(written)}, {len(written)} characters", _expected(wanted))
    match = _QUANTITY.fullmatch(written)
    if match is None or _NOT_DECIMAL.match(written):
        raise _not_a_quantity(written, wanted)
    number, unit = match[1], (match[2] or "").rstrip()
    if not unit:
        raise _bare(written, wanted)
    factor = wanted.units.get(unit)
    if factor is None:
        raise _wrong_unit(written, unit, wanted)
    return _bounded(written, _read_number(number, written, wanted) * factor, wanted)


def _read_number(number: str, written: str, wanted: Dimension) -> Fraction:
    exponent = re.split("[eE]", number)[1:]
    if exponent and abs(int(exponent[0])) > _MAX_EXPONENT:
        raise UnitError(quote(written), f"an exponent between -{_MAX_EXPONENT} and {_MAX_EXPONENT}")
    return Fraction(number.replace("_", ""))


def _bounded(written: str, value: Fraction, wanted: Dimension) -> int | Fraction:
    if value > LIMIT:
        most = format_quantity(LIMIT, wanted.name)
        raise UnitError(quote(written), f"{wanted.noun} of at most about '{most}'")
    if not wanted.whole:
        if max(value.numerator, value.denominator) > LIMIT:
            raise UnitError(quote(written), f"{wanted.noun} with fewer digits", "about 15 are kept exactly")
        return value
    if value.denominator != 1:
        base = {"ps": "picoseconds", "bytes": "bytes"}[wanted.base]
        unit = next(name for name, factor in wanted.units.items() if factor == 1)
        below = math.floor(value)
        raise UnitError(
            f"{quote(written)}, which is not a whole number of {base}",
            f"{wanted.noun} in whole {base}",
            f"the nearest are '{below} {unit}' and '{below + 1} {unit}'",
        )
    return value.numerator


# ---------------------------------------------------------------- refusing


def _expected(wanted: Dimension) -> str:
    return f"{wanted.noun} such as '{wanted.example}'"


def _bare(written: str, wanted: Dimension) -> UnitError:
    return UnitError(f"the number {written} without a unit", _expected(wanted))


def _not_text(value: object, wanted: Dimension) -> UnitError:
    if isinstance(value, float) and not math.isfinite(value):
        return UnitError(f"{value}", _expected(wanted), "only finite numbers can be used")
    if isinstance(value, int | float) and not isinstance(value, bool):
        # Python refuses to print an int of thousands of digits.
        return _bare(repr(value) if abs(value) <= LIMIT else "given", wanted)
    if isinstance(value, bool):
        return UnitError(str(value).lower(), _expected(wanted))
    names = {type(None): "nothing", dict: "a mapping", list: "a list", tuple: "a list"}
    return UnitError(names.get(type(value), f"a {type(value).__name__}"), _expected(wanted))


def _not_a_quantity(written: str, wanted: Dimension) -> UnitError:
    found, hint = quote(written), ""
    if not written:
        found = "an empty text"
    elif _NOT_FINITE.match(written):
        hint = "only finite numbers can be used"
    elif re.match(r"[-\u2212] *[.0-9]", written):
        found, hint = f"{found}, which is negative", f"{wanted.noun} cannot be less than zero"
    elif _GROUPED.match(written):
        hint = "write thousands without commas or spaces, as 1000 or 1_000"
    elif re.match("[0-9]+,[0-9]", written):
        hint = "the decimal sign is a point"
    elif _NOT_DECIMAL.match(written):
        hint = "write the number in decimal"
    elif written[0] not in "+.0123456789":
        hint = "the number comes first, then the unit"
    else:
        hint = "write one number and one unit"
    return UnitError(found, _expected(wanted), hint)


def _ambiguous() -> dict[str, tuple[str, ...]]:
    """Spellings by which people mean different things, with the units that say each plainly."""
    table: dict[str, tuple[str, ...]] = {"b": ("bit", "B"), "bps": ("bit/s", "B/s"), "Bps": ("B/s", "bit/s")}
    table["b/s"] = table["bps"]
    for written, prefix in (("k", "k"), *((p, p.lower() if p == "K" else p.upper()) for p in "KMGTmgt")):
        bit, byte, binary = f"{prefix}bit", f"{prefix}B", f"{prefix.upper()}iB"
        table[f"{written}b"] = (bit, byte)
        table[f"{written}b/s"] = table[f"{written}bps"] = (f"{bit}/s", f"{byte}/s")
        table[f"{written}Bps"] = (f"{byte}/s", f"{bit}/s")
        table[f"{written}ib"] = (f"{prefix.upper()}ibit", binary)
        table[f"{written}ib/s"] = (f"{prefix.upper()}ibit/s", f"{binary}/s")
    for written, pair in (("KB", ("kB", "KiB")), ("Kbit", ("kbit", "Kibit"))):
        table[written] = pair
        table[f"{written}/s"] = (f"{pair[0]}/s", f"{pair[1]}/s")
    table["KBps"] = table["KB/s"]
    for word, prefix in (("kilo", "k"), ("mega", "M"), ("giga", "G"), ("tera", "T")):
        table[f"{word}byte"] = table[f"{word}bytes"] = (f"{prefix}B", f"{prefix.upper()}iB")
        table[f"{word}bit"] = table[f"{word}bits"] = (f"{prefix}bit", f"{prefix.upper()}ibit")
    return table


_AMBIGUOUS = _ambiguous()
_WORDS = {
    "sec": "s", "second": "s", "msec": "ms", "millisecond": "ms", "usec": "us", "microsecond": "us",
    "nsec": "ns", "nanosecond": "ns", "psec": "ps", "picosecond": "ps", "minute": "min", "hour": "h",
    "hr": "h", "meter": "m", "metre": "m", "kilometer": "km", "kilometre": "km", "centimeter": "cm",
    "centimetre": "cm", "millimeter": "mm", "millimetre": "mm", "hertz": "Hz", "kilohertz": "kHz",
    "megahertz": "MHz", "gigahertz": "GHz", "rev/min": "rpm", "r/min": "rpm", "1/min": "rpm", "bd": "baud",
    "kbd": "kbaud", "mbd": "Mbaud", "gbd": "Gbaud",
}  # fmt: skip


def _wrong_unit(written: str, unit: str, wanted: Dimension) -> UnitError:
    meanings = _AMBIGUOUS.get(unit, ())
    if not meanings and unit in ("k", *"KMGT"):
        meanings = _by_prefix(unit.lower() if unit == "K" else unit, wanted)
        if not meanings:
            return UnitError(f"the ambiguous unit {quote(unit)} in {quote(written)}", _expected(wanted))
    actual = dimension_of(meanings[0] if meanings else unit)
    if actual is not None and actual != wanted.name:
        found = f"{quote(written)}, {DIMENSIONS[actual].noun}"
        return UnitError(found, _expected(wanted), _counterpart(meanings or (unit,), wanted))
    if meanings:
        hint = "write " + " or ".join(f"'{meaning}'{_gloss(meaning)}" for meaning in meanings)
        return UnitError(f"the ambiguous unit {quote(unit)} in {quote(written)}", _expected(wanted), hint)
    found = f"the unknown unit {quote(unit)} in {quote(written)}"
    return UnitError(found, _expected(wanted), _nearest(unit, wanted))


def _by_prefix(letter: str, wanted: Dimension) -> tuple[str, ...]:
    """The units a lone prefix may stand for: K and M in a size, G in a frequency."""
    ends = {"size": ("B", "iB"), "rate": ("B/s", "bit/s"), "frequency": ("Hz",), "signalling": ("baud",)}
    ends["length"] = ("m",) if letter == "k" else ()
    units = (f"{letter.upper() if end[0] == 'i' else letter}{end}" for end in ends.get(wanted.name, ()))
    return tuple(unit for unit in units if unit in wanted.units)


def _counterpart(units: tuple[str, ...], wanted: Dimension) -> str:
    """The units of the wanted dimension that someone who wrote ``units`` is likely to have had in mind."""
    if wanted.name == "time" and units == ("m",):
        return "write 'min' for minutes or 'ms' for milliseconds"
    likely = []
    for unit in units:
        if wanted.name == "signalling":
            likely.append(re.sub("(bit/s|bit|Hz)$", "baud", unit))
        else:
            likely += [f"{unit}/s", unit.removesuffix("/s")]
    near = [f"'{unit}'" for unit in dict.fromkeys(likely) if unit in wanted.units]
    return f"did you mean {' or '.join(near)}?" if near else ""


def _gloss(unit: str) -> str:
    """What a unit stands for, where the spelling alone would not tell it from its neighbours."""
    match = re.fullmatch("([kMGT]?i?|Ki)(B|bit)(/s)?", unit)
    if match is None:
        return ""
    many = {"": "", "k": "1000 ", "Ki": "1024 ", "M": "10^6 ", "G": "10^9 ", "T": "10^12 "}
    many |= {"Mi": "2^20 ", "Gi": "2^30 ", "Ti": "2^40 "}
    return f" ({many[match[1]]}{'bytes' if match[2] == 'B' else 'bits'}{match[3] or ''})"


def _nearest(unit: str, wanted: Dimension) -> str:
    # Casefolding makes the micro sign the Greek letter.
    plain = unit.casefold().replace("\u03bc", "u").replace(" per ", "/").replace(" ", "")
    plain = re.sub("/(sec|secs|second|seconds)$", "/s", plain)
    plain = re.sub("bytes?", "b", plain).replace("bits", "bit")
    same = [known for known in wanted.units if known.casefold() == plain]
    same += [_WORDS[word] for word in (plain, plain.removesuffix("s")) if _WORDS.get(word) in wanted.units]
    if same:
        return f"did you mean '{same[0]}'?"
    if re.search("[0-9]", unit):
        return "write one number and one unit"
    return did_you_mean(unit, wanted.units) or f"its units are {', '.join(wanted.units)}"


# ---------------------------------------------------------------- writing


def _in_words(dimension: str) -> str:
    return dimension.replace("_", " ")


def convert(value: int | float | Fraction, dimension: str, unit: str) -> Fraction:
    """``value``, given in the dimension's base unit, as an exact number of ``unit``.

    Raises UnitError for a unit that is not of this dimension.
    """
    wanted = _known(dimension)
    if unit not in wanted.units:
        actual = dimension_of(unit)
        found = f"the unit {quote(unit)}{f' of {_in_words(actual)}' if actual else ''}"
        raise UnitError(found, f"a unit of {_in_words(wanted.name)}", _nearest(unit, wanted))
    return Fraction(value) / wanted.units[unit]


def format_quantity(
    value: int | float | Fraction, dimension: str, unit: str | None = None, digits: int | None = 4
) -> str:
    """``value``, in the dimension's base unit, as text for a reader: "12.35 us", "4 MiB", "81.2 MB/s".

    Without ``unit`` a fitting one is chosen.  ``digits`` is the number of significant digits (digits before
    the point are never dropped); with None the text is exact, so that :func:`parse` gives ``value`` back,
    unless no unit tried can write it as a decimal, when 17 digits are given.  What is not finite appears as
    nan or inf. Raises UnitError for a unit that is not of this dimension.
    """
    wanted = _known(dimension)
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    exact = Fraction(value)
    if unit is not None:
        return f"{_decimal(convert(exact, dimension, unit), digits)} {unit}"
    if dimension == "size":
        return _short_size(exact, digits)
    unit = _fitting(exact, wanted.units, wanted.reading, digits)
    return f"{_decimal(exact / wanted.units[unit], digits)} {unit}"


def _short_size(value: Fraction, digits: int | None) -> str:
    """A size in binary or decimal units, whichever says it exactly in fewer digits; else rounded decimal."""
    size = DIMENSIONS["size"]
    ladders = [size.reading]
    if abs(value) >= 1024:
        ladders.insert(0, _SIZE_READING_BINARY)
    if digits is None or abs(value) < 10**digits:
        ladders.append((("B", Fraction(0)),))
    texts = []
    for ladder in ladders:
        unit = _fitting(value, size.units, ladder, digits)
        number = _decimal(value / size.units[unit], digits)
        if Fraction(number) * size.units[unit] == value:
            texts.append((len(number), f"{number} {unit}"))
    if texts and value:
        return min(texts, key=lambda text: text[0])[1]
    unit = _fitting(value, size.units, size.reading, digits)
    return f"{_decimal(value / size.units[unit], digits)} {unit}"


def _fitting(
    value: Fraction,
    units: Mapping[str, Fraction],
    reading: tuple[tuple[str, Fraction], ...],
    digits: int | None,
) -> str:
    """The largest unit of ``reading`` in which the number, as it will be shown, is not too small."""
    if value == 0 and len(units) > 1:
        # Zero of anything reads best in the plain unit: 0 s, 0 B, 0 MB/s.
        plain = [unit for unit, _ in reading if unit in ("s", "B", "MB/s", "m", "ns/m", "Hz", "baud")]
        return (plain or [reading[-1][0]])[0]
    for unit, least in reading:
        shown = abs(value) / units[unit]
        if digits is None:
            if shown >= least and _places(shown) is not None:
                return unit
        elif shown >= least or Fraction(_decimal(shown, digits)) >= least:
            return unit
    return reading[-1][0]


def _places(value: Fraction) -> int | None:
    """How many decimals ``value`` has, or None if they never end."""
    rest, twos, fives = value.denominator, 0, 0
    while rest % 2 == 0:
        rest, twos = rest // 2, twos + 1
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    return max(twos, fives) if rest == 1 else None


def _decimal(value: Fraction, digits: int | None) -> str:
    """``value`` in decimal, rounded half to even to ``digits`` significant digits, without trailing zeros."""
    if value == 0:
        return "0"
    first = _first_digit(value)
    places = _places(value) if digits is None else max(0, digits - 1 - first)
    if places is None:
        places = max(0, 16 - first)
    scaled = round(value * 10**places)
    sign, figures = ("-" if scaled < 0 else ""), str(abs(scaled))
    if first < -6:
        lead, rest = figures[0], figures[1:].rstrip("0")
        return f"{sign}{lead}{'.' if rest else ''}{rest}e{len(figures) - 1 - places}"
    if places == 0:
        return sign + figures
    figures = figures.rjust(places + 1, "0")
    tail = figures[-places:].rstrip("0")
    return f"{sign}{figures[:-places]}{'.' if tail else ''}{tail}"


def _first_digit(value: Fraction) -> int:
    """The power of ten of the first significant digit: 2 for 345, -1 for 0.6."""
    top, bottom = abs(value.numerator), value.denominator
    power = len(str(top)) - len(str(bottom))
    too_high = Fraction(top, bottom) < Fraction(10) ** power
    return power - 1 if too_high else power
