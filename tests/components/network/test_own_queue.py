"""Segments that their own host drops, where small queues count what waits below a socket."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

from simio.engines.outcome import Options, Status
from simio.loading import load
from simio.lower import lower

SCENARIO = """
title: Streams whose segments the interface's own queue drops
hosts:
  a: {model: hosts/workstation, adapters: {ge: {model: adapters/gigabit-pc, bus: pcie, queue: 8}}}
  b: {like: a}
links:
  - {model: links/ethernet-1000, between: [a.ge, b.ge], length: 10 m}
workload:
  ttcp: {from: a, to: b, size: 64 KiB, window: 256 KiB, streams: 4, writes: 4}
"""


def test_what_the_own_queue_drops_waits_below_the_socket_no_more(engine: ModuleType, tmp_path: Path) -> None:
    path = tmp_path / "own.yaml"
    path.write_text(SCENARIO)
    program = lower(load(path).cases[0].system)
    outcome = engine.run(program, Options())
    amounts = {mark.name: 0 for mark in program.marks}
    for _, number, amount in outcome.marks.tolist():
        amounts[program.marks[number].name] += amount
    assert amounts["a.ge dropped"] > 0
    assert outcome.status == Status.DONE
    assert amounts["delivered"] == 4 * 4 * 64 * 1024
