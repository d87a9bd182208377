"""A link of PCI Express trains at what both of its ends have."""

from __future__ import annotations

from pathlib import Path

import pytest

import simio
from simio.errors import ScenarioError
from simio.result.model import CaseResult

DRIVE = """
title: One drive
hosts: {{server: {{model: hosts/server-2024-1s, buses: {{pcie: {slot}}}}}}}
disks: {{d: {{model: disks/optane-p5800x, channel_rate: 30 GB/s}}}}
links: [{{model: links/nvme, between: [server.nvme, d]}}]
workload: {{reader: {{host: server, from: d, block: 128 KiB, size: 32 MiB, depth: 16, access: direct}}}}
"""
CARD = """
title: A card of 200 Gbit/s in a slot of generation 5 with 16 lanes
hosts:
  a: {{model: hosts/server-2024-1s, adapters: {{r: {{model: adapters/connectx-6-rdma, bus: slot{values}}}{others}}}}}
  b: {{model: hosts/server-2024-1s, adapters: {{r: {{model: adapters/connectx-6-rdma, bus: slot}}}}}}
links: [{{model: links/ethernet-200g-jumbo, between: [a.r, b.r]}}]
workload: {{rdma: {{from: a, to: b, size: 1 MiB, depth: 8, messages: 20}}}}
"""


def case(tmp_path: Path, text: str, **values: str) -> CaseResult:
    """The result of the scenario with these values."""
    path = tmp_path / "scenario.yaml"
    path.write_text(text.format(**values))
    (result,) = simio.load(path).run().cases
    return result


def slot_time(tmp_path: Path, values: str = "", others: str = "") -> float:
    """Time for which a byte that the card sends keeps its slot."""
    result = case(tmp_path, CARD, values=values, others=others)
    (slot,) = (each for each in result.resources if each.name == "a.slot down")
    return float(slot.utilisation / result.rate)


def test_an_older_drive_has_the_rate_of_its_own_generation_in_a_newer_slot(tmp_path: Path) -> None:
    # The drive has generation 4 and four lanes.
    newer, same, older = (
        case(tmp_path, DRIVE, slot=f"{{model: buses/pcie-5-x4, generation: {generation}}}").rate
        for generation in (5, 4, 3)
    )
    assert newer == same
    assert older < 0.55 * same


@pytest.mark.parametrize(
    ("values", "times"),
    [
        (", generation: 5", 1 / 2),
        (", generation: 6", 1 / 2),  # the slot has 5
        (", lanes: 8", 2),
        (", lanes: 32", 1),  # the slot has 16
        (", generation: 3", 2),
    ],
)
def test_a_card_keeps_the_slot_for_as_long_as_its_generation_and_lanes_ask(
    tmp_path: Path, values: str, times: float
) -> None:
    # ConnectX-6 has generation 4 and 16 lanes.
    assert slot_time(tmp_path, values) == pytest.approx(times * slot_time(tmp_path), rel=0.01)


def test_an_older_card_does_not_slow_another_one_on_its_bus(tmp_path: Path) -> None:
    older = ", old: {model: adapters/connectx-5, bus: slot, generation: 1}"
    assert slot_time(tmp_path, others=older) == slot_time(tmp_path)


def test_a_generation_that_there_is_not_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match=r"adapters\.r\.generation: found 8; expected a generation"):
        case(tmp_path, CARD, values=", generation: 8", others="")
