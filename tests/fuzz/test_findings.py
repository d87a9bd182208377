"""Defects that mutated files found, each as the least that shows it."""

from __future__ import annotations

from pathlib import Path

import pytest
from fuzz_bench import ROOT

from simio.bound import bound
from simio.errors import RunError, ScenarioError
from simio.loading import load
from simio.lower import lower

pytestmark = pytest.mark.slow

SCENARIOS = ROOT / "scenarios"


def faults(name: str, *sets: str) -> str:
    with pytest.raises(ScenarioError) as caught:
        load(SCENARIOS / f"{name}.yaml", sets)
    return str(caught.value)


@pytest.mark.parametrize(
    ("key", "item"), [("volumes.data.of.link1", "link1"), ("links.link1.between.between9", "between9")]
)
def test_a_setting_of_an_item_that_is_not_there_is_not_lost(key: str, item: str) -> None:
    assert f"found the unknown item '{item}'" in faults("sgi-disks", f"{key}=x")


def test_a_setting_of_an_item_that_is_there_still_counts() -> None:
    sets = ["links.link1.between.between1=onyx.hippi", "links.link1.between.between2=challenge.hippi"]
    assert load(SCENARIOS / "sgi-hippi-raw.yaml", sets).cases[0].system.links[0].ends[0] == "onyx.hippi"


@pytest.mark.parametrize("ends", ["[{a: 1}, 2]", "[x, y]", "[true, 2]"])
def test_an_interval_of_what_is_no_number_is_told(tmp_path: Path, ends: str) -> None:
    sheet = (ROOT / "models" / "disks" / "fc-15k-2002.yaml").read_text()
    assert "  heads:\n" in sheet
    (tmp_path / "disk.yaml").write_text(sheet.replace("  heads:\n", f"  heads:\n    interval: {ends}\n"))
    scenario = (SCENARIOS / "linux-fc-raw.yaml").read_text().replace("disks/fc-15k-2002", "./disk.yaml")
    (tmp_path / "scenario.yaml").write_text(scenario)
    with pytest.raises(ScenarioError, match="a list of two numbers, the least and the most"):
        load(tmp_path / "scenario.yaml")


def test_a_misspelt_value_beside_an_interval_is_told(tmp_path: Path) -> None:
    sheet = (ROOT / "models" / "adapters" / "connectx-5.yaml").read_text()
    begin = sheet.index("  packet_time:\n")
    (tmp_path / "nic.yaml").write_text(sheet[:begin] + sheet[begin:].replace("    value:", "    valeu:", 1))
    scenario = (SCENARIOS / "one-flow-100g.yaml").read_text().replace("adapters/connectx-5", "./nic.yaml")
    (tmp_path / "scenario.yaml").write_text(scenario)
    with pytest.raises(ScenarioError, match="found the unknown key 'valeu'; .*did you mean 'value'"):
        load(tmp_path / "scenario.yaml")


@pytest.mark.parametrize(
    ("name", "setting", "told"),
    [
        ("sgi-hippi-ttcp", "links.link1.length=1e15 m", "'ttcp' cannot be run with these values"),
        ("slac-datamove8", "hosts.datamove8.stack.max_cwnd=2000000 MiB", "max_cwnd must be from 0 to"),
    ],
)
def test_values_beyond_what_can_be_computed_with(name: str, setting: str, told: str) -> None:
    scenario = load(SCENARIOS / f"{name}.yaml", [setting])
    with pytest.raises(RunError, match=told):
        lower(scenario.cases[0].system)


def test_a_rate_of_many_digits_is_as_good_as_a_round_one() -> None:
    # Between a CPU's and a memory's time for a byte is a fraction of too many digits for 64 bits.
    scenario = load(SCENARIOS / "linux-sendfile.yaml", ["hosts.server.memory.copy_rate=217.3512 MB/s"])
    assert bound(lower(scenario.cases[0].system)).rate()
