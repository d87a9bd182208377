"""The trial of a fuzzed file: it is read and run to a result, or its problems are told; nothing else."""

from __future__ import annotations

import io
import random
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from mutations import mangled, mutated
from rich.console import Console

from simio.description.model import Case, Scenario
from simio.errors import ScenarioError, SimioError
from simio.loading import load
from simio.loading.catalogue import Catalogue
from simio.report.data import as_csv, as_json
from simio.report.terminal import show
from simio.running import run_scenario

ROOT = Path(__file__).parents[2]
STEPS = 300_000
"""Steps that a fuzzed case may take; spending them is an end like any other."""
CASES = 2
"""Cases of a fuzzed scenario that are run."""
DEFECT = "a defect in simio"


@cache
def scenarios() -> dict[str, Any]:
    """The ready scenarios as trees, by name."""
    return {path.stem: yaml.safe_load(path.read_text()) for path in sorted((ROOT / "scenarios").glob("*.yaml"))}


@cache
def datasheets() -> dict[str, Any]:
    """The datasheets of the catalogue as trees, by class/part."""
    root = ROOT / "models"
    return {
        f"{path.parent.name}/{path.stem}": yaml.safe_load(path.read_text()) for path in sorted(root.glob("*/*.yaml"))
    }


def scenario_file(rng: random.Random) -> str | bytes:
    """A mutated scenario."""
    name = rng.choice(list(scenarios()))
    if rng.random() < 0.2:
        return mangled(rng, (ROOT / "scenarios" / f"{name}.yaml").read_text())
    tree = dict(scenarios()[name])
    if rng.random() < 0.7:
        # Short enough to reach an end.
        tree["run"] = {**(tree.get("run") or {}), "until": rng.choice(("1 ms", "20 ms")), "warm_up": "auto"}
        tree.pop("measured", None)
    return mutated(rng, tree, list(scenarios().values()))


def put(path: Path, content: str | bytes) -> Path:
    """Write a file as its bytes are."""
    path.write_bytes(content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content)
    return path


def outcome(path: Path, sets: Sequence[str] = (), parts: Catalogue | None = None) -> str:
    """Outcome of a scenario file: 'result', 'problem' or 'refused'. Anything that should not be, raises."""
    try:
        scenario = load(path, sets, parts=parts)
    except ScenarioError as error:
        return told(error)
    return _run(scenario, sets)


def told(error: ScenarioError) -> str:
    """'problem' for problems that each say what was found or expected, in a line."""
    assert error.problems
    for problem in error.problems:
        assert problem.found or problem.expected, problem
        assert "\n" not in str(problem)
    return "problem"


def _run(scenario: Scenario, sets: Sequence[str]) -> str:
    cases = tuple(_short(case) for case in scenario.cases[:CASES])
    try:
        result = run_scenario(replace(scenario, cases=cases), sets)
    except SimioError as error:
        if DEFECT in str(error):
            raise
        return "refused"
    "".join(as_json(result)), as_csv(result)
    show(Console(file=io.StringIO(), width=100), result, None)
    return "result"


def _short(case: Case) -> Case:
    run = case.system.run
    run = run.model_copy(
        update={"step_budget": min(run.step_budget, STEPS), "replications": min(run.replications or 2, 2)}
    )
    return replace(case, system=replace(case.system, run=run))
