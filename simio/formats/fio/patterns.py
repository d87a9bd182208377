"""Options of fio with a notation of their own: orders, sizes, and distributions of places."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, TypeVar

from simio.description.mixtures import MOST_SIZES, Mixture
from simio.errors import did_you_mean
from simio.formats.fio import numbers
from simio.formats.fio.job import Each, PlaceDistribution, Zone

T = TypeVar("T")
D = TypeVar("D")
Whole = Callable[[str], int]

ORDERS = {
    "read": (True, False, False), "write": (False, True, False), "rw": (True, True, False),
    "readwrite": (True, True, False), "randread": (True, False, True), "randwrite": (False, True, True),
    "randrw": (True, True, True),
}  # fmt: skip
"""Values of rw: whether there are reads, and writes, and whether places are random."""
TRIMS = ("trim", "randtrim", "trimwrite", "randtrimwrite")
MOST_ZONES = 256


def order(text: str, whole: Whole) -> dict[str, Any]:
    """Fields of a job for rw: directions, and with a modifier a hole, or requests for one random place.

    Raises ValueError for trims and unknown words.
    """
    word, colon, modifier = text.partition(":")
    if word in TRIMS:
        raise ValueError(f"one of {', '.join(ORDERS)}; trims are not modelled")
    if word not in ORDERS:
        raise ValueError(f"one of {', '.join(ORDERS)}; {did_you_mean(word, ORDERS)}".rstrip("; "))
    reads, writes, random = ORDERS[word]
    found: dict[str, Any] = {"reads": reads, "writes": writes, "random": random}
    if colon:
        number = whole(modifier)
        found |= {"every": max(number, 1)} if random else {"hole": number}
    return found


def each(text: str, read: Callable[[str], T], default: D) -> Each[T | D]:
    """A value for reads, writes and trims, with commas between; one that no comma ends holds for what follows.

    Raises ValueError for more than three values, and for one that cannot be read.
    """
    parts = [part.strip() for part in text.split(",")]
    if len(parts) > 3:
        raise ValueError("at most three values, for reads, writes and trims")
    found: list[T | D] = [read(part) if part else default for part in parts]
    if not parts[-1]:
        found += [default]
    return Each(found[0], found[min(1, len(found) - 1)])


def size_ranges(text: str, whole: Whole) -> Each[Mixture]:
    """Sizes that are multiples of the least of a range, all alike likely."""

    def one(part: str) -> Mixture:
        ends = part.replace(":", "-").split("-")
        low, high = sorted(whole(end) for end in (ends * 2)[:2])
        if len(ends) > 2 or (high - low) // low >= MOST_SIZES:
            raise ValueError(f"a range such as 4k-16k, of at most {MOST_SIZES} multiples of its least size")
        return tuple((low * number, 1) for number in range(1, high // low + 1))

    return _given(each(text, one, None))


def size_split(text: str, whole: Whole) -> Each[Mixture]:
    """Sizes with percentages; sizes without one share the rest."""

    def one(part: str) -> Mixture:
        weights: dict[int, int | None] = {}
        for item in part.split(":"):
            size, _, percent = item.partition("/")
            if percent.strip() and not percent.strip().isdecimal():
                raise ValueError("sizes with percentages such as 4k/60:64k/40")
            weights[whole(size)] = int(percent) if percent.strip() else None
        left = 100 - sum(weight or 0 for weight in weights.values())
        open_ = [size for size, weight in weights.items() if weight is None]
        if len(weights) > MOST_SIZES or left < 0 or (left and not open_):
            raise ValueError(f"at most {MOST_SIZES} sizes with percentages that add up to 100")
        # Weights in parts of the number of open sizes, so that shares of the rest are whole.
        scale = max(len(open_), 1)
        shares = {size: left if weight is None else weight * scale for size, weight in weights.items()}
        return tuple(sorted((size, weight) for size, weight in shares.items() if weight))

    return _given(each(text, one, None))


def _given(found: Each[Mixture | None]) -> Each[Mixture]:
    usual: Mixture = ((4096, 1),)
    return Each(found.read or usual, found.write or usual)


def distribution(text: str, whole: Whole) -> PlaceDistribution:
    """A distribution of random places.

    Raises ValueError for an unknown kind, and for a parameter beyond its limits.
    """
    kind, _, rest = text.partition(":" if ":" in text else "=")
    if kind == "random":
        return PlaceDistribution()
    if kind in ("zoned", "zoned_abs"):
        size = whole if kind == "zoned_abs" else _percent
        zones = each(rest, lambda part: _zones(part, size), ())
        return PlaceDistribution(kind, zones=Each(zones.read, zones.write))
    if kind not in ("zipf", "pareto", "normal"):
        known = ("random", "zipf", "pareto", "normal", "zoned", "zoned_abs")
        raise ValueError(f"one of {', '.join(known)}, as in zipf:1.2")
    parts = [numbers.decimal(part) for part in rest.split(":")]
    if len(parts) > 2 or not _fits(kind, parts[0]) or not all(0 <= part <= 1 for part in parts[1:]):
        raise ValueError(f"{_LIMITS[kind]}, and perhaps a centre from 0 to 1, as in {kind}:{_EXAMPLES[kind]}")
    return PlaceDistribution(kind, parts[0], parts[1] if len(parts) > 1 else None)


_LIMITS = {
    "zipf": "a theta above 0 that is not 1",
    "pareto": "a power above 0 and below 1",
    "normal": "a deviation from 0 to 100",
}
_EXAMPLES = {"zipf": "1.2", "pareto": "0.9", "normal": "20"}


def _fits(kind: str, value: Fraction) -> bool:
    if kind == "zipf":
        return value > 0 and value != 1
    return 0 < value < 1 if kind == "pareto" else 0 <= value <= 100


def _percent(text: str) -> int:
    if not text.strip().isdecimal() or not 1 <= int(text) <= 100:
        raise ValueError("zones such as 60/10:40/90, percentages of requests and of the range")
    return int(text)


def _zones(text: str, size: Whole) -> tuple[Zone, ...]:
    zones = []
    for item in text.split(":"):
        weight, slash, extent = item.partition("/")
        if not slash or not weight.strip().isdecimal():
            raise ValueError("zones such as 60/10:40/90, a percentage of requests and an extent each")
        zones.append((int(weight), size(extent)))
    if len(zones) > MOST_ZONES or sum(weight for weight, _ in zones) != 100:
        raise ValueError(f"at most {MOST_ZONES} zones whose percentages of requests add up to 100")
    return tuple(zones)


SERVICES = {"roundrobin": 1, "sequential": 0, "random": 1}


def service(text: str) -> dict[str, Any]:
    """The choice of the next file, and the number of requests that one file gets in turn.

    Raises ValueError for another word, and for a number that is not above zero.
    """
    word, colon, number = text.partition(":")
    if word not in SERVICES:
        raise ValueError(f"one of {', '.join(SERVICES)}; other services of files are not modelled")
    if colon and not (number.isdecimal() and int(number)):
        raise ValueError("a number of requests above zero, as in roundrobin:8")
    return {"service": word, "serviced": int(number) if colon else 1}
