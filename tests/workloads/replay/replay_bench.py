"""A host with a disk that a trace is replayed on, and what a replay is asked for."""

from __future__ import annotations

from simio.api import load as study
from simio.engines import compiled
from simio.loading import load
from simio.lower import lower

US = 10**6
MS = 10**9

RIG = """
title: A replay
hosts:
  server: {{model: hosts/linux-2002-dual-p3, adapters: {{scsi: {{model: adapters/aic-7899, bus: pci}}}}}}
disks:
  d: {{model: disks/atlas-10k, count: {count}}}
links:
  - {{model: links/scsi-ultra160, between: [server.scsi, d], length: 3 m}}
workload:
  replay: {{host: server, trace: ./{file}{more}}}
run: {{warm_up: 0 s}}
"""

THREE = "R Hit 1000 8 5000 2000.5\nW Miss 2000000 16 700 100\n\nR Hit 1008 4 900.25 0\n"
FIVE = "0 0 0 8 1\n10 0 8000 8 1\n20 1 16 16 0\n30 0 24 8 1\n40 1 32 4 1\n"
"""Requests to two devices, 10 ms apart."""
TO_BOTH = ", mode: recorded, devices: {'0': d1, '1': d2}"
"""A read, a write and a read, with measured responses and pauses in us."""


def marks(path, name: str, engine=compiled):
    program = lower(load(path).cases[0].system)
    found = engine.run(program)
    row = [mark.name for mark in program.marks].index(name)
    return [(int(time), int(value)) for time, which, value in found.marks if which == row]


def made(path, *sets: str, engine: str | None = None) -> list[dict[str, object]]:
    """Each request of a replay, in order of its number."""
    rows: list[dict[str, object]] = []

    def write(table) -> None:
        columns = [each.tolist() if hasattr(each, "tolist") else each for each in table.values()]
        rows.extend(dict(zip(table, row, strict=True)) for row in zip(*columns, strict=True))

    study(path, sets).run(engine, requests=write)
    return sorted(rows, key=lambda row: row["request"])
