"""Work of one process of a sweep: find the scenario of a task, build its case, run it, and never raise."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar

from simio.errors import RunError, ScenarioError, SimioError, one_line

if TYPE_CHECKING:
    from simio.description.model import Scenario
    from simio.loading import ScenarioFile
    from simio.loading.catalogue import Catalogue
    from simio.result.model import CaseResult

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

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


Do = Callable[["Scenario", Task], T]
"""Treatment of a task's scenario, of which only the task's case was built."""


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


def run_case_of(scenario: Scenario, task: Task) -> CaseResult:
    """Run the only case there is."""
    from simio.running import RunOptions, pooled_rows, run_program
    from simio.sweeps.families import lowered

    case = scenario.cases[0]
    return run_program(case, lowered(case.system), RunOptions(task.engine), pooled_rows(scenario, case))


def work(chunk: Chunk[T]) -> Done[T]:
    """The outcome of each task: what `do` returns, or the error that kept it from doing so."""
    begun = time.monotonic()
    outcomes = [(number, attempt(chunk, task)) for number, task in chunk.tasks]
    return Done(outcomes, time.monotonic() - begun)


def attempt(chunk: Chunk[T], task: Task) -> T | SimioError:
    """One task; a defect is reported as an error, so that it costs one outcome and not all."""
    try:
        return chunk.do(_source(chunk, task).scenario(task.sets, only=task.case), task)
    except ScenarioError as error:
        return error
    except RunError as error:
        # The tables of the outcome would be most of what is sent back.
        return RunError(str(error))
    except SimioError as error:
        return error
    except Exception as error:
        return SimioError(f"internal error: {one_line(f'{type(error).__name__}: {error}')}")


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
