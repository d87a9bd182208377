"""Replay of a trace: which requests are made, when, and what is said of a trace that cannot be read."""

from __future__ import annotations

import numpy as np
import pandas
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simio.api import load as study
from simio.engines import compiled, outcome, reference
from simio.errors import RunError, ScenarioError, SimioError
from simio.formats.traces import files
from simio.loading import load
from simio.lower import lower
from simio.program.digest import program_hash
from simio.report import tables
from simio.result.compare import comparisons
from simio.running import run_case
from simio.sweeps.families import Families
from simio.workloads.replay import rows
from simio.workloads.replay.addresses import Place

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
  replay: {{host: server, trace: ./{file}{more}}}
run: {{warm_up: 0 s}}
"""

THREE = "R Hit 1000 8 5000 2000.5\nW Miss 2000000 16 700 100\n\nR Hit 1008 4 900.25 0\n"
"""A read, a write and a read, with measured responses and pauses in us."""


@pytest.fixture
def scenario(tmp_path):
    def make(text: str, form: str | None = "disksim-validation", more: str = "", count: int = 1, no_storage=False):
        (tmp_path / "a.trace").write_text(text)
        path = tmp_path / "replay.yaml"
        more += "" if no_storage else ", storage: d"
        more += f", format: {form}" if form else ""
        path.write_text(RIG.format(file="a.trace", more=more, count=count))
        return path

    return make


def marks(path, name: str, engine=compiled):
    program = lower(load(path).cases[0].system)
    found = engine.run(program)
    row = [mark.name for mark in program.marks].index(name)
    return [(int(time), int(value)) for time, which, value in found.marks if which == row]


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


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (", depth: 2, mode: recorded", "depth: found 2; expected 1; only mode closed limits requests outstanding"),
        (", first: 3, last: 2", "last: found 2; expected first (3) or more"),
        (", since: 2 s, until: 1 s", "until: found a time before since; expected a later time"),
        (", extent: 1 GiB", "extent: found an extent with fit exact; expected none; only scale takes one"),
        (", speed: 0 %", "speed: found '0 %'; expected a share above zero"),
        (", first: 0", "first: found 0; expected at least 1"),
        (", devices: {others: d}", "storage: found both; expected storage, or else devices"),
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


# --- requests, as they are written out ---------------------------------------------------------------------


def made(path, *sets: str, engine: str | None = None) -> list[dict[str, object]]:
    """Each request of a replay, in order of its number."""
    rows: list[dict[str, object]] = []

    def write(table) -> None:
        columns = [each.tolist() if hasattr(each, "tolist") else each for each in table.values()]
        rows.extend(dict(zip(table, row, strict=True)) for row in zip(*columns, strict=True))

    study(path, sets).run(engine, requests=write)
    return sorted(rows, key=lambda row: row["request"])


FIVE = "0 0 0 8 1\n10 0 8000 8 1\n20 1 16 16 0\n30 0 24 8 1\n40 1 32 4 1\n"
"""Requests to two devices, 10 ms apart."""
TO_BOTH = ", mode: recorded, devices: {'0': d1, '1': d2}"


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


# --- addresses ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("place", "size", "capacity", "more", "expected"),
    [
        (10_000, 512, 4096, {"fit": "wrap"}, 10_000 // 512 % 8 * 512),
        (3584, 1024, 4096, {"fit": "wrap"}, 3072),
        (8192, 512, 4096, {"fit": "scale", "extent": 16384}, 2048),
        (8192, 512, 32768, {"fit": "scale", "extent": 16384}, 16384),
        (16384 - 512, 1024, 4096, {"fit": "scale", "extent": 16384}, 3072),
        (512, 512, 4096, {"fit": "exact", "shift": 1024}, 1536),
        (3584, 512, 4096, {"fit": "wrap", "shift": 1024}, 512),
        (2**50, 512, 2**45, {"fit": "scale", "extent": 2**51}, 2**44),
    ],
)
def test_addresses_are_brought_onto_the_target(place, size, capacity, more, expected) -> None:
    values = {"fit": "exact", "shift": 0, "extent": capacity, **more}
    fitted = Place(target=0, grain=512, capacity=capacity, **values)
    assert fitted.of(np.array([place // 512 * 512]), np.array([size])).tolist() == [expected]


@given(
    st.lists(st.tuples(st.integers(0, 2**33), st.integers(1, 64)), min_size=1),
    st.integers(64, 2**31),
    st.sampled_from(["wrap", "scale"]),
    st.integers(0, 2**32),
)
def test_fitted_addresses_lie_on_the_target(requests, blocks, fit, shift) -> None:
    places, sizes = (np.array(each) * 512 for each in zip(*requests, strict=True))
    capacity = blocks * 512 + 100
    fitted = Place(0, fit, 512, shift * 512, int((places + sizes).max()), capacity)
    found = fitted.of(places, sizes)
    assert (found >= 0).all()
    assert (found + sizes <= capacity).all()
    assert (found % 512 == 0).all()


def test_a_replay_wraps_around_a_smaller_disk(scenario) -> None:
    path = scenario("R Hit 99000000 8 5 6\nR Hit 0 8 5 6", more=", fit: wrap")
    capacity = 9_200_132_096
    assert [row["offset"] for row in made(path)] == [99_000_000 * 512 % capacity, 0]


# --- several devices and volumes ---------------------------------------------------------------------------


def test_a_group_has_a_disk_for_each_device(scenario) -> None:
    rows = made(scenario(FIVE, "disksim-ascii", ", mode: recorded", count=2))
    assert [row["device"] for row in rows] == ["d1", "d1", "d2", "d1", "d2"]


@pytest.mark.parametrize(
    ("more", "count", "message"),
    [
        (", storage: d", 1, "the trace of 2 devices ('0', '1') on 'd'; say which device goes where"),
        (", storage: d", 3, "the trace of 2 devices on 3 disks; make a volume of them"),
        (", devices: {'0': d1}", 2, "no target for '1' of the trace; others: NAME is for all others"),
        (", devices: {'0': d1, '1': d1, '7': d2}", 2, "no device '7' in the trace, which has '0', '1'"),
        (", devices: {others: none}", 2, "leaves out every device of the trace"),
        (", devices: {others: d}", 2, "'d' is a group of disks; name one of them"),
    ],
)
def test_it_has_to_be_clear_which_device_goes_where(scenario, more, count, message) -> None:
    path = scenario(FIVE, "disksim-ascii", f", mode: recorded{more}", count=count, no_storage=True)
    with pytest.raises(RunError) as caught:
        run_case(load(path).cases[0])
    assert message in str(caught.value)


def test_two_devices_may_go_to_one_disk(scenario) -> None:
    path = scenario(FIVE, "disksim-ascii", ", mode: recorded, devices: {others: d}", no_storage=True)
    assert {row["device"] for row in made(path)} == {"d"}


VOLUME = "volumes:\n  v: {kind: raid5, of: d, unit: 32 KiB}\n"


def test_a_volume_takes_the_sizes_that_there_are(scenario) -> None:
    path = scenario(FIVE.replace(" 1 ", " 0 ", 1), "disksim-ascii", ", mode: recorded, devices: {others: v}", 4, True)
    path.write_text(path.read_text() + VOLUME)
    rows = made(path)
    assert [row["size"] for row in rows] == [4096, 4096, 8192, 4096, 2048]
    assert rows == made(path, engine="simpy")


def test_too_many_sizes_for_a_volume_are_refused(scenario) -> None:
    text = "".join(f"{number} 0 {1000 * number} {number + 1} 1\n" for number in range(70))
    path = scenario(text, "disksim-ascii", ", mode: recorded, devices: {others: v}", 4, True)
    path.write_text(path.read_text() + VOLUME)
    with pytest.raises(RunError, match="more than 64 different sizes.*align: 64 KiB, say, leaves fewer"):
        run_case(load(path).cases[0])
    assert len(made(path, "workload.replay.align=16 KiB")) == 70


# --- columns -----------------------------------------------------------------------------------------------

OWN = """, mode: recorded, columns: {{header: 1, arrival: {{column: 2, unit: 1 ms}}, size: {{column: 4}},
      offset: {{column: 3, unit: 4 KiB}}, direction: {{column: 1, reads: [GET], writes: [PUT]}}{more}}}"""


@pytest.mark.parametrize("unit", ["1 ms", "ms"])
def test_a_scenario_describes_columns_of_its_own(scenario, unit: str) -> None:
    text = "verb,ms,page,bytes\nGET,5.5,1,4096\nPUT,7.25,3,8192\n"
    rows = made(scenario(text, None, OWN.format(more="").replace("1 ms", unit)))
    assert [(row["start"], row["offset"], row["size"], row["writes"]) for row in rows] == [
        (0, 4096, 4096, False), (1750 * US, 12288, 8192, True)
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (", clock: noon", "clock: found 'noon'; expected 'first' or 'zero'"),
        (", separator: '|'", "separator: found '|'"),
        (", pause: {column: 3}", "pause.unit: found nothing"),
        (", device: 0", "device"),
    ],
)
def test_mistakes_in_columns_are_told(scenario, more, message) -> None:
    with pytest.raises(ScenarioError) as caught:
        load(scenario("GET,1,1,4096\n", None, OWN.format(more=more)))
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("form", "message"),
    [
        ("{header: 1}", "found a mapping; expected the name of a format; columns of your own stand under 'columns'"),
        ("sbc", "expected 'alibaba', .* or 'spc'; did you mean 'spc'|'msr-cambridge', 'spc'"),
    ],
)
def test_a_format_has_a_name(scenario, form: str, message: str) -> None:
    with pytest.raises(ScenarioError, match=message) as caught:
        load(scenario(THREE, form))
    assert "None" not in str(caught.value)


def test_a_format_or_columns_are_needed(scenario) -> None:
    with pytest.raises(ScenarioError, match="format: found nothing; expected format, or else columns"):
        load(scenario(THREE, None))


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
