"""Reading of a scenario: systems, overrides, likeness, groups of disks, the command line."""

from __future__ import annotations

import json
import pickle
from fractions import Fraction
from pathlib import Path

import pytest
from load_samples import DISKS, HIPPI, Loader

from simio.errors import ScenarioError
from simio.loading import load, resolved
from simio.loading.catalogue import Catalogue


def test_values_are_si_numbers(read: Loader) -> None:
    system = read(HIPPI).cases[0].system
    host = system.hosts["a"]
    assert host.cpus == 2
    assert host.kernel.sheet.page_pin == 1_000_000
    assert host.memory.sheet.size == 64 * 2**20
    assert host.adapters["hippi"].part.sheet.receive_dma == Fraction(80_000_000)
    assert host.adapters["hippi"].bus == "io"
    assert host.adapters["hippi"].part.name == "a.hippi"
    assert system.links[0].ends == ("a.hippi", "b.hippi")
    assert system.links[0].length == 10
    assert system.workloads["blast"].params.from_ == "a"
    assert system.workloads["blast"].params.sink is True


def test_sections_left_out_have_defaults(read: Loader) -> None:
    system = read(HIPPI).cases[0].system
    assert (system.run.until, system.run.warm_up, system.run.seed) == (None, "auto", 1)
    assert system.report.unit == "MB/s"
    assert dict(system.disks) == {}


def test_an_override_reaches_its_host_only_unless_it_is_inherited(read: Loader) -> None:
    text = HIPPI.replace("b: {like: a}", "b: {like: a, kernel: {page_pin: 3 us}, cpus: 4}")
    hosts = read(text).cases[0].system.hosts
    assert (hosts["a"].kernel.sheet.page_pin, hosts["a"].cpus) == (1_000_000, 2)
    assert (hosts["b"].kernel.sheet.page_pin, hosts["b"].cpus) == (3_000_000, 4)
    text = HIPPI.replace("a: {model: hosts/station}", "a: {model: hosts/station, kernel: {page_pin: 3 us}}")
    assert read(text).cases[0].system.hosts["b"].kernel.sheet.page_pin == 3_000_000


def test_a_part_is_replaced_by_name_or_with_overrides(read: Loader) -> None:
    text = HIPPI.replace("b: {like: a}", "b: {like: a, cpu: cpus/fast}")
    text = text.replace("{model: hosts/station}", "{model: hosts/station, cpu: {model: cpus/fast, clock: 2 GHz}}")
    hosts = read(text).cases[0].system.hosts
    assert (hosts["a"].cpu.model, hosts["a"].cpu.sheet.clock) == ("cpus/fast", 2 * 10**9)
    # Naming a model starts afresh: what a overrides is not b's.
    assert hosts["b"].cpu.sheet.clock == 10**9


def test_a_replaced_adapter_stays_on_its_bus(read: Loader) -> None:
    text = HIPPI.replace("b: {like: a}", "b: {like: a, adapters: {hippi: {model: adapters/hippi-card}}}")
    assert read(text).cases[0].system.hosts["b"].adapters["hippi"].bus == "io"


def test_an_adapter_can_be_added(read: Loader) -> None:
    text = HIPPI.replace(
        "b: {like: a}", "b: {like: a, adapters: {second: {model: adapters/fc-card, bus: io, credit: 2}}}"
    )
    host = read(text).cases[0].system.hosts["b"]
    assert list(host.adapters) == ["hippi", "second"]
    assert host.adapters["second"].part.sheet.credit == 2


def test_a_group_is_numbered_and_has_a_link_for_each_disk(read: Loader) -> None:
    system = read(DISKS).cases[0].system
    assert list(system.disks) == ["d1", "d2", "d3"]
    assert {disk.group for disk in system.disks.values()} == {"d"}
    assert [(link.name, link.ends) for link in system.links] == [
        ("link1", ("s.fc", "f")),
        ("link2.d1", ("f", "d1")),
        ("link2.d2", ("f", "d2")),
        ("link2.d3", ("f", "d3")),
    ]


def test_one_disk_keeps_the_name_of_its_group(read: Loader) -> None:
    system = read(DISKS.replace("count: 3", "count: 1")).cases[0].system
    assert list(system.disks) == ["d"]
    assert system.links[1].name == "link2"


def test_a_disk_joins_an_adapter_without_a_switch(read: Loader) -> None:
    text = DISKS.replace(", count: 3", "").replace("[s.fc, f]", "[s.fc, d]")
    text = text.replace("  - {model: links/fibre, between: [f, d], length: 3 m}\n", "")
    assert read(text).cases[0].system.links[0].ends == ("s.fc", "d")


def test_origins_tell_catalogue_scenario_and_default(read: Loader) -> None:
    text = HIPPI.replace("b: {like: a}", "b: {like: a, kernel: {page_pin: 3 us}}")
    origins = read(text).cases[0].system.hosts["b"].kernel.origins
    assert (origins["page_pin"].where, origins["page_pin"].text) == ("scenario", "3 us")
    assert origins["page_pin"].source.endswith("scenario.yaml:5")
    assert (origins["page"].where, origins["page"].basis) == ("catalogue", "assumed")
    assert origins["raw_chunk"].where == "default"


