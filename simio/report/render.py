"""Pictures in the form that the name of their file says."""

from __future__ import annotations

import base64
import os
from pathlib import Path
from tempfile import TemporaryDirectory

from simio.errors import SimioError, quote
from simio.report.browser import draw
from simio.wording import listed

FORMS = ("svg", "png", "pdf")


def form_of(path: str | os.PathLike[str]) -> str:
    """The form of a picture's file, by its ending. Raises SimioError for one that cannot be written."""
    form = os.path.splitext(path)[1].removeprefix(".").lower()
    if form not in FORMS:
        endings = listed([f".{each}" for each in FORMS])
        raise SimioError(
            f"cannot draw {quote(str(path))}: expected a name that ends in {endings.replace(' and ', ' or ')}"
        )
    return form


def rendered(path: str | os.PathLike[str], svg: str, width: float, height: float) -> str | bytes:
    """The content of a picture's file: an SVG of a width and height in pixels as it is, or drawn as .png or .pdf.

    Raises SimioError for another form, or where a browser is needed and cannot draw.
    """
    form = form_of(path)
    return svg if form == "svg" else _drawn(svg, form, width, height)


def _drawn(svg: str, form: str, width: float, height: float) -> bytes:
    """The SVG as a browser draws it: as the only thing on a figure."""
    hidden = {"visible": False, "range": [0, 1]}
    source = f"data:image/svg+xml;base64,{base64.b64encode(svg.encode()).decode()}"
    image = {"source": source, "xref": "paper", "yref": "paper", "x": 0, "y": 1, "sizex": 1, "sizey": 1}
    layout = {
        "width": width, "height": height, "margin": dict.fromkeys("lrtb", 0), "xaxis": hidden, "yaxis": hidden,
        "paper_bgcolor": "white", "plot_bgcolor": "white",
        "images": [{**image, "sizing": "stretch", "layer": "above"}],
    }  # fmt: skip
    with TemporaryDirectory() as aside:
        path = Path(aside, f"picture.{form}")
        draw([{"data": [], "layout": layout}], [path], f"a picture as '.{form}'", ".svg")
        return path.read_bytes()
