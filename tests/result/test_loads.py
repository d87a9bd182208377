"""Open loads in results: what was offered and served, and lines that grow."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from loads_bench import ran, scenario

from simio.description.model import Scenario
from simio.errors import ScenarioError
from simio.loading import load as load_file
from simio.report.data import as_json
from simio.result.limiter import Evidence, limiter
from simio.result.loads import pooled_loads
from simio.result.model import LoadUse, ResourceUse
from simio.running import run_case, run_scenario


def test_what_can_be_served_is_served(tmp_path: Path) -> None:
    result = ran(tmp_path, "{rate: 60 /s}")
    (use,) = result.loads
    assert (use.name, use.offered, use.grows) == ("reads", 60, 0)
    assert use.served == pytest.approx(60, rel=0.1)
    assert use.served == pytest.approx(float(result.rate) / 4096, rel=0.01)
    assert result.limiter.kind == "load"
    assert result.limiter.sentence.startswith("All 60 requests a second that arrive are served. Busiest: d ")


def test_a_load_of_which_nothing_was_served_is_no_limit(tmp_path: Path) -> None:
    # The first request comes after the end.
    result = ran(tmp_path, "{rate: 60 /s, process: constant}", "run.until=1 us", "run.warm_up=0 s")
    assert (result.rate, result.limiter.kind, result.limiter.sentence) == (0, "none", "nothing is busy")


def test_streams_that_ended_one_by_one_are_served_as_they_came(load: Callable[..., Scenario]) -> None:
    # Each of 300 connections asks once: 12,000 a second arrive at first, and the last comes some 0.15 s later.
    some = ("workload.requests.streams=300", "workload.requests.arrivals.rate=12000 /s")
    result = run_case(load("tcp-ten-thousand.yaml", *some).cases[0])
    (use,) = result.loads
    assert (result.status, use.grows) == ("done", 0)
    assert use.offered == pytest.approx(300 * 10**12 / result.throughput.until, rel=0.01)
    assert use.served == use.offered
    assert result.limiter.kind == "load"


def test_a_line_that_grew_until_the_last_arrival_is_told(tmp_path: Path) -> None:
    result = ran(tmp_path, "{rate: 300 /s}", "workload.reads.depth=2", "workload.reads.size=8 MiB", "run.until=200 s")
    (use,) = result.loads
    assert (result.status, use.offered) == ("done", pytest.approx(300, rel=0.1))
    assert use.grows == pytest.approx(use.offered - use.served)
    assert use.grows > 50


def test_stages_do_not_take_turns_where_many_requests_wait() -> None:
    def sentence(longest: int) -> str:
        return limiter(Evidence((ResourceUse("link", 1, False, 0.4, 0.1, longest, 10, 5),), ())).sentence

    assert sentence(2) == "No part is saturated: the stages run one after another. Busiest: link 40%"
    assert sentence(50) == "No part is saturated. Busiest: link 40%"


def test_loads_are_in_plain_figures_and_one_user_is_one() -> None:
    alone = LoadUse("r", 100.0, 79.37, users=1, think=10**10)
    assert alone.sentence == (
        "r: a user who thinks 10 ms in the mean asks for 79.37 requests a second, and for 100 if it waited for none"
    )
    lucky = LoadUse("r", 10.0, 10.83, users=1, think=10**11)
    assert lucky.sentence == (
        "r: a user who thinks 100 ms in the mean asks for 10.83 requests a second, by chance no fewer than the 10 "
        "that the mean allows"
    )
    assert LoadUse("r", 100_000.0, 99_876.5).sentence == "r: 100000 requests a second arrive, 99876 are served"


@pytest.mark.parametrize("seed", [1, 2, 3, 4])
def test_users_never_think_more_than_all_of_the_time(seed: int, tmp_path: Path) -> None:
    result = ran(tmp_path, "", "workload.reads.think=100 ms", "workload.reads.depth=4", f"run.seed={seed}")
    assert result.loads[0].users == 1
    assert result.limiter.sentence.startswith("The users think ")
    assert int(result.limiter.sentence.split()[3].rstrip("%")) <= 100


def test_a_line_that_grows_is_told_with_its_growth(tmp_path: Path) -> None:
    # One command at a time: the drive serves some hundred a second, whatever comes.
    result = ran(tmp_path, "{rate: 300 /s}", "workload.reads.depth=2")
    (use,) = result.loads
    assert use.grows == pytest.approx(300 - use.served)
    assert 50 < use.served < 250
    assert result.limiter.kind != "load"
    assert use.sentence.startswith("reads cannot keep up: of 300 requests a second that arrive ")


def test_times_count_from_the_arrival_and_not_from_the_place_in_the_queue(tmp_path: Path) -> None:
    result = ran(tmp_path, "{rate: 300 /s}", "workload.reads.depth=2")
    (took,) = [each for each in result.observations if each.unit == "ps"]
    # Of 20 s the line that grows by half or more holds the last ones up for many seconds.
    assert took.most > 5 * 10**12


def test_several_runs_grow_where_most_of_them_do() -> None:
    def use(served: float, grows: float) -> tuple[LoadUse, ...]:
        return (LoadUse("r", 100.0, served, grows),)

    assert pooled_loads([use(90, 10), use(98, 0), use(88, 12)]) == use(92, 8)
    assert pooled_loads([use(90, 10), use(98, 0)]) == use(94, 0)
    assert pooled_loads([(), ()]) == ()


def test_json_has_loads_only_where_there_are_any(tmp_path: Path) -> None:
    data = json.loads("".join(as_json(run_scenario(scenario(tmp_path, "{rate: 50 /s}", "until: 2 s")))))
    assert data["cases"][0]["loads"][0]["offered"] == 50
    data = json.loads("".join(as_json(run_scenario(scenario(tmp_path, "", "until: 2 s")))))
    assert "loads" not in data["cases"][0]


@pytest.mark.parametrize(
    ("given", "place", "told"),
    [
        ("{rate: 0 /s}", "arrivals.rate", "expected a number of requests a second above zero such as '120 /s'"),
        ("{rate: 5}", "arrivals.rate", "found the number 5 without a unit"),
        ("{rate: 50 Hz}", "arrivals.rate", "found '50 Hz', a frequency"),
        ("{}", "arrivals.rate", "expected a rate such as '120 /s', states or times"),
        ("{rate: 5 /s, burst: 3 ms}", "arrivals.pause", "as bursts have both"),
        (
            "{rate: 5 /s, process: constant, burst: 1 s, pause: 1 s}",
            "arrivals.process",
            "in bursts requests come at random",
        ),
        ("{rate: 5 /s, process: poison}", "arrivals.process", "did you mean 'poisson'?"),
        ("{states: [{rate: 5 /s, stay: 1 s}]}", "arrivals.states", "expected from 2 to 16"),
        (
            "{rate: 1 /s, states: [{rate: 5 /s, stay: 1 s}, {rate: 0 /s, stay: 1 s}]}",
            "arrivals.states",
            "states alone",
        ),
        ("{states: [{rate: 0 /s, stay: 1 s}, {rate: 0 /s, stay: 1 s}]}", "arrivals.states", "above 0 /s in one"),
        ("{rate: 5 /s}, think: 1 ms", "reads.think", "requests that arrive wait for no other"),
    ],
)
def test_mistakes_are_told_with_place_and_expectation(tmp_path: Path, given: str, place: str, told: str) -> None:
    with pytest.raises(ScenarioError) as error:
        scenario(tmp_path, given)
    assert f"{place}: " in str(error.value)
    assert told in str(error.value)


STREAMS = """
title: Requests over streams with a count each
hosts: {a: {model: hosts/linux-namespace}, b: {model: hosts/linux-namespace}}
links: [{model: links/ethernet-25g, between: [a.eth, b.eth], delay: 5 us}]
workload:
  q:
    {kind: requests, from: a, to: b, request: 1 B, response: 1 KiB, count: 200, streams: 32, arrivals: {rate: 1e5 /s}}
