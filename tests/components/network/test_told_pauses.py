"""A run tells of lossless classes without traffic, and of pauses over links that have no pause frames."""

from __future__ import annotations

from pathlib import Path

from simio.loading import load
from simio.lower import lower

CLASSES = """
title: A lossless class
hosts: {a: {model: hosts/storage-client-2023}, b: {like: a}}
switches:
  tor: {model: switches/roce-tor, discipline: priority, pause_classes: 3}
links:
  - {model: links/ethernet-100g, between: [a.eth, tor]}
  - {model: links/ethernet-100g, between: [tor, b.eth]}
workload: {ttcp: {from: a, to: b, size: 64 KiB, writes: 8}}
"""
RING = """
title: Adapters on a ring
hosts:
  a:
    model: hosts/linux-2002-dual-p3
    stack: stacks/linux-2.4
    adapters: {net: {model: adapters/fddi-1994, bus: pci, pause_above: 32 KiB}}
  b: {like: a}
links: [{model: links/fddi, between: [a.net, b.net]}]
workload: {ttcp: {from: a, to: b, size: 8 KiB, writes: 8}}
"""


def told(folder: Path, text: str, *settings: str) -> tuple[str, ...]:
    path = folder / "case.yaml"
    path.write_text(text)
    return lower(load(path, list(settings)).cases[0].system).told


def test_a_lossless_class_without_traffic_is_told(tmp_path: Path) -> None:
    (note,) = told(tmp_path, CLASSES)
    assert note == (
        "no packet is of class 3, which tor would not lose (pause_classes): give a workload that traffic_class"
    )
    assert told(tmp_path, CLASSES, "workload.ttcp.traffic_class=3") == ()
    (note,) = told(tmp_path, CLASSES, "switches.tor.pause_classes=[3, 5]", "switches.tor.buffer=64 MiB")
    assert note.startswith("no packet is of classes 3 and 5, which tor ")


def test_pauses_over_a_ring_are_told(tmp_path: Path) -> None:
    notes = told(tmp_path, RING)
    assert [note.partition(" over ")[0] for note in notes] == ["b.net stops nothing", "a.net stops nothing"]
    assert (
        told(tmp_path, RING, "hosts.a.adapters.net.pause_above=none", "hosts.b.adapters.net.pause_above=none") == ()
    )
