"""A run says so where a kernel's costs are scaled to a CPU far from the one that they were found on."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from simio.cli.main import main
from simio.loading import load
from simio.result.extrapolated import extrapolated

SCENARIOS = Path(__file__).parents[2] / "scenarios"


def notes(name: str, *settings: str) -> list[str]:
    return extrapolated(load(SCENARIOS / f"{name}.yaml", list(settings)).cases[0].system)


@pytest.mark.parametrize(
    ("clock", "far"), [("1.4 GHz", False), ("1.41 GHz", True), ("350 MHz", False), ("349 MHz", True)]
)
def test_a_kernel_of_700_mhz_is_far_from_more_than_twice_and_less_than_half_of_it(clock: str, far: bool) -> None:
    assert bool(notes("linux-fc-raw", f"hosts.server.cpu.clock={clock}")) == far


def test_the_first_lines_of_a_run_and_an_explanation_say_so() -> None:
    told = "the costs of kernels/linux-2.4.19, found at 700 MHz, are scaled to 3 GHz on server: "
    arguments = ["linux-fc-raw", "--case", "3", "--set", "hosts.server.cpu.clock=3 GHz"]
    lines = CliRunner().invoke(main, ["run", *arguments]).stdout.splitlines()
    (at,) = (index for index, line in enumerate(lines) if line.startswith(told))
    assert lines[at - 1].startswith("54.02 MiB/s")
    assert told in CliRunner().invoke(main, ["explain", *arguments]).stdout
    assert "are scaled to" not in CliRunner().invoke(main, ["run", *arguments[:3]]).stdout


def test_hosts_alike_are_one_line_and_a_kernel_without_costs_is_none() -> None:
    told = notes("slac-datamove8", "hosts.datamove8.cpu.clock=3 GHz", "hosts.datamove7.cpu.clock=3 GHz")
    assert [line.partition(": ")[0].rpartition(" on ")[2] for line in told] == ["datamove8 and 1 other"]
    assert notes("dns-million") == []
