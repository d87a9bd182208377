"""Transactions of a card's DMA engine: what a scenario is refused for, and what windows and caches decide."""

from __future__ import annotations

from pathlib import Path

import pytest

from simio.errors import ScenarioError, SimioError
from simio.loading import load
from simio.running import RunOptions, run_scenario

SCENARIO = """
title: a card
run: {{replications: 1}}
hosts:
  a: {{model: hosts/xeon-e5-2637-v3{host}}}
workload:
  dma: {{host: a, adapter: card, size: 64 B, transactions: 200{keys}}}
"""


def result(tmp_path: Path, host: str = "", keys: str = "", engine: str = "compiled"):
    path = tmp_path / "s.yaml"
    path.write_text(SCENARIO.format(host=host, keys=keys), encoding="utf-8")
    return run_scenario(load(path), options=RunOptions(engine=engine))


@pytest.mark.parametrize(
    ("host", "keys", "said"),
    [
        ("", ", adapter: crad", "did you mean 'card'"),
        (", adapters: {disk: {model: adapters/aic-7899, bus: pcie}}", ", adapter: disk", "no DMA engine"),
        ("", ", window: 32 B", "a window of at least 64 B"),
        ("", ", depth: 4097", "expected at most 4096"),
        ("", ", offset: 64 B", "less than a cache line"),
        (", buses: {pcie: {behind: up}}", "", "unknown PCI Express bus 'up'"),
        (", buses: {pcie: {generation: 8}}", "", "a generation of PCI Express, 1 to 7"),
        (", buses: {pcie: {lanes: 5}}", "", "1, 2, 4, 8, 12, 16 or 32 lanes"),
        (", buses: {pcie: {completion: 512 B}}", "", "at most the payload"),
    ],
)
def test_what_is_wrong_is_said(tmp_path: Path, host: str, keys: str, said: str) -> None:
    keys = keys.replace(", adapter:", "}\n  other: {kind: dma, host: a, size: 64 B, transactions: 200, adapter:")
    with pytest.raises(SimioError, match=said):
        result(tmp_path, host, keys)


def test_pci_express_needs_a_root_complex(tmp_path: Path) -> None:
    path = tmp_path / "s.yaml"
    path.write_text(
        "title: t\nhosts:\n  a: {model: hosts/linux-2002-dual-p3, buses: {e: {model: buses/pcie-4-x4}}}\n"
        "workload:\n  compute: {host: a}\n",
        encoding="utf-8",
    )
    with pytest.raises(ScenarioError, match=r"hosts\.a\.root: found nothing; expected the name of a root complex"):
        load(path)


def mean(found) -> float:
    (case,) = found.cases
    return case.observations[0].mean


def test_lines_beyond_the_cache_come_from_memory(tmp_path: Path) -> None:
    near, far = (mean(result(tmp_path, keys=f", window: {size}")) for size in ("15 MiB", "1 GiB"))
    cold = mean(result(tmp_path, keys=", window: 15 MiB, written: cold"))
    assert near < far <= cold


def test_both_engines_agree_with_walks_reads_and_writes(tmp_path: Path) -> None:
    keys = ", does: mixed, depth: 16, window: 2 MiB"
    outcomes = [result(tmp_path, ", root: {iommu: true}", keys, engine) for engine in ("compiled", "simpy")]
    assert [case.end for case in outcomes[0].cases] == [case.end for case in outcomes[1].cases]
    assert mean(outcomes[0]) == mean(outcomes[1])
