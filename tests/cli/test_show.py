"""`simio show`: the overview, the wiring and the program of a scenario."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from simio.cli.main import main
from simio.loading.catalogue import data_root

SCENARIOS = data_root("simio.scenarios")
HIPPI = str(SCENARIOS / "sgi-hippi-raw.yaml")
DISKS = str(SCENARIOS / "linux-fc-raw.yaml")


def show(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["show", *arguments])


@pytest.mark.parametrize("path", sorted(SCENARIOS.glob("*.yaml")), ids=lambda path: path.stem)
@pytest.mark.slow
def test_every_scenario_can_be_shown_in_every_way(path: Path, tmp_path: Path) -> None:
    for way in ([], ["--graph"], ["--program"], ["--graph", "--output", str(tmp_path / "wiring.html")]):
        done = show(str(path), *way)
        assert done.exit_code == 0, done.output
    assert (tmp_path / "wiring.html").stat().st_size > 5_000


def test_the_overview_draws_hosts_as_trees() -> None:
    lines = show(HIPPI).stdout.splitlines()
    start = lines.index("hosts")
    assert [line.split()[1] for line in lines[start + 2 : start + 8]] == [
        "cpu",
        "memory",
        "kernel",
        "stack",
        "bus",
        "adapter",
    ]
    assert lines[start + 6].startswith("  └─ bus hio")
    assert lines[start + 7].startswith("     ├─ adapter hippi")
    assert "challenge.hippi to onyx.hippi, 10 m" in "\n".join(lines)


def test_the_overview_lists_all_cases() -> None:
    lines = show(HIPPI).stdout.splitlines()
    cases = lines[lines.index("cases") + 2 :]
    assert [line.split()[0] for line in cases] == [str(number) for number in range(1, 30)]
    assert "2 MiB" in cases[-1]
    assert "false" in cases[-1]


def test_like_disks_and_links_are_one_line() -> None:
    text = show(DISKS).stdout
    assert "d1 … d8 (8)" in text
    assert text.count("links/fc-2g") == 2
    alone = show(DISKS, "--case", "3").stdout.partition("cases")[0]
    assert "d8" not in alone


def test_what_the_scenario_overrides_is_told() -> None:
    text = show(HIPPI, "--set", "hosts.onyx.kernel.page_pin=3 us").stdout
    assert text.count("with page_pin 3 us") == 1


def test_the_program_is_that_of_the_case() -> None:
    first = show(HIPPI, "--program").stdout
    assert first == show(HIPPI, "--program", "--case", "1").stdout
    second = show(HIPPI, "--program", "--case", "2").stdout
    assert "2 threads, from 0 s, workload 'blast'" in first
    assert "2 threads" not in second
    numberless = show(HIPPI, "--program", "--no-numbers").stdout
    assert numberless.splitlines()[0] == first.splitlines()[0]
    assert len(numberless.splitlines()) == len(first.splitlines())


def test_text_can_be_written_to_a_file(tmp_path: Path) -> None:
    path = tmp_path / "wiring.mmd"
    assert show(HIPPI, "--graph", "--output", str(path)).stdout == ""
    assert path.read_text(encoding="utf-8") == show(HIPPI, "--graph", "--format", "mermaid").stdout
    assert os.listdir(tmp_path) == ["wiring.mmd"]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--graph", "--program"], "exclude"),
        (["--format", "html"], "--graph"),
        (["--graph", "--format", "html"], "--output"),
        (["--graph", "--format", "mermaid", "--output", "x.png"], "picture"),
        (["--no-numbers"], "--program"),
        (["--case", "30"], "1 to 29"),
        (["--case", "0"], "1 to 29"),
        (["--set", "hosts.onyx.kernel.page_pn=3 us"], "page_pin"),
    ],
)
def test_what_does_not_make_sense_is_refused(arguments: list[str], told: str) -> None:
    done = show(HIPPI, *arguments)
    assert done.exit_code == 2
    assert done.stdout == ""
    assert told in done.stderr


def test_a_file_that_is_not_there_is_told() -> None:
    done = show("nowhere.yaml")
    assert done.exit_code == 2
    assert done.stderr.startswith("nowhere.yaml")
