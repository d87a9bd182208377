"""Alike disks share the steps of the second, and the program does what it does where each has its own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from simio.bound import bound
from simio.engines import compiled, reference
from simio.engines.outcome import Options, Outcome
from simio.loading import load
from simio.lower import lower
from simio.program import series
from simio.program.steps import Program

FABRIC = """
hosts: {server: {model: hosts/linux-2002-dual-p3}}
disks: {d: {model: disks/fc-15k-2002, count: 6}}
switches: {fabric: {model: switches/fc-2g, ports: 7}}
links:
  - {model: links/fc-2g, between: [server.fc, fabric], length: 10 m}
  - {model: links/fc-2g, between: [fabric, d], length: 10 m}
"""
BUS = """
hosts:
  server:
    model: hosts/server-2023-2s
    buses: {hba: buses/pcie-4-x8}
    adapters: {sas: {model: adapters/sas-hba-2020, bus: hba}}
disks: {d: {model: disks/exos-x18-18tb-sas, count: 6}}
links: [{model: links/sas-12, between: [server.sas, d], length: 2 m}]
"""
FLASH = """
hosts: {server: {model: hosts/server-2023-2s}}
disks: {d: {model: disks/datacentre-tlc-2023, count: 6, placement: empty, capacity: 30 GB, blocks: 10}}
links: [{model: links/nvme, between: [server.nvme, d], length: 0 m}]
"""
READ = "reader: {host: server, from: d, access: raw, block: 64 KiB, size: 256 KiB, pattern: sequential}"
LOADS = {
    "in order": READ,
    "at random": READ.replace("sequential", "random"),
    "many at a time": READ.replace("sequential", "random, depth: 3"),
    "in shares": READ.replace("sequential", "sequential, processes: 2"),
    "again and again": READ.replace("sequential", "sequential, passes: 3, think: 1 ms"),
    "mixed": READ.replace("block: 64 KiB", "block: {4 KiB: 3, 64 KiB: 1}"),
    "writes": READ.replace("reader", "writer").replace("from", "to"),
}
DECLARED = ("names", "resources", "containers", "marks", "machines", "tallies", "gauges", "draw_names", "windows")
"""Fields of programs that are equal."""

Lowered = Callable[[int], Program]


@pytest.fixture
def lowered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Lowered]:
    """The program of a scenario, of which series of as many as asked share their steps."""

    def of(text: str) -> Lowered:
        path = tmp_path / "series.yaml"
        path.write_text(f"title: Disks\n{text}\nrun: {{warm_up: 0 s}}\n")
        system = load(str(path)).cases[0].system

        def program(least: int) -> Program:
            monkeypatch.setattr(series, "LEAST", least)
            return lower(system)

        return program

    return of


def without_steps(outcome: Outcome) -> dict[str, object]:
    """An outcome without the numbers of steps, which only say where a step stands."""
    tables = ("marks", "resources", "containers", "threads", "times", "samples", "state", "streams")
    found = {name: getattr(outcome, name).tolist() for name in tables}
    numbers = ("status", "end", "steps", "events", "container_area")
    return (
        found
        | {name: getattr(outcome, name) for name in numbers}
        | {"alive": outcome.alive[:, [0, 1, 3, 4]].tolist()}
    )


def compare(program: Lowered) -> tuple[int, int]:
    """Compare the program that shares with that which does not, and both engines; gives the steps of both."""
    shared, apart = program(4), program(99)
    for name in DECLARED:
        assert getattr(shared, name) == getattr(apart, name)
    for name in ("state", "draws", "draw_table"):
        assert getattr(shared, name).tolist() == getattr(apart, name).tolist()
    assert bound(shared) == bound(apart)
    whole = compiled.run(apart, Options())
    for options in (Options(), Options(until=whole.end // 2)):
        found = compiled.run(shared, options)
        assert without_steps(found) == without_steps(compiled.run(apart, options))
        assert found.differences(reference.run(shared, options)) == []
    return len(shared.steps), len(apart.steps)


@pytest.mark.parametrize("load", LOADS)
def test_disks_behind_a_switch(lowered: Callable[[str], Lowered], load: str) -> None:
    shared, apart = compare(lowered(FABRIC + f"workload: {{{LOADS[load]}}}"))
    # Sizes are drawn from a table of each disk's own, which is not shared.
    assert shared == (apart if load == "mixed" else apart // 2)


@pytest.mark.parametrize(("wiring", "load"), [(BUS, "at random"), (BUS, "writes"), (FLASH, "at random")])
def test_disks_behind_an_adapter(lowered: Callable[[str], Lowered], wiring: str, load: str) -> None:
    workload = LOADS[load].replace("raw", "direct").replace("sequential", "random")
    shared, apart = compare(lowered(wiring + f"workload: {{{workload}}}"))
    assert shared == apart // 2


def test_steps_of_a_series_do_not_grow_with_it(lowered: Callable[[str], Lowered]) -> None:
    made = [
        lowered(FABRIC.replace("count: 6", f"count: {n}").replace("7", str(n + 1)) + f"workload: {{{READ}}}")(4)
        for n in (6, 20)
    ]
    assert len(made[0].steps) == len(made[1].steps)
    assert made[1].starts[-1].name == "reader: reader of d20"


def test_disks_that_another_workload_uses_have_steps_of_their_own(lowered: Callable[[str], Lowered]) -> None:
    other = "other: {kind: reader, host: server, from: d3, access: raw, block: 4 KiB, size: 4 KiB}"
    shared, apart = compare(lowered(FABRIC + f"workload: {{{READ}, {other}}}"))
    assert shared == apart


def test_disks_that_can_fail_have_steps_of_their_own(lowered: Callable[[str], Lowered]) -> None:
    faults = "faults: [{kind: failed, of: d3, at: 1 ms}]\n"
    program = lowered(FABRIC + faults + f"workload: {{{READ}}}")
    assert len(program(4).steps) == len(program(99).steps)
