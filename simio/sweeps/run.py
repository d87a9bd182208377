"""Many runs in order of completion, by any workers and with any outcome."""

from __future__ import annotations

import os
import uuid
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar, overload

from simio.errors import ScenarioError, SimioError
from simio.sweeps.work import TOGETHER, Chunk, Do, Task, run_case_of, work
from simio.worth import WORTH_COPIES

if TYPE_CHECKING:
    from simio.result.model import CaseResult
    from simio.sweeps.pools import Pool

T = TypeVar("T")
Numbered = tuple[int, Task]
Announce = Callable[[str], Any]

PROBE = 0.25
"""Seconds of work before processes are considered."""
WORTH = 1.5
"""Seconds of work left that are worth starting processes for, which takes about as long."""
CHUNK = 0.1
"""Seconds of work that go to a worker at once: much more than sending it takes, and little to lose."""
LARGEST_CHUNK = 64
TIMES_LOST = 2
"""A task whose process died so often is tried once more, alone, and then given up."""


@overload
def run_many(
    tasks: Iterable[Task], processes: int | None = None, cluster: str | None = None, *,
    announce: Announce | None = None,
) -> Generator[tuple[int, CaseResult | SimioError]]: ...  # fmt: skip
@overload
def run_many(
    tasks: Iterable[Task], processes: int | None = None, cluster: str | None = None, *,
    do: Do[T], announce: Announce | None = None,
) -> Generator[tuple[int, T | SimioError]]: ...  # fmt: skip
def run_many(
    tasks: Iterable[Task],
    processes: int | None = None,
    cluster: str | None = None,
    *,
    do: Do[Any] = run_case_of,
    announce: Announce | None = None,
) -> Generator[tuple[int, Any]]:
    """Run tasks and yield (number, outcome) of each as it is finished; numbers count the tasks from 0.

    An outcome is what `do` returns, by default a CaseResult, or the SimioError that prevented it. `do` is called
    where the work is done, with a scenario of which only the task's case was built, and the task; it has to be a
    function of a module, and what it returns is sent back.

    Without `processes` work begins here, and continues in a process for each CPU once that is worth it; 1 keeps it
    here. `cluster` is the address of a Dask scheduler. Each task has the same outcome wherever it runs. A process
    that dies is replaced and its tasks are run again; one that kills each process it runs in has an error as its
    outcome. To leave the iterator, by an interrupt or otherwise, ends the processes. Raises SimioError where there is
    no cluster.
    """
    if processes is not None and processes < 1:
        raise SimioError(f"found {processes} processes; expected at least 1")
    from simio.engines.native import compiles, entry
    from simio.sweeps.memory import keep_freed

    frame = Chunk(uuid.uuid4().hex, os.getcwd(), do, ())
    read, failed = _read(tasks)
    yield from failed
    todo = deque(read)
    if cluster is not None:
        from simio.sweeps.cluster import ClusterPool

        yield from _pooled(ClusterPool(cluster), frame, todo)
        return
    keep_freed()
    if todo and compiles():
        # Compiled here, the engine is loaded by all processes; else each would compile it. What the package has is
        # made in a second or two where it is needed.
        entry(announce)
    if processes is None or processes == 1:
        yield from _here(frame, todo, leave=processes is None)
    if todo:
        yield from _pooled(_local(processes, len(todo)), frame, todo)


def _local(processes: int | None, tasks: int) -> Pool:
    """Processes of this machine: copies of this one where that is safe, else new ones."""
    from simio.sweeps.copies import CopyPool, copyable
    from simio.sweeps.pools import LocalPool, processors

    workers = min(processes or processors(), tasks)
    return CopyPool(workers) if copyable() else LocalPool(workers)


def _read(tasks: Iterable[Task]) -> tuple[list[Numbered], list[tuple[int, SimioError]]]:
    """Tasks with the texts of their files, so that all see the same; and those whose file cannot be read."""
    from simio.reading import read_file

    texts: dict[str, str | ScenarioError] = {}
    read: list[Numbered] = []
    failed: list[tuple[int, SimioError]] = []
    for number, task in enumerate(tasks):
        if task.text is None:
            if task.scenario not in texts:
                try:
                    texts[task.scenario] = read_file(task.scenario)
                except ScenarioError as error:
                    texts[task.scenario] = error
            text = texts[task.scenario]
            if isinstance(text, ScenarioError):
                failed.append((number, text))
                continue
            task = replace(task, text=text)
        read.append((number, task))
    return read, failed


def _here(frame: Chunk[T], todo: deque[Numbered], leave: bool) -> Iterator[tuple[int, T | SimioError]]:
    """Work in this process, to the end or, with `leave`, until others are worth starting."""
    from simio.sweeps.copies import copyable

    spent, done, size = 0.0, 0, 1
    worth = WORTH_COPIES if copyable() else WORTH
    while todo:
        if leave and spent > PROBE and spent / done * len(todo) > worth:
            return
        finished = work(replace(frame, tasks=[todo.popleft() for _ in range(min(size, len(todo)))]))
        spent, done = spent + finished.seconds, done + len(finished.outcomes)
        size = _size(finished.seconds / len(finished.outcomes), TOGETHER)
        yield from finished.outcomes


def _pooled(pool: Pool, frame: Chunk[T], todo: deque[Numbered]) -> Iterator[tuple[int, T | SimioError]]:
    """Work in a pool. Tasks that are lost with a process are tried again, each by itself."""
    lost: dict[int, int] = {}
    alone: deque[Numbered] = deque()
    waiting: dict[Any, Chunk[T]] = {}
    size = 1
    finished = False
    try:
        while todo or alone or waiting:
            while todo and len(waiting) < 2 * pool.workers:
                chunk = replace(frame, tasks=_next(todo, lost, size))
                waiting[pool.submit(chunk)] = chunk
            if not waiting:
                chunk = replace(frame, tasks=[alone.popleft()])
                waiting[pool.submit(chunk)] = chunk
            future = pool.first()
            chunk = waiting.pop(future)
            done = pool.result(future)
            if done is not None:
                # Some are left for all workers.
                size = _size(done.seconds / len(chunk.tasks), min(LARGEST_CHUNK, len(todo) // (2 * pool.workers)))
                yield from done.outcomes
                continue
            for number, task in chunk.tasks:
                lost[number] = lost.get(number, 0) + 1
                if lost[number] > TIMES_LOST:
                    yield number, _killed()
                else:
                    (todo if lost[number] < TIMES_LOST else alone).append((number, task))
        finished = True
    finally:
        pool.close(finished)


def _next(todo: deque[Numbered], lost: dict[int, int], size: int) -> list[Numbered]:
    """The next tasks for a worker; one that was lost before goes by itself."""
    taken = [todo.popleft()]
    if taken[0][0] not in lost:
        room = sum(1 for number, _ in islice(todo, size - 1) if number not in lost)
        taken += [todo.popleft() for _ in range(room)]
    return taken


def _size(seconds: float, most: int) -> int:
    """Number of tasks, each of this many seconds, to do or send at once, of at most so many."""
    return max(1, min(int(CHUNK / max(seconds, 1e-9)), most))


def _killed() -> SimioError:
    return SimioError("the process that ran it was killed each time; it may need more memory than there is")
