"""Speed of this version beside an earlier one, in turns, so that both see the same machine.

    python benchmarks/turns.py [--before REVISION] [--rounds N] [--short] [--only TEXT ...] [--most-loss SHARE]

The earlier version is taken from git into a temporary folder and runs its own scenarios with its own datasheets and
the packages of this environment. Figures are seconds of CPU, the least of several rounds. Their ratio is the median
of the rounds', as a processor has fast and slow phases, and every second round begins with this version. What fails
has no figure, and the last line of its error stands below the table. The status is 1 where something takes longer
than before by more than `--most-loss`, both by the median and by the least; what seems to by one of them is
measured up to `AGAIN` times more. `--short` is for each change: it compares with the version before (the last
commit that is half a day older than the newest, so that many small commits are one change), leaves out what takes
more than some seconds, has a loss of 15% as its limit, and ends after 180 seconds of CPU, compiling apart, with
what it has. `--only` measures what has this in its name, as all take many minutes; who interrupts gets what has
been measured until then.
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
from statistics import median

from measures import FILE, FOLDERS, MEASURES, Measure

ROOT = Path(__file__).parents[1]
FIRST = "01bc505"
"""The revision that `make bench` compares with: the end of simio's first stage."""
SHORT_CPU, SHORT_LOSS = 180.0, 0.15
"""Seconds of CPU after which the short form ends, and the loss that it allows."""
CHANGE = 12 * 3600
"""Seconds of history that the short form takes for one change."""
AGAIN = 6
"""Rounds more of what seems to take longer."""
PACKAGES = sorted({sysconfig.get_path("purelib"), sysconfig.get_path("platlib")})
PROGRAM = "import sys; sys.argv[0] = 'simio'; from simio.__main__ import program; program()"


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
    parser.add_argument("--only", action="append", metavar="TEXT", help="measures that have this in their name")
    parser.add_argument("--most-loss", type=float, metavar="SHARE", help="such as 0.15")
    asked = parser.parse_args()
    revision = asked.before or (version_before(ROOT) if asked.short else FIRST)
    most_loss = SHORT_LOSS if asked.short and asked.most_loss is None else asked.most_loss
    measures = [one for one in MEASURES if not (asked.short and one.long) and is_asked(one, asked.only)]
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        if not _extract(revision, work / "before"):
            print(f"no revision {revision or 'before'} here, as in a clone without history: nothing to compare with")
            return
        trees = [Tree(revision, work / "before"), Tree("now", ROOT)]
        prepare(trees, measures, work)
        for tree in trees:
            tree.most = spent() + (SHORT_CPU if asked.short else math.inf)
        try:
            compare(trees, measures, work, asked.rounds, most_loss)
        except OutOfTimeError:
            print(f"ended after {SHORT_CPU:g} s of CPU; some have fewer rounds than {asked.rounds}")
        except KeyboardInterrupt:
            print(f"interrupted; some have fewer rounds than {asked.rounds}")
    print(table(trees, measures))
    if not any(all(tree.best(one) for tree in trees) for one in measures):
        sys.exit("nothing was compared")
    lost = losses(trees, measures, most_loss)
    if lost:
        sys.exit(f"slower than {revision} by more than {most_loss:.0%}: {', '.join(lost)}")


def is_asked(one: Measure, texts: Sequence[str] | None) -> bool:
    """True for a measure that has one of these texts in its name, or where none is given."""
    return not texts or any(text in one.name for text in texts)


def prepare(trees: Sequence[Tree], measures: Sequence[Measure], work: Path) -> None:
    """Run the short measures once, so that each version compiles what it has to compile, and writes bytecode.

    Where there are only long ones, these are run.
    """
    for tree in trees:
        for one in [one for one in measures if not one.long] or measures:
            tree.measure(one, work)
        tree.seconds.clear()


def compare(trees: Sequence[Tree], measures: Sequence[Measure], work: Path, rounds: int, most: float | None) -> None:
    """Measure in turns; what seems to take longer by a share of more than `most`, again.

    Raises OutOfTimeError when the seconds of a version are spent.
    """
    for number in range(rounds + AGAIN):
        lost = losses(trees, measures, most, surely=False)
        for one in measures:
            if number < rounds or one.name in lost:
                for tree in trees if number % 2 == 0 else reversed(trees):
                    tree.measure(one, work)


def version_before(folder: Path) -> str:
    """The hash of the last commit of a clone that is `CHANGE` older than the newest; "" if there is none."""
    newest = _git(folder, "log", "-1", "--format=%ct")
    return _git(folder, "rev-list", "-1", f"--before={int(newest) - CHANGE}", "HEAD")[:8] if newest else ""


def _git(folder: Path, *words: str) -> str:
    """A command's output; "" where it fails, as outside a clone."""
    return subprocess.run(["git", *words], cwd=folder, capture_output=True, text=True).stdout.strip()


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
        times = ratio(trees, one)
        lines.append(f"| {one.name} | {' | '.join(cells)} | {'' if times is None else f'{times:.2f}'} |")
    failed = [f"- {tree.name}: {name}: {error}" for tree in trees for name, error in tree.errors.items()]
    return "\n".join([*lines, *(["", "Missing, as it failed:", "", *failed] if failed else [])])


def ratio(trees: Sequence[Tree], one: Measure) -> float | None:
    """How many times as long the earlier version took: the median of the rounds; None without a round of both."""
    rounds = zip(*(tree.seconds.get(one.name, ()) for tree in trees), strict=False)
    return median(found) if (found := [before / now for before, now in rounds]) else None


def losses(trees: Sequence[Tree], measures: Sequence[Measure], most: float | None, surely: bool = True) -> list[str]:
    """The measures that take longer now by more than a share of what they took, or that fail now.

    The median of the rounds and the least of each version both say so, or, if not `surely`, one of them: in a slow
    phase of the processor the rounds of one version may be slower than all of the other's.
    """
    found = []
    for one in measures if most is not None else ():
        times, (before, now) = ratio(trees, one), (tree.best(one) for tree in trees)
        if times is None or before is None or now is None:
            lost = len(trees[0].seconds.get(one.name, ())) > 1
        else:
            lost = (max if surely else min)(times, before / now) * (1 + most) < 1
        if lost:
            found.append(one.name)
    return found


def _extract(revision: str, into: Path) -> bool:
    """Write the package of a revision into a folder; False if there is no such revision."""
    archive = subprocess.run(["git", "archive", revision, *FOLDERS], cwd=ROOT, capture_output=True)
    if not revision or archive.returncode:
        return False
    with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as file:
        file.extractall(into, filter="data")
    return True


if __name__ == "__main__":
    main()
