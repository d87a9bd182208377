"""The command that finds the largest load within a promise."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from loads_bench import written

from simio.cli.main import main
from simio.units import parse

MS = 10**9


def capacity(folder: Path, *more: str, arrivals: str = "{rate: 60 /s}"):
    path = written(folder, arrivals, "until: 3 s")
    return CliRunner().invoke(main, ["capacity", str(path), "--processes", "1", *more])


def test_the_command_finds_a_rate(tmp_path: Path) -> None:
    done = capacity(tmp_path, "--until", "p90 of reads < 40 ms", "--within", "20", "--json")
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert found["load"] == "workload.reads.arrivals.rate"
    most, bad = (float(parse(found[key], "request_rate")) for key in ("most", "broken_at"))
    assert 40 < most < bad <= 1.2 * most < 300
    assert all(load["holds"] == (load["seen"]["p90 of reads"]["value"] < 40 * MS) for load in found["loads"])


def test_ends_the_wrong_way_round_are_refused(tmp_path: Path) -> None:
    done = capacity(tmp_path, "--until", "p90 of reads < 40 ms", "--from", "50 /s", "--to", "3 /s")
    assert (done.exit_code, done.stdout) == (2, "")
    assert "--from 50 /s --to 3 /s: found the smallest load above the largest" in done.stderr


def test_the_first_line_is_the_answer(tmp_path: Path) -> None:
    done = capacity(tmp_path, "--until", "p90 of reads < 40 ms", "--to", "30 /s")
    first, second, third, *_ = done.stdout.splitlines()
    assert first == "30 /s   is the most for p90 of reads < 40 ms"
    assert second.startswith("at 30 /s: p90 of reads is ")
    assert third == "no larger load was tried, so it may be more"


def test_a_promise_that_never_holds_is_an_error_with_what_was_seen(tmp_path: Path) -> None:
    done = capacity(tmp_path, "--until", "p90 of reads < 1 ms", "--from", "40 /s")
    assert done.exit_code == 2
    assert "hold at none of the loads that were tried, down to 40 /s" in done.stderr


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (("--until", "p90 of reads < 4 m"), "'p90 of reads < 4 m'"),
        (("--until", "throughput > 1 MB/s", "--load", "workload.reads.rate"), "found no value there"),
        (("--until", "throughput > 1 MB/s", "--load", "workload.reads.pattern"), "found 'random'; expected a number"),
        (("--until", "throughput > 1 MB/s", "--from", "4 ms"), "--from: found '4 ms'; expected a value in the unit"),
        (("--until", "throughput > 1 MB/s", "--case", "2"), "--case: found 2; expected a number from 1 to 1"),
        ((), "Missing option '--until'"),
    ],
)
def test_mistakes_of_the_command(tmp_path: Path, more: tuple[str, ...], told: str) -> None:
    done = capacity(tmp_path, *more)
    assert done.exit_code == 2
    assert told in done.stderr


def test_without_arrivals_users_grow(tmp_path: Path) -> None:
    done = capacity(tmp_path, "--until", "mean of reads < 25 ms", "--json", arrivals="")
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert found["load"] == "workload.reads.processes"
    assert 2 <= int(found["most"]) < int(found["broken_at"]) < 10


def test_a_picture_is_written(tmp_path: Path) -> None:
    picture = tmp_path / "knee.svg"
    done = capacity(tmp_path, "--until", "p90 of reads < 40 ms", "--to", "60 /s", "--plot", str(picture))
    assert done.exit_code == 0, done.output
    assert picture.read_text().startswith("<svg")
    done = capacity(tmp_path, "--until", "p90 of reads < 40 ms", "--plot", "knee.txt")
    assert "expected a name that ends in .svg, .png or .pdf" in done.stderr
