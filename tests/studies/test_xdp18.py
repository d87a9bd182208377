"""The tables of packets a second against a straw man: one core's rate times cores, cut at the adapter's ceiling."""

from __future__ import annotations

import json
from itertools import chain
from pathlib import Path
from statistics import fmean, median
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
STUDY = ROOT / "validation" / "xdp18"
TABLES = ("drop", "dpdk", "netfilter", "routing", "redirect", "send")
"""Those with several cores."""
CORES = "workload.packets.cores"
CEILINGS = {False: 86.6, True: 108.1}
"""Mpackets/s that six cores drop, without and with compressed completions."""


def of_table(name: str) -> list[tuple[dict[str, Any], float, float]]:
    """The released rows of a table of more than one core: settings, measured and simulated rate."""
    known = json.loads((ROOT / "validation" / "baseline.json").read_text(encoding="utf-8"))[f"xdp18/{name}"]
    found = []
    for row in rows(name):
        if row["value"] == "held" or row["where"][CORES] == 1:
            continue
        settings = [f"{key} = {str(value).lower()}" for key, value in row["where"].items()]
        value = next(
            each["value"]
            for text, each in known.items()
            if all(f"{setting}," in text or f"{setting}:" in text for setting in settings)
        )
        found.append((row["where"], row["value"], value))
    return found


def rows(name: str) -> list[dict[str, Any]]:
    return yaml.safe_load((STUDY / f"{name}.yaml").read_text(encoding="utf-8"))["rows"]


def straw(name: str, where: dict[str, Any]) -> float:
    """What a planner says who knows one core's rate, and the ceiling."""
    alone = {**where, CORES: 1}
    one = next(row["value"] for row in rows(name) if row["where"] == alone and row["value"] != "held")
    ceiling = CEILINGS[bool(where.get("hosts.dut.adapters.nic.compression"))]
    return min(where[CORES] * one, ceiling)


def errors(name: str) -> tuple[list[float], list[float]]:
    """Absolute errors of the model and of the straw man."""
    found = of_table(name)
    return (
        [abs(simulated / measured - 1) for _, measured, simulated in found],
        [abs(straw(name, where) / measured - 1) for where, measured, _ in found],
    )


@pytest.mark.parametrize("name", [path.stem for path in STUDY.glob("*.yaml")])
def test_every_table_has_rows_that_are_withheld(name: str) -> None:
    values = [row["value"] for row in rows(name)]
    assert 0 < values.count("held") < len(values)


def test_the_model_beats_a_straw_man() -> None:
    ours, theirs = everything()
    assert median(ours) < median(theirs)
    assert fmean(ours) < fmean(theirs) / 2
    assert max(ours) < max(theirs) / 2


def everything() -> list[list[float]]:
    """The errors of all tables: the model's, and the straw man's."""
    return [list(chain.from_iterable(found)) for found in zip(*map(errors, TABLES), strict=True)]


def told(name: str, mine: list[float], simple: list[float]) -> str:
    """A line of the table in docs/packet-rates.md."""
    both = [f"{of(found):.1%}" for found in (mine, simple) for of in (median, fmean, max)]
    return f"| {name} | {len(mine)} | {' | '.join(both)} |"


if __name__ == "__main__":
    for each in TABLES:
        print(told(each, *errors(each)))
    print(told("all", *everything()))