def test_a_part_file_beside_the_scenario(read: Loader, tmp_path: Path) -> None:
    sheet = (
        "kind: cpu\ntitle: mine\nvalues:\n  clock: {value: 7 MHz, basis: measured, source: a clock}\n"
        "  cache: {value: 1 KiB, basis: assumed, source: me}\n"
    )
    (tmp_path / "mine.yaml").write_text(sheet)
    text = HIPPI.replace("b: {like: a}", "b: {like: a, cpu: ./mine.yaml}")
    host = read(text).cases[0].system.hosts["b"]
    assert host.cpu.sheet.clock == 7_000_000
    assert host.cpu.origins["clock"].source == "a clock"


@pytest.mark.parametrize(
    ("setting", "pick", "wanted"),
    [
        ("workload.blast.size=1 KiB", lambda s: s.workloads["blast"].params.size, 1024),
        ("hosts.b.kernel.page_pin=9 us", lambda s: s.hosts["b"].kernel.sheet.page_pin, 9_000_000),
        ("hosts.a.cpu=cpus/fast", lambda s: s.hosts["a"].cpu.model, "cpus/fast"),
        ("hosts.a.cpu.clock=5 MHz", lambda s: s.hosts["b"].cpu.sheet.clock, 5_000_000),
        ("links.link1.length = 2 km", lambda s: s.links[0].length, 2000),
        ("run.until=3 s", lambda s: s.run.until, 3 * 10**12),
        ("report.unit=Mbit/s", lambda s: s.report.unit, "Mbit/s"),
    ],
)
def test_settings_of_the_command_line(read: Loader, setting: str, pick, wanted) -> None:  # type: ignore[no-untyped-def]
    assert pick(read(HIPPI, [setting]).cases[0].system) == wanted


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("workload.blast.size", "--set:1:1: found 'workload.blast.size'; expected key.path=value"),
        ("workload.blast.size=1 KB", "--set:1:1: workload.blast.size: found the ambiguous unit 'KB'"),
        ("workload.blast.sise=1 KiB", "--set:1:1: workload.blast.sise: found the unknown key 'sise'"),
        ("workload.blost.size=1 KiB", "--set:1:1: workload.blost.size: found the unknown workload 'blost'"),
        ("vary.x=3", "--set:1:1: vary.x: found the unknown key 'vary'"),
        ("hosts.a.cpus=[1", "--set:1:1: hosts.a.cpus: found"),
    ],
)
def test_faulty_settings(read: Loader, setting: str, message: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        read(HIPPI, [setting])
    assert str(caught.value).startswith(message)


def test_a_missing_value_may_come_from_vary_or_the_command_line(read: Loader) -> None:
    text = HIPPI.replace("size: 64 KiB, ", "")
    with pytest.raises(ScenarioError, match="workload.blast.size: found nothing"):
        read(text)
    assert read(text, ["workload.blast.size=1 KiB"]).cases[0].system.workloads["blast"].params.size == 1024
    assert len(read(text + "vary: {workload.blast.size: [1 KiB, 2 KiB]}\n").cases) == 2


def test_a_scenario_survives_pickling(read: Loader) -> None:
    scenario = read(DISKS)
    assert pickle.loads(pickle.dumps(scenario)) == scenario


def test_resolved_tells_every_value_with_its_origin(read: Loader) -> None:
    record = resolved(read(DISKS.replace("count: 3", "count: 2, rotation: 7200 rpm")).cases[0].system)
    assert json.loads(json.dumps(record)) == record
    disk = record["disks"]["d2"]
    assert disk["values"]["rotation"] == {
        "value": "7200 rpm", "basis": "given", "source": disk["values"]["rotation"]["source"]
    }  # fmt: skip
    assert disk["values"]["buffer"] == {"value": "1 MiB", "basis": "assumed", "source": "round number"}
    assert record["hosts"]["s"]["kernel"]["values"]["max_request"]["value"] == "none"
    assert record["links"]["link2.d1"]["length"] == "3 m"
    assert record["workload"]["reader"] == {
        "kind": "reader", "host": "s", "from": "d", "access": "raw", "block": "64 KiB", "size": "1 MiB",
        "pattern": "sequential", "stride": "none", "think": "0 s", "depth": "none", "arrivals": "none", "work": "0 s",
        "threads": "each", "processes": "1", "passes": "1", "window": "none",
    }  # fmt: skip


def test_equal_scenarios_resolve_to_equal_text(read: Loader) -> None:
    texts = {json.dumps(resolved(read(DISKS).cases[0].system)) for _ in range(2)}
    assert len(texts) == 1


def test_a_missing_file_is_a_problem(parts: Catalogue, tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match="no such file"):
        load(tmp_path / "absent.yaml", parts=parts)
