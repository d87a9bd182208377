"""Lines near saturation: the precision of their mean times against heavy-traffic theory, and when it is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from simio.loading import load
from simio.result.model import LoadUse, ResourceUse
from simio.result.slow_lines import slow_lines
from simio.running import run_case

SECOND = 10**12
LOAD = (LoadUse("d", 990, 990),)


def use(utilisation: float, line: float = 50.0, lock: bool = False, units: int = 1) -> ResourceUse:
    """A resource that 1 ms of service a request keeps busy for so much of 20 s."""
    seizes = round(utilisation * units * 20_000)
    return ResourceUse("wire", units, lock, utilisation, line, 60, seizes, seizes)


def test_a_line_that_changes_within_seconds_is_told() -> None:
    # 1 ms over (1 - 0.98) squared is 2.5 s; of 5 runs of 18 s, 1.96 sqrt(2 * 2.5 / 90) is 46%, of 3 runs 60%, and a
    # run 1.4 times as long has 50%.
    assert slow_lines(LOAD, [use(0.98), use(0.5)], 20 * SECOND, [18 * SECOND] * 5) == []
    assert slow_lines(LOAD, [use(0.98), use(0.5)], 20 * SECOND, [18 * SECOND] * 3) == [
        "wire is busy 98.0% of the time, and so long a line changes within about 2.5 s: 3 runs of 18 s leave mean "
        "times uncertain by 60%; a run 1.4 times as long (run.until) shows them"
    ]
    # Of two servers, one comes free after half the time.
    (note,) = slow_lines(LOAD, [use(0.98, units=2)], 20 * SECOND, [18 * SECOND])
    assert "within about 1.2 s: 18 s leave" in note
    (note,) = slow_lines(LOAD, [use(0.999)], 20 * SECOND, [18 * SECOND])
    assert "uncertain by more than 100%" in note


@pytest.mark.parametrize(
    ("loads", "busiest"),
    [
        ((), use(0.98)),
        ((LoadUse("d", 990, 900, grows=90),), use(0.98)),
        ((LoadUse("d", 990, 990, users=5, think=10),), use(0.98)),
        (LOAD, use(0.98, line=0.2)),
        (LOAD, use(0.98, lock=True)),
        (LOAD, use(1.0)),
        (LOAD, use(0.85)),
    ],
)
def test_others_are_not(loads: tuple[LoadUse, ...], busiest: ResourceUse) -> None:
    assert slow_lines(loads, [busiest], 20 * SECOND, [SECOND]) == []


def test_a_run_tells_of_it(tmp_path: Path) -> None:
    path = tmp_path / "line.yaml"
    path.write_text("""
title: Datagrams over a line that is nearly full
hosts: {a: {model: hosts/linux-namespace}, b: {like: a}}
links: [{model: links/ethernet-100, rate: 10 Mbit/s, between: [a.eth, b.eth], length: 0 m}]
workload: {d: {kind: datagrams, from: a, to: b, size: 1000 B, count: 20000, arrivals: {rate: 1150 /s}}}
run: {until: 10 s, warm_up: 2 s, replications: 2}
""")
    notes = run_case(load(path).cases[0]).notes
    assert any(note.startswith("a.eth>b.eth is busy ") and "2 runs of " in note for note in notes)
    assert not any(
        "changes within" in note for note in run_case(load(path, ["workload.d.arrivals.rate=600 /s"]).cases[0]).notes
    )
