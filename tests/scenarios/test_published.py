"""The two published cases: how near the simulation comes, on both engines alike."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import pytest

from simio.loading import load
from simio.report.data import as_json
from simio.result.compare import comparisons, summary
from simio.result.run import run_scenario

SCENARIOS = Path(__file__).parents[2] / "scenarios"


@cache
def result(name: str, engine: str = "compiled", *sets: str):
    return run_scenario(load(str(SCENARIOS / name), sets), sets, engine)


def test_raw_hippi_is_within_what_it_claims():
    found = summary(result("sgi-hippi-raw.yaml"))
    assert (found.rows, found.held) == (25, 4)
    assert found.median <= 0.05
    assert abs(found.worst.error) <= 0.15
    assert found.fitted <= 6


def test_held_sizes_are_predicted():
    rows = [row for case in result("sgi-hippi-raw.yaml").cases for row in comparisons(case) if row.row.held]
    assert len(rows) == 4
    assert all(row.error is None and row.row.value is None and row.simulated > 0 for row in rows)


def test_raw_fibre_channel_reads_are_within_two_per_cent():
    found = summary(result("linux-fc-raw.yaml"))
    assert found.rows == 2
    assert abs(found.worst.error) <= 0.02


def test_the_link_limits_eight_disks_and_the_disk_one():
    eight, one = result("linux-fc-raw.yaml").cases
    assert eight.limiter.name == "fabric>server.fc"
    assert one.bound_by == "d media"


def test_larger_packets_never_carry_less():
    cases = result("sgi-hippi-raw.yaml").cases
    for processes in ("1", "2"):
        rates = [
            case.rate
            for case in cases
            if case.settings["workload.blast.processes"] == processes
            and case.settings["workload.blast.sink"] == "true"
        ]
        assert len(rates) == 14
        assert rates == sorted(rates)


@pytest.mark.parametrize(
    ("name", "sets"),
    [
        ("sgi-hippi-raw.yaml", ()),
        ("linux-fc-raw.yaml", ("run.until=400 ms",)),
        ("random-reads.yaml", ("run.until=300 ms", "run.replications=2")),
        ("hippi-larger-packets.yaml", ("workload.blast.packets=2",)),
    ],
)
def test_both_engines_give_the_same_json_field_by_field(name, sets):
    compiled, simpy = (json.loads(as_json(result(name, engine, *sets))) for engine in ("compiled", "simpy"))
    assert len(compiled["cases"]) >= 2
    assert compiled == simpy


def test_bytes_are_conserved():
    for name in ("sgi-hippi-raw.yaml", "linux-fc-raw.yaml"):
        for case in result(name).cases:
            for container in case.containers:
                assert container.lowest >= 0
                assert container.capacity is None or container.highest <= container.capacity
            if case.status == "done":
                assert all(c.end == 0 for c in case.containers if c.unit == "bytes"), case.settings
