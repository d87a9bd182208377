"""Several measured quantities beside a run: on the terminal, in JSON and in CSV."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from simio.cli.main import main

SCENARIO = """
title: Four disks
hosts: {server: {model: hosts/linux-2002-dual-p3}}
disks: {d: {model: disks/fc-15k-2002, count: 4}}
switches: {fabric: switches/fc-2g}
links:
  - {model: links/fc-2g, between: [server.fc, fabric]}
  - {model: links/fc-2g, between: [fabric, d]}
workload: {reader: {host: server, from: d, block: 1 MiB, size: 8 MiB}}
vary: {disks.d.count: [4, 1]}
measured: ./table.yaml
"""
TABLE = """
title: Of our own
source: us
quantity: throughput
unit: MB/s
rows:
  - {where: {disks.d.count: 4}, value: 200}
  - {where: {disks.d.count: 4}, value: [1500, 1700], unit: Mbit/s}
  - {where: {disks.d.count: 4}, value: 50, quantity: stream, text: some 50}
  - {where: {disks.d.count: 4}, value: [20, 21], quantity: latency, of: block, unit: ms}
  - {where: {disks.d.count: 4}, value: 5, quantity: cpu, unit: "%"}
  - {where: {disks.d.count: 1}, value: held, quantity: cpu, unit: "%"}
"""


@pytest.fixture
def scenario(tmp_path: Path) -> str:
    """A scenario with a table beside it."""
    (tmp_path / "table.yaml").write_text(TABLE)
    path = tmp_path / "four.yaml"
    path.write_text(SCENARIO)
    return str(path)


def simio(*args: str) -> str:
    done = CliRunner().invoke(main, ["run", *args])
    assert done.exit_code == 0, done.output
    return done.output


def test_json_has_every_quantity_as_the_case_has_it(scenario: str) -> None:
    four, one = json.loads(simio(scenario, "--json"))["cases"]
    rows = {(row["quantity"], row["of"], row["unit"]): row for row in four["comparisons"]}
    assert len(rows) == 5
    assert rows["throughput", "", "Mbit/s"]["simulated"] == pytest.approx(four["bytes_per_second"] * 8e-6)
    assert rows["throughput", "", "Mbit/s"]["measured"] == [1500, 1700]
    mean = sum(four["streams"].values()) / 4
    assert rows["stream", "", "MB/s"]["simulated"] == pytest.approx(mean / 1e6)
    (block,) = four["observations"]
    assert rows["latency", "block", "ms"]["simulated"] == pytest.approx(block["mean"] / 1e9)
    (cpu,) = [use["utilisation"] for use in four["resources"] if use["name"] == "server.cpu"]
    assert 0 < cpu < 1
    assert rows["cpu", "server", "%"]["simulated"] == pytest.approx(100 * cpu)
    assert rows["cpu", "server", "%"]["error"] == pytest.approx(100 * cpu / 5 - 1)
    (held,) = one["comparisons"]
    assert (held["held"], held["measured"], held["error"]) == (True, None, None)


def test_the_terminal_lists_other_quantities_below_the_throughput(scenario: str) -> None:
    lines = simio(scenario).splitlines()
    first = next(line for line in lines if line.startswith("   1 "))
    assert "200, 1500 to 1700 Mbit/s" in first
    assert first.count("%") == 3
    start = next(number for number, line in enumerate(lines) if line.startswith("case  quantity"))
    told = [line.split("  ")[1:2] + [line] for line in lines[start + 1 : start + 5]]
    for words, (_, line) in zip(
        (("stream", "some 50 MB/s"), ("latency of block", "20 to 21 ms"), ("cpu of server", " 5 %"),
         ("cpu of server", "held", "predicted")), told, strict=True,
    ):  # fmt: skip
        assert all(word in line for word in words), line
    text = "\n".join(lines)
    assert "5 measured rows: median error" in text
    assert "1 withheld measurement predicted" in text
    assert "reader: d1 and 3 alike" in text


def test_csv_has_columns_for_each_quantity(scenario: str) -> None:
    four, one = csv.DictReader(io.StringIO(simio(scenario, "--csv")))
    assert four["measured"] == "200; 1500 to 1700"
    assert len(four["error"].split("; ")) == 2
    assert four["latency of block measured"] == "20 to 21"
    assert float(four["cpu of server error"]) == pytest.approx(float(four["cpu of server (%)"]) / 5 - 1, abs=1e-3)
    assert one["stream (MB/s)"] == one["latency of block error"] == ""
    assert one["cpu of server measured"] == "held"
    assert float(one["cpu of server (%)"]) > 0


def test_a_latency_of_nothing_is_refused_before_the_run(scenario: str) -> None:
    table = Path(scenario).parent / "table.yaml"
    table.write_text(TABLE.replace("of: block", "of: blok"))
    done = CliRunner().invoke(main, ["run", scenario])
    assert done.exit_code == 2
    assert "no observation for latency of blok; there are 'reader: block'" in done.output
