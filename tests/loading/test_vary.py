"""Cases: the grid of `vary`, what settings win, and the measured rows of each case."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import pytest
from load_samples import DISKS, HIPPI, Loader

from simio.description.model import Case
from simio.errors import ScenarioError


def settings(cases: Sequence[Case]) -> list[tuple[str, ...]]:
    return [tuple(case.settings.values()) for case in cases]


def test_without_vary_there_is_one_case(read: Loader) -> None:
    cases = read(HIPPI).cases
    assert [(case.index, dict(case.settings)) for case in cases] == [(0, {})]


def test_the_last_key_of_a_grid_changes_fastest(read: Loader) -> None:
    grid = "vary: {workload.blast.size: [1 KiB, 2 KiB], workload.blast.processes: [1, 2]}\n"
    cases = read(HIPPI + grid).cases
    assert settings(cases) == [("1 KiB", "1"), ("1 KiB", "2"), ("2 KiB", "1"), ("2 KiB", "2")]
    params = [case.system.workloads["blast"].params for case in cases]
    assert [(p.size, p.processes) for p in params] == [(1024, 1), (1024, 2), (2048, 1), (2048, 2)]
    assert [case.index for case in cases] == [0, 1, 2, 3]


def test_a_list_of_grids_is_their_union(read: Loader) -> None:
    grids = """vary:
  - {workload.blast.size: [1 KiB, 2 KiB], workload.blast.sink: true}
  - {workload.blast.size: [2048 B, 4 KiB], workload.blast.sink: true}
  - {hosts.b.kernel.page_pin: [5 us]}
"""
    cases = read(HIPPI + grids).cases
    assert settings(cases) == [("1 KiB", "true"), ("2 KiB", "true"), ("4 KiB", "true"), ("5 us",)]
    assert [case.system.hosts["b"].kernel.sheet.page_pin for case in cases][-2:] == [1_000_000, 5_000_000]


def test_cases_share_what_does_not_vary(read: Loader) -> None:
    cases = read(HIPPI + "vary: {workload.blast.size: [1 KiB, 2 KiB]}\n").cases
    assert cases[0].system.hosts["a"] is cases[1].system.hosts["a"]


def test_a_likeness_varies_with_its_model(read: Loader) -> None:
    cases = read(HIPPI + "vary: {hosts.a.cpu.clock: [50 MHz, 60 MHz]}\n").cases
    assert [case.system.hosts["b"].cpu.sheet.clock for case in cases] == [50_000_000, 60_000_000]


def test_models_and_counts_vary(read: Loader) -> None:
    cases = read(DISKS + "vary: {hosts.s.cpu: [cpus/slow, cpus/fast], disks.d.count: [1, 3]}\n").cases
    assert [case.system.hosts["s"].cpu.model for case in cases] == ["cpus/slow"] * 2 + ["cpus/fast"] * 2
    assert [len(case.system.links) for case in cases] == [2, 4, 2, 4]


def test_a_fault_of_one_case_tells_which(read: Loader) -> None:
    with pytest.raises(ScenarioError, match=r"found 7 links at 'f'.*; with disks.d.count = 6$") as caught:
        read(DISKS + "vary: {disks.d.count: [1, 3, 6]}\n")
    assert len(caught.value.problems) == 1


def test_the_command_line_wins_over_vary(read: Loader) -> None:
    text = HIPPI + "vary: {workload.blast.size: [1 KiB, 2 KiB], workload.blast.processes: [1, 2]}\n"
    cases = read(text, ["workload.blast.size=8 KiB"]).cases
    assert settings(cases) == [("1",), ("2",)]
    assert {case.system.workloads["blast"].params.size for case in cases} == {8192}


def test_measured_rows_find_their_case_by_what_the_values_mean(read: Loader) -> None:
    scenario = read(HIPPI + "vary: {workload.blast.size: [64 KiB, 1 KiB]}\nmeasured: study/table\n")
    held, small = (case.measured for case in scenario.cases)
    assert (small[0].value, small[0].unit, small[0].text) == (Fraction(8, 25), "MB/s", "about a third")
    assert (held[0].value, held[0].held, held[0].note) == (None, True, "kept back")
    assert (small[0].study, small[0].table) == ("study", "table")
    assert scenario.tables[0].source["author"] == "nobody"


def test_rows_may_name_values_that_do_not_vary(read: Loader) -> None:
    text = HIPPI.replace("size: 64 KiB", "size: 1 KiB") + "vary: {workload.blast.size: [1 KiB, 64 KiB]}\n"
    assert [len(case.measured) for case in read(text + "measured: [study/table]\n").cases] == [1, 1]


def test_a_row_that_two_cases_match_is_a_problem(read: Loader) -> None:
    grid = "vary: {workload.blast.size: [1 KiB, 64 KiB], workload.blast.processes: [1, 2]}\n"
    with pytest.raises(ScenarioError, match="which 2 cases have.*give workload.blast.processes too"):
        read(HIPPI + grid + "measured: study/table\n")


def test_settings_may_leave_rows_without_a_case(read: Loader) -> None:
    text = HIPPI + "vary: {workload.blast.size: [1 KiB, 64 KiB]}\nmeasured: study/table\n"
    cases = read(text, ["workload.blast.size=64 KiB"]).cases
    assert [row.held for row in cases[0].measured] == [True]


def test_several_keys_vary_together(read: Loader) -> None:
    pairs = """vary:
  - {workload.reader.access: raw, workload.reader.block: 4 MiB}
  - {workload.reader.access: mmap, workload.reader.block: 64 KiB, workload.reader.window: 8 KiB}
