"""`simio nomograph`: waiting times of a scenario's cases, as a table and as a page."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from simio.cli.main import main
from simio.loading.catalogue import data_root

SCENARIO = str(data_root("simio.scenarios") / "hippi-larger-packets.yaml")


def told(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["nomograph", SCENARIO, "--set", "workload.blast.packets=2", *arguments])


def test_a_row_for_each_case_and_a_column_for_each_size() -> None:
    lines = told("--size", "1 GB", "--size", "1 MB").stdout.splitlines()
    assert lines[2].split() == ["case", "rate", "1", "MB", "1", "GB"]
    assert len(lines) > 4
    for line in lines[3:]:
        cells = line.split("  ")
        rate, first, last = [cell.strip() for cell in cells if cell.strip()][-3:]
        assert rate.endswith(" MB/s")
        # A thousand times the size is a thousand times the time.
        assert first.endswith(" ms")
        assert float(first.split()[0]) == pytest.approx(1000 / float(rate.split()[0]), rel=0.01)
        assert last.endswith(" s")
        assert float(last.split()[0]) == pytest.approx(float(first.split()[0]), rel=0.01)


def test_the_page_is_written(tmp_path: Path) -> None:
    page = tmp_path / "n.html"
    done = told("--html", str(page))
    assert done.exit_code == 0
    assert 'id="nomograph"' in page.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("size", "said"),
    [
        ("0 B", "--size: found 0 B; expected a size above zero"),
        ("many", "--size: found"),
        ("1 MB/s", "--size: found"),
    ],
)
def test_a_size_that_is_none_is_refused(size: str, said: str) -> None:
    done = told("--size", size)
    assert done.exit_code != 0
    assert said in done.stderr


def test_the_rate_of_a_load_is_told_not_to_be_the_most(tmp_path: Path) -> None:
    scenario = tmp_path / "users.yaml"
    scenario.write_text(
        "title: Users\n"
        "hosts: {a: {model: hosts/linux-namespace}, b: {like: a}}\n"
        "links: [{model: links/ethernet-100, between: [a.eth, b.eth], length: 1 m}]\n"
        "workload:\n"
        "  u: {kind: requests, from: a, to: b, request: 100 B, response: 10 kB, count: 1000,"
        " arrivals: {rate: 300 /s}}\n"
        "run: {until: 500 ms, replications: 2}\n",
        encoding="utf-8",
    )

    def of(rate: str) -> str:
        command = ["nomograph", str(scenario), "--set", f"workload.u.arrivals.rate={rate}"]
        return " ".join(CliRunner().invoke(main, command).stdout.split())

    assert "case 1: the rate is that of the load, not the most that the path carries. All 300 requests" in of(
        "300 /s"
    )
    assert "case 1: u cannot keep up: of 3000 requests a second that arrive" in of("3000 /s")
