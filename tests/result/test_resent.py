"""Notes on packets that go again over a link that limits, and on marks that no sender asks for."""

from __future__ import annotations

from pathlib import Path

import pytest

import simio
from simio.result.model import CaseResult

PAUSES = """
title: A headroom that is too small, and one that is not
hosts:
  a:
    model: hosts/server-2023-2s
    adapters: {roce: {model: adapters/connectx-5-rdma, bus: slot, pause_classes: [3], congestion_control: none}}
  b: {like: a}
  c: {like: a}
switches:
  tor: {model: switches/roce-tor, discipline: priority, weights: [1, 1, 1, 1], mark_above: none, pause_classes: [3],
        pause_above: 100 kB, pause_buffer: 110 kB, buffer: 8 MB}
links:
  - {model: links/ethernet-100g-jumbo, between: [a.roce, tor], length: 100 m}
  - {model: links/ethernet-100g-jumbo, between: [b.roce, tor], length: 100 m}
  - {model: links/ethernet-100g-jumbo, between: [tor, c.roce], length: 100 m}
workload:
  one: {kind: rdma, from: a, to: c, size: 64 KiB, depth: 64, traffic_class: 3}
  two: {kind: rdma, from: b, to: c, size: 64 KiB, depth: 64, traffic_class: 3}
run: {until: 2 ms, warm_up: 500 us, replications: 1}
"""
MARKS = """
title: A queue that marks
hosts: {a: {model: hosts/linux-namespace}, b: {model: hosts/linux-namespace}}
switches: {tor: {model: switches/ideal-ethernet, buffer: 500 kB, mark_above: 65 kB}}
links:
  - {model: links/ethernet-100g, between: [a.eth, tor]}
  - {model: links/ethernet-10g, between: [tor, b.eth]}
workload: {ttcp: {from: a, to: b, size: 64 KiB, writes: 20}}
"""
NONE = "none are: set ecn, or dctcp, at both ends"
ONE_END = "b has no ecn, nor dctcp"


def _run(folder: Path, text: str, *sets: str) -> CaseResult:
    path = folder / "case.yaml"
    path.write_text(text)
    return simio.load(path, sets).run().cases[0]


def test_a_link_full_of_packets_that_go_again_is_told(tmp_path: Path) -> None:
    # A cable of 100 m holds 12.5 kB both ways, more than the 10 kB above the level.
    lost = _run(tmp_path, PAUSES)
    assert lost.limiter.name == "tor>c.roce"
    assert any(note.endswith("packets went again") for note in lost.notes)


def test_a_link_full_of_data_has_no_such_note(tmp_path: Path) -> None:
    kept = _run(tmp_path, PAUSES, "switches.tor.pause_buffer=130 kB")
    assert kept.limiter.name == "tor>c.roce"
    assert not [note for note in kept.notes if "went again" in note]


@pytest.mark.parametrize(
    ("sets", "told"),
    [
        ((), [NONE]),
        (("switches.tor.mark_above=none",), []),
        (("hosts.a.stack.ecn=true",), [ONE_END]),
        (("hosts.a.stack.ecn=true", "hosts.b.stack.ecn=true"), []),
        (("hosts.a.stack.congestion_control=dctcp", "hosts.b.stack.congestion_control=dctcp"), []),
    ],
)
def test_marks_without_an_end_that_asks_for_them_are_told(
    tmp_path: Path, sets: tuple[str, ...], told: list[str]
) -> None:
    notes = [note for note in _run(tmp_path, MARKS, *sets).notes if note.endswith((NONE, ONE_END))]
    assert [next(end for end in (NONE, ONE_END) if note.endswith(end)) for note in notes] == told
