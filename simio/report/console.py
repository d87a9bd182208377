"""Consoles and tables of rich, as every command prints them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.measure import Measurement
from rich.segment import Segment
from rich.table import Column, Table
from rich.text import Text

WIDTH = 160
"""Characters of a line where the output is no terminal."""
BAR = 24
"""Width of a full bar, in characters."""
_SHORTEST = 6
"""Width of a bar below which it shows nothing, and is left out."""
_GAP = 2
_WORD = 32
"""A word of a text that is longer is broken where a line has no room for it."""
_READABLE = 40
"""Characters of a text in a listing that stand beside a name; with less room they stand below it."""
_BLANK = Text("")
NOTHING_YET = "interrupted before the first run was done"
"""The answer of a search that has none."""


def printed(show: Callable[[Console], object], to_file: bool = False) -> str:
    """The text that `show` prints, without spaces at the ends of lines; colours only where it goes to a terminal."""
    console = Console(highlight=False, emoji=False, width=WIDTH if to_file or not sys.stdout.isatty() else None)
    with console.capture() as capture:
        show(console)
    return "".join(line.rstrip() + "\n" for line in capture.get().splitlines())


class FittedTable(Table):
    """A table that loses nothing on a narrow terminal: texts wrap, bars go, and columns move to a table below."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The table, or one for each group of columns that fits, each with the columns that name the rows."""
        spans = [self._span(console, options, column) for column in self.columns]
        least = [span.minimum + _GAP for span in spans]
        for number, group in enumerate(_groups(least, self._naming(least, options.max_width), options.max_width)):
            widths = _widths([spans[index] for index in group], options.max_width - _GAP * len(group))
            if number:
                yield ""
            if not self.title and all(
                spans[index].maximum <= width for index, width in zip(group, widths, strict=True)
            ):
                yield from self._unbroken(console, options, group, widths)
                continue
            part = self._part(group, widths)
            if not number:
                part.title, part.title_justify, part.title_style = self.title, self.title_justify, self.title_style
            yield from Table.__rich_console__(part, console, options)

    def _unbroken(
        self, console: Console, options: ConsoleOptions, group: Sequence[int], widths: Sequence[int]
    ) -> RenderResult:
        """The rows of some columns whose cells need no breaking: what rich prints, in a fraction of its time."""
        columns = [self.columns[index] for index in group]
        for row in range(-1, len(self.rows)):
            header = row < 0
            cells = [
                _lines(column.header if header else column._cells[row], console, options.update(width=width))
                for column, width in zip(columns, widths, strict=True)
            ]
            own = console.get_style((self.header_style if header else self.rows[row].style) or "")
            styles = [own if header else console.get_style(column.style or "") + own for column in columns]
            height = max(map(len, cells))
            for line in range(height):
                gap = 0
                for column, cell, width, style in zip(columns, cells, widths, styles, strict=True):
                    # Headings stand on the line above the rows, whatever their height.
                    at = line - (height - len(cell)) if header else line
                    text = cell[at] if 0 <= at < len(cell) else _BLANK
                    free = width - text.cell_len
                    before = free if column.justify == "right" else 0
                    yield Segment(" " * (gap + before))
                    yield from Segment.apply_style(text.render(console), style)
                    gap = free - before + _GAP
                yield Segment.line()

    def _span(self, console: Console, options: ConsoleOptions, column: Column) -> Measurement:
        """The least and the full width of a column: numbers are never broken, and texts only between words."""
        wide = options.update(max_width=10_000, no_wrap=False)
        spans = [Measurement.get(console, wide, cell) for cell in (column.header, *column.cells)]
        most = max(span.maximum for span in spans)
        if column.justify == "left":
            return Measurement(min(max(span.minimum for span in spans), max(_WORD, spans[0].minimum)), most)
        return Measurement(max([spans[0].minimum, *(span.maximum for span in spans[1:])]), most)

    def _naming(self, least: Sequence[int], room: int) -> int:
        """The number of columns that name the rows: texts at the left, as far as half of a line has room for them."""
        number = 1
        for column in self.columns[1:]:
            bar = any(isinstance(cell, Bar) for cell in column.cells)
            if column.justify != "left" or bar or sum(least[: number + 1]) > room // 2:
                break
            number += 1
        return min(number, max(1, len(least) - 1))

    def _part(self, group: Sequence[int], widths: Sequence[int]) -> Table:
        """A plain table of some of the columns."""
        part = Table(box=None, pad_edge=False, header_style="bold", padding=(0, _GAP, 0, 0))
        for place, (index, width) in enumerate(zip(group, widths, strict=True)):
            column = self.columns[index].copy()
            column._index, column._cells, column.width = place, self.columns[index]._cells, width
            part.columns.append(column)
        part.rows = self.rows
        return part


