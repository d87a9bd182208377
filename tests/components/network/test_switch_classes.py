"""Classes of traffic at an output of a switch that has too much to send: each has a queue of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from simio.loading import load
from simio.result.model import LoadUse
from simio.running import run_case

SCENARIO = """
title: Two classes at an output of 10 Mbit/s
hosts: {a: {model: hosts/linux-namespace}, a2: {like: a}, b: {like: a}}
switches: {s: {model: switches/ideal-ethernet, discipline: priority, buffer: 64 KiB}}
links:
  - {model: links/ethernet-1000, between: [a.eth, s]}
  - {model: links/ethernet-1000, between: [a2.eth, s]}
  - {model: links/ethernet-100, rate: 10 Mbit/s, between: [s, b.eth]}
workload:
  urgent: {kind: datagrams, from: a, to: b, traffic_class: 1, size: 1000 B, count: 100000, arrivals: {rate: 400 /s}}
  rest: {kind: datagrams, from: a2, to: b, size: 1000 B, count: 100000, arrivals: {rate: 1500 /s}}
run: {until: 6 s, warm_up: 1 s, replications: 1}
"""
LINE = 10**7 / 8 / 1066
"""Datagrams of 1000 bytes a second on the line, with headers, preamble and gap."""


def served(folder: Path, *sets: str) -> dict[str, LoadUse]:
    path = folder / "classes.yaml"
    path.write_text(SCENARIO, encoding="utf-8")
    return {use.name: use for use in run_case(load(path, sets).cases[0]).loads}


def test_an_urgent_class_loses_nothing_to_one_that_fills_its_queue(tmp_path: Path) -> None:
    found = served(tmp_path)
    assert found["urgent"].lost == 0
    assert found["urgent"].served == pytest.approx(400, rel=0.1)
    assert found["rest"].served == pytest.approx(LINE - found["urgent"].served, rel=0.01)


def test_classes_share_an_output_by_their_weights(tmp_path: Path) -> None:
    found = served(tmp_path, "switches.s.weights=[1, 3]", "workload.urgent.arrivals.rate=1500 /s")
    assert found["urgent"].served == pytest.approx(3 / 4 * LINE, rel=0.01)
    assert found["rest"].served == pytest.approx(1 / 4 * LINE, rel=0.01)
