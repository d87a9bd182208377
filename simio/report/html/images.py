"""The plots of a page as PNG and SVG files."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from simio.errors import SimioError
from simio.report.browser import draw
from simio.report.html.curves import Figure, curves
from simio.report.html.distributions import distributions
from simio.report.html.timelines import timelines
from simio.report.terminal import DETAILED
from simio.result.model import ScenarioResult

WIDTH, HEIGHT = 900, 420
FORMS = ("png", "svg")
_LOOK: dict[str, Any] = {
    "font": {"family": "Inter, 'Segoe UI', 'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif", "color": "#1d2530"},
    "paper_bgcolor": "white", "plot_bgcolor": "white", "width": WIDTH, "height": HEIGHT,
    "margin": {"l": 60, "r": 20, "t": 50, "b": 50}, "legend": {"orientation": "h", "y": 1.02, "yanchor": "bottom"},
}  # fmt: skip
_AXIS = {"gridcolor": "#dfe3e8", "zerolinecolor": "#dfe3e8", "linecolor": "#8a96a6", "automargin": True}


def figures_of(result: ScenarioResult) -> dict[str, Figure]:
    """The plots by the name that a file of each has: what varies, and the timelines of up to so many cases."""
    found: dict[str, Figure] = {}
    over = curves(result) if len(result.cases) > 1 else None
    if over:
        found["curves"] = over
    for case in result.cases if len(result.cases) <= DETAILED else ():
        for title, figure in {**timelines(case, result.unit), **distributions(case)}.items():
            name = "-".join("".join(char if char.isalnum() else " " for char in title).lower().split())
            found[f"case{case.index + 1}-{name}"] = figure
    return found


def write_figures(result: ScenarioResult, folder: str) -> list[Path]:
    """Write each plot in both forms; returns the files.

    Raises SimioError where a browser cannot draw, or nothing can be written there.
    """
    into = Path(folder)
    try:
        into.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SimioError(f"cannot make the folder {folder!r}: {error.strerror or error}") from error
    found = {name: {**figure, "layout": _light(figure["layout"])} for name, figure in figures_of(result).items()}
    names = [f"{name}.{form}" for form in FORMS for name in found]
    try:
        with TemporaryDirectory(prefix=".figures.", dir=into) as aside:
            draw([*found.values()] * len(FORMS), [Path(aside, name) for name in names], "a plot in a file", "--html")
            return [Path(aside, name).replace(into / name) for name in names]
    except OSError as error:
        raise SimioError(f"cannot write into {folder!r}: {error.strerror or error}") from error


def _light(layout: dict[str, Any]) -> dict[str, Any]:
    axes = {name: {**_AXIS, **layout.get(name, {})} for name in ("xaxis", "yaxis")}
    return {**_LOOK, **layout, **axes}