def _lines(cell: RenderableType, console: Console, options: ConsoleOptions) -> Sequence[Text]:
    """The lines of a cell whose width has no limit."""
    if isinstance(cell, Bar):
        return [cell.drawn(options.max_width)]
    text = cell if isinstance(cell, Text) else console.render_str(cast(str, cell), highlight=False)
    return list(text.split(allow_blank=True)) if "\n" in text.plain else [text]


def _groups(widths: Sequence[int], naming: int, room: int) -> list[list[int]]:
    """The columns of each table below another; all have the first `naming` ones."""
    first = list(range(naming))
    groups, used = [[*first]], sum(widths[:naming])
    for index, width in enumerate(widths[naming:], start=naming):
        if used + width - _GAP > room and len(groups[-1]) > naming:
            groups.append([*first])
            used = sum(widths[:naming])
        groups[-1].append(index)
        used += width
    return groups


def _widths(spans: Sequence[Measurement], room: int) -> list[int]:
    """The width of each column in `room`: the widest that may be narrower gives way first."""
    widths = [span.maximum for span in spans]
    least = [span.minimum for span in spans]
    while sum(widths) > room:
        loose = [index for index, width in enumerate(widths) if width > least[index]]
        if not loose:
            # A single column beside the names is too wide: both are broken.
            loose = [index for index, width in enumerate(widths) if width > 1]
        widest = max(loose, key=lambda index: widths[index])
        widths[widest] -= 1
    return widths


def columns(*headings: str, left: Collection[int] = (0,), styles: Mapping[str, str] | None = None) -> FittedTable:
    """A table without rules; columns are aligned to the right but for those in `left`, which hold text.

    `styles` are styles of columns by their heading.
    """
    table = FittedTable(box=None, pad_edge=False, header_style="bold", padding=(0, _GAP, 0, 0))
    for number, heading in enumerate(headings):
        style = (styles or {}).get(heading, "")
        table.add_column(Text(heading), justify="left" if number in left else "right", overflow="fold", style=style)
    return table


@dataclass(frozen=True)
class Bar:
    """A bar and what stands behind it; a narrow column shortens the bar, or leaves it out."""

    share: float
    style: str = ""
    behind: str = ""

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        """The widths from the text behind alone to a bar of full width before it."""
        return Measurement(len(self.behind.strip()), BAR + len(self.behind))

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The bar as wide as there is room for."""
        yield self.drawn(options.max_width)

    def drawn(self, width: int) -> Text:
        """The bar in so many characters."""
        room = min(BAR, width - len(self.behind))
        if room < _SHORTEST:
            return Text(self.behind.strip())
        filled = round(self.share * room)
        return Text.assemble(("█" * filled, self.style), ("·" * (room - filled), "dim"), self.behind)


def share_bar(share: float) -> Bar:
    """A bar and the percentage: red from 90 per cent on, yellow from 60."""
    style = "red" if share >= 0.9 else "yellow" if share >= 0.6 else "green"
    return Bar(share, style, f" {share:6.1%}")


def listing(rows: Sequence[tuple[str, ...]]) -> str:
    """Names with a title and further words: in columns for `grep` and the like, and on a terminal to be read."""
    if not sys.stdout.isatty():
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = (
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
        )
        return "".join(f"{line}\n" for line in lines)
    return printed(lambda console: list_to(console, rows))


def list_to(console: Console, rows: Sequence[tuple[str, ...]]) -> None:
    """Print names with their words beside them, or below them on a narrow terminal."""
    longest = max((len(name) for name, *_ in rows), default=0)
    beside = console.width - longest - _GAP >= _READABLE
    for name, title, *more in rows:
        words = Text.assemble(title, *((f"\n{each}", "dim") for each in more if each))
        grid = Table.grid(padding=(0, _GAP, 0, 0))
        grid.add_column(width=longest if beside else _GAP, no_wrap=True)
        grid.add_column(overflow="fold")
        grid.add_row(Text(name, style="bold") if beside else "", words)
        if not beside:
            console.print(Text(name, style="bold"))
        console.print(grid)
