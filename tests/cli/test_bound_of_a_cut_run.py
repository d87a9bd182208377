"""simio bound of a run that ends by its time: threads that need least at a part may have gone further than others."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from simio.cli.main import main

# Two of three endless connections share the port to one client, and the third has a port of its own. 10 Gbit/s carry
# 1448 of 1538 bytes, 9.415 Gbit/s: both ports together carry twice that, whatever the three connections carry each.
TWO_PORTS = """
title: Three connections and two ports
hosts: {a: {model: hosts/linux-namespace}, b: {like: a}, c: {like: a}}
switches: {tor: {model: switches/ideal-ethernet, buffering: shared, buffer: 500 kB}}
links:
  - {model: links/ethernet-100g, between: [a.eth, tor]}
  - {model: links/ethernet-10g, between: [tor, b.eth]}
  - {model: links/ethernet-10g, between: [tor, c.eth]}
workload:
  one: {kind: ttcp, from: a, to: b, size: 64 KiB}
  two: {kind: ttcp, from: a, to: b, size: 64 KiB}
  other: {kind: ttcp, from: a, to: c, size: 64 KiB}
run: {until: 20 ms, warm_up: 5 ms}
report: {unit: Gbit/s}
"""
WAITS = """
title: Reads of one drive
hosts: {server: {model: hosts/server-2023-2s}}
disks: {d: {model: disks/datacentre-tlc-2023}}
links: [{model: links/nvme, between: [server.nvme, d]}]
workload:
  reader: {host: server, from: d, block: 4 KiB, size: 64 MiB, pattern: random, access: raw}
report: {unit: kIOPS}
"""

OTHER = "other: {kind: reader, host: server, from: d, block: 8 KiB, size: 64 MiB, pattern: random, access: raw}"


def _simio(*args: str) -> str:
    result = CliRunner().invoke(main, list(args))
    assert result.exit_code == 0, result.output
    return result.output


def _file(folder: Path, text: str) -> str:
    path = folder / "case.yaml"
    path.write_text(text)
    return str(path)


def test_no_run_is_faster_than_simio_bound_says(tmp_path: Path) -> None:
    file = _file(tmp_path, TWO_PORTS)
    assert "this scenario: at most 18.83 Gbit/s" in _simio("bound", file)
    answer = next(line for line in _simio("run", file).splitlines() if " Gbit/s   " in line)
    assert float(answer.split()[0]) == pytest.approx(18.83, rel=0.01)


def test_a_bound_in_bytes_says_so_where_the_report_counts_requests_of_several_sizes(tmp_path: Path) -> None:
    shown = _simio("bound", _file(tmp_path, WAITS.replace("report:", f"  {OTHER}\nreport:")))
    assert " MB/s " in shown
    assert "in bytes: the run decides how many kIOPS these are" in shown
