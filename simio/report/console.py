"""Consoles and tables of rich, as every command prints them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Mapping

from rich.console import Console
from rich.table import Table
from rich.text import Text

WIDTH = 160
"""Characters of a line where the output is no terminal."""
BAR = 24
"""Width of a full bar, in characters."""


def printed(show: Callable[[Console], object], to_file: bool = False) -> str:
    """The text that `show` prints, without spaces at the ends of lines; colours only where it goes to a terminal."""
    console = Console(highlight=False, width=WIDTH if to_file or not sys.stdout.isatty() else None)
    with console.capture() as capture:
        show(console)
    return "".join(line.rstrip() + "\n" for line in capture.get().splitlines())


def columns(*headings: str, left: Collection[int] = (0,), styles: Mapping[str, str] | None = None) -> Table:
    """A table without rules; columns are aligned to the right but for those in `left`, which are never cut off.

    `styles` are styles of columns by their heading.
    """
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for number, heading in enumerate(headings):
        side, overflow = ("left", "fold") if number in left else ("right", "ellipsis")
        style = (styles or {}).get(heading, "")
        table.add_column(Text(heading), justify=side, overflow=overflow, style=style)  # type: ignore[arg-type]
    return table


def bar_text(share: float) -> Text:
    """A bar and the percentage: red from 90 per cent on, yellow from 60."""
    filled = round(share * BAR)
    style = "red" if share >= 0.9 else "yellow" if share >= 0.6 else "green"
    return Text.assemble(("█" * filled, style), ("·" * (BAR - filled), "dim"), f" {share:6.1%}")
