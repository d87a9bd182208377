"""Speed of this version beside an earlier one, in turns, so that both see the same machine.

    python benchmarks/turns.py [--before REVISION] [--rounds N] [--short] [--most-loss SHARE]

The earlier version is taken from git into a temporary folder and runs its own scenarios with its own datasheets and
the packages of this environment. Figures are seconds of CPU, the least of several rounds; what fails has none, and
the last line of its error stands below the table. The status is 1 where something takes longer than before by more
than `--most-loss`; what seems to is measured up to `AGAIN` times more. `--short` is for each change: it compares with
the version before (the last commit, or its parent where nothing differs from it), leaves out what takes more than
some seconds, has a loss of 15% as its limit, and ends after 60 seconds of CPU, compiling apart, with what it has.
"""

from __future__ import annotations

import argparse
import io
import math
import os
import resource
import signal
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import venv
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[1]
FIRST = "01bc505"
"""The revision that `make bench` compares with: the end of simio's first stage."""
SHORT_CPU, SHORT_LOSS = 60.0, 0.15
"""Seconds of CPU after which the short form ends, and the loss that it allows."""
AGAIN = 3
"""Rounds more of what seems to take longer."""
WIRE = "benchmarks/tcp-wire.yaml"
FOLDERS = ("simio", "models", "scenarios", "validation", WIRE)
PACKAGES = sorted({sysconfig.get_path("purelib"), sysconfig.get_path("platlib")})
PROGRAM = "import sys; sys.argv[0] = 'simio'; from simio.__main__ import program; program()"
ENGINE = """
import sys, time
from simio.engines import compiled
from simio.loading import load
from simio.lower import lower
begin = time.process_time()
program = lower(load(sys.argv[1], {sets!r}).cases[{case}].system)
lowering = time.process_time() - begin
compiled.run(program)
def run():
    begin = time.process_time()
    compiled.run(program)
    return time.process_time() - begin
print(min(run() for _ in range({runs})) if {runs} else lowering)
"""
SWEEP = """
import sys, time
try:
    from simio.sweeps import Task, run_many
except ImportError:  # its name before
    from simio.many import Task, run_many
sets = [("workload.ttcp.writes=128", f"workload.ttcp.window={window} KiB") for window in range(8, 48)]
tasks = [Task(sys.argv[1], each) for each in sets]
def run(some):
    begin = time.process_time()
    outcomes = [outcome for _, outcome in run_many(some, 1)]
    taken = time.process_time() - begin
    for outcome in outcomes:
        if isinstance(outcome, Exception):
            raise outcome
    return taken / len(some)
run(tasks[:8])
print(run(tasks[8:]))
"""


@dataclass(frozen=True)
class Measure:
    """One thing to measure: a command, or a script that prints its seconds; `cold` empties the cache before.

    The words of either may name a file of the version that is measured, after `FILE`.
    """

    name: str
    words: tuple[str, ...] = ()
    script: str = ""
    long: bool = False
    cold: bool = False


def _engine(case: int = 0, runs: int = 5, sets: Sequence[str] = ()) -> str:
    return ENGINE.format(sets=tuple(sets), case=case, runs=runs)


FILE = "file:"
HIPPI, FC, RAID = (f"{FILE}scenarios/{name}.yaml" for name in ("sgi-hippi-raw", "linux-fc-raw", "raid5-writes"))
READ_ONCE = ("workload.reader.size=512 MiB", "workload.reader.passes=1")
MEASURES = (
    Measure("run sgi-hippi-raw", ("run", HIPPI)),
    Measure("run linux-fc-raw", ("run", FC)),
    Measure("TCP over links, 100 MiB: engine", (FILE + WIRE,), _engine(sets=("workload.ttcp.writes=1707",))),
    Measure("Fibre Channel disks: engine", (FC,), _engine(sets=READ_ONCE)),
    Measure("Fibre Channel disks: lowering", (FC,), _engine(runs=0, sets=READ_ONCE)),
    Measure("sweep of TCP over links, 8 MiB: a run", (FILE + WIRE,), SWEEP),
    Measure("RAID 5, writes: engine", (RAID,), _engine(3, 1), long=True),
    Measure("first run, empty cache", ("run", HIPPI), long=True, cold=True),
    Measure("explain linux-fc-raw", ("explain", FC), long=True),
    Measure("trace linux-fc-raw", ("trace", FC, "--output", "trace.json", "--force"), long=True),
    Measure("sensitivity linux-fc-raw", ("sensitivity", FC), long=True),
    Measure("validate sgi-hippi", ("validate", "sgi-hippi"), long=True),
)


class OutOfTimeError(Exception):
    """The seconds of CPU for all measures are spent."""


