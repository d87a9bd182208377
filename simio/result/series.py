"""Numbers in a row, as arrays: a timeline has one for each of thousands of resources."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

T = TypeVar("T", int, float)


class Series(Sequence[T]):
    """A sequence of Python's own numbers that takes eight bytes for each; equal to any other of the same numbers."""

    __slots__ = ("_numbers",)

    def __init__(self, numbers: NDArray[Any]) -> None:
        """The array is not copied, and must not be changed afterwards."""
        self._numbers = numbers.view()
        self._numbers.flags.writeable = False

    def __len__(self) -> int:
        return len(self._numbers)

    @overload
    def __getitem__(self, index: int) -> T: ...

    @overload
    def __getitem__(self, index: slice) -> Series[T]: ...

    def __getitem__(self, index: int | slice) -> T | Series[T]:
        if isinstance(index, slice):
            return Series(self._numbers[index])
        number: T = self._numbers[index].item()
        return number

    def __iter__(self) -> Iterator[T]:
        return iter(self.listed())

    def listed(self) -> list[T]:
        """All numbers, as a list of their own."""
        numbers: list[T] = self._numbers.tolist()
        return numbers

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Series):
            return np.array_equal(self._numbers, other._numbers)
        return self.listed() == list(other) if isinstance(other, Sequence) else NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return repr(tuple(self))

    def __reduce__(self) -> Any:
        return Series, (self._numbers,)
