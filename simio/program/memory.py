"""Words of state as a program is written: those that a sweep may trace, and long tables that are kept as arrays."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterable

import numpy as np

from simio.program.steps import Table


class StateWords:
    """Words in a row, as lists, whose words may be traced values, and arrays, which take a tenth of a list's time."""

    def __init__(self) -> None:
        self._pieces: list[list[int] | array[int]] = []
        self._starts: list[int] = []
        self._length = 0

    def __len__(self) -> int:
        return self._length

    def extend(self, words: Iterable[int]) -> None:
        """Add words: an array as it is, of which nobody changes a word from now on."""
        own = words if isinstance(words, (list, array)) else list(words)
        last = self._pieces[-1] if self._pieces else None
        if isinstance(last, list) and isinstance(own, list):
            last += own
        elif own:
            self._pieces.append(list(own) if isinstance(own, list) else own)
            self._starts.append(self._length)
        self._length += len(own)

    def repeat(self, first: int, times: int) -> None:
        """Add the words from `first` on so many times again."""
        block: list[list[int] | array[int]] = []
        for start, piece in zip(self._starts, self._pieces, strict=True):
            if start + len(piece) > first:
                block.append(piece[max(first - start, 0) :])
        if all(isinstance(piece, array) or set(map(type, piece)) == {int} for piece in block):
            # Without traced values, millions of words are one array at once.
            words = array("q")
            for piece in block:
                words.extend(piece)
            self.extend(words * times)
            return
        for _ in range(times):
            for piece in block:
                self.extend(piece)

    def __getitem__(self, at: int) -> int:
        number, place = self._place(at)
        return self._pieces[number][place]

    def __setitem__(self, at: int, value: int) -> None:
        number, place = self._place(at)
        piece = self._pieces[number]
        if not isinstance(piece, list):
            piece = self._pieces[number] = list(piece)
        piece[place] = value

    def _place(self, at: int) -> tuple[int, int]:
        number = bisect_right(self._starts, at) - 1
        return number, at - self._starts[number]

    def table(self, dtype: type) -> Table:
        """All words."""
        pieces = [_row(piece, dtype) for piece in self._pieces] or [np.empty(0, dtype=dtype)]
        return pieces[0] if len(pieces) == 1 else np.concatenate(pieces)


def _row(piece: list[int] | array[int], dtype: type) -> Table:
    """The words of a piece. An array makes words of 64 bits of a list of millions faster."""
    if dtype is np.int64 and isinstance(piece, list):
        piece = array("q", piece)
    return np.asarray(piece, dtype=dtype)
