"""A run tells of values of queues, and of classes of traffic, that a scenario gives and nothing on the way uses."""

from __future__ import annotations

from pathlib import Path

import pytest

from simio.loading import load
from simio.lower import lower

SWITCHED = """
title: Two hosts at a switch
hosts: {a: {model: hosts/linux-namespace}, b: {like: a}}
switches: {tor: {model: switches/ideal-ethernet}}
links:
  - {model: links/ethernet-1000, between: [a.eth, tor]}
  - {name: last, model: links/emulated, between: [tor, b.eth], rate: 100 Mbit/s, burst: 3200 B, queue: 64 KiB}
workload: {ttcp: {from: a, to: b, size: 64 KiB, writes: 8}}
"""


def told(folder: Path, *settings: str) -> list[str]:
    path = folder / "case.yaml"
    path.write_text(SWITCHED)
    return [note for note in lower(load(path, list(settings)).cases[0].system).told if "does nothing" in note]


@pytest.mark.parametrize(
    ("setting", "note"),
    [
        ("switches.tor.pause_buffer=20 KiB", "tor: pause_buffer does nothing without pause_classes"),
        ("switches.tor.red_least=5 kB", "tor: red_least does nothing with discipline drop-tail, only with red"),
        (
            "links.last.target=5 ms",
            "last: target does nothing with discipline drop-tail, only with codel or fq_codel",
        ),
        ("workload.ttcp.traffic_class=3", "ttcp: traffic_class does nothing, as no queue has classes of traffic"),
    ],
)
def test_a_value_that_nothing_uses_is_told(tmp_path: Path, setting: str, note: str) -> None:
    (found,) = told(tmp_path, setting)
    assert found.startswith(note)


def test_values_that_are_used_or_of_the_catalogue_are_not_told(tmp_path: Path) -> None:
    assert told(tmp_path) == []
    assert told(tmp_path, "switches.tor.red_least=5 kB", "switches.tor.discipline=red") == []
    assert told(tmp_path, "workload.ttcp.traffic_class=3", "links.last.discipline=priority") == []
    assert told(tmp_path, "switches.tor=switches/roce-tor", "switches.tor.discipline=priority") == []
