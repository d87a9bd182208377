"""Speed of this version beside an earlier one, in turns, so that both see the same machine.

    python benchmarks/turns.py [--before REVISION] [--rounds N] [--short] [--most-loss SHARE]

The earlier version is taken from git into a temporary folder and runs with the packages of this environment. Figures
are seconds of CPU, the least of several rounds. The status is 1 where something takes longer than before by more than
`--most-loss`. `--short` leaves out what takes more than some seconds.
"""

from __future__ import annotations

import argparse
import io
import os
import resource
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[1]
FIRST = "01bc505"
"""The revision that `make bench` compares with: the end of simio's first stage."""
FOLDERS = ("simio", "models", "scenarios", "validation")
PROGRAM = "import sys; sys.argv[0] = 'simio'; from simio.__main__ import program; program()"
ENGINE = """
import time
from simio.engines import compiled
from simio.loading import load
from simio.lower import lower
begin = time.process_time()
program = lower(load({path!r}, {sets!r}).cases[{case}].system)
lowering = time.process_time() - begin
compiled.run(program)
def run():
    begin = time.process_time()
    compiled.run(program)
    return time.process_time() - begin
print(min(run() for _ in range({runs})) if {runs} else lowering)
"""
SWEEP = """
import time
try:
    from simio.sweeps import Task, run_many
except ImportError:  # its name before
    from simio.many import Task, run_many
sets = [("workload.ttcp.writes=128", f"workload.ttcp.window={{window}} KiB") for window in range(8, 48)]
tasks = [Task({path!r}, each) for each in sets]
list(run_many(tasks[:8], 1))
begin = time.process_time()
list(run_many(tasks[8:], 1))
print((time.process_time() - begin) / 32)
"""


@dataclass(frozen=True)
class Measure:
    """One thing to measure: a command, or a script that prints its seconds; `cold` empties the cache before."""

    name: str
    command: tuple[str, ...] = ()
    script: str = ""
    long: bool = False
    cold: bool = False


def _engine(scenario: str, case: int = 0, runs: int = 5, sets: Sequence[str] = ()) -> str:
    return ENGINE.format(path=str(ROOT / scenario), sets=tuple(sets), case=case, runs=runs)


WIRE = "benchmarks/tcp-wire.yaml"
MEASURES = (
    Measure("run sgi-hippi-raw", ("run", "sgi-hippi-raw")),
    Measure("run linux-fc-raw", ("run", "linux-fc-raw")),
    Measure("TCP over links, 100 MiB: engine", script=_engine(WIRE, sets=("workload.ttcp.writes=1707",))),
    Measure("Fibre Channel disks: engine", script=_engine("scenarios/linux-fc-raw.yaml")),
    Measure("Fibre Channel disks: lowering", script=_engine("scenarios/linux-fc-raw.yaml", runs=0)),
    Measure("sweep of TCP over links, 8 MiB: a run", script=SWEEP.format(path=str(ROOT / WIRE))),
    Measure("RAID 5, writes: engine", script=_engine("scenarios/raid5-writes.yaml", 3, 1), long=True),
    Measure("first run, empty cache", ("run", "sgi-hippi-raw"), long=True, cold=True),
    Measure("explain linux-fc-raw", ("explain", "linux-fc-raw"), long=True),
    Measure("trace linux-fc-raw", ("trace", "linux-fc-raw", "--output", "trace.json", "--force"), long=True),
    Measure("sensitivity linux-fc-raw", ("sensitivity", "linux-fc-raw"), long=True),
    Measure("validate sgi-hippi", ("validate", "sgi-hippi"), long=True),
)


@dataclass
class Tree:
    """A version of simio: its name, its folder and its seconds in each round, by measure."""

    name: str
    folder: Path
    seconds: dict[str, list[float]] = field(default_factory=dict)

    def measure(self, one: Measure, work: Path) -> None:
        """Measure once more; one that this version cannot do has no seconds."""
        with tempfile.TemporaryDirectory(dir=work) as empty:
            cache = empty if one.cold else str(work / f"cache of {self.name}")
            variables = {**os.environ, "PYTHONPATH": str(self.folder), "SIMIO_CACHE": cache}
            variables.pop("PYTHONDONTWRITEBYTECODE", None)
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            done = subprocess.run(
                [sys.executable, "-c", one.script or PROGRAM, *one.command],
                env=variables, cwd=work, capture_output=True, text=True,
            )  # fmt: skip
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if done.returncode == 0:
            cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            self.seconds.setdefault(one.name, []).append(float(done.stdout) if one.script else cpu)

    def best(self, one: Measure) -> float | None:
        """The least seconds of a measure, or None."""
        return min(self.seconds.get(one.name, ()), default=None)


def main() -> None:
    """Print a table; exit with status 1 after a loss."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--before", metavar="REVISION", default=FIRST)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--most-loss", type=float, metavar="SHARE", help="such as 0.15")
    asked = parser.parse_args()
    measures = [one for one in MEASURES if not (asked.short and one.long)]
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        if not _extract(asked.before, work / "before"):
            print(f"no revision {asked.before} here, as in a clone without history: nothing to compare with")
            return
        trees = [Tree(asked.before, work / "before"), Tree("now", ROOT)]
        # The first round compiles what a version has to compile, and writes bytecode.
        for tree in trees:
            for one in measures:
                if not one.long:
                    tree.measure(one, work)
            tree.seconds.clear()
        for _ in range(asked.rounds):
            for one in measures:
                for tree in trees:
                    tree.measure(one, work)
    print(table(trees, measures))
    lost = losses(trees, measures, asked.most_loss)
    if lost:
        sys.exit(f"slower than {asked.before} by more than {asked.most_loss:.0%}: {', '.join(lost)}")


def table(trees: Sequence[Tree], measures: Sequence[Measure]) -> str:
    """Seconds of both versions and how many times as long the earlier one took, as Markdown."""
    lines = [f"| seconds of CPU | {trees[0].name} | {trees[1].name} | ratio |", "| --- | --- | --- | --- |"]
    for one in measures:
        before, now = (tree.best(one) for tree in trees)
        cells = ["missing" if value is None else f"{value:.3g}" for value in (before, now)]
        ratio = f"{before / now:.2f}" if before and now else ""
        lines.append(f"| {one.name} | {' | '.join(cells)} | {ratio} |")
    return "\n".join(lines)


def losses(trees: Sequence[Tree], measures: Sequence[Measure], most: float | None) -> list[str]:
    """The measures that take longer now by more than a share of what they took, or that fail now."""
    found = []
    for one in measures:
        before, now = (tree.best(one) for tree in trees)
        if most is not None and before is not None and (now is None or now > before * (1 + most)):
            found.append(one.name)
    return found


def _extract(revision: str, into: Path) -> bool:
    """Write the package of a revision into a folder; False if there is no such revision."""
    archive = subprocess.run(["git", "archive", revision, *FOLDERS], cwd=ROOT, capture_output=True)
    if archive.returncode:
        return False
    with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as file:
        file.extractall(into, filter="data")
    return True


if __name__ == "__main__":
    main()
