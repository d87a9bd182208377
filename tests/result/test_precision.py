"""Runs that end when their throughput is precise enough: how long and how often they run, and what is told of it."""

from __future__ import annotations

import json
from functools import partial
from math import sqrt
from pathlib import Path
from types import ModuleType

import pytest
from click.testing import CliRunner

from simio.bound import bound
from simio.cli.main import main
from simio.description.model import Run
from simio.engines import compiled, reference
from simio.engines.outcome import Options
from simio.errors import ScenarioError
from simio.loading import load
from simio.program.builder import Builder
from simio.program.steps import Program
from simio.result import measure
from simio.result.precision import Runs, batch_half_width, carry_out, settled
from simio.running import run_scenario

US = 1_000_000
MS = 1000 * US
SCENARIOS = Path(__file__).parents[2] / "scenarios"
HIPPI = str(SCENARIOS / "sgi-hippi-raw.yaml")
LONG = ("workload.blast.size=64 KiB", "workload.blast.packets=50000")
READS = str(SCENARIOS / "random-reads.yaml")
SIX = ("run.until=200 ms", "run.replications=6", "run.precision=0.01%")


def phases(*spans: tuple[int, int], rounds: int = 1) -> Program:
    """Deliveries of 100 bytes: for each (count, us) so many, so far apart, and all of that `rounds` times."""
    p = Builder()
    done = p.observation("done", "delivered", "bytes")
    with p.thread("work"), p.loop(rounds):
        for count, apart in spans:
            with p.loop(count):
                p.advance(apart * US)
                p.mark(done, 100)
    return p.build()


def carried(program: Program, engine: ModuleType = reference, **run: object) -> Runs:
    def once(seed: int, until: int) -> object:
        return engine.run(program, Options(until, seed=seed))

    return carry_out(Run(**run), program, bound(program), once)  # type: ignore[arg-type]


def test_batches_of_two_speeds_have_the_interval_of_two_speeds():
    # Ten batches at 10 MB/s and ten at 20 MB/s: 5 MB/s off the mean each, and all but once like the one before.
    program = phases((200, 10), (400, 5))
    outcome = reference.run(program)
    width = batch_half_width(program, outcome, measure.throughput(program, outcome, 0))
    alike = (18 - 1) / 20
    assert width == pytest.approx(2.093 * 5e6 / sqrt(19) * sqrt((1 + alike) / (1 - alike)))


def test_batches_by_turns_slow_and_fast_are_taken_as_independent():
    # Each is as far from the mean as above; that they alternate makes nothing narrower.
    program = phases((20, 10), (40, 5), rounds=10)
    outcome = reference.run(program)
    width = batch_half_width(program, outcome, measure.throughput(program, outcome, 0))
    assert width == pytest.approx(2.093 * 5e6 / sqrt(19))


def test_fewer_than_a_hundred_deliveries_tell_nothing():
    runs = carried(phases((99, 10)), warm_up=0, precision="50%")
    assert (runs.half_width, runs.precision.reached, runs.precision.met) == (None, None, False)
    assert carried(phases((100, 10)), warm_up=0, precision="50%").precision.met


def test_a_run_is_doubled_until_it_is_precise_enough():
    # Speeds change each 700 us: a batch has to hold many changes.
    program = phases((70, 10), (140, 5), rounds=1000)
    runs = carried(program, warm_up=0, precision="5%")
    assert runs.precision.met
    assert runs.half_width <= 0.05 * runs.rate
    end = runs.outcome.end
    assert end in [2**power * MS for power in range(11)]
    assert end > 8 * MS
    shorter = carried(program, warm_up=0, precision="5%", until=end // 2)
    assert not shorter.precision.met
    assert shorter.outcome.end == end // 2


def test_a_smaller_share_takes_longer():
    program = phases((70, 10), (140, 5), rounds=1000)
    ends = [carried(program, warm_up=0, precision=share).outcome.end for share in ("20%", "5%", "2%")]
    assert ends == sorted(set(ends))


def test_the_result_is_that_of_a_run_to_where_it_ended():
    program = phases((70, 10), (140, 5), rounds=1000)
    run = Run(precision="5%")
    runs = carried(program, precision="5%")
    same = settled(run, program, "simpy")
    assert (same.precision, same.until) == (None, runs.outcome.end)
    assert carried(program, until=same.until).rate == runs.rate


def test_both_engines_end_at_the_same_time():
    program = phases((70, 10), (140, 5), rounds=100)
    found = [carried(program, engine, precision="5%") for engine in (compiled, reference)]
    assert found[0].outcome.end == found[1].outcome.end
    assert found[0].half_width == found[1].half_width
    assert (found[0].steps, found[0].events) == (found[1].steps, found[1].events)


def test_work_that_ends_first_is_said_to_be_less_precise():
    runs = carried(phases((20, 10), (40, 5), rounds=10), warm_up=0, precision="5%")
    assert runs.outcome.end == 4 * MS
    assert not runs.precision.met
    assert runs.precision.reached == pytest.approx(2.093 / sqrt(19) / 3)


def test_a_run_is_at_least_twice_its_warm_up():
    runs = carried(phases((10_000, 1)), warm_up=3 * MS, precision="1%")
    assert runs.outcome.end == 8 * MS
    assert runs.spans[0].since == 3 * MS


def test_replications_go_on_until_they_agree():
    sets = ("run.until=400 ms", "run.replications=60")
    run = partial(lambda *more: run_scenario(load(READS, more), cases=[2]).cases[0])
    found = run(*sets, "run.precision=0.5%")
    count = len(found.seeds)
    assert 5 < count < 60
    assert found.seeds == tuple(range(1, count + 1))
    assert found.half_width <= 0.005 * found.rate
    before, same = (run("run.until=400 ms", f"run.replications={number}") for number in (count - 1, count))
    assert before.half_width > 0.005 * before.rate
    assert (same.rate, same.half_width, same.events) == (found.rate, found.half_width, found.events)


def test_replications_are_the_most_there_are():
    found = run_scenario(load(READS, SIX), cases=[2])
    assert len(found.cases[0].seeds) == 6
    assert not found.cases[0].precision.met


@pytest.mark.parametrize("engine", ["compiled", "simpy"])
@pytest.mark.slow
def test_the_output_says_when_and_how_precise(engine: str):
    sets = [word for text in (*LONG, "run.precision=3%") for word in ("--set", text)]
    command = ["run", HIPPI, "--case", "1", "--engine", engine]
    shown = CliRunner().invoke(main, [*command, *sets])
    assert "; 3% was requested" in shown.output
    assert "simulated: ±" in shown.output
    assert "(stopped, precise enough)" in shown.output
    data = json.loads(CliRunner().invoke(main, [*command, *sets, "--json"]).stdout)
    (case,) = data["cases"]
    assert case["precision"]["wanted"] == 0.03
    assert case["precision"]["met"] is True
    assert case["half_width"] == pytest.approx(case["precision"]["reached"] * case["throughput"])


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("1", "found the number 1 without a unit; expected a share such as '1 %', or 'none'"),
        ("0%", "found '0%'; expected a share above zero such as '1 %'"),
        ("100%", "found '100 %'; expected a share below 100 % such as '1 %'"),
        ("10 ms", "found '10 ms', a time; expected a share such as '1 %'"),
        ("-1%", "found '-1%', which is negative; expected a share"),
    ],
)
def test_what_is_no_share_is_refused(written: str, message: str):
    with pytest.raises(ScenarioError) as refused:
        load(HIPPI, [f"run.precision={written}"])
    assert message in str(refused.value)
