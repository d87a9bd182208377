"""Streams of one workload share their steps, and are told apart wherever a run is looked at."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from simio.bound import bound
from simio.components.network.capture import PacketTrace
from simio.description.model import System
from simio.engines import compiled
from simio.engines.outcome import Options, Outcome
from simio.explaining.path import Path as Followed
from simio.loading import load
from simio.lower import lower
from simio.program.builder import Builder
from simio.program.steps import Program
from simio.report.trace import chrome
from simio.result.activity import Activity

HOSTS = """
title: Many streams
hosts:
  a:
    model: hosts/linux-2002-dual-p3
    stack: stacks/linux-2.4
    adapters: {ge: {model: adapters/gigabit-pc, bus: pci}}
  b: {like: a}
switches:
  switch: {model: switches/catalyst-6509, ports: 2, backplane: none}
links:
  - {model: links/ethernet-1000, between: [a.ge, switch], length: 20 m}
  - {model: links/ethernet-1000, between: [b.ge, switch], length: 20 m, loss: 1e-2}
run: {warm_up: 0 s}
report: {unit: Mbit/s}
"""
WORKLOADS = {
    "ttcp": "{kind: ttcp, from: a, to: b, size: 8 KiB, window: 16 KiB, writes: 3, streams: 4}",
    "requests": "{kind: requests, from: a, to: b, request: 200 B, response: 5 kB, count: 3, think: 1 ms, streams: 4}",
    "datagrams": "{kind: datagrams, from: a, to: b, size: 3 kB, count: 5, period: 1 ms, streams: 4}",
}


@pytest.fixture(params=WORKLOADS)
def system(request: pytest.FixtureRequest, tmp_path: Path) -> System:
    path = tmp_path / "many.yaml"
    path.write_text(f"{HOSTS}workload:\n  t: {WORKLOADS[request.param]}\n")
    return load(path).cases[0].system


@pytest.fixture
def apart(monkeypatch: pytest.MonkeyPatch) -> Callable[[System], Program]:
    """Lowers with each stream written out."""

    def lowered(system: System) -> Program:
        with monkeypatch.context() as patch:
            patch.setattr(Builder, "replicate", lambda _, name, count: (f"{name} {n + 1}" for n in range(count)))
            return lower(system)

    return lowered


def traced(program: Program) -> Outcome:
    return compiled.run(program, Options(trace=True))


def test_streams_do_what_they_did_written_out(system: System, apart: Callable[[System], Program]) -> None:
    shared, written = lower(system), apart(system)
    assert len(shared.steps) < 0.6 * len(written.steps)
    assert (shared.names, shared.resources, shared.marks) == (written.names, written.resources, written.marks)
    assert shared.state.tolist() == written.state.tolist()
    assert bound(shared) == bound(written)
    found, expected = traced(shared), traced(written)
    assert set(found.differences(expected)) <= {"trace", "alive"}
    assert found.trace[:, :2].tolist() == expected.trace[:, :2].tolist()


def test_the_critical_path_tells_streams_apart(system: System, apart: Callable[[System], Program]) -> None:
    shared, written = lower(system), apart(system)
    paths = [Followed(program, traced(program)) for program in (shared, written)]
    rows = range(0, len(paths[0].at), len(paths[0].at) // 120)
    found, expected = ([list(path.follow(row, 0)) for row in rows] for path in paths)
    assert found == expected
    places = {stretch.where for stretches in found for stretch in stretches}
    assert any(" 3" in place for place in places)


def test_a_trace_tells_streams_apart(system: System, apart: Callable[[System], Program]) -> None:
    told = []
    for program in (lower(system), apart(system)):
        activity = Activity(program)
        outcome = compiled.run(program, Options(watch=activity.watch))
        activity.finish(outcome.end)
        told.append("".join(chrome(activity, outcome, {})))
    assert told[0] == told[1]
    assert "t 3" in told[0]


def test_a_trace_of_packets_has_a_port_for_each_stream(system: System) -> None:
    program = lower(system, PacketTrace(100))
    flows = {mark.name for mark in program.marks if mark.role == "packet" and ".5001" in mark.name}
    assert len({name for name in flows if "> b.5001" in name}) == 4
