"""A fault that passes: the first lines say for how long nothing was delivered because of it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from simio.loading import load
from simio.running import run_case

SCENARIO = """
title: A connection over a link that goes down
hosts:
  a: {model: hosts/linux-namespace}
  b: {like: a}
links:
  - {name: way, model: links/ethernet-1000, between: [a.eth, b.eth], delay: 100 us, bond: {members: 2, mode: MODE}}
workload: {ttcp: {from: a, to: b, size: 64 KiB, window: 64 KiB}}
faults: [{name: outage, kind: down, of: OF, at: 1 s, for: 500 ms}]
run: {until: 3 s, warm_up: 0 s}
"""


def notes(tmp_path: Path, of: str, mode: str) -> list[str]:
    path = tmp_path / "case.yaml"
    path.write_text(SCENARIO.replace("OF", of).replace("MODE", mode))
    return [note for note in run_case(load(str(path)).cases[0]).notes if "nothing was delivered" in note]


def test_an_outage_is_told_with_the_time_that_tcp_takes_beyond_it(tmp_path: Path) -> None:
    # A first timeout of 200 ms and a round trip, doubled once: what goes the second time gets through.
    (told,) = notes(tmp_path, "way", "active-backup")
    found = re.fullmatch(
        r"nothing was delivered for (\d+\.?\d*) ms from 1(\.\d+)? s on, 20% of the part that is averaged; "
        r"outage itself lasted 500 ms",
        told,
    )
    assert found
    assert float(found[1]) == pytest.approx(604, abs=5)


def test_a_fault_that_holds_nothing_up_is_not_told(tmp_path: Path) -> None:
    assert notes(tmp_path, "way.2", "active-backup") == []
