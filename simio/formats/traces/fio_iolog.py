"""fio's I/O logs, versions 2 and 3 (`write_iolog`, `read_iolog`).

fio, HOWTO, "Trace file format", and iolog.c: after a line with the version come lines with file name, action, offset
and length; `add`, `open` and `close` have neither. Version 2 has lines with the action `wait`, whose offset is a time
in us since the wait before. In version 3 each line begins with a time in us since the log began.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np

from simio.errors import quote
from simio.formats.traces.trace import (
    HIGHEST,
    LARGEST,
    LATEST,
    LEAVE_OUT,
    Batch,
    Clock,
    LineBlock,
    Mistake,
    Mistakes,
    integers,
    register_format,
)

FILE_ACTIONS = ("add", "open", "close")
DIRECTIONS = {"read": False, "write": True}
_US = 10**6
Row = tuple[int, int, bool, int, int, int]
"""First byte, bytes, whether it is a write, device, arrival and pause in ps."""


@dataclass(frozen=True)
class FioLog:
    """A version of the format."""

    version: int
    about: str
    clock: Clock = "zero"
    arrivals: bool = True

    @property
    def pauses(self) -> bool:
        """See `TraceFormat.pauses`."""
        return self.version == 2

    def batches(self, blocks: Iterable[LineBlock], file: str, ignore: Collection[str]) -> Iterator[Batch]:
        """See `TraceFormat.batches`."""
        log = _Log(self.version, ignore)
        mistakes = Mistakes(file)
        for block in blocks:
            lines, rows = [], []
            for number, line in enumerate(block.data.split(b"\n"), block.first):
                try:
                    if row := log.line(line.decode("utf-8", "replace").split(), number):
                        rows.append(row)
                        lines.append(number)
                except Mistake as mistake:
                    mistakes.add(number, mistake)
                    if number == 1:
                        # All lines of the other version would be mistakes.
                        mistakes.refuse()
            if rows:
                place, size, writes, device, arrival, pause = zip(*rows, strict=True)
                yield Batch(
                    integers(lines),
                    integers(place),
                    integers(size),
                    np.array(writes),
                    integers(device),
                    log.files,
                    integers(arrival),
                    integers(pause) if self.pauses else None,
                )
        mistakes.refuse()


@dataclass
class _Log:
    """A log as it is read: its files, and the time of the last line."""

    version: int
    ignore: Collection[str]
    files: list[str] = field(default_factory=list)
    now: int = 0
    last: int = 0
    """Time of the request before."""

    def line(self, given: list[str], number: int) -> Row | None:
        """The request of a line, if it is one. Raises Mistake for a line of another form."""
        if number == 1:
            self._header(given)
            return None
        if not given:
            return None
        if self.version == 3:
            self.now = _time(given[0])
            given = given[1:]
        if len(given) < 2:
            raise Mistake("a line without action", "file, action, offset and length")
        file, action, *rest = given
        if action in FILE_ACTIONS or action in self.ignore:
            return None
        if action == "wait" and self.version == 2 and rest:
            self.now += _time(rest[0])
            return None
        if action not in DIRECTIONS:
            raise Mistake(f"the action {quote(action)}", "read or write", LEAVE_OUT.format(word=action))
        if len(rest) != 2 or not all(word.isascii() and word.isdecimal() for word in rest):
            raise Mistake(quote(" ".join(rest)), "offset and length in bytes")
        place, size = map(int, rest)
        if place > HIGHEST or not 0 < size <= LARGEST:
            raise Mistake(quote(" ".join(rest)), "an offset, and a length from 1 B to 1 GiB")
        if file not in self.files:
            self.files.append(file)
        pause, self.last = self.now - self.last, self.now
        return place, size, DIRECTIONS[action], self.files.index(file), self.now, pause

    def _header(self, given: list[str]) -> None:
        wanted = f"fio version {self.version} iolog"
        found = " ".join(given)
        if found != wanted:
            other = f"fio version {5 - self.version} iolog"
            hint = f"use format: fio-iolog-{5 - self.version}" if found == other else ""
            raise Mistake(quote(found), f"'{wanted}' in the first line", hint)


def _time(word: str) -> int:
    if not word.isascii() or not word.isdecimal() or int(word) * _US >= LATEST:
        raise Mistake(quote(word), "a time in us")
    return int(word) * _US


register_format("fio-iolog-2", FioLog(2, "fio I/O log, version 2: file, action, offset, length; waits in us"))
register_format("fio-iolog-3", FioLog(3, "fio I/O log, version 3: time in us, file, action, offset, length"))