@dataclass
class Tree:
    """A version of simio: its name, its folder, its seconds in each round and its last error, by measure.

    `most` are seconds of CPU for all processes from now on.
    """

    name: str
    folder: Path
    seconds: dict[str, list[float]] = field(default_factory=dict)
    most: float = math.inf
    errors: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.most += spent()

    def measure(self, one: Measure, work: Path) -> None:
        """Measure once more; one that this version cannot do has no seconds. Raises OutOfTimeError."""
        left = self.most - spent()
        if left <= 0:
            raise OutOfTimeError
        with tempfile.TemporaryDirectory(dir=work) as empty:
            cache = empty if one.cold else str(work / f"cache of {self.name}")
            path = os.pathsep.join((str(self.folder), *PACKAGES))
            variables = {**os.environ, "PYTHONPATH": path, "SIMIO_CACHE": cache}
            variables.pop("PYTHONDONTWRITEBYTECODE", None)
            before = spent()
            done = subprocess.run(
                [_python(work), "-c", one.script or PROGRAM, *map(self._word, one.words)],
                env=variables, cwd=work, capture_output=True, text=True,
                preexec_fn=None if left == math.inf else lambda: _limit(math.ceil(left)),
            )  # fmt: skip
            cpu = spent() - before
        if done.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
            raise OutOfTimeError
        if done.returncode == 0:
            self.seconds.setdefault(one.name, []).append(float(done.stdout) if one.script else cpu)
        else:
            self.errors[one.name] = (done.stderr.strip().splitlines() or [f"status {done.returncode}"])[-1]

    def _word(self, word: str) -> str:
        """An argument of a command, with this version's own file."""
        return str(self.folder / word.removeprefix(FILE)) if word.startswith(FILE) else word

    def best(self, one: Measure) -> float | None:
        """The least seconds of a measure, or None."""
        return min(self.seconds.get(one.name, ()), default=None)


def main() -> None:
    """Print a table; exit with status 1 after a loss."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--before", metavar="REVISION", help=f"{FIRST}, with --short the version before")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--most-loss", type=float, metavar="SHARE", help="such as 0.15")
    asked = parser.parse_args()
    revision = asked.before or (version_before(ROOT) if asked.short else FIRST)
    most_loss = SHORT_LOSS if asked.short and asked.most_loss is None else asked.most_loss
    measures = [one for one in MEASURES if not (asked.short and one.long)]
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        if not _extract(revision, work / "before"):
            print(f"no revision {revision} here, as in a clone without history: nothing to compare with")
            return
        trees = [Tree(revision, work / "before"), Tree("now", ROOT)]
        prepare(trees, measures, work)
        for tree in trees:
            tree.most = spent() + (SHORT_CPU if asked.short else math.inf)
        try:
            compare(trees, measures, work, asked.rounds, most_loss)
        except OutOfTimeError:
            print(f"ended after {SHORT_CPU:g} s of CPU; some have fewer rounds than {asked.rounds}")
    print(table(trees, measures))
    if not any(all(tree.best(one) for tree in trees) for one in measures):
        sys.exit("nothing was compared")
    lost = losses(trees, measures, most_loss)
    if lost:
        sys.exit(f"slower than {revision} by more than {most_loss:.0%}: {', '.join(lost)}")


def prepare(trees: Sequence[Tree], measures: Sequence[Measure], work: Path) -> None:
    """Run the short measures once, so that each version compiles what it has to compile, and writes bytecode."""
    for tree in trees:
        for one in measures:
            if not one.long:
                tree.measure(one, work)
        tree.seconds.clear()


def compare(trees: Sequence[Tree], measures: Sequence[Measure], work: Path, rounds: int, most: float | None) -> None:
    """Measure in turns; what seems to take longer by a share of more than `most`, again.

    Raises OutOfTimeError when the seconds of a version are spent.
    """
    for number in range(rounds + AGAIN):
        lost = losses(trees, measures, most)
        for one in measures:
            if number < rounds or one.name in lost:
                for tree in trees:
                    tree.measure(one, work)


def version_before(folder: Path) -> str:
    """The last commit of a clone, or its parent where the package is as in the last."""
    same = subprocess.run(["git", "diff", "--quiet", "HEAD", "--", *FOLDERS], cwd=folder, capture_output=True)
    return "HEAD~1" if same.returncode == 0 else "HEAD"


def spent() -> float:
    """Seconds of CPU of all processes that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _python(work: Path) -> str:
    """A Python into which nothing is installed: this one may map simio's datasheets to its own checkout."""
    if not (work / "python").exists():
        venv.create(work / "python", symlinks=True)
    return str(work / "python" / "bin" / "python")


def _limit(seconds: int) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))


def table(trees: Sequence[Tree], measures: Sequence[Measure]) -> str:
    """Seconds of both versions and how many times as long the earlier one took, as Markdown."""
    lines = [f"| seconds of CPU | {trees[0].name} | {trees[1].name} | ratio |", "| --- | --- | --- | --- |"]
    for one in measures:
        before, now = (tree.best(one) for tree in trees)
        cells = ["missing" if value is None else f"{value:.3g}" for value in (before, now)]
        ratio = f"{before / now:.2f}" if before and now else ""
        lines.append(f"| {one.name} | {' | '.join(cells)} | {ratio} |")
    failed = [f"- {tree.name}: {name}: {error}" for tree in trees for name, error in tree.errors.items()]
    return "\n".join([*lines, *(["", "Missing, as it failed:", "", *failed] if failed else [])])


def losses(trees: Sequence[Tree], measures: Sequence[Measure], most: float | None) -> list[str]:
    """The measures that take longer now by more than a share of what they took, or that fail now."""
    found = []
    for one in measures:
        before, now = (tree.best(one) for tree in trees)
        fails = now is None and len(trees[0].seconds.get(one.name, ())) > 1
        if most is not None and before is not None and (fails or (now is not None and now > before * (1 + most))):
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
