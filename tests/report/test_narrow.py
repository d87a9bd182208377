"""A narrow terminal shows each number, name and heading that a wide one shows."""

from __future__ import annotations

import io
import re

import pytest
from click.testing import CliRunner
from rich.console import Console

from simio.cli.main import main
from simio.report import console
from simio.report.console import columns, list_to, share_bar

COMMANDS = {
    "run": ("run", "linux-fc-raw", "--set", "run.until=50 ms"),
    "run of many cases": ("run", "sgi-hippi-raw", "--set", "workload.blast.packets=2"),
    "run of one case": ("run", "sgi-hippi-ttcp", "--case", "1"),
    "validate": ("validate", "small-posts"),
    "validate one table": ("validate", "sgi-hippi/table-1"),
    "sweep": (
        "sweep",
        "linux-fc-raw",
        "--no-cache",
        "--case",
        "1",
        "--set",
        "run.until=50 ms",
        "--set",
        "disks.d.count=1,2,8",
    ),
    "show": ("show", "linux-fc-raw"),
    "bound": ("bound", "linux-fc-raw", "--case", "1"),
}
_DRAWN = re.compile(r"[█·]+")


def words(text: str) -> set[str]:
    """The words of an output, without bars."""
    return set(_DRAWN.sub(" ", text).split())


def printed(command: tuple[str, ...], width: int, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(console, "WIDTH", width)
    return CliRunner().invoke(main, list(command)).stdout


@pytest.mark.parametrize("name", COMMANDS)
def test_nothing_is_lost(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    wide = printed(COMMANDS[name], 200, monkeypatch)
    for width in (80, 60):
        narrow = printed(COMMANDS[name], width, monkeypatch)
        assert words(wide) - words(narrow) == set()
        assert "…" not in narrow.replace("…", "", wide.count("…"))
        if name not in ("show", "bound"):
            assert max(map(len, narrow.splitlines())) <= width


def shown(drawn: object, width: int) -> list[str]:
    out = io.StringIO()
    Console(file=out, width=width).print(drawn)
    return [line.rstrip() for line in out.getvalue().splitlines()]


def test_columns_without_room_stand_below_with_the_names_again() -> None:
    table = columns("disk", "rate in MB/s", "waiting", "longest line", "limit", left=(0, 4))
    table.add_row("d1", "1,234,567.8", "0.25", "1,024", "the media of the disk")
    lines = shown(table, 40)
    assert max(map(len, lines)) <= 40
    assert sum(line.startswith("d1") for line in lines) == 2
    assert {"1,234,567.8", "1,024", "longest", "media"} <= words("\n".join(lines))


def test_a_bar_gives_way_before_a_number() -> None:
    table = columns("disk", "busy", "waiting", left=(0, 1))
    table.add_row("d1", share_bar(0.954), "0.25")
    assert "█" in shown(table, 60)[1]
    assert shown(table, 24)[1].split() == ["d1", "95.4%", "0.25"]


@pytest.mark.parametrize("width", [100, 60, 40])
def test_a_listing_keeps_names_whole_and_lines_readable(width: int) -> None:
    out = io.StringIO()
    title = "a title of some length that says what the part is and what it was measured on"
    list_to(Console(file=out, width=width), [("adapters/of-a-long-name", title, "12 values"), ("b", "short")])
    lines = out.getvalue().splitlines()
    assert max(len(line.rstrip()) for line in lines) <= width
    assert words(title) | {"adapters/of-a-long-name", "12", "values", "short"} <= words(out.getvalue())
    assert len(lines) < 12
