"""Replay of a trace: which requests are made, when, and what is said of a trace that cannot be read."""

from __future__ import annotations

import pytest
from replay_bench import FIVE, MS, THREE, TO_BOTH, US, made, marks

from simio.api import load as study
from simio.engines import outcome, reference
from simio.errors import RunError, ScenarioError
from simio.loading import load
from simio.lower import lower
from simio.program.digest import program_hash
from simio.report import casetables
from simio.result.compare import comparisons
from simio.running import run_case
from simio.sweeps.families import Families


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
    grid = casetables.demerits(run_case(load(scenario(THREE)).cases[0]))
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


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (", depth: 2, mode: recorded", "depth: found 2; expected 1; only mode closed limits requests outstanding"),
        (", first: 3, last: 2", "last: found 2; expected first (3) or more"),
        (", since: 2 s, until: 1 s", "until: found a time before since; expected a later time"),
        (", extent: 1 GiB", "extent: found an extent with fit exact; expected none; only scale takes one"),
        (", speed: 0 %", "speed: found '0 %'; expected a share above zero"),
        (", first: 0", "first: found 0; expected at least 1"),
        (", devices: {others: d}", "storage: found both storage and devices; expected storage, or else devices"),
        (", devices: {others: e}", "devices.others: found the unknown disk, group of disks or volume 'e'"),
    ],
)
def test_what_does_not_go_together_is_refused(scenario, more, message) -> None:
    with pytest.raises(ScenarioError) as caught:
        load(scenario(THREE, more=more))
    assert message in str(caught.value)


def test_a_trace_has_to_fit_on_the_device(scenario) -> None:
    with pytest.raises(RunError, match="which holds .*; fit: wrap or fit: scale brings addresses onto it"):
        run_case(load(scenario("R Hit 99000000 8 5 6")).cases[0])


def test_a_trace_of_one_device_needs_one_target(scenario) -> None:
    with pytest.raises(RunError, match="name one of them"):
        run_case(load(scenario(THREE, count=2)).cases[0])


# --- around ------------------------------------------------------------------------------------------------


def test_a_measured_table_may_have_the_demerit(scenario, tmp_path) -> None:
    path = scenario(THREE)
    found = run_case(load(path).cases[0]).demerits[0].value
    (tmp_path / "t.yaml").write_text(
        "title: A drive\nsource: {document: d, author: a, date: 1998-01-01, place: p}\nquantity: demerit\nunit: '%'\n"
        "rows:\n  - {where: {}, value: 50}\n"
    )
    path.write_text(path.read_text() + "measured: ./t.yaml\n")
    (row,) = comparisons(run_case(load(path).cases[0]))
    assert row.simulated == pytest.approx(100 * found)
    assert row.error == pytest.approx(100 * found / 50 - 1)


def test_a_replay_says_what_arrives_and_what_is_served(scenario) -> None:
    text = "".join(f"{number} 0 {number * 70000 % 9000000} 8 1\n" for number in range(400))
    (load_,) = run_case(load(scenario(text, "disksim-ascii", ", mode: recorded")).cases[0]).loads
    assert load_.offered == pytest.approx(1000)
    assert load_.grows > 500


def test_traces_of_one_name_in_two_folders_are_two_programs(scenario, tmp_path) -> None:
    first = load(scenario(THREE)).cases[0].system
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "a.trace").write_text(THREE.replace("1000 8", "2000 8"))
    text = (tmp_path / "replay.yaml").read_text()
    (tmp_path / "other" / "replay.yaml").write_text(text)
    second = load(tmp_path / "other" / "replay.yaml").cases[0].system
    families = Families()
    assert families.lower(first).hash == program_hash(lower(first))
    assert families.lower(second).hash == program_hash(lower(second)) != program_hash(lower(first))


def test_a_sweep_of_a_replay_is_lowered_as_each_of_its_cases(scenario) -> None:
    path = scenario(FIVE, "disksim-ascii", TO_BOTH, count=2, no_storage=True)
    families = Families()
    for last in (5, 4, 3, 2, 5):
        for speed in ("100 %", "200 %"):
            sets = [
                f"workload.replay.last={last}",
                f"workload.replay.speed={speed}",
                "disks.d.rotation=9000 rpm",
            ]
            system = load(path, sets).cases[0].system
            assert families.lower(system).hash == program_hash(lower(system))


def test_a_long_replay_says_that_its_times_were_condensed(scenario, monkeypatch) -> None:
    monkeypatch.setattr(outcome, "CONDENSE_AT", 64)
    path = scenario("".join(f"R Hit {1000 * number} 8 5000 10\n" for number in range(300)))
    whole = [row["latency"] for row in made(path)]
    (case,) = study(path).run().cases
    assert case.notes[-1].startswith("300 times are of the whole run")
    (seen,) = case.observations
    assert (seen.count, seen.mean, seen.most) == (300, pytest.approx(sum(whole) / 300), max(whole))
    assert case.throughput.amount == 300 * 4096
    assert case.demerits[0].count == 300


@pytest.mark.parametrize(("pause", "names_the_trace"), [(900_000, True), (0, False)])
def test_a_closed_replay_names_its_trace_as_the_limit_where_that_pauses(scenario, pause, names_the_trace) -> None:
    path = scenario(f"R Hit 1000 8 5000 {pause}\nW Miss 2000000 16 700 {pause}\nR Hit 1008 4 900 0\n")
    limit = run_case(load(path).cases[0]).limiter
    assert limit.sentence.startswith("The trace sets the pace: it pauses 100% of the time") == names_the_trace
    assert (limit.kind == "load") == names_the_trace


@pytest.mark.parametrize("mode", ["closed", "recorded"])
def test_time_before_the_trace_begins_is_no_part_of_the_load(scenario, mode: str) -> None:
    path = scenario(THREE, more=f", mode: {mode}")
    plain, later = (run_case(load(path, [f"workload.replay.start={start}"]).cases[0]) for start in ("0 s", "100 s"))
    assert later.throughput.since == 10**14
    assert later.throughput.amount == plain.throughput.amount == 28 * 512
    # The platter stands elsewhere then, by a turn at most for each of three requests.
    spans = [case.throughput.until - case.throughput.since for case in (plain, later)]
    assert abs(spans[0] - spans[1]) < 3 * 10 * MS
