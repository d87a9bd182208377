"""Options of commands as people mistype them: an answer, or a message and status 2; never an error of simio's own."""

from __future__ import annotations

import os
import random
import signal
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner
from fuzz_bench import ROOT
from mutations import AMOUNTS, ODD, UNITS

from simio.cli.main import main

EXAMPLES = int(os.environ.get("SIMIO_EXAMPLES", "25"))
FIRST = int(os.environ.get("SIMIO_FIRST", "0"))
MOST_SECONDS = 60
QUICK = str(ROOT / "scenarios" / "sgi-hippi-raw.yaml")
SHORT = ["--set", "workload.blast.packets=2"]
KEYS = ("workload.blast.size", "workload.blast.packets", "workload.blast.processes", "run.seed", "links.link1.length",
        "workload.blast", "title", "nothing.there", "", "hosts.challenge.model")  # fmt: skip
NAMES = ("sgi-hippi", "sgi-hippi/table-1", "sgi-hippi/none", "none", "../sgi-hippi", "sgi-hippi/../linux-fc", "/", "",
         "-x", "sgi-hippi/table-1.yaml", "*", "a" * 300, "sgi-hippi\0", "é")  # fmt: skip

Line = Callable[[random.Random], list[str]]


def value(rng: random.Random) -> str:
    """A value, list or range, perhaps none at all."""
    kinds = (
        lambda: f"{rng.choice(AMOUNTS)}{rng.choice(UNITS)}",
        lambda: str(rng.choice(ODD)),
        lambda: rng.choice(
            ("256 B,512 B", "1..2", "1..3:+1", "1KiB..4KiB:x2", "1KiB..2KiB", "1,1", ",", "1..", "..")
        ),
        lambda: str(rng.randint(-1, 5)),
    )
    return rng.choice(kinds)()


def setting(rng: random.Random) -> str:
    return f"{rng.choice(KEYS)}{rng.choice(('=', '=', '=', '=', '', '=='))}{value(rng)}"


def sweep(rng: random.Random) -> list[str]:
    line = [
        "sweep",
        QUICK,
        "--processes",
        "1",
        "--case",
        rng.choice(("1", "1", "1", "0", "-1", "99", "x")),
        *SHORT,
    ]
    for _ in range(rng.randint(0, 2)):
        line += [rng.choice(("--set", "--set", "--pair")), setting(rng)]
    line += rng.choice(
        ([], ["--sample", value(rng)], ["--sample", "3"], ["--measure", rng.choice(NAMES)], ["--json"])
    )
    return line


def optimize(rng: random.Random) -> list[str]:
    line = ["optimize", QUICK, "--processes", "1", "--runs", "4", "--case", "1", "--vary", setting(rng)]
    for _ in range(rng.randint(0, 2)):
        option = rng.choice(
            ("--set", "--cost", "--budget", "--at-least", "--maximise", "--minimise", "--prices")
        )
        told = {"--set": setting, "--cost": setting}.get(option, value)(rng)
        line += [option, told if option not in ("--maximise", "--minimise") else rng.choice(("events", told))]
    return line


def calibrate(rng: random.Random) -> list[str]:
    # No study that is there as it stands: a fit takes minutes.
    names = [name for name in NAMES if name not in ("sgi-hippi", "sgi-hippi/table-1")]
    some = [rng.choice(names) for _ in range(rng.randint(1, 3))]
    return ["calibrate", *some, *rng.choice(([], ["--dry-run"], ["--keep"], ["--kept"]))]


def explain(rng: random.Random) -> list[str]:
    line = ["explain", QUICK, "--case", rng.choice(("1", "0", "99", "x"))]
    for _ in range(rng.randint(0, 2)):
        line += ["--set", setting(rng)]
    return [*line, *rng.choice(([], ["--json"], ["-o", rng.choice(("/no/where", "", "/"))]))]


@pytest.mark.parametrize(
    ("line", "share"),
    [(sweep, 1), (optimize, 1), (calibrate, 3), (explain, 1)],
    ids=["sweep", "optimize", "calibrate", "explain"],
)
def test_mistyped_options(line: Line, share: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    ends: Counter[int] = Counter()
    for seed in range(FIRST, FIRST + share * EXAMPLES):
        arguments = line(random.Random(seed))
        signal.setitimer(signal.ITIMER_VIRTUAL, MOST_SECONDS)
        done = CliRunner().invoke(main, arguments)
        assert done.exit_code in (0, 2), (seed, arguments, done.stderr)
        assert "Traceback" not in done.stderr
        assert done.exit_code == 0 or done.stderr.strip(), (seed, arguments)
        ends[done.exit_code] += 1
    print(line.__name__, dict(ends))
    assert ends[2] > EXAMPLES // 10
