"""What limits: a lock leads to what its holders use, and an explanation names the limit of the run."""

from __future__ import annotations

from pathlib import Path

import pytest

from simio.explaining import profile
from simio.loading import load as read
from simio.running import run_case

SCENARIOS = sorted(Path(__file__).parents[2].glob("scenarios/*.yaml"))


@pytest.mark.parametrize(
    ("scenario", "sets", "case", "named"),
    [
        # The handler of an interface works on the CPU, which others use as well.
        ("slac-jumbo.yaml", [], 1, "datamove7.cpu"),
        # An arm works itself; the port that three disks share is busy for a third of the time of each.
        ("linux-fc-raw.yaml", ["disks.d.count=3"], 0, "d1"),
        # A disk that takes one command at a time is always taken, by commands that wait for its mechanism.
        ("sgi-disks.yaml", [], 0, "a1"),
    ],
)
def test_a_lock_leads_to_what_its_holders_use(load, scenario, sets, case, named):
    found = run_case(load(scenario, *sets).cases[case]).limiter
    assert found.name == named
    assert found.sentence.startswith(named)


@pytest.mark.slow
@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
def test_an_explanation_names_the_limit_of_the_run(path, monkeypatch):
    monkeypatch.setattr("simio.explaining.variants.components", lambda _: [])
    monkeypatch.setattr("simio.explaining.variants.what_ifs", lambda _: [])
    case = read(path).cases[0]
    assert profile(case).limiter == run_case(case).limiter
