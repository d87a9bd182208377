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

pytestmark = pytest.mark.slow

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
        option = rng.choice(("--set", "--cost", "--budget", "--at-least", "--maximise", "--minimise", "--prices"))
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


FILES = (*[QUICK] * 12, "none.yaml", "", ".", "/", "-", "/dev/null", "é.yaml", "\udcff", "a" * 300)
OUTPUTS = (*["out"] * 6, "", "/", ".", "/no/where", "/dev/full", "-x", "\udcff", "é", "a" * 300)
CASES = (*"12314", "0", "-1", "99", "x", "1.5", "", "9" * 30)


def some(rng: random.Random, options: dict[str, Callable[[], str] | None]) -> list[str]:
    """Up to three of these options, each with a value if it takes one, or now and then with none."""
    line = []
    for _ in range(rng.choice((0, 1, 1, 2, 3))):
        option = rng.choice(list(options))
        told = options[option]
        line += [option, told()] if told and rng.random() < 0.95 else [option]
    return line


def usual(rng: random.Random) -> dict[str, Callable[[], str] | None]:
    return {
        "--set": lambda: setting(rng), "--case": lambda: rng.choice(CASES), "-o": lambda: rng.choice(OUTPUTS),
    }  # fmt: skip


def run(rng: random.Random) -> list[str]:
    more = {
        "--json": None, "--csv": None, "--check": None,
        "--trace": lambda: rng.choice(("packets", "x")),
        "--pcap": lambda: rng.choice(OUTPUTS), "--at": lambda: rng.choice(("onyx", "x", "")),
        "--packets": lambda: rng.choice(("1", "0", "-1", "x", "9" * 20)), "--html": lambda: rng.choice(OUTPUTS),
        "--engine": lambda: rng.choice(("compiled", "simpy", "x")), "--explain": None,
    }  # fmt: skip
    return ["run", rng.choice(FILES), "--case", "1", *SHORT, *some(rng, usual(rng) | more)]


def compare(rng: random.Random) -> list[str]:
    more = {
        "--a": lambda: setting(rng), "--b": lambda: setting(rng), "--case-a": lambda: rng.choice(CASES),
        "--case-b": lambda: rng.choice(CASES), "--json": None,
    }  # fmt: skip
    options = usual(rng) | more
    del options["--case"]
    files = [rng.choice(FILES) for _ in range(rng.choice((1, 1, 2)))]
    apart = rng.choice(([], ["--b", "workload.blast.size=512 B"], ["--case-b", "3"]))
    return ["compare", *files, *SHORT, *apart, *some(rng, options)]


def trace(rng: random.Random) -> list[str]:
    more = {
        "--from": lambda: value(rng), "--until": lambda: value(rng),
        "--spans": lambda: rng.choice(("1", "7", "0", "-1", "x", "9" * 20)),
        "--engine": lambda: rng.choice(("compiled", "simpy", "x")),
    }  # fmt: skip
    return ["trace", rng.choice(FILES), *SHORT, *some(rng, usual(rng) | more)]


def nomograph(rng: random.Random) -> list[str]:
    options = usual(rng) | {"--size": lambda: value(rng), "--html": lambda: rng.choice(OUTPUTS)}
    del options["--case"], options["-o"]
    return ["nomograph", rng.choice(FILES), *SHORT, *some(rng, options)]


def new(rng: random.Random) -> list[str]:
    kinds = ("disk", "ttcp", "ftp", "copy", "nfs", "video", "x", "", "Disk", "../disk")
    return ["new", rng.choice(kinds), *some(rng, {"-o": lambda: rng.choice(OUTPUTS)})]


def validate(rng: random.Random) -> list[str]:
    # Few rows: those of a study that is done at once, or none.
    studies = [rng.choice((*NAMES, "slac-gige/ping", "slac-gige/ping")) for _ in range(rng.randint(1, 2))]
    studies = [name if not name.startswith("sgi-hippi") or "/" in name else "slac-gige/ping" for name in studies]
    options = {
        "--rows": None, "--engine": lambda: rng.choice(("compiled", "simpy", "x")),
        "--processes": lambda: rng.choice(("1", "0", "-1", "x", "1025")), "--json": None,
        "--cross-validate": lambda: rng.choice(("0", "1", "-2", "x", "")), "--baseline": lambda: rng.choice(FILES),
        "--html": lambda: rng.choice(OUTPUTS), "--junit": lambda: rng.choice(OUTPUTS),
        "--plots": lambda: rng.choice(OUTPUTS), "-o": lambda: rng.choice(OUTPUTS),
    }  # fmt: skip
    return ["validate", "--processes", "1", *studies, *some(rng, options)]


def other(rng: random.Random) -> list[str]:
    """Commands with few options."""
    file, options = rng.choice(FILES), some(rng, usual(rng) | {"--json": None})
    against = ["--against", rng.choice(KEYS), "-o", rng.choice(("a.svg", *OUTPUTS))]
    return rng.choice((
        ["bound", file, *options], ["show", file, *options], ["show", file, "--program", *options],
        ["show", file, "--graph", *options], ["plot", file, *SHORT, *against],
        ["models", "show", rng.choice(("disks/fc-15k-2002", "disks/x", *NAMES))], ["models", rng.choice(NAMES)],
        ["schema", *options], ["completion", rng.choice(("bash", "zsh", "x", ""))],
        [rng.choice(("", "runn", "é", "-x"))],
    ))  # fmt: skip


@pytest.mark.parametrize(
    ("line", "share"),
    [
        (sweep, 1), (optimize, 1), (calibrate, 3), (explain, 1), (run, 2), (compare, 1), (trace, 2), (nomograph, 1),
        (new, 2), (validate, 1), (other, 3),
    ],
    ids=lambda each: getattr(each, "__name__", ""),
)  # fmt: skip
def test_mistyped_options(line: Line, share: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    ends: Counter[int] = Counter()
    for seed in range(FIRST, FIRST + share * EXAMPLES):
        arguments = line(random.Random(seed))
        signal.setitimer(signal.ITIMER_VIRTUAL, MOST_SECONDS)
        done = CliRunner().invoke(main, arguments)
        known = (0, 1, 2) if arguments[0] == "validate" else (0, 2)
        assert done.exit_code in known, (seed, arguments, done.stderr)
        assert "Traceback" not in done.stderr
        assert done.exit_code == 0 or done.stderr.strip(), (seed, arguments)
        ends[done.exit_code] += 1
    print(line.__name__, dict(ends))
    assert ends[2] > EXAMPLES // 10
