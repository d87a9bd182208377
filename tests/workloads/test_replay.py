"""Replay of a trace: which requests are made, when, and what is said of a trace that cannot be read."""

from __future__ import annotations

import pytest

from simio.engines import compiled, reference
from simio.errors import RunError, ScenarioError
from simio.loading import load
from simio.lower import lower
from simio.report import tables
from simio.running import run_case

US = 10**6
MS = 10**9

RIG = """
title: A replay
hosts:
  server: {{model: hosts/linux-2002-dual-p3, adapters: {{scsi: {{model: adapters/aic-7899, bus: pci}}}}}}
disks:
  d: {{model: disks/atlas-10k, count: {count}}}
links:
  - {{model: links/scsi-ultra160, between: [server.scsi, d], length: 3 m}}
workload:
  replay: {{host: server, storage: d, trace: ./{file}, format: {form}{more}}}
run: {{warm_up: 0 s}}
"""

THREE = "R Hit 1000 8 5000 2000.5\nW Miss 2000000 16 700 100\n\nR Hit 1008 4 900.25 0\n"
"""A read, a write and a read, with measured responses and pauses in us."""


@pytest.fixture
def scenario(tmp_path):
    def make(text: str, form: str = "disksim-validation", more: str = "", count: int = 1):
        (tmp_path / "a.trace").write_text(text)
        path = tmp_path / "replay.yaml"
        path.write_text(RIG.format(file="a.trace", form=form, more=more, count=count))
        return path

    return make


def marks(path, name: str, engine=compiled):
    program = lower(load(path).cases[0].system)
    outcome = engine.run(program)
    row = [mark.name for mark in program.marks].index(name)
    return [(int(time), int(value)) for time, which, value in outcome.marks if which == row]


def test_requests_are_made_one_at_a_time_after_their_pauses(scenario) -> None:
    path = scenario(THREE)
    sizes = marks(path, "replay: d")
    took = marks(path, "replay: response")
    assert [size for _, size in sizes] == [8 * 512, 16 * 512, 4 * 512]
    begun = [end - time for end, time in took]
    assert begun == [0, took[0][0] + 2_000_500_000, took[1][0] + 100 * US]


def test_both_engines_agree(scenario) -> None:
    path = scenario(THREE)
    assert marks(path, "replay: response") == marks(path, "replay: response", reference)


def test_recorded_arrivals_do_not_wait_for_one_another(scenario) -> None:
    path = scenario("1 0 0 8 1\n1.001 0 9000000 8 1\n", "disksim-ascii", ", mode: recorded")
    took = marks(path, "replay: response")
    assert sorted(end - time for end, time in took) == [MS, MS + US]
    assert took[0][0] - took[0][1] < took[1][0]


def test_arrivals_of_a_trace_with_pauses_are_those_measured(scenario) -> None:
    took = marks(scenario(THREE, more=", mode: recorded"), "replay: response")
    assert sorted(end - time for end, time in took) == [0, 7_000_500_000, 7_800_500_000]


def test_the_result_has_the_demerit(scenario) -> None:
    result = run_case(load(scenario(THREE)).cases[0])
    (found,) = result.demerits
    assert (found.name, found.count, found.measured_count) == ("replay: response", 3, 3)
    assert found.measured == pytest.approx((5000 + 700 + 900.25) * US / 3)
    assert found.simulated == pytest.approx(result.observations[0].mean)
    assert found.value > 0


def test_a_trace_without_measured_times_has_no_demerit(scenario) -> None:
    assert run_case(load(scenario("1 0 0 8 1", "disksim-ascii", ", mode: recorded")).cases[0]).demerits == ()


def test_the_report_shows_both_means(scenario) -> None:
    grid = tables.demerits(run_case(load(scenario(THREE)).cases[0]))
    assert grid.headings == ["beside measured", "mean", "measured", "error", "demerit"]
    assert [row[0] for row in grid.rows] == ["replay: response"]
    assert grid.rows[0][2] == "2.2 ms"


def test_a_missing_trace_is_a_problem(scenario) -> None:
    path = scenario(THREE)
    (path.parent / "a.trace").unlink()
    with pytest.raises(ScenarioError, match="no such file; expected a trace file"):
        load(path)


def test_closed_needs_pauses(scenario) -> None:
    with pytest.raises(ScenarioError, match="format disksim-ascii has arrivals and no pauses"):
        load(scenario("1 0 7 8 1", "disksim-ascii"))


def test_a_trace_has_to_fit_on_the_device(scenario) -> None:
    with pytest.raises(RunError, match="which holds"):
        run_case(load(scenario("R Hit 99000000 8 5 6")).cases[0])


def test_a_trace_is_of_one_device(scenario) -> None:
    with pytest.raises(RunError, match="name one of them"):
        run_case(load(scenario(THREE, count=2)).cases[0])
