"""Datagrams that do not arrive are told beside the throughput of those that do."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import simio

OVERLOADED = """
title: Datagrams into a slow port
hosts: {a: {model: hosts/linux-namespace}, b: {like: a}}
switches: {s: {model: switches/ideal-ethernet, buffer: 20 kB}}
links: [{model: links/ethernet-1000, between: [a.eth, s]}, {model: links/ethernet-100, between: [s, b.eth]}]
workload: {datagrams: {from: a, to: b, size: 1472 B, count: 20000, period: 20 us}}
run: {until: 300 ms, warm_up: 100 ms}
report: {unit: Mbit/s}
"""


def _notes(folder: Path, *sets: str) -> tuple[str, ...]:
    path = folder / "case.yaml"
    path.write_text(OVERLOADED)
    return simio.load(path, list(sets)).run().cases[0].notes


def test_what_does_not_arrive_is_told_with_its_share_and_place(tmp_path: Path) -> None:
    # One comes every 20 us, and the port passes one in 1538 bytes x 80 ns = 123.04 us: 16.26% of them.
    (note,) = _notes(tmp_path)
    share, text = note.split("%")
    assert float(share) == pytest.approx(83.74, abs=0.05)
    assert text == " of what is sent does not arrive; most packets end as 's dropped'"


def test_what_was_lost_before_the_part_that_is_measured_is_told(tmp_path: Path) -> None:
    # All are sent at once and come at ten times the rate of the port: it passes a tenth of them meanwhile, and the 13
    # of 1518 bytes that 20 kB hold.
    at_once = ("hosts.a.stack.datagram_buffer=none", "workload.datagrams.period=0 s", "run.warm_up=1 ms")
    (note,) = _notes(tmp_path, *at_once, "workload.datagrams.count=2000")
    share, text = note.split("%")
    assert float(share) == pytest.approx(100 * (1 - 213 / 2000), abs=0.1)
    assert text == " of what is sent does not arrive; most packets end as 's dropped'"


def test_what_waits_is_not_told_to_be_lost(tmp_path: Path) -> None:
    (note,) = _notes(tmp_path, "switches.s.buffer=1 GB")
    share, text = note.split("%")
    assert float(share) == pytest.approx(83.74, abs=0.05)
    assert re.fullmatch(
        r" of what is sent does not arrive by then: nothing drops it, and up to \d+ wait for 's>b.eth'", text
    )


def test_nothing_is_told_where_all_arrive(tmp_path: Path) -> None:
    assert _notes(tmp_path, "workload.datagrams.period=200 us") == ()
