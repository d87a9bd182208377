"""Requests of a replay: as they are written out, cut, moved and scaled."""

from __future__ import annotations

import pandas
import pytest
from replay_bench import FIVE, MS, THREE, TO_BOTH, US, made

from simio.api import load as study
from simio.errors import RunError, SimioError
from simio.formats.traces import files
from simio.workloads.replay import rows


def starts(path, *sets: str) -> list[int]:
    return [row["start"] for row in made(path, *sets)]


def test_each_request_is_told_with_all_that_it_was(scenario) -> None:
    rows = made(scenario(FIVE, "disksim-ascii", TO_BOTH, count=2, no_storage=True))
    assert [row["request"] for row in rows] == [1, 2, 3, 4, 5]
    assert [row["device"] for row in rows] == ["d1", "d1", "d2", "d1", "d2"]
    assert [row["offset"] for row in rows] == [0, 8000 * 512, 16 * 512, 24 * 512, 32 * 512]
    assert [row["size"] for row in rows] == [4096, 4096, 8192, 4096, 2048]
    assert [row["writes"] for row in rows] == [False, False, True, False, False]
    assert [row["start"] for row in rows] == [0, 10 * MS, 20 * MS, 30 * MS, 40 * MS]
    assert all(row["workload"] == "replay" and row["latency"] > 0 for row in rows)


def test_both_engines_make_the_same_requests_of_several_devices(scenario) -> None:
    path = scenario(FIVE, "disksim-ascii", TO_BOTH, count=2, no_storage=True)
    assert made(path) == made(path, engine="simpy")


def test_writing_requests_out_changes_nothing_else(scenario) -> None:
    path = scenario(FIVE, "disksim-ascii", TO_BOTH, count=2, no_storage=True)
    plain, logged = study(path).run(), study(path).run(requests=lambda table: None)
    assert plain.cases[0].observations == logged.cases[0].observations
    assert plain.cases[0].end == logged.cases[0].end


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_requests_go_to_a_file(scenario, tmp_path, form) -> None:
    path = scenario(FIVE, "disksim-ascii", TO_BOTH, count=2, no_storage=True)
    out = tmp_path / f"r.{form}"
    study(path).run(requests=out)
    frame = pandas.read_csv(out) if form == "csv" else pandas.read_parquet(out)
    rows = made(path)
    frame = frame.sort_values("request")
    assert list(frame.columns) == [
        "workload", "request", "device", "operation", "offset_bytes", "size_bytes", "start_us", "latency_us"
    ]  # fmt: skip
    assert frame["operation"].tolist() == ["read", "read", "write", "read", "read"]
    assert frame["latency_us"].tolist() == pytest.approx([row["latency"] / US for row in rows])
    assert frame["start_us"].tolist() == [0, 10_000, 20_000, 30_000, 40_000]
    assert frame["size_bytes"].sum() == sum(row["size"] for row in rows)


def test_requests_go_to_a_file_by_name_only(scenario, tmp_path) -> None:
    with pytest.raises(SimioError, match=r"expected a name that ends in .csv or .parquet"):
        study(scenario(THREE)).run(requests=tmp_path / "r.txt")


def test_only_replays_make_requests_one_by_one(tmp_path) -> None:
    with pytest.raises(RunError, match="only workloads of kind replay"):
        study("disk-queue").run(cases=[0], requests=tmp_path / "r.csv")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("sets", "expected"),
    [
        (["speed=200 %"], [0, 5, 10, 15, 20]),
        (["speed=50 %"], [0, 20, 40, 60, 80]),
        (["start=1 s"], [1000, 1010, 1020, 1030, 1040]),
        (["first=3"], [0, 10, 20]),
        (["since=15 ms"], [5, 15, 25]),
        (["since=15 ms", "last=4", "start=100 ms", "speed=10 %"], [150, 250]),
        (["until=25 ms"], [0, 10, 20]),
        (["devices.1=none"], [0, 10, 30]),
        (["devices.0=none"], [20, 40]),
    ],
)
def test_times_are_scaled_moved_and_cut(scenario, sets, expected) -> None:
    path = scenario(FIVE, "disksim-ascii", TO_BOTH, count=2, no_storage=True)
    assert starts(path, *(f"workload.replay.{each}" for each in sets)) == [time * MS for time in expected]


def test_a_clock_of_the_day_begins_at_the_first_request(scenario) -> None:
    text = "1,R,0,4096,1577808144360767\n1,W,4096,4096,1577808144365767\n"
    assert starts(scenario(text, "alibaba", ", mode: recorded")) == [0, 5 * MS]


def test_several_requests_may_be_outstanding_in_a_closed_replay(scenario) -> None:
    text = "".join(f"R Hit {1000 * number} 8 5000 0\n" for number in range(8))
    one, four = (made(scenario(text, more=f", depth: {depth}")) for depth in (1, 4))
    assert [row["start"] for row in four[:4]] == [0] * 4
    assert four[4]["start"] == min(row["start"] + row["latency"] for row in four[:4])
    assert max(row["start"] for row in four) < max(row["start"] for row in one)


def test_pauses_are_scaled(scenario) -> None:
    whole, half = (made(scenario(THREE, more=f", speed: {speed} %")) for speed in (100, 200))
    ends = [row["start"] + row["latency"] for row in half]
    assert half[1]["start"] - ends[0] == (whole[1]["start"] - whole[0]["latency"]) // 2 == 2_000_500_000 // 2


@pytest.mark.parametrize("chunk", [1, 2, 5])
def test_how_much_of_a_trace_a_program_has_changes_nothing(scenario, monkeypatch, chunk) -> None:
    path = scenario(FIVE, "disksim-ascii", TO_BOTH, count=2, no_storage=True)
    whole = made(path), study(path).run().cases[0]
    monkeypatch.setattr(rows, "CHUNK", chunk)
    monkeypatch.setattr(files, "READ", 11)
    found = made(path), study(path).run().cases[0]
    assert found[0] == whole[0]
    names = ("observations", "steps", "events", "end", "throughput", "resources")
    assert [getattr(found[1], name) for name in names] == [getattr(whole[1], name) for name in names]
