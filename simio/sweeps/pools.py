"""Processes of this machine as a pool."""

from __future__ import annotations

import gc
import os
import signal
import threading
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from queue import SimpleQueue
from typing import Any, Protocol

from simio.__main__ import COLLECTING
from simio.sweeps.memory import keep_freed
from simio.sweeps.work import Chunk, Done, work

IDLE = 10
"""Seconds after which a process without work ends; the next call of `run_many` within them starts none."""

LOOK = 0.2
"""Seconds between two looks of a process at whether its parent lives."""
_SAFE = {"PYTHONSAFEPATH": "1"}
"""Environment that keeps the current directory off Python's path."""


class Pool(Protocol):
    """The workers on chunks. Futures are opaque to others."""

    workers: int

    def submit(self, chunk: Chunk[Any]) -> Any:
        """Begin to work on a chunk; returns its future."""

    def first(self) -> Any:
        """Wait until a future is done, and return it."""

    def result(self, future: Any) -> Done[Any] | None:
        """The result of a future that is done, or None if its process died."""

    def close(self, finished: bool) -> None:
        """Let the workers go; where not all is `finished`, end them."""


class LocalPool:
    """New processes of this machine, started by loky, which notices those that die.

    Futures rather than `joblib.Parallel`: they show which tasks a process had when it died, and outcomes are not held
    up by a batch.
    """

    def __init__(self, workers: int) -> None:
        # The thread that minds processes says so when it replaces one that ended as work came: no news to anybody.
        warnings.filterwarnings("ignore", "A worker stopped while some jobs were given", UserWarning)
        self.workers = workers
        self._executor: Any = None
        self._done: SimpleQueue[Any] = SimpleQueue()

    def submit(self, chunk: Chunk[Any]) -> Any:
        """Begin to work on a chunk, in a new set of processes if one of the old died."""
        from concurrent.futures import BrokenExecutor

        try:
            future = self._submit(chunk)
        except BrokenExecutor:
            # A process died after the set was found whole. A new set has no work yet that could end one.
            future = self._submit(chunk)
        future.add_done_callback(self._done.put)
        return future

    def _submit(self, chunk: Chunk[Any]) -> Any:
        """Begin to work on a chunk. Raises `BrokenExecutor` where a process dies meanwhile."""
        from joblib.externals.loky import get_reusable_executor

        with _safe_path():
            # Starts a helper, after which interrupts come through again.
            self._executor = get_reusable_executor(
                max_workers=self.workers, timeout=IDLE, initializer=begin, initargs=(os.getpid(),), env=_SAFE
            )
            # Processes inherit the mask: an interrupt is for this one, which ends them.
            with interrupts_held():
                return self._executor.submit(work, chunk)

    def first(self) -> Any:
        """Wait until a future is done, and return it."""
        return self._done.get()

    def result(self, future: Any) -> Done[Any] | None:
        """The result of a future that is done, or None if its process died."""
        from concurrent.futures import BrokenExecutor

        try:
            done: Done[Any] = future.result()
        except BrokenExecutor:
            return None
        return done

    def close(self, finished: bool) -> None:
        """Leave idle processes for a while, or end all where work is not finished."""
        if not finished and self._executor is not None:
            with interrupts_held(), _thread_errors_untold():
                processes = list((self._executor._processes or {}).values())
                self._executor.shutdown(wait=True, kill_workers=True)
                for process in processes:
                    if process.is_alive():
                        process.terminate()


def processors() -> int:
    """Processors that this process may use, by its affinity and by the limit of its container."""
    from joblib import cpu_count

    found: int = cpu_count()
    return found


def begin(parent: int) -> None:
    """Make a process ready for work; it ends as soon as its parent has."""
    # As in the parent: what a run makes is mostly kept or gone by itself, and looking for the rest is a tenth of it.
    gc.set_threshold(*COLLECTING)
    keep_freed()
    end_with(parent)


def end_with(parent: int) -> None:
    """Let this process end as soon as its parent has, whatever it is doing then, and by no interrupt.

    The mask that it inherits is not enough: what multiprocessing starts beside it takes SIGINT off the mask.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def watch() -> None:
        # Another process adopts one whose parent has died. Machine code of the engine lets this thread run.
        while os.getppid() == parent:
            time.sleep(LOOK)
        os._exit(1)

    threading.Thread(target=watch, name="parent", daemon=True).start()


@contextmanager
def _safe_path() -> Iterator[None]:
    """Processes that are started meanwhile, helpers of loky's among them, never import from the current directory."""
    before = {name: os.environ.get(name) for name in _SAFE}
    os.environ.update(_SAFE)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


@contextmanager
def _thread_errors_untold() -> Iterator[None]:
    """Hide errors of the thread that minds processes while these are killed: nobody can act on them."""
    before = threading.excepthook
    threading.excepthook = lambda _: None
    try:
        yield
    finally:
        threading.excepthook = before


@contextmanager
def interrupts_held() -> Iterator[None]:
    """Keep Ctrl-C for later, where the platform has a way; processes that are started meanwhile never see one."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
