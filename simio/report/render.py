"""Pictures in the form that the name of their file says."""

from __future__ import annotations

import base64
import os

from simio.errors import SimioError, quote
from simio.extras import needs
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

    Raises SimioError for another form, or where kaleido or a browser for it is missing.
    """
    form = form_of(path)
    return svg if form == "svg" else _drawn(svg, form, width, height)


def _drawn(svg: str, form: str, width: float, height: float) -> bytes:
    """The SVG as a browser draws it: as the only thing on a figure."""
    needs("plotly", "a picture as .png or .pdf")
    import plotly.graph_objects as go

    hidden = {"visible": False, "range": [0, 1]}
    source = f"data:image/svg+xml;base64,{base64.b64encode(svg.encode()).decode()}"
    image = {"source": source, "xref": "paper", "yref": "paper", "x": 0, "y": 1, "sizex": 1, "sizey": 1}
    figure = go.Figure(layout={
        "width": width, "height": height, "margin": dict.fromkeys("lrtb", 0), "xaxis": hidden, "yaxis": hidden,
        "paper_bgcolor": "white", "plot_bgcolor": "white",
        "images": [{**image, "sizing": "stretch", "layer": "above"}],
    })  # fmt: skip
    try:
        drawn: bytes = figure.to_image(format=form, scale=2)
    except Exception as error:
        raise cannot_draw(error, f"'.{form}'", ".svg") from error
    return drawn


def cannot_draw(error: Exception, what: str, instead: str) -> SimioError:
    """The message where kaleido fails: plotly raises one thing without it, it another without a browser."""
    reason = " ".join(str(error).split()) or type(error).__name__
    return SimioError(
        f"cannot draw {what}: that needs the package kaleido (the extra 'figures') and a Chrome or Chromium, "
        f"while {instead} needs neither ({reason[:200]})"
    )
