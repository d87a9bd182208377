"""Traces of requests to disks in files: each format is read into the same columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from math import isfinite

from simio.errors import Place, Problem, ScenarioError, quote

BLOCK = 512
"""Bytes of a block in either format."""
MOST_PROBLEMS = 20
"""Problems of a trace that are reported."""
_MS, _US = 10**9, 10**6
_LATEST = 10**15
"""Longest time in a trace, in ps (a quarter of an hour): more is a mistake in a column."""
_HIGHEST = 2**40
"""More blocks than any disk has."""


@dataclass(frozen=True, slots=True)
class Request:
    """A request of a trace: first byte, bytes, and what was recorded of its times, in ps.

    `arrival` is when it was made, counted from the start of the trace; `response` how long it took; `pause` the time
    from its end to the next request. None stands for what the format does not record.
    """

    place: int
    size: int
    writes: bool
    arrival: int | None = None
    response: int | None = None
    pause: int | None = None


class _Mistake(Exception):
    """What was found in a line, and what was expected."""


Line = Callable[[list[str]], Request]


def read(text: str, file: str, form: str) -> tuple[Request, ...]:
    """The requests of a trace, in order; `form` is one of `FORMATS`. Empty lines are skipped.

    Raises ScenarioError with the place of each mistake, and for a trace without requests.
    """
    requests, problems = [], []
    line = FORMATS[form]
    for number, written in enumerate(text.splitlines(), 1):
        if not (words := written.split()):
            continue
        try:
            requests.append(line(words))
        except _Mistake as mistake:
            found, expected = mistake.args
            problems.append(Problem("", found, expected, place=Place(file, number, 1)))
            if len(problems) == MOST_PROBLEMS:
                break
    if not problems and not requests:
        problems.append(Problem("", "no requests", "a line for each request", place=Place(file, 1, 1)))
    problems += list(_backwards(requests, file)) if not problems else []
    if problems:
        raise ScenarioError(problems)
    return tuple(requests)


def _backwards(requests: list[Request], file: str) -> Iterator[Problem]:
    last = 0
    for number, request in enumerate(requests, 1):
        if request.arrival is None:
            return
        if request.arrival < last:
            found = f"an arrival before that of the request before (request {number})"
            yield Problem("", found, "arrivals in ascending order", place=Place(file, number, 1))
            return
        last = request.arrival


def _validation(words: list[str]) -> Request:
    """R or W, Hit or Miss, first block, blocks, response in us, pause until the next request in us."""
    if len(words) != 6:
        expected = "R or W, Hit or Miss, first block, blocks, response in us, pause in us"
        raise _Mistake(f"{len(words)} columns", f"6: {expected}")
    if words[0] not in ("R", "W"):
        raise _Mistake(quote(words[0]), "R or W in column 1")
    if words[1] not in ("Hit", "Miss"):
        raise _Mistake(quote(words[1]), "Hit or Miss in column 2")
    place, size = _extent(words[2], words[3], 3)
    response, pause = _time(words[4], 5, "us", _US), _time(words[5], 6, "us", _US)
    return Request(place, size, words[0] == "W", response=response, pause=pause)


def _ascii(words: list[str]) -> Request:
    """Arrival in ms, device, first block, blocks, flags, of which bit 0 is set for a read."""
    if len(words) != 5:
        raise _Mistake(f"{len(words)} columns", "5: arrival in ms, device, first block, blocks, flags")
    if words[1] != "0":
        raise _Mistake(quote(words[1]), "device 0 in column 2: a trace of one device")
    place, size = _extent(words[2], words[3], 3)
    try:
        flags = int(words[4], 16 if words[4].lower().startswith("0x") else 10)
    except ValueError:
        raise _Mistake(quote(words[4]), "flags in column 5, a whole number") from None
    return Request(place, size, not flags & 1, arrival=_time(words[0], 1, "ms", _MS))


def _extent(first: str, count: str, column: int) -> tuple[int, int]:
    if not first.isdecimal() or int(first) >= _HIGHEST:
        raise _Mistake(quote(first), f"the number of a block in column {column}")
    if not count.isdecimal() or not 0 < int(count) < 2**21:
        raise _Mistake(quote(count), f"a number of blocks above zero in column {column + 1}")
    return int(first) * BLOCK, int(count) * BLOCK


def _time(word: str, column: int, unit: str, factor: int) -> int:
    try:
        value = float(word)
    except ValueError:
        value = -1.0
    if not isfinite(value) or not 0 <= value * factor <= _LATEST * (1000 if unit == "ms" else 1):
        raise _Mistake(quote(word), f"a time in {unit} in column {column}")
    return round(value * factor)


FORMATS: Mapping[str, Line] = {"disksim-validation": _validation, "disksim-ascii": _ascii}
"""Formats by name: the traces of DiskSim's validation, and the default input of DiskSim (manual 4.0, section 4.1)."""
