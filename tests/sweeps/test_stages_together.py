"""Rows that go through their stages together: the same, to the last digit, as each alone and lowered anew."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest

from simio.errors import SimioError
from simio.loading import load
from simio.running import RunOptions, pooled_rows, run_case
from simio.sweeps.cache import outcome_of
from simio.sweeps.outcome import SweepOutcome, measures_of
from simio.sweeps.rows import told
from simio.sweeps.work import MOST_WORDS, TOGETHER, Chunk, Task, in_stages, work

ROOT = Path(__file__).parents[2]
HIPPI, DISKS = (str(ROOT / "scenarios" / name) for name in ("sgi-hippi-raw.yaml", "linux-fc-raw.yaml"))
WIRE, HOSTS = (str(ROOT / "benchmarks" / name) for name in ("tcp-wire.yaml", "peers/transfer.yaml"))


def hippi(size: str, *more: str) -> Task:
    return Task(HIPPI, (f"workload.blast.size={size}", "workload.blast.packets=4", *more))


def tcp(scenario: str, window: int, streams: int, *more: str) -> Task:
    keys = {"window": f"{window} KiB", "streams": streams, "size": "8 KiB", "writes": 32 // streams}
    return Task(scenario, (*(f"workload.ttcp.{key}={value}" for key, value in keys.items()), *more))


def disks(block: str, *more: str) -> Task:
    return Task(DISKS, (f"workload.reader.block={block}", "run.until=30 ms", *more), 1)


ROWS = {
    "a family of HIPPI": [
        *(hippi(f"{size} KiB") for size in (1, 2, 3, 5, 60, 100, 200)),
        hippi("1 KiB", "run.step_budget=50"),  # cut off
        hippi("-1 KiB"),  # refused
        *(hippi(f"{size} KiB") for size in (7, 9)),
        hippi("1 MiB", "run.until=1 us"),  # nothing delivered
        hippi("1 MiB", "run.until=2 ms"),
        Task(HIPPI, (), 99),  # no such case
        *(hippi(f"{size} KiB", "workload.blast.packets=1") for size in (4, 8)),
        *(hippi(f"{size} KiB") for size in (11, 12, 13)),
    ],
    "TCP over links": [
        *(tcp(WIRE, window, streams) for streams in (1, 2) for window in (4, 8, 12, 16, 20)),
        tcp(WIRE, 24, 1, "run.until=300 us"),
        tcp(WIRE, 24, 1, "hosts.one.stack.rfc1323=perhaps"),
        tcp(WIRE, 24, 1, "run.step_budget=1000"),
        *(tcp(WIRE, window, 4, "links.link2.length=200 km") for window in (8, 12, 16, 20, 24)),
    ],
    "TCP between hosts": [
        *(tcp(HOSTS, window, streams) for window in (8, 16, 24, 32) for streams in (1, 2)),
        tcp(HOSTS, 32, 1, "run.until=1 ms"),
        hippi("4 KiB"),
        *(tcp(HOSTS, window, 1, "hosts.one.cpu.clock=2 GHz") for window in (8, 16, 24, 32)),
    ],
    "disks": [
        *(disks(f"{size} KiB") for size in (64, 128, 192, 256, 320)),
        disks("4 MiB", "workload.reader.size=1 MiB"),
        *(disks(f"{size} KiB", "run.replications=2") for size in (64, 128, 192, 256)),
        *(disks(f"{size} KiB", "workload.reader.pattern=random") for size in (64, 128, 192, 256)),
        *(disks(f"{size} KiB", "run.precision=5%") for size in (64, 128)),
    ],
}


def alone(task: Task) -> SweepOutcome | str:
    """What a single run of the task gives, without templates and stages; an error as a row tells it."""
    try:
        scenario = load(task.scenario, task.sets)
        if task.case >= len(scenario.cases):
            raise SimioError(f"there is no case {task.case + 1}: the scenario has {len(scenario.cases)}")
        case = scenario.cases[task.case]
        result = run_case(case, RunOptions(partial=True), pooled_rows(scenario, case))
    except SimioError as error:
        return told(error)
    return SweepOutcome(measures_of(result), result.limiter.label, result.hash, cut_off=result.cut_off)


def together(tasks: list[Task]) -> list[SweepOutcome | str]:
    """What a worker gives that has all of them at once."""

    def do(scenario, task):
        return outcome_of(scenario, task, cached=False)

    done = work(Chunk("these", str(ROOT), do, list(enumerate(tasks))))
    assert [number for number, _ in done.outcomes] == list(range(len(tasks)))
    return [told(each) if isinstance(each, SimioError) else each for _, each in done.outcomes]


@pytest.mark.parametrize("name", ROWS)
def test_rows_are_those_of_each_alone(name):
    tasks = ROWS[name]
    found = together(tasks)
    assert found == [alone(task) for task in tasks]
    # The order in which measures come is that of the columns.
    assert [list(each.measures) for each in found if isinstance(each, SweepOutcome)] == [
        list(each.measures) for each in together(tasks[::-1])[::-1] if isinstance(each, SweepOutcome)
    ]
    assert any(isinstance(each, SweepOutcome) for each in found)


def test_the_rows_above_are_odd_enough():
    found = together(ROWS["a family of HIPPI"])
    assert sum(isinstance(each, str) for each in found) == 2
    assert sum(isinstance(each, SweepOutcome) and bool(each.cut_off) for each in found) == 1
    assert sum(isinstance(each, SweepOutcome) and not each.measures["throughput"] for each in found) == 3
    assert len(found) > TOGETHER


class Noted:
    """A run that notes what it is asked for."""

    def __init__(self, name: str, words: int, noted: list[str]) -> None:
        self.name, self.words, self.noted = name, words, noted

    def simulate(self) -> None:
        self.noted.append(f"{self.name} runs")

    def result(self, told: bool) -> str:
        self.noted.append(f"{self.name} ends")
        return self.name


def test_each_stage_is_of_all_but_for_what_takes_much_memory():
    noted: list[str] = []
    sizes = {"1 KiB": MOST_WORDS, "2 KiB": MOST_WORDS + 1, "3 KiB": 10}

    def do(_scenario, task) -> Generator[None, None, str]:
        size = task.sets[0].partition("=")[2]
        return in_stages(Noted(size, sizes[size], noted))  # type: ignore[arg-type, return-value]

    done = work(Chunk("these", str(ROOT), do, list(enumerate(map(hippi, sizes)))))
    assert [outcome for _, outcome in done.outcomes] == list(sizes)
    assert noted == ["2 KiB runs", "2 KiB ends", "1 KiB runs", "3 KiB runs", "1 KiB ends", "3 KiB ends"]
