"""A small laboratory: a copy of the catalogue, a scenario and a table that was made with known values."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from simio.calibration.edit import edited
from simio.loading.catalogue import Catalogue
from simio.loading.overlay import Overlay
from simio.studies.rows import Library, rows
from simio.studies.simulate import simulate

ROOT = Path(__file__).parents[2]
ADAPTER = "adapters/iris-hippi"
STUDY = "lab/raw"
TRUTH = {(ADAPTER, "receive_dma"): "60 MB/s", (ADAPTER, "receive_cost"): "800 us"}
"""Values that the table of the fixture `calibrated` was made with."""
SIZES = ("1 KiB", "4 KiB", "16 KiB", "64 KiB", "256 KiB", "1 MiB")
SCENARIO = """
title: Raw HIPPI in the laboratory
hosts:
  a: {{model: hosts/sgi-challenge-l}}
  b: {{model: hosts/sgi-onyx}}
links:
  - {{model: links/hippi-800, between: [a.hippi, b.hippi], length: 10 m}}
workload:
  blast: {{from: a, to: b, size: 1 KiB, processes: 1, packets: 5}}
vary:
  workload.blast.size: [{sizes}]
  workload.blast.processes: [1, 2]
measured: lab/raw
"""
HEADING = "title: Made\nsource: made\nquantity: throughput\nunit: MB/s\nscenario: raw\nrows:\n"
ROW = "  - {{where: {{workload.blast.size: {size}, workload.blast.processes: {processes}}}, value: {value}{more}}}\n"


class Lab:
    """Folders of a catalogue, scenarios and tables, all below one."""

    def __init__(self, folder: Path) -> None:
        self.models = folder / "models"
        shutil.copytree(ROOT / "models", self.models, ignore=shutil.ignore_patterns("__pycache__"))
        (folder / "scenarios").mkdir()
        (folder / "tables" / "lab").mkdir(parents=True)
        self.scenario = folder / "scenarios" / "raw.yaml"
        self.table = folder / "tables" / "lab" / "raw.yaml"
        self.scenario.write_text(SCENARIO.format(sizes=", ".join(SIZES)))
        self.folder = folder
        self.parts = Catalogue(self.models)
        # The receiving card is in the way here, so that rows tell its rate from where a search begins.
        self.change(ADAPTER, {"receive_dma": {"value": "81 MB/s", "interval": "[60 MB/s, 110 MB/s]"}})
        self.measure([1.0] * 12)

    def fit(self, values: Mapping[str, Mapping[str, str]]) -> None:
        """Mark values of datasheets as fitted to the study of the laboratory: their bounds by part and key."""
        for part, bounds in values.items():
            entry = self.parts.sheet(part)
            changes = {
                key: {"basis": "fitted", "source": STUDY, "bounds": text, "interval": text}
                for key, text in bounds.items()
                if key in entry.values
            }
            self.change(part, changes)

    def change(self, part: str, changes: Mapping[str, Mapping[str, str]]) -> None:
        """Write into a datasheet."""
        path = self.models / f"{part}.yaml"
        path.write_text(edited(path.read_text(), changes))

    def measure(self, values: Sequence[float], more: str = "") -> None:
        """Write the table: a value for each size and number of processes."""
        cells = [(size, processes) for size in SIZES for processes in (1, 2)]
        told = [
            ROW.format(size=size, processes=processes, value=f"{value:.5g}", more=more)
            for (size, processes), value in zip(cells, values, strict=True)
        ]
        self.table.write_text(HEADING + "".join(told))
        # A library keeps what it has read.
        self.library = Library(self.folder / "tables", self.folder / "scenarios")

    def answer(self, truth: Mapping[tuple[str, str], str]) -> list[float]:
        """Answers of the scenario with these values, in the order of the table."""
        simulated = simulate(rows([STUDY], self.library), self.library, Overlay(self.parts, truth))
        return [float(each.value) for each in simulated if each.value is not None]

    def measure_truth(self, truth: Mapping[tuple[str, str], str], noise: float, seed: int = 7) -> None:
        """Make the table with these values and with log-normal noise."""
        scatter = np.exp(noise * np.random.default_rng(seed).normal(size=12))
        self.measure([value * factor for value, factor in zip(self.answer(truth), scatter, strict=True)])