run: {replications: 1}
"""


def test_a_load_that_ends_before_the_run_is_told_and_a_time_limit_helps(tmp_path: Path) -> None:
    path = tmp_path / "streams.yaml"
    path.write_text(STREAMS)
    (note,) = (each for each in run_case(load_file(path).cases[0]).notes if "asked for" in each)
    assert note.startswith("q: the part that is averaged has 8")
    assert note.endswith(" ends before")
    setting = note.split("--set ")[1].removesuffix(" ends before")
    result = run_case(load_file(path, [setting]).cases[0])
    assert not any("asked for" in each for each in result.notes)
    assert result.loads[0].served == pytest.approx(100_000, rel=0.06)


DATAGRAMS = """
title: Datagrams over a line of 10 Mbit/s, behind a fast one
hosts: {a: {model: hosts/linux-namespace}, b: {model: hosts/linux-namespace}}
switches: {s: {model: switches/ideal-ethernet, buffer: 16 KiB}}
links:
  - {name: first, model: links/ethernet-100, between: [a.eth, s], length: 1 m}
  - {name: second, model: links/ethernet-100, between: [s, b.eth], length: 1 m}
workload:
  d: {kind: datagrams, from: a, to: b, size: 1000 B, count: 100000, arrivals: {rate: 1500 /s}}
run: {until: 4 s, replications: 1}
"""


@pytest.mark.parametrize(("slow", "grows", "lost"), [("first", 1, 0), ("second", 0, 1)])
def test_datagrams_that_wait_for_their_sender_are_not_lost(slow: str, grows: int, lost: int, tmp_path: Path) -> None:
    # A line of 10 Mbit/s carries 1172 of 1500 a second; the rest waits for the sender, or ends in the switch.
    path = tmp_path / "datagrams.yaml"
    path.write_text(DATAGRAMS, encoding="utf-8")
    (use,) = run_case(load_file(path, [f"links.{slow}.rate=10 Mbit/s"]).cases[0]).loads
    assert use.served == pytest.approx(10**7 / 8 / 1066, rel=0.01)
    missing = use.offered - use.served
    assert use.grows == pytest.approx(grows * missing, abs=0.02 * missing)
    assert use.lost == pytest.approx(lost * missing, abs=0.02 * missing)


@pytest.mark.parametrize(("rate", "grows"), [("1165 /s", 0.0), ("1180 /s", 1180 - 10**7 / 8 / 1066)])
def test_a_load_beyond_the_bound_grows_however_little_and_short(rate: str, grows: float, tmp_path: Path) -> None:
    # In 4 s the number of arrivals varies by 5% (three standard deviations); the bound is exceeded by 0.7%.
    path = tmp_path / "datagrams.yaml"
    path.write_text(DATAGRAMS, encoding="utf-8")
    (use,) = run_case(
        load_file(path, ["links.first.rate=10 Mbit/s", f"workload.d.arrivals.rate={rate}"]).cases[0]
    ).loads
    assert use.grows == pytest.approx(grows, abs=1)
    assert use.lost == 0
