"""Errors for texts that are no quantities, with the unit that their writer probably meant."""

from __future__ import annotations

import math
import re

from simio.errors import did_you_mean, quote
from simio.units.table import DIMENSIONS, LIMIT, Dimension, UnitError, dimension_of

NOT_FINITE = re.compile(r"[+-]?\.?(?:nan|inf|infinity)(?![a-z])", re.IGNORECASE)
NOT_DECIMAL = re.compile("0(?:[xX][0-9a-fA-F]|[oObB][0-9])")
_GROUPED = re.compile(r"[0-9]{1,3}(?:[, '][0-9]{3})+(?![0-9])")


def expected_of(wanted: Dimension) -> str:
    """The expected text of a dimension: `a size such as '64 KiB'`."""
    return f"{wanted.noun} such as '{wanted.example}'"


def bare(written: str, wanted: Dimension) -> UnitError:
    """A number without a unit."""
    return UnitError(f"the number {written} without a unit", expected_of(wanted))


def not_text(value: object, wanted: Dimension) -> UnitError:
    """Something that is no text, such as a plain number."""
    if isinstance(value, float) and not math.isfinite(value):
        return UnitError(f"{value}", expected_of(wanted), "only finite numbers can be used")
    if isinstance(value, int | float) and not isinstance(value, bool):
        # Python refuses to print an int of thousands of digits.
        return bare(repr(value) if abs(value) <= LIMIT else "given", wanted)
    if isinstance(value, bool):
        return UnitError(str(value).lower(), expected_of(wanted))
    names = {type(None): "nothing", dict: "a mapping", list: "a list", tuple: "a list"}
    return UnitError(names.get(type(value), f"a {type(value).__name__}"), expected_of(wanted))


def not_a_quantity(written: str, wanted: Dimension) -> UnitError:
    """A text that is not a number with a unit."""
    found, hint = quote(written), ""
    if not written:
        found = "an empty text"
    elif NOT_FINITE.match(written):
        hint = "only finite numbers can be used"
    elif re.match(r"[-\u2212] *[.0-9]", written):
        found, hint = f"{found}, which is negative", f"{wanted.noun} cannot be less than zero"
    elif _GROUPED.match(written):
        hint = "write thousands without commas or spaces, as 1000 or 1_000"
    elif re.match("[0-9]+,[0-9]", written):
        hint = f"the decimal sign is a point, not a comma: {quote(written.replace(',', '.', 1))}"
    elif NOT_DECIMAL.match(written):
        hint = "write the number in decimal"
    elif written[0] not in "+.0123456789":
        hint = "the number comes first, then the unit"
    else:
        hint = "write one number and one unit"
    return UnitError(found, expected_of(wanted), hint)


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


AMBIGUOUS = _ambiguous()
"""Ambiguous spellings with the units that they may mean."""
_WORDS = {
    "sec": "s", "second": "s", "msec": "ms", "millisecond": "ms", "usec": "us", "microsecond": "us",
    "nsec": "ns", "nanosecond": "ns", "psec": "ps", "picosecond": "ps", "minute": "min", "hour": "h",
    "hr": "h", "meter": "m", "metre": "m", "kilometer": "km", "kilometre": "km", "centimeter": "cm",
    "centimetre": "cm", "millimeter": "mm", "millimetre": "mm", "hertz": "Hz", "kilohertz": "kHz",
    "megahertz": "MHz", "gigahertz": "GHz", "rev/min": "rpm", "r/min": "rpm", "1/min": "rpm", "bd": "baud",
    "kbd": "kbaud", "mbd": "Mbaud", "gbd": "Gbaud", "pps": "packets/s", "kpps": "kpackets/s",
    "mpps": "Mpackets/s", "rps": "requests/s", "tps": "transactions/s",
}  # fmt: skip


def wrong_unit(written: str, unit: str, wanted: Dimension) -> UnitError:
    """A unit that is unknown, ambiguous or of another dimension."""
    meanings = AMBIGUOUS.get(unit, ())
    if not meanings and unit in ("k", *"KMGT"):
        meanings = _by_prefix(unit.lower() if unit == "K" else unit, wanted)
        if not meanings:
            return UnitError(f"the ambiguous unit {quote(unit)} in {quote(written)}", expected_of(wanted))
    actual = dimension_of(meanings[0] if meanings else unit)
    if actual is not None and actual != wanted.name:
        found = f"{quote(written)}, {DIMENSIONS[actual].noun}"
        return UnitError(found, expected_of(wanted), _counterpart(meanings or (unit,), wanted))
    if meanings:
        hint = "write " + " or ".join(f"'{meaning}'{_gloss(meaning)}" for meaning in meanings)
        return UnitError(f"the ambiguous unit {quote(unit)} in {quote(written)}", expected_of(wanted), hint)
    found = f"the unknown unit {quote(unit)} in {quote(written)}"
    return UnitError(found, expected_of(wanted), nearest(unit, wanted))


def _by_prefix(letter: str, wanted: Dimension) -> tuple[str, ...]:
    """The units a lone prefix may stand for: K and M in a size, G in a frequency."""
    ends = {"size": ("B", "iB"), "rate": ("B/s", "bit/s"), "frequency": ("Hz",), "signalling": ("baud",)}
    ends["length"] = ("m",) if letter == "k" else ()
    units = (f"{letter.upper() if end[0] == 'i' else letter}{end}" for end in ends.get(wanted.name, ()))
    return tuple(unit for unit in units if unit in wanted.units)


def _counterpart(units: tuple[str, ...], wanted: Dimension) -> str:
    """A hint with the units of the wanted dimension that were probably meant by `units`."""
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
    """The meaning of a unit whose spelling is close to that of others, in parentheses."""
    match = re.fullmatch("([kMGT]?i?|Ki)(B|bit)(/s)?", unit)
    if match is None:
        return ""
    many = {"": "", "k": "1000 ", "Ki": "1024 ", "M": "10^6 ", "G": "10^9 ", "T": "10^12 "}
    many |= {"Mi": "2^20 ", "Gi": "2^30 ", "Ti": "2^40 "}
    return f" ({many[match[1]]}{'bytes' if match[2] == 'B' else 'bits'}{match[3] or ''})"


def nearest(unit: str, wanted: Dimension) -> str:
    """A hint that names the unit that was probably meant, or all there are."""
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
