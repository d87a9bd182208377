"""Hashes of the JSON of short runs, which one version of simio gives byte by byte, whoever runs them.

    python tests/golden/golden_runs.py

renews `hashes.json` after results have rightly changed; a difference says which scenario changed.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path

from simio.loading import load
from simio.report.data import as_json
from simio.result.model import ScenarioResult
from simio.running import RunOptions, run_scenario
from simio.sweeps import Task, run_many

ROOT = Path(__file__).parents[2]
HASHES = Path(__file__).with_name("hashes.json")
RUNS: dict[str, tuple[str, ...]] = {
    "ancor-fc-overhead": ("workload.ttcp.writes=60", "run.warm_up=0 s"),
    "disk-queue": ("run.until=40 ms", "run.warm_up=0 s", "run.replications=2"),
    "linux-fc-raw": ("run.until=4 ms", "run.warm_up=0 s"),
    "raid5-writes": ("run.until=15 ms", "run.warm_up=0 s", "run.replications=1"),
    "sgi-hippi-raw": ("workload.blast.packets=1", "workload.blast.size=64 KiB"),
    "sgi-nfs-disk": ("workload.nfs.size=60 KiB", "run.replications=1"),
    "slac-ping": (),
}
"""Storage, random draws, arrays, raw frames, TCP, NFS and ICMP; short enough for the reference engine."""


def digest(result: ScenarioResult) -> str:
    """Hash of a result's JSON, without where the scenario lies and which version of simio ran it."""
    told = "".join(as_json(replace(result, path="", version="", text="")))
    # A value that a scenario gives has the scenario's path as its source.
    return hashlib.sha256(told.replace(f"{ROOT}/", "").encode()).hexdigest()


def one(name: str, engine: str | None = None) -> ScenarioResult:
    """A run in this process."""
    return run_scenario(load(ROOT / "scenarios" / f"{name}.yaml", RUNS[name]), RUNS[name], RunOptions(engine))


def spread(name: str, processes: int) -> ScenarioResult:
    """The same, its cases run in several processes, in whatever order they end."""
    scenario = load(ROOT / "scenarios" / f"{name}.yaml", RUNS[name])
    path = str(ROOT / "scenarios" / f"{name}.yaml")
    tasks = [Task(path, RUNS[name], case.index) for case in scenario.cases]
    found = dict(run_many(tasks, processes))
    empty = run_scenario(scenario, RUNS[name], cases=[])
    return replace(empty, cases=tuple(found[index] for index in range(len(tasks))))


def main() -> None:
    """Renew the hashes."""
    HASHES.write_text(json.dumps({name: digest(one(name)) for name in RUNS}, indent=1) + "\n")


if __name__ == "__main__":
    main()
