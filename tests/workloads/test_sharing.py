"""Connections that share a line: by classes of traffic, by their starts, and by a rate of losses alone."""

from __future__ import annotations

from math import sqrt
from pathlib import Path

import pytest

from simio.engines import compiled, reference
from simio.engines.outcome import Options
from simio.errors import ScenarioError
from simio.loading import load
from simio.lower import lower
from simio.running import run_case

SCENARIO = """
title: Connections over one line
hosts:
  a: {model: hosts/linux-namespace}
  b: {model: hosts/linux-namespace}
  server: {model: hosts/linux-namespace}
switches: {router: {model: switches/ideal-ethernet}}
links:
  - {model: links/emulated, between: [a.eth, router], delay: 2 ms}
  - {model: links/emulated, between: [b.eth, router], delay: 2 ms}
  - {model: links/emulated, between: [router, server.eth], rate: 50 Mbit/s, queue: 60 kB, QUEUE}
workload:
  one: {kind: ttcp, from: a, to: server, size: 64 KiB, ONE}
  two: {kind: ttcp, from: b, to: server, size: 64 KiB, traffic_class: 1, streams: 2}
run: {warm_up: 1 s, replications: 1, until: 6 s}
"""
LINE = """
title: A connection over a line that loses packets
hosts: {a: {model: hosts/linux-namespace}, b: {model: hosts/linux-namespace}}
links: [{model: links/emulated, between: [a.eth, b.eth], delay: TRIP ms, loss: 0.1 %}]
workload: {ttcp: {from: a, to: b, size: 64 KiB}}
run: {warm_up: 30 s, replications: 1, until: 330 s}
"""


def case(folder: Path, queue: str, one: str = "streams: 2"):
    path = folder / "lines.yaml"
    path.write_text(SCENARIO.replace("QUEUE", queue).replace("ONE", one))
    return load(str(path)).cases[0]


@pytest.mark.parametrize(
    "queue",
    ["discipline: priority, weights: [1, 3]", "discipline: fq_codel", "discipline: fq_codel, flows: none"],
)
def test_engines_agree(tmp_path: Path, queue: str) -> None:
    program = lower(case(tmp_path, queue, "streams: 2, start_within: 3 ms").system)
    found = [engine.run(program, Options(seed=7, until=10**11)) for engine in (compiled, reference)]
    assert found[0].marks.tolist() == found[1].marks.tolist()
    assert len(found[0].marks) > 100


@pytest.mark.parametrize(("weights", "share"), [("[1, 3]", 0.25), ("[1, 1]", 0.5), ("[]", 0.0)])
def test_classes_share_the_line_by_weights(tmp_path: Path, weights: str, share: float) -> None:
    # Each class always has data to send: two connections with a queue of two and a half times bandwidth and delay.
    result = run_case(case(tmp_path, f"discipline: priority, weights: {weights}"))
    rates = {each.name: float(each.rate) for each in result.streams}
    one, two = rates["one: sent"], rates["two: sent"]
    assert one / (one + two) == pytest.approx(share, abs=0.01)


def test_connections_start_at_random_instants(tmp_path: Path) -> None:
    program = lower(case(tmp_path, "mark_above: 50 kB", "streams: 20, start_within: 50 ms, writes: 1").system)
    [write] = [number for number, mark in enumerate(program.marks) if mark.name == "one: sent"]
    marks = compiled.run(program, Options(until=10**11)).marks.tolist()
    sent = [time // 10**9 for time, mark, _ in marks if mark == write]
    # A connection takes a round trip of 4 ms to be there, and up to 10 ms in the queue; the first write fits into
    # its buffer.
    assert len(sent) == 20
    assert 4 <= min(sent) < 12
    assert 46 <= max(sent) <= 64


def test_a_time_of_which_the_start_is_a_part_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match="the time would have the wait for the start in it"):
        case(tmp_path, "mark_above: 50 kB", "start_within: 1 ms, timed: true, writes: 3")


@pytest.mark.parametrize("trip", [10, 40])
def test_reno_obeys_the_law_of_the_square_root(tmp_path: Path, trip: int) -> None:
    # M. Mathis et al., CCR 27(3), 1997: the mean window is C / sqrt(p) segments, C = sqrt(3 / 2) = 1.22 where losses
    # are even and 1.31 where they are random (T. Ott, J. Kemperman and M. Mathis, 1996). Some 500 are seen.
    path = tmp_path / "line.yaml"
    path.write_text(LINE.replace("TRIP", str(trip / 2)))
    rate = float(run_case(load(str(path)).cases[0]).throughput.rate)
    window = rate * trip / 1000 / 1448
    assert sqrt(3 / 2) < window * sqrt(0.001) < 1.31 * 1.04
