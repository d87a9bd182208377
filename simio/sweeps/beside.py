"""Parts of one piece of work beside one another, in copies of this process that know what it knows.

A pool (`simio.sweeps.copies`) works on tasks that can be sent to it; a part is any function, and has no file to read.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection, Pipe
from typing import Any, Generic, TypeVar

from simio.program.garbage import freeze
from simio.sweeps.copies import copy, copyable, end

T = TypeVar("T")
Work = Callable[[], T]

_NUMBER = struct.Struct("H")
"""A number of a function, which one read of a pipe takes as a whole."""
_MOST = 2**11
"""Numbers at most: any pipe holds a page of 4 KiB (pipe(7))."""
_shared: list[int] = []
"""Numbers of processes that share the work of this one, if there are any."""


def beside(works: Sequence[Work[T]]) -> list[T]:
    """The result of each function, in their order; they are called as `as_done` does."""
    found = dict(as_done(works))
    return [found[number] for number in range(len(works))]


def as_done(works: Sequence[Work[T]]) -> Iterator[tuple[int, T]]:
    """The number and the result of each function when it is done; on each processor there is, some are called.

    None sees another's effects. All are called here where this process cannot be copied safely (on systems other than
    Linux, and where it has other threads), and where its processors are at such work already. So none may count on
    what another leaves behind, or on leaving anything itself. An interrupt of one that is called here comes after
    what is done by then; an error is that of the first function that has one, after which none begins.
    """
    if len(works) > _MOST:
        for first in range(0, len(works), _MOST):
            yield from ((first + number, result) for number, result in as_done(works[first : first + _MOST]))
        return
    processes = min(len(works), _processors())
    if processes <= 1:
        yield from enumerate(work() for work in works)
        return
    numbers = _Numbers(range(processes, len(works)))
    left = dict(enumerate(works))
    _shared.append(processes)
    copies = [_Copy(works, first, numbers) for first in range(1, processes)]
    errors: dict[int, Exception] = {}
    try:
        mine: int | None = 0
        while mine is not None:
            try:
                result = works[mine]()
            except KeyboardInterrupt:
                for each in copies:
                    yield from each.sent()
                raise
            except Exception as error:
                errors[mine] = error
                _end(numbers)
            else:
                del left[mine]
                yield mine, result
            for each in copies:
                for number, result in each.sent():
                    del left[number]
                    yield number, result
            mine = next(numbers, None)
        for each in copies:
            for number, result in each.sent(wait=True):
                del left[number]
                yield number, result
        # A copy that came to harm, by an error or otherwise, leaves what it had to this process.
        for number, work in left.items():
            if number in errors:
                raise errors[number]
            yield number, work()
    finally:
        _shared.pop()
        for each in copies:
            each.end()
        numbers.close()


def _end(numbers: _Numbers) -> None:
    """Take what is left, so that nobody begins with any."""
    for _ in numbers:
        pass


def _processors() -> int:
    """Processors that this process may use; 1 where it is not to be copied, or all of them work already."""
    return len(os.sched_getaffinity(0)) if copyable() and not _shared else 1


class _Numbers(Iterator[int]):
    """Numbers for this process and its copies, of which each gets the next one."""

    def __init__(self, numbers: Sequence[int]) -> None:
        self.reading, writing = os.pipe()
        os.write(writing, b"".join(map(_NUMBER.pack, numbers)))
        os.close(writing)

    def __next__(self) -> int:
        read = os.read(self.reading, _NUMBER.size)
        if not read:
            raise StopIteration
        number: int = _NUMBER.unpack(read)[0]
        return number

    def close(self) -> None:
        """Leave no pipe open."""
        os.close(self.reading)


class _Copy(Generic[T]):
    """A copy of this process that calls functions, the one of a number first, sends their results, and ends.

    Where there is no room for it, it sends nothing, and `number` is None.
    """

    def __init__(self, works: Sequence[Work[T]], first: int, numbers: _Numbers) -> None:
        self.pipe, far = Pipe(duplex=False)
        try:
            self.number: int | None = copy(lambda: _serve(works, first, numbers, far))
        except OSError:
            self.number = None
        far.close()

    def sent(self, wait: bool = False) -> Iterator[tuple[int, T]]:
        """The numbers and results that have come, or with `wait` all until the copy has ended."""
        try:
            while wait or self.pipe.poll():
                yield self.pipe.recv()
        except (EOFError, OSError):
            return

    def end(self) -> None:
        """Leave no process behind."""
        self.pipe.close()
        if self.number is not None:
            end(self.number)


def _serve(works: Sequence[Work[Any]], first: int, numbers: _Numbers, pipe: Connection) -> None:
    """The life of a copy."""
    # Objects of the parent are not looked through for garbage, as that would copy them page by page.
    freeze()
    try:
        pipe.send((first, works[first]()))
        for number in numbers:
            pipe.send((number, works[number]()))
    except Exception:
        _end(numbers)
