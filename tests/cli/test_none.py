"""`none` says of every optional whole number that there is none, as of every optional quantity."""

from __future__ import annotations

from pathlib import Path

import pytest

from simio.errors import ScenarioError
from simio.loading import load
from simio.loading.schema import scenario_schema

SCENARIOS = Path(__file__).parents[2] / "scenarios"
DRIVE, FLOWS = SCENARIOS / "nvme-qd.yaml", SCENARIOS / "tcp-short-long.yaml"


def test_an_optional_whole_number_may_be_none() -> None:
    system = load(FLOWS, ["workload.short.core=none", "workload.long.writes=none"]).cases[0].system
    assert system.workloads["short"].params.core is None
    assert system.workloads["long"].params.writes is None


def test_channels_give_way_to_a_rate() -> None:
    none = [f"hosts.server.memory.{key}=none" for key in ("channels", "channel_rate", "reached")]
    (case, *_) = load(DRIVE, [*none, "hosts.server.memory.rate=50 GB/s"]).cases
    assert case.system.hosts["server"].memory.sheet.moved == 50 * 10**9
    with pytest.raises(ScenarioError, match="or none for channels"):
        load(DRIVE, ["hosts.server.memory.rate=50 GB/s", "hosts.server.memory.channels=2"])


def test_another_word_is_told_what_there_may_be() -> None:
    with pytest.raises(ScenarioError, match=r"memory\.channels: found 'many'; expected a whole number, or 'none'"):
        load(DRIVE, ["hosts.server.memory.channels=many"])
    with pytest.raises(ScenarioError, match=r"memory\.channels: found 0; expected at least 1"):
        load(DRIVE, ["hosts.server.memory.channels=0"])


def test_editors_accept_it() -> None:
    ttcp = scenario_schema()["properties"]["workload"]["properties"]["ttcp"]["anyOf"][0]
    assert {"const": "none"} in ttcp["properties"]["writes"]["anyOf"]
