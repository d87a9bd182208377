"""A run says so where a kernel's costs are scaled to a CPU far from the one that they were found on."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from simio.cli.main import main
from simio.loading import load
from simio.lower import lower
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


FREE = """
title: A server with a stack of no cost
hosts: {a: {model: hosts/server-2023-2s}, b: {like: a}, c: {like: a}}
links: [{model: links/ethernet-100g, between: [a.eth, b.eth]}]
workload: {ttcp: {from: a, to: b, size: 64 KiB, writes: 8}}
"""
TOLD = (
    "TCP, UDP and copies take no CPU time on a and 1 other, as stacks/linux-6.x has the protocol alone: "
    "`simio models stacks` tells which others have costs"
)


def _free(folder: Path, *settings: str, text: str = FREE) -> list[str]:
    path = folder / "case.yaml"
    path.write_text(text)
    return list(lower(load(path, list(settings)).cases[0].system).told)


def test_a_stack_without_costs_is_told_for_hosts_that_have_some(tmp_path: Path) -> None:
    assert _free(tmp_path) == [TOLD]
    assert _free(tmp_path, "hosts.a.stack=stacks/linux-5.4") == []
    assert _free(tmp_path, "hosts.a.stack.tcp_send=1 us") == []
    assert _free(tmp_path, "hosts.a.kernel=kernels/ideal", "hosts.a.cpu=cpus/ideal") == []
    run = CliRunner().invoke(main, ["run", str(tmp_path / "case.yaml")]).stdout
    assert TOLD in " ".join(run.split())
    assert TOLD in " ".join(CliRunner().invoke(main, ["explain", str(tmp_path / "case.yaml")]).stdout.split())


OVER_RDMA = """
title: Files over RDMA
hosts:
  a: {model: hosts/server-2023-2s, adapters: {rdma: {model: adapters/connectx-5-rdma, bus: slot}}}
  b: {like: a}
links: [{model: links/ethernet-100g, between: [a.rdma, b.rdma]}]
workload: {nfs: {from: a, to: b, size: 1 MiB, transport: rdma, version: 4}}
"""
ONLY_RDMA = OVER_RDMA.partition("workload")[0] + "workload: {rdma: {from: a, to: b, size: 64 KiB, messages: 4}}"


def test_a_client_over_rdma_that_copies_in_no_time_is_told_and_rdma_alone_is_not(tmp_path: Path) -> None:
    assert [note.partition(" on ")[0] for note in _free(tmp_path, text=OVER_RDMA)] == [TOLD.partition(" on ")[0]]
    assert _free(tmp_path, "hosts.a.stack.copies=true", "hosts.b.stack.copies=true", text=OVER_RDMA) == []
    assert _free(tmp_path, text=ONLY_RDMA) == []
