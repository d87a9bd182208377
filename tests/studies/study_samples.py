"""A small library of two measured tables, and rows as if they had been simulated."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

from simio.description.measured import MeasuredRow, MeasuredTable, Tolerance
from simio.studies import Library, Row, Simulated
from simio.studies.summary import TableSummary

SCENARIO = """
title: Packets of three sizes
hosts: {a: {model: hosts/sgi-challenge-l}, b: {like: a}}
links: [{model: links/hippi-800, between: [a.hippi, b.hippi], length: 10 m}]
workload: {blast: {from: a, to: b, packets: 3}}
vary: {workload.blast.size: [4 KiB, 64 KiB, 1 MiB]}
measured: [house/sizes, house/whole]
"""
SIZES = """
title: By size
source: a notebook
quantity: throughput
unit: MB/s
scenario: packets
tolerance: {median: 8%, worst: 20%}
rows:
  - {where: {workload.blast.size: 4 KiB}, value: 5}
  - {where: {workload.blast.size: 1 MiB}, value: held}
"""
WHOLE = """
title: Over all sizes
source: a notebook
quantity: throughput
unit: MB/s
scenario: packets
rows:
  - {where: {hosts.a.model: hosts/sgi-challenge-l}, over: most, value: 60, note: <b>read</b> off a plot}
"""


def library(folder: Path, **files: str) -> Library:
    """The library written to a folder; `files` replace the texts of packets, sizes and whole."""
    scenarios, tables = folder / "scenarios", folder / "tables"
    for where in (scenarios, tables / "house"):
        where.mkdir(parents=True)
    (scenarios / "packets.yaml").write_text(files.get("packets", SCENARIO))
    (tables / "house" / "sizes.yaml").write_text(files.get("sizes", SIZES))
    (tables / "house" / "whole.yaml").write_text(files.get("whole", WHOLE))
    return Library(tables, scenarios)


def row(error: float | None, name: str = "1", table: str = "sizes", **more: str) -> Simulated:
    """A row measured as 100 MB/s and simulated with an error; None is a held row, simulated as 100."""
    value = None if error is None else Fraction(100)
    text = "held" if value is None else "100"
    own = MeasuredRow("house", table, value, text, value is None, "MB/s", **more)  # type: ignore[arg-type]
    found = Row("packets", (0,), (("workload.blast.size", f"{name} KiB"),), own)
    return Simulated(found, 100 * (1 + (error or 0.0)))


def summary_of(rows: list[Simulated], tolerance: Tolerance | None = None, name: str = "sizes") -> TableSummary:
    """A table of these rows that uses no values."""
    table = MeasuredTable(
        f"house/{name}",
        "By <size>",
        {"document": "a & b"},
        "throughput",
        "MB/s",
        "",
        len(rows),
        ("packets",),
        tolerance,
    )
    return TableSummary(table, tuple(rows), len(rows), {})
