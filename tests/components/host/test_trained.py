"""A link of PCI Express is at the highest generation and with the most lanes that both of its ends have."""

from __future__ import annotations

from pathlib import Path

import pytest

from simio.components.site import Site
from simio.description.sheets.pcie import PcieBusSheet, PcieDevice
from simio.loading import load
from simio.lower import lower
from simio.program.digest import program_hash

END = {"payload": 256, "read_request": 512, "tags": 256, "latency": 60_000}

DRIVES = """
title: A drive in a slot
hosts:
  server:
    model: hosts/server-2023-2s
    buses: {drives: {model: buses/pcie-4-x4, generation: GENERATION, lanes: LANES}}
    adapters: {fast: {model: adapters/nvme-linux, bus: drives}}
disks: {d: {model: disks/micron-9400-pro}}
links: [{model: links/nvme, between: [server.fast, d]}]
workload: {reader: {host: server, from: d, block: 128 KiB, size: 1 MiB}}
"""

CARDS = """
title: Disks behind a card in a slot
hosts:
  server:
    model: hosts/server-2023-2s
    buses: {card: {model: buses/pcie-4-x8, generation: GENERATION, lanes: LANES}}
    adapters: {sas: {model: adapters/sas-hba-2020, bus: card}}
disks: {d: {model: disks/exos-x24-24tb-sas}}
links: [{model: links/sas-12, between: [server.sas, d]}]
workload: {reader: {host: server, from: d, block: 128 KiB, size: 1 MiB}}
"""

ADAPTERS = """
title: An adapter that is given another rate
hosts:
  a: {model: hosts/server-2023-2s, adapters: {eth: {speed: SPEED}}}
  b: {model: hosts/server-2023-2s}
links: [{model: links/ethernet-100g, between: [a.eth, b.eth]}]
workload: {iperf3: {from: a, to: b, total: 1 MB}}
"""


def sheet(generation: int, lanes: int) -> PcieBusSheet:
    return PcieBusSheet(generation=generation, lanes=lanes, **END)


@pytest.mark.parametrize(
    ("own", "devices", "trained"),
    [
        ((5, 4), [(4, 4)], (4, 4)),
        ((3, 4), [(4, 4)], (3, 4)),
        ((5, 16), [(3, 8)], (3, 8)),
        ((4, 8), [(None, None)], (4, 8)),
        ((5, 16), [(3, 16), (4, 8)], (4, 16)),
        ((5, 16), [(3, 8), (None, None)], (5, 16)),
        ((5, 16), [], (5, 16)),
    ],
)
def test_a_link_is_what_both_ends_have(
    own: tuple[int, int], devices: list[tuple[int | None, int | None]], trained: tuple[int, int]
) -> None:
    link = sheet(*own).trained([PcieDevice(generation=each, lanes=lanes) for each, lanes in devices])
    assert (link.generation, link.lanes) == trained
    assert link.rate == sheet(*trained).rate


def lowered(folder: Path, text: str, generation: int, lanes: int) -> tuple[str, list[str]]:
    path = folder / "case.yaml"
    path.write_text(text.replace("GENERATION", str(generation)).replace("LANES", str(lanes)))
    program = lower(load(path).cases[0].system)
    return program_hash(program), list(program.told)


def test_a_drive_of_generation_4_gains_nothing_from_a_slot_of_generation_5(tmp_path: Path) -> None:
    same, _ = lowered(tmp_path, DRIVES, 4, 4)
    assert lowered(tmp_path, DRIVES, 5, 4) == (same, [])
    assert lowered(tmp_path, DRIVES, 5, 16) == (same, [])
    assert lowered(tmp_path, DRIVES, 3, 4)[0] != same


def test_an_adapter_of_generation_4_gains_nothing_from_a_slot_of_generation_5(tmp_path: Path) -> None:
    assert lowered(tmp_path, CARDS, 5, 16) == lowered(tmp_path, CARDS, 4, 8)


@pytest.mark.parametrize(("speed", "told"), [("100 Gbit/s", 0), ("400 Gbit/s", 1)])
def test_an_adapter_that_is_faster_than_its_link_is_told(tmp_path: Path, speed: str, told: int) -> None:
    path = tmp_path / "case.yaml"
    path.write_text(ADAPTERS.replace("SPEED", speed))
    notes = [note for note in lower(load(path).cases[0].system).told if "trains" in note]
    assert notes == told * [
        "a.slot of generation 5 with 16 lanes trains to generation 3 with 16 lanes, which the adapter has, less than "
        "the rate of a.eth"
    ]


def test_a_slower_card_on_the_bus_of_a_driver_does_not_slow_its_drives(tmp_path: Path) -> None:
    text = DRIVES.replace("fast: {", "sas: {model: adapters/sas-hba-2020, generation: 3, bus: drives}, fast: {")
    assert lowered(tmp_path, text, 4, 4) == lowered(tmp_path, DRIVES, 4, 4)


BESIDE = """
title: A card that does not say what its end has, beside one that does
hosts:
  a: {model: hosts/server-2023-2s, adapters: {card: {model: adapters/gigabit-pc, bus: slot}}}
  b: {model: hosts/server-2023-2s, adapters: {card: {model: adapters/gigabit-pc, bus: slot}}}
links: [{model: links/ethernet-1000, between: [a.card, b.card], length: 10 m}]
workload: {ttcp: {from: a, to: b, size: 64 KiB, writes: 10}}
"""


def test_an_unused_card_of_an_older_generation_leaves_the_slot_to_others(tmp_path: Path) -> None:
    path = tmp_path / "case.yaml"
    path.write_text(BESIDE)
    system = load(path).cases[0].system
    site = Site(system)
    assert system.hosts["a"].adapters["eth"].part.sheet.generation == 3
    assert (site.host("a").pcie("slot").sheet.generation, site.host("a").pcie("far").sheet.generation) == (5, 5)
