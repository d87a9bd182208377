"""A scenario with an open load on one disk."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from simio.description.model import Scenario
from simio.loading import load
from simio.result.model import CaseResult
from simio.running import run_case

SCENARIO = """
title: Random reads at a rate
hosts:
  server:
    model: hosts/linux-2002-dual-p3
    adapters: {scsi: {model: adapters/aic-7899, bus: pci}}
disks:
  d: {model: disks/atlas-10k}
links:
  - {model: links/scsi-ultra160, between: [server.scsi, d], length: 3 m}
workload:
  reads:
    {kind: reader, host: server, from: d, block: 4 KiB, size: 400 MiB, pattern: random, arrivals: GIVEN}
run: {UNTIL, replications: 2}
"""


def written(folder: Path, arrivals: str, until: str = "until: 20 s") -> Path:
    """The file of the scenario with some arrivals; none without a text."""
    path = folder / "open.yaml"
    text = SCENARIO if arrivals else SCENARIO.replace(", arrivals: GIVEN", "")
    path.write_text(text.replace("GIVEN", arrivals).replace("UNTIL", until))
    return path


def scenario(folder: Path, arrivals: str, until: str = "until: 20 s", sets: Sequence[str] = ()) -> Scenario:
    """The scenario, loaded."""
    return load(str(written(folder, arrivals, until)), sets)


def ran(folder: Path, arrivals: str, *sets: str) -> CaseResult:
    """The result of its case."""
    return run_case(scenario(folder, arrivals, sets=sets).cases[0])
