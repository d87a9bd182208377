"""Switches that are like another, with values of their own."""

from __future__ import annotations

from pathlib import Path

import pytest

from simio.errors import ScenarioError
from simio.loading import load

TEXT = """
title: Two switches
hosts: {a: {model: hosts/linux-namespace}, b: {like: a}}
switches:
  one: {model: switches/ideal-ethernet, buffer: 500 kB, latency: 500 ns}
  two: {like: one, buffer: 1 MB}
links:
  - {model: links/ethernet-10g, between: [a.eth, one]}
  - {model: links/ethernet-10g, between: [one, two]}
  - {model: links/ethernet-10g, between: [two, b.eth]}
workload: {ttcp: {from: a, to: b, size: 64 KiB, writes: 1}}
"""


def _load(folder: Path, text: str, *sets: str):
    path = folder / "case.yaml"
    path.write_text(text)
    return load(path, sets)


def test_a_switch_has_the_values_of_another_and_its_own(tmp_path: Path) -> None:
    switches = _load(tmp_path, TEXT).cases[0].system.switches
    assert switches["two"].part.sheet.latency == switches["one"].part.sheet.latency == 500_000
    assert (switches["one"].part.sheet.buffer, switches["two"].part.sheet.buffer) == (500_000, 1_000_000)


def test_a_value_that_is_set_reaches_the_switches_alike(tmp_path: Path) -> None:
    switches = _load(tmp_path, TEXT, "switches.one.latency=2 us").cases[0].system.switches
    assert switches["two"].part.sheet.latency == 2_000_000


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("{like: won}", "the unknown switch 'won'; expected 'one'"),
        ("{like: two}", "two like two"),
        ("{like: one, model: switches/roce-tor}", "both model and like"),
        ("{bufer: 1 MB, like: one}", "did you mean 'buffer'?"),
        ("{buffer: 1 MB}", "like and the name of another switch"),
    ],
)
def test_a_likeness_that_leads_nowhere_is_told(tmp_path: Path, given: str, told: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        _load(tmp_path, TEXT.replace("{like: one, buffer: 1 MB}", given))
    assert told in str(caught.value)
