"""A configuration of which one case is built: the same as that case of all, whatever the settings touch."""

from __future__ import annotations

from pathlib import Path

import pytest

from simio.errors import ScenarioError
from simio.loading import ScenarioFile
from simio.loading.keypaths import lookup
from simio.loading.trees import Cases, Trees
from simio.loading.vary import canonical as meaning
from simio.loading.vary import expand

SCENARIOS = Path(__file__).parents[2] / "scenarios"
SETTINGS = {
    "sgi-hippi-raw": [
        (),
        ("workload.blast.size=256 KiB",),
        ("workload.blast.size=0.25 MiB", "workload.blast.processes=2"),
        ("hosts.challenge.cpu.clock=100 MHz", "workload.blast.sink=false"),
        ("links.link1.name=wire", "workload.blast.size=2 MiB"),
    ],
    "linux-fc-raw": [(), ("disks.d.count=8",), ("workload.reader.access=direct", "disks.d.count=3")],
    "slac-datamove8": [(), ("workload.ttcp.window=64 KiB",), ("workload.ttcp.streams=15",)],
    "sgi-hippi-ttcp": [(), ("workload.ttcp.nodelay=true", "workload.ttcp.size=8192 B")],
}


@pytest.mark.parametrize("name", SETTINGS)
def test_a_case_is_that_case_of_all(name: str) -> None:
    kept = ScenarioFile(SCENARIOS / f"{name}.yaml")
    for sets in (*SETTINGS[name], *SETTINGS[name]):
        whole = ScenarioFile(SCENARIOS / f"{name}.yaml").scenario(sets)
        for index in range(0, len(whole.cases), 3):
            alone = kept.scenario(sets, only=index)
            assert alone.cases == (whole.cases[index],)
            assert alone.pooled == whole.pooled


TEXT = """\
title: t
hosts:
  a:
    model: hosts/linux-2002-dual-p3
    cpu: cpus/p3-xeon-733
    adapters: {ge: {model: adapters/ideal-ethernet, bus: pci}}
  b: {like: a}
links:
  - {model: links/ethernet-1000, between: [a.ge, b.ge], length: 20 m, name: first}
workload:
  ttcp: {from: a, to: b, size: 8 KiB, writes: 10}
vary:
  - {workload.ttcp.writes: [10, 20], hosts.a.cpu.clock: [1 GHz, 2 GHz]}
  - {workload.ttcp.size: [1 KiB, 8192 B]}
"""
KEYS = [
    "workload.ttcp.writes", "workload.ttcp.size", "workload.ttcp", "workload.ttcp.from", "workload.ttcp.window",
    "hosts.a.cpu", "hosts.a.cpu.model", "hosts.a.cpu.clock", "hosts.a.cpu.clock.x", "hosts.b.cpu.model",
    "hosts.a.model", "links.first.length", "links.link1.length", "run.until", "nowhere.at.all",
]  # fmt: skip


@pytest.mark.parametrize("vary", ["links.first.name: [first, other]", "run.until: [1 s, 2 s]", ""])
@pytest.mark.parametrize("key", KEYS)
def test_what_a_key_means_in_each_case_needs_no_trees(key: str, vary: str) -> None:
    text = TEXT + (f"  - {{{vary}}}\n" if vary else "")
    source = ScenarioFile("t.yaml", text)
    ctx = source._context()
    cases = Cases(expand(ctx, source.root, set()))
    whole = Trees(ctx, source.root, cases)
    nodes = [lookup(whole[index], key.split(".")) for index in range(len(whole))]
    wanted = [None if node is None else meaning(node) for node in nodes]
    # Trees that were made already are looked at; where they were not, the settings tell.
    assert whole.meanings(key) == wanted
    assert Trees(ctx, source.root, cases).meanings(key) == wanted


def test_a_key_that_a_setting_takes_away_is_missed_as_before() -> None:
    text = TEXT.replace("{workload.ttcp.size: [1 KiB, 8192 B]}", "{links.first.length: [1 m, 2 m]}")
    source = ScenarioFile("t.yaml", text)
    assert len(source.scenario(("workload.ttcp.writes=5",), only=0).cases) == 1
    assert len(source.scenario(("workload.ttcp.writes=6",), only=0).cases) == 1
    with pytest.raises(ScenarioError) as kept:
        source.scenario(("workload.ttcp.writes=7", "links.first.name=other"), only=0)
    with pytest.raises(ScenarioError) as fresh:
        ScenarioFile("t.yaml", text).scenario(("workload.ttcp.writes=7", "links.first.name=other"), only=0)
    assert str(kept.value) == str(fresh.value)
    assert "first" in str(kept.value)
