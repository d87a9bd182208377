"""Sentences of an explanation on the limit that a run names, and on variants that it does not run."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest
from stations import MS, tandem

from simio.explaining import profile
from simio.explaining.answers import Answer, gain
from simio.explaining.model import Component, ComponentRow, Gain, certain
from simio.explaining.reasons import held_by, slowed_by
from simio.explaining.sentences import of_profile, of_waterfall
from simio.explaining.settings import what_ifs
from simio.explaining.stages import waterfall
from simio.loading import load
from simio.report.explained import gain_text, gain_texts
from simio.result.model import Limiter
from simio.running import run_case


@pytest.mark.parametrize("seed", range(12))
def test_what_a_run_says_is_saturated_gains_or_the_explanation_says_why_not(seed):
    source = random.Random(seed)
    first, second = source.randrange(1, 40) * MS // 10, source.randrange(1, 40) * MS // 10
    case = tandem(first, second if seed % 3 else first, 300, overlap=seed % 4 != 0)
    found = profile(case)
    assert found.limiter == run_case(case).limiter
    if found.limiter.kind == "resource" and found.limiter.busy >= 0.99:
        own = next(row for row in found.rows if row.component.name == found.limiter.name)
        assert certain(own.slightly) or found.held
        assert found.held == "" or found.held in list(of_profile(found))


def test_free_gains_at_least_what_twice_as_fast_does():
    for row in profile(tandem(3 * MS, 2 * MS)).rows:
        assert row.free.gain >= row.twice.gain >= row.slightly.gain
        assert row.slower == ""


def answer(rate: int, limiter: Limiter | None = None, **took: float) -> Answer:
    return Answer((rate,), {}, limiter, {name.replace("_", " "): time for name, time in took.items()})


def test_a_loss_by_more_speed_has_its_reason(load):
    system = load("linux-fc-raw.yaml", "disks.d.count=1").cases[0].system
    before = answer(100, d=10.0, x_waits_for_ACKs=1.0)
    assert slowed_by(system, before, answer(90, d=14.0, x_waits_for_ACKs=1.0)) == "timing: missed revolutions of d"
    assert slowed_by(system, before, answer(90, d=10.0, x_waits_for_ACKs=3.0)) == "timing: x waits for ACKs longer"
    assert "order" in slowed_by(system, before, answer(90, d=10.0, x_waits_for_ACKs=1.0))


def test_a_limit_that_gains_nothing_says_what_limits_beside_it():
    limit, other = (Limiter("resource", name, 1.0, f"{name} is busy 100.0% of the time") for name in ("a", "b"))
    nothing = Gain(100, 0.0)
    row = ComponentRow(Component("a", ()), nothing, nothing, nothing)
    held = held_by(limit, answer(100, limit, a=10.0), [(row, [answer(100, other, a=5.0)])])
    assert held == "Making a faster gains nothing by itself: then b is busy 100.0% of the time."
    gaining = ComponentRow(Component("a", ()), Gain(110, 0.1), nothing, nothing)
    assert held_by(limit, answer(100, limit, a=10.0), [(gaining, [answer(100, other, a=5.0)])]) == ""


def test_what_is_noise_is_shown_as_such():
    assert gain_text(Gain(1, -0.03, 0.05)) == "within ±5.0%"
    assert gain_text(Gain(1, 0.08, 0.05)) == "+8.0% ± 5.0%"
    bounded = ComponentRow(Component("a", ()), None, None, Gain(1, 0.001))
    assert gain_texts(bounded) == ("within ±0.5%", "within ±0.5%", "+0.1%")


def test_seeds_that_both_were_run_with_are_compared():
    found = gain(Answer((100, 200, 300), {}), Answer((110, 220), {}))
    assert found.gain == pytest.approx(0.1)


def test_little_that_matters_is_made_free_at_once_and_shown(monkeypatch):
    monkeypatch.setattr("simio.explaining.variants.LEAST", 0.6)
    found = profile(tandem(3 * MS, 2 * MS, overlap=False))
    one, together = found.rows
    assert one.component.name == "first"
    assert together.component.name == "second"


def test_no_setting_is_offered_that_a_scenario_could_not_have(load):
    system = load("linux-fc-raw.yaml", "workload.reader.depth=4096").cases[0].system
    changes = list(what_ifs(system))
    assert not any("outstanding doubled" in change.what and "thread" in change.what for change in changes)
    for change in changes:
        for path in change.values:
            owner, _, field = path.rpartition(".")
            if owner.startswith("workload."):
                params = change.system.workloads[owner.removeprefix("workload.")].params
                type(params).model_validate({**dict(params)})


NVME = """\
title: Two drives
hosts: {server: {model: hosts/server-2023-2s}}
disks: {d: {model: disks/datacentre-tlc-2023, count: 2}}
links:
  - {model: links/nvme, between: [server.nvme, d]}
