"""The waterfall: times that are known by hand, and that all of a unit's time is told."""

from __future__ import annotations

import pytest
from stations import JOB, MS, tandem

import simio
from simio.errors import RunError
from simio.explaining import stages, waterfall
from simio.explaining.model import Waterfall

JOBS = 60
REQUESTS = """
title: A client that asks one thing at a time
hosts:
  client: {model: hosts/sun-e450-400}
  server: {like: client}
links:
  - {model: links/ethernet-1000, between: [client.ge, server.ge], length: 20 m}
workload:
  requests: {from: client, to: server, request: 200 B, response: 8 KiB, count: 200}
"""


def shares(found: Waterfall) -> dict[tuple[str, str], float]:
    return {(stage.where, stage.kind): stage.share for stage in found.stages}


def test_one_worker_spends_its_time_at_either_station():
    found = waterfall(tandem(3 * MS, 2 * MS, JOBS, overlap=False))
    assert (found.unit, found.named, found.thread) == (JOB, "block of work", "worker")
    assert found.units == JOBS - 1
    assert found.period == 5 * MS
    assert [(stage.where, stage.kind, stage.time) for stage in found.stages] == [
        ("first", "service", 3 * MS),
        ("second", "service", 2 * MS),
    ]
    assert [(each.where, each.begin, each.end) for each in found.segments] == [
        ("first", 0, 3 * MS),
        ("second", 3 * MS, 5 * MS),
    ]


def test_a_worker_that_delivers_to_four_streams_in_turn_has_a_unit_of_each_of_them():
    found = waterfall(tandem(3 * MS, 2 * MS, JOBS, overlap=False, streams=4))
    assert (found.unit, found.units, found.period) == (JOB, 4 * JOBS - 1, 5 * MS)
    assert [(stage.where, stage.time) for stage in found.stages] == [("first", 3 * MS), ("second", 2 * MS)]
    assert found.segments[-1].end == 5 * MS


def test_where_the_first_is_slower_the_second_is_passed_only_once():
    found = waterfall(tandem(3 * MS, 2 * MS, JOBS))
    whole = (JOBS - 1) * 3
    assert found.period == 3 * MS
    assert shares(found) == {
        ("first", "service"): pytest.approx((whole - 2) / whole),
        ("second", "service"): pytest.approx(2 / whole),
    }


def test_where_the_second_is_slower_all_time_goes_there():
    found = waterfall(tandem(2 * MS, 3 * MS, JOBS))
    assert shares(found) == {("second", "service"): 1.0}


def test_a_delay_that_nothing_hides_is_told_as_one():
    # One job at a time on its way: the second waits for what was sent last.
    found = waterfall(tandem(3 * MS, 1 * MS, JOBS, pause=4 * MS))
    assert shares(found)["on its way", "delay"] * found.period * found.units == pytest.approx(4 * MS)


def test_all_of_the_time_is_told_and_no_more(load):
    found = waterfall(load("slac-datamove8.yaml", "run.until=100 ms", "run.warm_up=50 ms").cases[0])
    assert sum(stage.time for stage in found.stages) == pytest.approx(found.period)
    assert sum(stage.share for stage in found.stages) == pytest.approx(1)
    ends = [(each.begin, each.end) for each in found.segments]
    assert ends[0][0] == 0
    assert all(one[1] == two[0] for one, two in zip(ends, ends[1:], strict=False))
    # A small window: both hosts, both adapters, the switch and the interrupt that is held back are on the way.
    named = {(stage.where, stage.what, stage.kind) for stage in found.stages}
    assert {
        ("datamove8", "protocols", "service"),
        ("datamove7", "protocols", "service"),
        ("datamove8", "copies", "service"),
        ("coalesce", "", "delay"),
    } < named


def test_who_waits_in_line_waits_and_is_not_served(load):
    found = waterfall(load("linux-fc-raw.yaml", "run.until=800 ms").cases[0])
    waiting = sum(stage.share for stage in found.stages if stage.kind == "waiting")
    (line,) = [each.share for each in found.stages if (each.where, each.kind) == ("fabric>server.fc", "waiting")]
    assert waiting > 0.5
    assert line > 0.9 * waiting


def test_a_small_request_after_the_last_response_is_not_the_unit(tmp_path, monkeypatch):
    path = tmp_path / "requests.yaml"
    path.write_text(REQUESTS)
    (case,) = simio.load(path).cases
    whole = waterfall(case)
    for most in (200_000, 200_400, 200_800, 201_200):
        monkeypatch.setattr(stages, "TRACED", (most,))
        found = waterfall(case)
        assert (found.unit, found.thread) == (whole.unit, whole.thread)
        assert found.period == pytest.approx(whole.period, rel=0.01)


def test_too_little_to_say_anything():
    with pytest.raises(RunError, match="too little is delivered"):
        waterfall(tandem(3 * MS, 2 * MS, 1))


def test_of_an_open_load_the_time_of_a_request_is_told_and_not_that_between_arrivals(tmp_path):
    """60 reads a second arrive, 17 ms apart; each takes the time of a seek and half a turn."""
    from loads_bench import ran, scenario

    found = waterfall(scenario(tmp_path, "{rate: 60 /s}", "until: 4 s").cases[0])
    (observed,) = (each for each in ran(tmp_path, "{rate: 60 /s}", "run.until=4 s").observations)
    assert (found.named, found.unit) == ("block of reads", 4096)
    assert found.period == pytest.approx(observed.mean, rel=0.1)
    assert sum(stage.time for stage in found.stages) == pytest.approx(found.period)
    assert not any(stage.where == "clock" for stage in found.stages)
    assert max(found.stages, key=lambda stage: stage.share).where.startswith("d")


def test_an_object_is_a_unit_and_not_the_buffer_that_it_passes(load):
    found = waterfall(load("object-mix.yaml").cases[0])
    assert (found.named, found.unit) == ("object of small", 64 << 10)
    (told,) = (note for note in found.notes if "were followed" in note)
    assert told.startswith("only requests of small were followed, the most frequent: ")
    assert " of middle and none of large" in told
    found = waterfall(load("object-sizes.yaml").cases[0])
    assert found.named == "request of objects"
    assert found.unit > 256 << 10
