"""An explanation that is interrupted in its first run tells what that run came to."""

from __future__ import annotations

from dataclasses import replace

from simio.engines import compiled
from simio.engines.outcome import Options, Status
from simio.loading import load
from simio.lower import lower
from simio.running import Lowered, interrupted_result, run_case


def test_the_first_run_of_an_interrupted_explanation_is_told_as_far_as_it_came():
    case = load("scenarios/random-reads.yaml", ("run.until=200 ms",)).cases[0]
    lowered = Lowered(lower(case.system))
    outcome = compiled.run(lowered.program, Options(100 * 10**9))
    found = interrupted_result(case, lowered, replace(outcome, status=Status.INTERRUPTED))
    assert found.cut_off == "interrupted at 100 ms of 200 ms simulated"
    half = run_case(load("scenarios/random-reads.yaml", ("run.until=100 ms", "run.replications=1")).cases[0])
    assert found.rate == half.rate > 0
