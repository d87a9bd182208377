"""Mistakes in scenarios of drives, jobs, servers and accelerators: a message for each, with what was meant."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from simio.cli.main import main


def told(tmp_path: Path, kind: str, old: str, new: str) -> list[str]:
    """The lines of the message for a starter, or a ready scenario, with another text in it."""
    text = CliRunner().invoke(main, ["new", *(["--from"] if "-" in kind else []), kind]).stdout
    assert old in text
    path = tmp_path / "mine.yaml"
    path.write_text(text.replace(old, new, 1))
    done = CliRunner().invoke(main, ["run", str(path)])
    assert done.exit_code == 2, done.output
    return [line.partition("mine.yaml:")[2].partition(": ")[2] for line in done.stderr.splitlines()]


@pytest.mark.parametrize(
    ("kind", "old", "new", "message"),
    [
        ("nvme", "links/nvme", "links/pcie-4-x4", "'./my-link.yaml'; 'buses/pcie-4-x4' is a bus"),
        ("nvme", "unit: MB/s", "unit: IOPs", "found 'IOPs'; expected a unit such as 'MB/s' or 'kIOPS'; did you mean"),
        ("nfs", "nconnect: 1", "rsize: 1 MiB", "did you mean 'transfer'?"),
        ("nfs", "transport: tcp", "protocol: tcp", "did you mean 'transport'?"),
        ("training", "accelerators: 8", "gpus: 8", "did you mean 'accelerators'?"),
        ("fio", "runtime: 20ms", "runtime: 20 ms", "expected a time such as 10 (in s), 500ms or 2m"),
        ("fio", "numjobs: 2", "numjobs: -1", "found 'numjobs=-1'; expected a whole number from 1 to "),
        ("fio", "numjobs: 2", "numjobs: two", "found 'numjobs=two'; expected a whole number from 1 to "),
        (
            "fio", "kernel: kernels/linux-6.3", "kernel: {model: kernels/linux-6.3, scheduler: cfq}",
            "found 'cfq'; expected an I/O scheduler: ",
        ),
        ("object-mix", "{rate: 10 /s}", "{rate: 10 /s, distribution: poisson}", "did you mean 'process'?"),
        ("object-mix", "object: 64 KiB", "size: 64 KiB", "did you mean 'object'?"),
    ],
)  # fmt: skip
def test_one_mistake_is_one_message(tmp_path: Path, kind: str, old: str, new: str, message: str) -> None:
    lines = [line for line in told(tmp_path, kind, old, new) if "found nothing" not in line]
    assert len(lines) == 1, lines
    assert message in lines[0]


def test_rows_that_other_cases_leave_over_are_told_in_a_few_lines(tmp_path: Path) -> None:
    scenario = Path(__file__).parents[2] / "scenarios" / "icpe24-schedulers.yaml"
    path = tmp_path / "mine.yaml"
    path.write_text(scenario.read_text().replace("[none, kyber, mq-deadline, bfq]", "[kyber]"))
    done = CliRunner().invoke(main, ["run", str(path)])
    assert done.exit_code == 2
    assert len(done.stderr.splitlines()) <= 8
    last = [line for line in done.stderr.splitlines() if "other rows of" in line]
    assert last
    assert all(line.endswith("leave out 'measured' to run other cases") for line in last)