workload:
  reader: {host: server, from: d, pattern: random, block: 128 KiB, size: 100 GiB, depth: 32}
run: {until: 10 ms, warm_up: auto, replications: 1}
"""


def test_lanes_that_limit_are_tried_twice_as_wide(tmp_path: Path) -> None:
    path = tmp_path / "s.yaml"
    path.write_text(NVME)
    case = load(str(path), ["hosts.server.buses.pcie.lanes=2"]).cases[0]
    wider = next(setting for setting in what_ifs(case.system) if setting.what == "lanes of PCI Express doubled")
    assert "hosts.server.buses.pcie.lanes" in wider.values
    rates = [run_case(replace(case, system=system)).throughput.rate for system in (case.system, wider.system)]
    assert rates[1] > 1.8 * rates[0]


def test_what_is_under_way_at_once_is_the_depth(tmp_path: Path) -> None:
    path = tmp_path / "s.yaml"
    path.write_text(NVME)
    found = waterfall(load(str(path), ["workload.reader.block=4 KiB"]).cases[0])
    # Little's law: a reader keeps 32 outstanding.
    assert found.took / found.period == pytest.approx(32, rel=0.1)
    assert "comes every" in next(of_waterfall(found))
    one = waterfall(load(str(path), ["workload.reader.block=4 KiB", "workload.reader.depth=1"]).cases[0])
    assert one.took == 0
    assert "takes" in next(of_waterfall(one))


QUEUES = """\
title: A switch and a path with queues
hosts: {a: {model: hosts/linux-namespace}, b: {model: hosts/linux-namespace}}
switches: {tor: {model: switches/ideal-ethernet, buffer: 20 kB}}
links:
  - {model: links/ethernet-10g, between: [a.eth, tor]}
  - {model: links/emulated, between: [tor, b.eth], rate: 1 Gbit/s, queue: 40 kB}
workload:
  ttcp: {from: a, to: b, size: 64 KiB, writes: 200}
"""


def test_buffers_of_switches_and_queues_of_links_are_tried_twice_as_large(tmp_path: Path) -> None:
    path = tmp_path / "s.yaml"
    path.write_text(QUEUES)
    found = {each.what: each for each in what_ifs(load(str(path)).cases[0].system)}
    buffers, queues = found["buffers of the switches doubled"], found["queues of the links doubled"]
    assert buffers.system.switches["tor"].part.sheet.buffer == 40_000
    assert queues.system.links[1].part.sheet.queue == 80_000
    # A buffer that limits nothing, and a queue without a limit, are not changed.
    without = load(str(path), ["switches.tor.buffer=1 GiB", "links.link2.queue=none"]).cases[0].system
    assert not {"buffers of the switches doubled", "queues of the links doubled"} & {
        each.what for each in what_ifs(without)
    }


TRANSLATED = """\
title: A sender whose packets wait for an IOMMU
hosts:
  a:
    model: hosts/xeon-gold-6128-4s
    root: {iommu: true, iommu_walk: 2 us, iommu_walks: 1}
    adapters: {nic: {model: adapters/connectx-5, bus: pcie}}
  b: {model: hosts/xeon-gold-6128-4s, adapters: {nic: {model: adapters/connectx-5, bus: pcie}}}
links: [{model: links/ethernet-100g-jumbo, between: [a.nic, b.nic]}]
workload: {iperf3: {from: a, to: b}}
run: {until: 2 ms, warm_up: 1 ms, replications: 1}
"""


def test_large_pages_are_tried_where_an_iommu_walks(tmp_path: Path) -> None:
    path = tmp_path / "s.yaml"
    path.write_text(TRANSLATED)
    case = load(str(path)).cases[0]
    larger = next(setting for setting in what_ifs(case.system) if "large pages" in setting.what)
    # One walk at a time: two in 4 us for a packet of 9000 B, and none with pages of 2 MiB.
    rates = [run_case(replace(case, system=system)).throughput.rate for system in (case.system, larger.system)]
    assert rates[1] > 1.5 * rates[0]
    stages = {(stage.what, stage.where) for stage in waterfall(case).stages}
    assert ("address translation", "a") in stages


def test_an_iommu_that_takes_no_time_is_not_changed(tmp_path: Path) -> None:
    path = tmp_path / "s.yaml"
    path.write_text(TRANSLATED)
    system = load(str(path), ["hosts.a.root.iommu_walk=0 s"]).cases[0].system
    assert not [each.what for each in what_ifs(system) if "IOMMU" in each.what]
