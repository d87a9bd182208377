"""simio optimize: what it finds is the best there is, or said not to be proven; the same twice; within its budget."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest
from click.testing import CliRunner
from loads_bench import ran, written

from simio.cli.main import main

pytestmark = pytest.mark.usefixtures("own_results")
HIPPI = str(Path(__file__).parents[2] / "scenarios" / "sgi-hippi-raw.yaml")
FIXED = ["--set", "workload.blast.packets=2", "--set", "workload.blast.sink=true"]
GRID = ["--vary", "workload.blast.size=4KiB..64KiB:x2", "--vary", "workload.blast.processes=1,2"]
PRICED = [*GRID, "--cost", "workload.blast.size=0.5/KiB", "--cost", "workload.blast.processes=1:0,2:10"]
WIDE = ["--vary", "workload.blast.size=1KiB..1MiB", "--vary", "workload.blast.processes=1,2", "--runs", "60"]


def simio(*args: str, command: str = "optimize"):
    return CliRunner().invoke(main, [command, HIPPI, *args])


def table(*args: str, path: Path, command: str = "optimize") -> list[dict[str, str]]:
    result = simio(*args, "-o", str(path), command=command)
    assert result.exit_code == 0, result.output
    return list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))


def rate(row: dict[str, str]) -> float:
    return float(row["throughput (MB/s)"])


def test_all_of_a_few_are_run_and_the_best_is_proven(tmp_path):
    swept = ["--set", "workload.blast.size=4KiB..64KiB:x2", "--set", "workload.blast.processes=1,2", *FIXED]
    best = max(table(*swept, path=tmp_path / "sweep.csv", command="sweep"), key=rate)
    result = simio(*FIXED, *GRID)
    assert result.exit_code == 0, result.output
    assert f"workload.blast.size = {best['workload.blast.size']}" in result.output
    assert f"workload.blast.processes = {best['workload.blast.processes']}" in result.output
    assert "proven: all of 10 configurations tried (10 runs)" in result.output


def test_a_search_comes_to_the_top_and_says_that_it_is_not_proven(tmp_path):
    # The larger a packet, the higher the throughput: the best is at the very end.
    [top] = table(*FIXED, "--set", "workload.blast.size=1MiB", "--set", "workload.blast.processes=2",
                  path=tmp_path / "top.csv", command="sweep")  # fmt: skip
    result = simio(*FIXED, *WIDE)
    assert "found by search, not proven" in result.output
    assert int(re.search(r"\((\d+) run", result.output)[1]) <= 60
    rows = table(*FIXED, *WIDE, path=tmp_path / "found.csv")
    assert max(map(rate, rows)) == pytest.approx(rate(top), rel=0.005)
    assert len({(row["workload.blast.size"], row["workload.blast.processes"]) for row in rows}) == len(rows)


@pytest.mark.slow
def test_the_same_seed_finds_the_same_whoever_works(tmp_path):
    some = [*FIXED, *WIDE[:-1], "24"]
    one = table(*some, "--processes", "1", path=tmp_path / "1.csv")
    two = table(*some, "--processes", "2", "--no-cache", path=tmp_path / "2.csv")
    other = table(*some, "--seed", "1", path=tmp_path / "3.csv")
    assert one == two
    assert one != other


def test_the_front_holds_what_nothing_beats_in_both(tmp_path):
    rows = table(*FIXED, *PRICED, path=tmp_path / "t.csv")
    for row in rows:
        size, processes = row["workload.blast.size"], row["workload.blast.processes"]
        assert float(row["cost"]) == 0.5 * int(size.split()[0]) + {"1": 0, "2": 10}[processes]
    front = {
        (row["workload.blast.size"], row["workload.blast.processes"])
        for row in rows
        if not any(rate(other) >= rate(row) and float(other["cost"]) < float(row["cost"]) for other in rows)
    }
    printed = simio(*FIXED, *PRICED).output.split("Pareto front")[1].splitlines()[2:]
    assert {tuple(re.split(r"\s{2,}", line.strip())[2:4]) for line in printed} == front


def test_a_budget_is_kept_and_what_costs_more_is_not_run(tmp_path):
    result = simio(*FIXED, *PRICED, "--budget", "20")
    assert result.exit_code == 0, result.output
    assert "cost 16 " in result.output.splitlines()[0]
    # 16 KiB by two, 32 KiB by one, and whatever is smaller.
    assert "proven: all of 10 configurations tried (7 runs, 3 left out" in result.output


def test_the_cheapest_that_carries_enough(tmp_path):
    rows = table(*FIXED, *PRICED, path=tmp_path / "t.csv")
    enough = sorted(map(rate, rows))[5]
    cheapest = min(float(row["cost"]) for row in rows if rate(row) >= enough)
    result = simio(*FIXED, *PRICED, "--minimise", "cost", "--at-least", f"{enough} MB/s")
    assert f"cost {cheapest:g} " in result.output.splitlines()[0]
    result = simio(*FIXED, *PRICED, "--at-least", "1 TB/s")
    assert result.exit_code == 2
    assert "none carries enough" in result.output


ARRIVING = """\
title: Reads in requests a second
hosts: {h: {model: hosts/linux-2002-dual-p3, adapters: {scsi: {model: adapters/aic-7899, bus: pci}}}}
disks: {d: {model: disks/atlas-10k, count: 1}}
links: [{model: links/scsi-ultra160, between: [h.scsi, d]}]
workload: {reads: {kind: reader, host: h, from: d, block: 64 KiB, size: 1 GiB, pattern: random}}
run: {until: 1 s, replications: 1}
report: {unit: /s}
"""


def test_what_is_enough_is_in_requests_where_the_answer_is(tmp_path: Path) -> None:
    path = tmp_path / "s.yaml"
    path.write_text(ARRIVING)

    def optimum(*args: str):
        return CliRunner().invoke(main, ["optimize", str(path), "--vary", "disks.d.count=1..3", *args])

    # A disk serves about a hundred a second, 6.5 MB/s.
    cheapest = "--minimise", "cost", "--cost", "disks.d.count=9"
    for enough in (["--at-least", "150 /s"], ["--until", "throughput > 150 /s"]):
        assert "disks.d.count = 2" in optimum(*enough, *cheapest).output
    for other in (["--at-least", "5 MB/s"], ["--until", "throughput > 5 MB/s"]):
        refused = optimum(*other)
        assert refused.exit_code == 2
        assert "expected a number of requests a second such as" in refused.output
    inverse = optimum("--set", "report.unit=MB/s", "--until", "throughput > 150 /s")
    assert inverse.exit_code == 2
    assert "found a limit of another kind; expected a rate such as" in inverse.output


def test_parts_have_the_prices_of_a_list(tmp_path):
    prices = tmp_path / "prices.yaml"
    prices.write_text("adapters/iris-hippi: 1000\nlinks/hippi-800: 50.5\n")
    result = simio(*FIXED, *GRID, "--prices", str(prices))
    assert "cost 2050" in result.output.splitlines()[0]
    assert "cost nothing" not in result.output
    prices.write_text("disks/atlas-10k: 300\n")
    result = simio(*FIXED, *GRID, "--prices", str(prices))
    assert "prices.yaml has no price of any part of these configurations: all cost nothing" in result.output
    prices.write_text("adapters/iris-hipi: 1000\nlinks/hippi-800: much\n")
    result = simio(*FIXED, *GRID, "--prices", str(prices))
    assert result.exit_code == 2
    assert "prices.yaml:1:1: adapters/iris-hipi: found the unknown model" in result.output
    assert "did you mean 'adapters/iris-hippi'?" in result.output
    assert "prices.yaml:2:18: links/hippi-800: found no number" in result.output


def test_another_measure_is_brought_down():
    result = simio(*FIXED, *GRID, "--minimise", "time")
    assert "workload.blast.size = 4 KiB" in result.output
    result = simio(*FIXED, *GRID, "--maximise", "thruput")
    assert result.exit_code == 2
    assert "found no measure 'thruput'; did you mean 'throughput'?" in result.output


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (["--vary", "workload.blast.size=4KiB,8KiB"], "expected one: choose it with --case"),
        ([*FIXED, *GRID, "--budget", "3"], "found no prices; expected --cost or --prices"),
        ([*FIXED, *GRID, "--cost", "run.seed=3"], "--cost run.seed: found no --vary of this key"),
        ([*FIXED, *GRID, "--cost", "workload.blast.size=3/s"], "its price is for a time"),
        ([*FIXED, *GRID, "--cost", "workload.blast.size=dear"], "expected key=PRICE"),
        ([*FIXED, *GRID, "--maximise", "time", "--minimise", "time"], "expected one of them"),
        ([*FIXED, *GRID, "--at-least", "80"], "--at-least: found"),
        ([*FIXED, "--vary", "workload.blast.siz=1,2"], "found the unknown key 'siz'"),
    ],
)
def test_what_cannot_be_optimised(given, told):
    result = simio(*given)
    assert result.exit_code == 2
    assert told in result.output


def test_the_cheapest_that_keeps_a_promise_is_found(tmp_path: Path) -> None:
    # One at a time, 150 a second are too many.
    path = written(tmp_path, "{rate: 150 /s}", "until: 3 s")
    more = ["--vary", "workload.reads.depth=1,16,32", "--cost", "workload.reads.depth=100", "--minimise", "cost"]
    args = ["optimize", str(path), "--processes", "1", *more]
    promised = ran(tmp_path, "{rate: 150 /s}", "workload.reads.depth=16", "run.until=3 s").observations[0].p90 / 10**9
    done = CliRunner().invoke(main, [*args, "--until", f"p90 of reads < {promised + 1:.1f} ms"])
    assert done.exit_code == 0, done.output
    assert "workload.reads.depth = 16" in done.output
    assert "p90 of reads is " in done.output
    done = CliRunner().invoke(main, [*args, "--until", "p90 of reads < 10 us"])
    assert done.exit_code == 2
    assert "none carries enough and keeps what was promised" in done.stderr
    assert "; the nearest has workload.reads.depth = " in done.stderr
    assert ": p90 of reads is " in done.stderr
