"""Every ready scenario, shortened: both engines agree, and what must hold for any of them holds."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache

import pytest
from short_forms import SCENARIOS, SHORT

from simio.loading import load
from simio.report.data import as_json
from simio.result.model import ScenarioResult
from simio.running import RunOptions, run_scenario

COMPARED_LONGER = {
    "hippi-larger-packets", "linux-fc-buffered", "linux-fc-mmap", "linux-fc-raw", "random-reads", "sgi-hippi-raw",
}  # fmt: skip
"""Both engines run these in test_published.py."""
SAMPLE = {"cray-ipi3", "fault-raid5-degraded", "local-copy", "sgi-nfs-disk", "slac-ping", "video-buffers"}
"""Compared in `make test`, too: disks, faults, files, NFS, packets and streams, each within a second."""
NAMES = sorted(path.stem for path in SCENARIOS.glob("*.yaml"))


MOST = 6
"""Cases of a scenario that are run: the first, the last, and some evenly between. `simio validate` runs all."""


@cache
def result(name: str, engine: str = "compiled") -> ScenarioResult:
    sets = SHORT[name]
    scenario = load(str(SCENARIOS / f"{name}.yaml"), sets)
    last = len(scenario.cases) - 1
    some = {last * place // (MOST - 1) for place in range(MOST)}
    cases = tuple(case for place, case in enumerate(scenario.cases) if place in some)
    return run_scenario(replace(scenario, cases=cases), sets, RunOptions(engine))


def test_every_scenario_has_a_short_form():
    assert sorted(SHORT) == NAMES


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=() if name in SAMPLE else pytest.mark.slow)
        for name in NAMES
        if name not in COMPARED_LONGER
    ],
)
def test_both_engines_agree(name: str):
    compiled, simpy = (json.loads("".join(as_json(result(name, engine)))) for engine in ("compiled", "simpy"))
    assert compiled["cases"]
    assert compiled == simpy


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_used_beyond_what_there_is(name: str):
    for case in result(name).cases:
        assert case.status in ("done", "until")
        assert all(0 <= use.utilisation <= 1 for use in case.resources), case.settings
        assert all(0 <= use.busy <= use.count for use in case.threads), case.settings
        for container in case.containers:
            assert container.lowest >= 0
            assert container.capacity is None or container.highest <= container.capacity


@pytest.mark.parametrize("name", NAMES)
def test_what_is_done_lies_under_the_bound_and_leaves_nothing_behind(name: str):
    for case in result(name).cases:
        if case.status != "done":
            continue
        # Of the whole run, since deliveries of a part of it may be what was read ahead before.
        whole = case.timeline.delivered[-1] * 10**12 / case.end
        assert case.bound is None or whole <= float(case.bound) * (1 + 1e-9), case.settings
        held = [use for use in case.containers if use.unit == "bytes" and use.capacity is None]
        assert [(use.name, use.end) for use in held if use.end] == []
