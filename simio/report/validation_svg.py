"""Plots of a validation as SVG files for documents: the curves of a table and the error of each of its rows."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from simio.errors import SimioError, quote
from simio.files import write_whole
from simio.report.svg import COLOURS, Picture, Scale
from simio.report.validation_plots import Curves, RowPoint, curves_of, row_labels, scattered
from simio.studies.simulate import Simulated
from simio.studies.summary import TableSummary
from simio.studies.validation import MISSED, Validation, missed

WIDTH = 760
CURVES = 300
"""Pixels of height of the curves."""
LINE = 17
"""Pixels of height of a row in the list of errors."""
LEAST_SPAN = 0.2
"""The axis of errors goes at least this far to either side."""
MARGIN = 60


def write_plots(found: Validation, folder: str, whole: bool) -> list[str]:
    """Write `study-table.svg` for each table with rows; returns the files' names.

    Where these are the whole of what was measured and all of it ran, `all.svg` is written, too. Raises SimioError
    where nothing can be written.
    """
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SimioError(f"cannot write plots to {quote(folder)}: {error.strerror or error}") from error
    written = []
    for table in found.tables:
        if any(row.value is not None for row in table.rows):
            written.append(f"{table.name.replace('/', '-')}.svg")
            write_whole(Path(folder) / written[-1], table_svg(table))
    if whole and found.complete:
        written.append("all.svg")
        write_whole(Path(folder) / written[-1], scatter_svg(found.tables))
    return written


def table_svg(table: TableSummary) -> str:
    """Curves of a table if it has any, and below them the error of each measured row."""
    curves = curves_of(table)
    judged = [row for row in table.rows if row.error is not None]
    top = 30
    height = top + (CURVES + 40 + 16 * len(curves.curves) if curves else 0)
    picture = Picture(
        WIDTH, height + (LINE * len(judged) + 60 if judged else 0), f"{table.name}: {table.table.title}"
    )
    picture.text(10, 18, table.name, kind="title")
    if curves:
        _draw_curves(picture, curves, top)
    if judged:
        _draw_errors(picture, judged, height)
    return picture.whole()


def _draw_curves(picture: Picture, curves: Curves, top: float) -> None:
    points = [point for curve in curves.curves for point in curve.points]
    xs = [point.x for point in points]
    x = Scale(min(xs), max(xs), MARGIN + 10, WIDTH - 30, curves.logarithmic)
    values = [value for point in points for value in (point.simulated, point.low, point.high) if value]
    steep = max(values) > 20 * min(values)
    y = Scale(min(values) / 1.2 if steep else 0, max(values) * 1.08, top + CURVES, top + 10, steep)
    picture.levels(y, MARGIN, WIDTH - 20)
    for value, text in curves.ticks():
        picture.text(x.place(value), top + CURVES + 18, text, "middle")
    picture.line(MARGIN, top + CURVES, WIDTH - 20, top + CURVES)
    picture.text(MARGIN, top + 4, curves.unit, kind="dim")
    picture.text(WIDTH - 20, top + CURVES + 34, curves.axis, "end", "dim")
    for number, curve in enumerate(curves.curves):
        colour = COLOURS[number % len(COLOURS)]
        picture.lines([(x.place(point.x), y.place(point.simulated)) for point in curve.points], colour)
        for point in curve.points:
            _draw_point(picture, point, x, y, colour, alone=len(curve.points) == 1)
        line = top + CURVES + 40 + 16 * number
        picture.dot(MARGIN + 4, line - 4, colour)
        picture.text(MARGIN + 14, line, curve.name)
    picture.text(WIDTH - 20, top + 4, "lines simulated, points measured, open points simulated", "end", "dim")


def _draw_point(picture: Picture, point: RowPoint, x: Scale, y: Scale, colour: str, alone: bool) -> None:
    """The measured value; the simulated one as an open point if the row is withheld or no line goes through it."""
    here = x.place(point.x)
    if point.low is None or alone:
        picture.dot(here, y.place(point.simulated), colour, open_=True)
    if point.low is None or point.high is None:
        return
    if point.high > point.low:
        picture.line(here, y.place(point.low), here, y.place(point.high), colour=colour)
    for value in dict.fromkeys((point.low, point.high)):
        picture.dot(here, y.place(value), colour)


def _draw_errors(picture: Picture, judged: Sequence[Simulated], top: float) -> None:
    """A bar for each row to the left or right of zero, red beyond the band of `MISSED`."""
    names = row_labels(judged)
    span = max(LEAST_SPAN, *(abs(row.error or 0) * 1.05 for row in judged))
    x = Scale(-span, span, WIDTH * 0.5, WIDTH - 60)
    bottom = top + 30 + LINE * len(judged)
    picture.text(10, top + 18, "error of each measured row, with the band of 10%", kind="dim")
    picture.area(x.place(-MISSED), top + 26, x.place(MISSED), bottom)
    for tick in x.ticks():
        picture.line(x.place(tick), top + 26, x.place(tick), bottom, "grid")
        picture.text(x.place(tick), bottom + 16, f"{tick:+.0%}", "middle", "dim")
    picture.line(x.place(0), top + 26, x.place(0), bottom)
    for number, row in enumerate(judged):
        error = row.error or 0.0
        line = top + 30 + LINE * number
        far = missed(row)
        picture.text(x.start - 10, line + 12, _cut(names[number]), "end", "red" if far else "")
        picture.area(x.place(0), line + 3, x.place(error), line + LINE - 3, COLOURS[3] if far else COLOURS[0])
        picture.text(WIDTH - 8, line + 12, f"{error:+.1%}", "end", "red" if far else "")


def scatter_svg(tables: Sequence[TableSummary]) -> str:
    """Simulated over measured rates of all tables, both axes logarithmic, with the band of `MISSED`."""
    groups = scattered(tables)
    picture = Picture(WIDTH, 560, "measured and simulated rates of all tables")
    picture.text(10, 18, "Simulated over measured rates, MB/s, with the band of 10%", kind="title")
    values = [value for _, points in groups for point in points for value in point[:2] if value > 0]
    if not values:
        return picture.whole()
    low, high = min(values) / 1.3, max(values) * 1.3
    x = Scale(low, high, MARGIN + 10, 540, True)
    y = Scale(low, high, 510, 40, True)
    for tick in x.ticks():
        picture.line(x.place(tick), 40, x.place(tick), 510, "grid")
        picture.line(MARGIN + 10, y.place(tick), 540, y.place(tick), "grid")
        picture.text(x.place(tick), 528, f"{tick:g}", "middle")
        picture.text(MARGIN, y.place(tick) + 4, f"{tick:g}", "end")
    picture.line(x.place(low), y.place(low), x.place(high), y.place(high))
    sides = (1 - MISSED, 1 + MISSED)
    ends = [(end, side) for end, both in ((low, sides), (high, sides[::-1])) for side in both]
    picture.band([(x.place(end), y.place(end * side)) for end, side in ends])
    picture.text(540, 546, "measured", "end", "dim")
    for number, (study, points) in enumerate(groups):
        colour = COLOURS[number % len(COLOURS)]
        picture.dot(570, 56 + 20 * number, colour)
        picture.text(582, 60 + 20 * number, study)
        for measured, simulated, row in points:
            hint = f"{row.row.table}, {row.row.name}: {row.error:+.1%}"
            picture.dot(x.place(measured), y.place(simulated), colour, open_=not missed(row), hint=hint)
    picture.text(570, 66 + 20 * len(groups), "filled: off by more than 10%", kind="dim")
    return picture.whole()


def _cut(text: str, most: int = 52) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
