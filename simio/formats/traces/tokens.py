"""Columns of many lines at once: where the words of a block begin and end, and the numbers in them.

Reading line by line takes ten times as long. Whatever is out of the ordinary (lines of different lengths, quotation
marks, signs, exponents) gives None: the caller then reads the block line by line.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from simio.formats.traces.trace import Ints

DIGITS = 18
"""Digits of a number that surely fits 64 bits."""
LETTERS = 64
"""Letters of a text that is compared with those of other lines."""
_NEWLINE, _POINT, _SPACE, _ZERO = b"\n"[0], b"."[0], b" "[0], b"0"[0]
_ODD = (b'"', b"#")
"""Bytes that a block of plain columns does not have."""


class LineWords:
    """The words of a block of lines, all lines having the same number of them."""

    def __init__(self, data: NDArray[np.uint8], starts: Ints, ends: Ints) -> None:
        """`starts` and `ends` are of shape (lines, columns)."""
        self.data, self.starts, self.ends = data, starts, ends
        self._points: Ints | None = None

    @property
    def shape(self) -> tuple[int, int]:
        """Lines and columns."""
        return self.starts.shape[0], self.starts.shape[1]

    def whole(self, column: int) -> Ints | None:
        """Numbers without sign and point."""
        return self._digits(self.starts[:, column], self.ends[:, column])

    def decimal(self, column: int) -> tuple[Ints, Ints, int] | None:
        """Decimal numbers: whole parts, what follows the point, and how many digits that has."""
        starts, ends = self.starts[:, column], self.ends[:, column]
        if self._points is None:
            self._points = np.append(np.flatnonzero(self.data == _POINT), len(self.data))
        point = np.minimum(self._points[np.searchsorted(self._points, starts)], ends)
        whole = self._digits(starts, point)
        after = np.minimum(point + 1, ends)
        lengths = ends - after
        most = int(lengths.max())
        if whole is None or most == 0:
            return None if whole is None else (whole, np.zeros(len(whole), dtype=np.int64), 0)
        rest = self._digits(after, ends, empty=True)
        return None if rest is None else (whole, rest * 10 ** (most - lengths), most)

    def texts(self, column: int) -> tuple[list[str], Ints] | None:
        """The different texts of a column, and for each line which of these it has."""
        starts, ends = self.starts[:, column], self.ends[:, column]
        widths = ends - starts
        if int(widths.max(initial=0)) > LETTERS:
            return None
        places = np.arange(int(widths.max(initial=1)))
        inside = places < widths[:, np.newaxis]
        letters = np.where(inside, self.data[np.where(inside, starts[:, np.newaxis] + places, 0)], 0)
        padded = np.zeros((len(starts), max(-(-len(places) // 8), 1) * 8), dtype=np.uint8)
        padded[:, : len(places)] = letters
        keys = padded.view(np.uint64)
        rows = 0 if keys.shape[1] > 1 else None
        _, firsts, which = np.unique(keys, axis=rows, return_index=True, return_inverse=True)
        found = [bytes(self.data[starts[at] : ends[at]]).decode("latin-1") for at in firsts.tolist()]
        return found, which.reshape(-1).astype(np.int64)

    def _digits(self, starts: Ints, ends: Ints, empty: bool = False) -> Ints | None:
        widths = ends - starts
        most = int(widths.max(initial=0))
        if most > DIGITS or (not empty and int(widths.min(initial=1)) < 1):
            return None
        values = np.zeros(len(starts), dtype=np.int64)
        for place in range(most):
            digits = self.data[np.maximum(ends - 1 - place, 0)] - np.uint8(_ZERO)
            inside = widths > place
            if (digits[inside] > 9).any():
                return None
            values += np.where(inside, digits, 0).astype(np.int64) * 10**place
        return values


def words(data: bytes, separator: str) -> LineWords | None:
    """The words of a block of whole lines; `separator` is a character, or a space for any white space."""
    if any(odd in data for odd in _ODD):
        return None
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n")
    if not data.endswith(b"\n"):
        data += b"\n"
    letters = np.frombuffer(data, dtype=np.uint8)
    return _spaced(letters) if separator == " " else _separated(letters, separator)


def _separated(letters: NDArray[np.uint8], separator: str) -> LineWords | None:
    if (letters < _SPACE).sum() != (letters == _NEWLINE).sum() + (separator == "\t") * (letters == 9).sum():
        return None
    if (letters == _SPACE).any():
        return None
    found = np.flatnonzero((letters == ord(separator)) | (letters == _NEWLINE))
    lines = int((letters == _NEWLINE).sum())
    if len(found) % lines:
        return None
    ends = found.reshape(lines, -1)
    newlines = letters[ends] == _NEWLINE
    if not newlines[:, -1].all() or newlines[:, :-1].any():
        return None
    starts = np.empty_like(ends)
    starts.ravel()[0] = 0
    starts.ravel()[1:] = ends.ravel()[:-1] + 1
    return LineWords(letters, starts, ends)


def _spaced(letters: NDArray[np.uint8]) -> LineWords | None:
    space = letters <= _SPACE
    before = np.concatenate(([True], space[:-1]))
    starts, ends = np.flatnonzero(before & ~space), np.flatnonzero(~before & space)
    newlines = np.flatnonzero(letters == _NEWLINE)
    counts = np.diff(np.searchsorted(starts, newlines), prepend=0)
    columns = int(counts[0])
    if columns == 0 or (counts != columns).any():
        return None
    return LineWords(letters, starts.reshape(-1, columns), ends.reshape(-1, columns))
