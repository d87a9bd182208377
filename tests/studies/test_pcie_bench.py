"""The tables of pcie-bench against a straw man: the link's raw rate cut at the card's ceiling, or a fixed latency."""

from __future__ import annotations

import json
from pathlib import Path
from statistics import median
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
TABLES = sorted((ROOT / "validation" / "pcie-bench").glob("*.yaml"))
LINK = 8 * 128 / 130 * 8
"""Gbit/s of eight lanes of generation 3."""
TRANSACTION = 1 / 21.1
"""Transactions a ns that the card makes at most."""
FIXED, PAIR = 600, 800
"""Latency in ns of a read of 64 bytes, and of a write before it, on the first host; the rest is the link's rate."""


def straw(row: dict[str, Any], quantity: str) -> float:
    """Answer of a planner without a model."""
    where = row["where"]
    size = int(str(where.get("workload.dma.size", "64 B")).split()[0])
    if quantity == "throughput":
        return min(LINK, 8 * size * TRANSACTION)
    fixed = PAIR if where.get("workload.dma.does") == "write-read" else FIXED
    return fixed + 8 * (size - 64) / LINK


def straw_errors(table: Path) -> list[float]:
    """Signed errors of the straw man on the released rows of a table."""
    data = yaml.safe_load(table.read_text(encoding="utf-8"))
    rows = [row for row in data["rows"] if row["value"] != "held"]
    return [straw(row, data["quantity"]) / row["value"] - 1 for row in rows]


def errors(table: Path) -> list[float]:
    """Those of simio, as the baseline has them."""
    known = json.loads((ROOT / "validation" / "baseline.json").read_text(encoding="utf-8"))[
        f"pcie-bench/{table.stem}"
    ]
    found = []
    for row in yaml.safe_load(table.read_text(encoding="utf-8"))["rows"]:
        settings = [f"{key} = {value}" for key, value in row["where"].items()]
        # A setting ends where the next begins, or the quantity does.
        (value,) = (
            each["value"]
            for name, each in known.items()
            if all(f"{setting}," in name or f"{setting}:" in name for setting in settings)
        )
        if row["value"] != "held":
            found.append(value / row["value"] - 1)
    return found


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.stem)
def test_every_table_has_rows_that_are_withheld(table: Path) -> None:
    values = [row["value"] for row in yaml.safe_load(table.read_text(encoding="utf-8"))["rows"]]
    assert 0 < values.count("held") < len(values)


@pytest.mark.parametrize("group", ["latency", "bandwidth"])
def test_the_model_beats_a_straw_man(group: str) -> None:
    tables = [table for table in TABLES if table.stem.startswith(group)]
    ours = median(abs(error) for table in tables for error in errors(table))
    theirs = median(abs(error) for table in tables for error in straw_errors(table))
    assert ours < theirs / 3


def told(found: list[float]) -> str:
    """Median and worst error, as docs/pcie.md has them."""
    sizes = [abs(error) for error in found]
    return f"{median(sizes):.1%} | {max(sizes):.1%}"


if __name__ == "__main__":
    for each in TABLES:
        print(f"| {each.stem} | {len(errors(each))} | {told(errors(each))} | {told(straw_errors(each))} |")