"""
    params = [case.system.workloads["reader"].params for case in read(DISKS + pairs).cases]
    assert [(p.access, p.block, p.window) for p in params] == [("raw", 2**22, None), ("mmap", 2**16, 2**13)]


def test_rows_tell_quantity_unit_and_what_they_are_of(read: Loader) -> None:
    (case,) = read(HIPPI + "measured: study/quantities\n").cases
    told = [(row.quantity, row.of, row.unit, row.value, row.upper, row.text) for row in case.measured]
    assert told == [
        ("throughput", "", "MB/s", 30, 40, "30 to 40"),
        ("latency", "write", "ms", Fraction(3, 2), 2, "1.5-2"),
        ("cpu", "b", "%", 20, None, "20"),
        ("stream", "", "MB/s", 35, None, "35"),
        ("throughput", "", "kB/s", 36000, None, "36000"),
    ]
    assert case.measured[1].label == "latency of write"


def test_rows_for_another_scenario_are_left_to_it(read: Loader) -> None:
    scenario = read(HIPPI + "measured: study/quantities\n")
    assert scenario.tables[0].rows == 5
    assert scenario.tables[0].quantity == "throughput"


def test_the_only_host_need_not_be_named(read: Loader, tmp_path: Path) -> None:
    rows = "rows: [{where: {}, value: 3}]\n"
    (tmp_path / "cpu.yaml").write_text(f'title: t\nsource: me\nquantity: cpu\nunit: "%"\n{rows}')
    (case,) = read(DISKS + "measured: ./cpu.yaml\n").cases
    assert [row.of for row in case.measured] == ["s"]


GRID = "vary: {workload.blast.size: [1 KiB, 64 KiB], workload.blast.processes: [1, 2, 3]}\n"
OVER = "title: t\nsource: me\nquantity: throughput\nunit: MB/s\nrows:\n"


def test_a_row_over_several_cases_has_all_that_match(read: Loader, tmp_path: Path) -> None:
    rows = "  - {where: {}, over: mean, value: 3}\n"
    rows += "  - {where: {workload.blast.size: 64 KiB}, over: most, value: held}\n"
    (tmp_path / "over.yaml").write_text(OVER + rows)
    scenario = read(HIPPI + GRID + "measured: ./over.yaml\n")
    assert [case.measured for case in scenario.cases] == [()] * 6
    assert [pooled.cases for pooled in scenario.pooled] == [(0, 1, 2, 3, 4, 5), (3, 4, 5)]
    assert scenario.pooled[1].settings == {"workload.blast.size": "64 KiB"}
    assert [pooled.row.label for pooled in scenario.pooled] == ["mean throughput", "largest throughput"]


def test_several_measurements_of_a_case_have_names(read: Loader, tmp_path: Path) -> None:
    rows = "".join(f"  - {{where: {{}}, which: {day}, value: 3}}\n" for day in ("Monday", "Friday"))
    (tmp_path / "days.yaml").write_text(OVER + rows)
    (case,) = read(HIPPI + "measured: ./days.yaml\n").cases
    assert [row.label for row in case.measured] == ["throughput (Monday)", "throughput (Friday)"]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (
            "{where: {workload.blast.size: 1 KiB, workload.blast.processes: 2}, over: mean, value: 3}",
            "which one case has; expected the settings of several cases; leave out 'over: mean'",
        ),
        ("{where: {workload.blast.size: 2 KiB}, over: mean, value: 3}", "which no case has"),
        ("{where: {}, over: sum, value: 3}", "unknown way to sum up cases 'sum'.*mean, median, most"),
        ("{where: {}, value: 3}", "which 6 cases have"),
    ],
)
def test_rows_over_cases_that_are_not_there(read: Loader, tmp_path: Path, row: str, message: str) -> None:
    (tmp_path / "over.yaml").write_text(f"{OVER}  - {row}\n")
    with pytest.raises(ScenarioError, match=message):
        read(HIPPI + GRID + "measured: ./over.yaml\n")
