"""Work of one process of a sweep: find the scenario of a task, build its case, run it, and never raise."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar

from simio.errors import RunError, ScenarioError, SimioError, one_line

if TYPE_CHECKING:
    from simio.description.model import Scenario
    from simio.loading import ScenarioFile
    from simio.loading.catalogue import Catalogue
    from simio.result.model import CaseResult
    from simio.running import CaseRun

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

TOGETHER = 16
"""Tasks that take each stage together, which hold their tables at once."""
MOST_WORDS = 2**17
"""Words of steps and state of a program that waits for others between stages: 1 MB."""
SOURCES_KEPT = 8
"""Scenario files that a worker keeps, with what was built from them."""


@dataclass(frozen=True)
class Task:
    """One case to run: a scenario file, settings written over it, and the index of the case.

    `text` stands in for what the file holds, `tables` for the folder of measured tables, and `parts` for the
    catalogue (one that is equal to itself after a journey to another process saves reading the file again).
    `engine` is as in `simio.running.RunOptions`.
    """

    scenario: str
    sets: tuple[str, ...] = ()
    case: int = 0
    text: str | None = None
    parts: Catalogue | None = None
    engine: str | None = None
    tables: Path | None = None


Stages = Generator[None, None, T]
"""Work that yields between its stages, and returns an outcome at last."""
Do = Callable[["Scenario", Task], "T | Stages[T]"]
"""Treatment of a task's scenario, of which only the task's case was built; in stages, if it is a generator."""


@dataclass(frozen=True)
class Chunk(Generic[T_co]):
    """Tasks that go to a worker together, with their numbers; `call` sets one call of `run_many` apart from the next.

    `here` is the folder that paths are relative to.
    """

    call: str
    here: str
    do: Do[T_co]
    tasks: Sequence[tuple[int, Task]]


@dataclass(frozen=True)
class Done(Generic[T_co]):
    """The outcomes of a chunk, and the seconds that it took."""

    outcomes: Sequence[tuple[int, T_co | SimioError]]
    seconds: float


def run_case_of(scenario: Scenario, task: Task) -> Stages[CaseResult]:
    """Run the scenario's only case."""
    from simio.running import CaseRun, RunOptions, pooled_rows
    from simio.sweeps.families import lowered

    case = scenario.cases[0]
    return in_stages(CaseRun(case, lowered(case.system), RunOptions(task.engine), pooled_rows(scenario, case)))


def in_stages(run: CaseRun, told: bool = True) -> Stages[CaseResult]:
    """The result of a case that is ready to run; one that takes much memory waits for no other.

    `told` is as in `simio.result.case.case_result`.
    """
    if run.words <= MOST_WORDS:
        yield
    run.simulate()
    if run.words <= MOST_WORDS:
        yield
    return run.result(told)


def work(chunk: Chunk[T]) -> Done[T]:
    """The outcome of each task: what `do` returns, or the error that kept it from doing so.

    Some tasks at a time go through each stage together, so that the processor's caches have what the stage needs.
    """
    begun = time.monotonic()
    outcomes: dict[int, T | SimioError] = {}
    for first in range(0, len(chunk.tasks), TOGETHER):
        some = chunk.tasks[first : first + TOGETHER]
        going = [(number, _staged(chunk, task)) for number, task in some]
        while going:
            going = [(number, stages) for number, stages in going if _goes_on(number, stages, outcomes)]
    return Done([(number, outcomes[number]) for number, _ in chunk.tasks], time.monotonic() - begun)


def _staged(chunk: Chunk[T], task: Task) -> Stages[T]:
    """One task from its text to its outcome."""
    scenario = _source(chunk, task).scenario(task.sets, only=task.case)
    yield
    done = chunk.do(scenario, task)
    if isinstance(done, Generator):
        return (yield from done)
    return done


def _goes_on(number: int, stages: Stages[T], outcomes: dict[int, T | SimioError]) -> bool:
    """Carry out the next stage of a task; False where that was the last, and then it has an outcome.

    A defect is reported as an error, so that it costs one outcome and not all.
    """
    try:
        next(stages)
        return True
    except StopIteration as end:
        outcomes[number] = end.value
    except ScenarioError as error:
        outcomes[number] = error
    except RunError as error:
        # The tables of the outcome would be most of what is sent back.
        outcomes[number] = RunError(str(error))
    except SimioError as error:
        outcomes[number] = error
    except Exception as error:
        outcomes[number] = SimioError(f"internal error: {one_line(f'{type(error).__name__}: {error}')}")
    return False


class _Kept(threading.local):
    """The sources that this thread read last; workers of a cluster may have several threads."""

    def __init__(self) -> None:
        self.sources: OrderedDict[tuple[object, ...], ScenarioFile] = OrderedDict()


_KEPT = _Kept()


def _source(chunk: Chunk[T], task: Task) -> ScenarioFile:
    from simio.loading import ScenarioFile

    key = (chunk.call, chunk.here, task.scenario, task.text, task.parts, task.tables)
    sources = _KEPT.sources
    if key not in sources:
        folder = Path(chunk.here, task.scenario).parent
        sources[key] = ScenarioFile(task.scenario, task.text, task.parts, task.tables, folder)
    sources.move_to_end(key)
    while len(sources) > SOURCES_KEPT:
        sources.popitem(last=False)
    return sources[key]
