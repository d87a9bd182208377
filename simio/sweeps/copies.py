"""Copies of this process as a pool: they know what it imported, read and lowered, and begin at once."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading
import warnings
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, Pipe, wait
from pickle import PicklingError
from typing import Any

from simio.errors import SimioError, one_line
from simio.program.garbage import freeze
from simio.sweeps.pools import begin, interrupts_held
from simio.sweeps.work import Chunk, Done, work
from simio.waiting import watched

COPY = 0
"""The process number that fork() gives a copy."""
_PR_SET_PDEATHSIG = 1
"""Option of prctl(2), of linux/prctl.h: the signal that a process gets when its parent has died."""


def copyable() -> bool:
    """True where this process can be copied safely: on Linux, and without threads beside this one."""
    return sys.platform.startswith("linux") and threading.active_count() == 1


def copy(life: Callable[[], object]) -> int:
    """The number of a copy of this process, which does this, sees no interrupt, and ends.

    Raises OSError without room for it.
    """
    with interrupts_held(), warnings.catch_warnings():
        # Of threads that Python knows there is one; those of numpy's libraries survive a copy.
        warnings.simplefilter("ignore", DeprecationWarning)
        number = os.fork()
        if number == COPY:
            try:
                with watched(None):
                    life()
            finally:
                # Neither handlers of exits nor buffers of output are the copy's own.
                os._exit(0)
    return number


def end(number: int) -> None:
    """End a copy, and leave nothing of it."""
    # Where this process has ignored the ends of its children since its start, nothing of them is left.
    with suppress(ProcessLookupError, ChildProcessError):
        os.kill(number, signal.SIGKILL)
        os.waitpid(number, 0)


class CopyPool:
    """Copies of this process, `workers` at most; one that died is replaced when work comes."""

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self._copies: list[_Worker] = []
        self._todo: deque[_Future] = deque()
        self._done: deque[_Future] = deque()

    def submit(self, chunk: Chunk[Any]) -> Any:
        """Begin to work on a chunk, or keep it for the copy that is first without work.

        Raises SimioError where a copy cannot be made.
        """
        future = _Future(chunk)
        self._todo.append(future)
        self._deal()
        return future

    def first(self) -> Any:
        """Wait until a future is done, and return it."""
        busy = {each.pipe: each for each in self._copies if each.future}
        for pipe in wait(list(busy), 0 if self._done else None):
            one = busy[pipe]  # type: ignore[index]
            if not one.answers():
                self._remove(one)
            self._done.append(one.taken())
        # Copies work on while their outcomes are looked at.
        self._deal()
        return self._done.popleft()

    def result(self, future: Any) -> Done[Any] | None:
        """The result of a future that is done, or None if its process died."""
        done: Done[Any] | None = future.done
        return done

    def close(self, finished: bool) -> None:
        """End the copies, whether they are at work or not."""
        with interrupts_held():
            while self._copies:
                self._remove(self._copies[-1])

    def _deal(self) -> None:
        """Give what is to be done to copies without work. They have one chunk each, lest both ends wait to send."""
        idle = [each for each in self._copies if each.future is None]
        while self._todo:
            if not idle:
                if len(self._copies) == self.workers:
                    return
                idle.append(self._added())
            one = idle.pop()
            if one.begins(self._todo[0]):
                self._todo.popleft()
            else:
                self._remove(one)

    def _added(self) -> _Worker:
        try:
            self._copies.append(_Worker())
        except OSError as error:
            raise SimioError(f"a process cannot be started: {one_line(error.strerror or str(error))}") from None
        return self._copies[-1]

    def _remove(self, one: _Worker) -> None:
        self._copies.remove(one)
        one.pipe.close()
        end(one.number)


@dataclass(eq=False)
class _Future:
    """A chunk, and what comes of it."""

    chunk: Chunk[Any]
    done: Done[Any] | None = None


class _Worker:
    """A copy of this process, and the future that it works on. Raises OSError where there is no room for one."""

    def __init__(self) -> None:
        self.future: _Future | None = None
        self.pipe, far = Pipe()
        parent = os.getpid()
        try:
            self.number = copy(lambda: _serve(far, parent))
        finally:
            # A copy that dies then closes the only other end.
            far.close()

    def begins(self, future: _Future) -> bool:
        """Work on a chunk; False where the copy has died."""
        try:
            self.pipe.send(future.chunk)
        except OSError:
            return False
        self.future = future
        return True

    def answers(self) -> bool:
        """Note what came of the work; False where the copy has died."""
        assert self.future is not None
        try:
            self.future.done = self.pipe.recv()
        except (EOFError, OSError):
            return False
        return True

    def taken(self) -> _Future:
        """The future, after which the copy has no work."""
        future, self.future = self.future, None
        assert future is not None
        return future


def _serve(pipe: Connection, parent: int) -> None:
    """The life of a copy: chunks come and their outcomes go, until the parent ends it or has ended itself."""
    # At once, since the copy has the parent's files and their locks.
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    # Objects of the parent are not looked through for garbage, as that would copy them page by page.
    freeze()
    begin(parent)
    while True:
        chunk: Chunk[Any] = pipe.recv()
        done = work(chunk)
        try:
            pipe.send(done)
        except (PicklingError, AttributeError, TypeError) as error:
            defect = SimioError(f"internal error: an outcome cannot be sent: {one_line(str(error))}")
            pipe.send(Done([(number, defect) for number, _ in chunk.tasks], done.seconds))
