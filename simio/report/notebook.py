"""Results that show themselves as on a terminal: as text at Python's prompt and as HTML in a notebook."""

from __future__ import annotations

import io
from base64 import b64encode
from dataclasses import dataclass, fields
from typing import Any

from rich.console import Console

from simio.explaining.model import CausalProfile, Contrast, Waterfall
from simio.limits import Bound
from simio.report import bounds, contrasted, explained, terminal
from simio.report.bars import picture_of
from simio.report.html.text import shown
from simio.result.model import ScenarioResult

WIDTH = 130
"""Characters in a line."""
_FORM = '<pre style="line-height: 1.25; overflow-x: auto; font-family: Menlo, Consolas, monospace">{code}</pre>'


class Shown:
    """An object that shows itself, by `show`."""

    def show(self, console: Console) -> None:
        """Print it."""
        raise NotImplementedError

    def __repr__(self) -> str:
        console = Console(width=WIDTH, file=io.StringIO(), highlight=False, no_color=True)
        with console.capture() as capture:
            self.show(console)
        return "\n".join(line.rstrip() for line in capture.get().splitlines())

    def _repr_html_(self) -> str:
        console = _console()
        self.show(console)
        return _html(console)


@dataclass(frozen=True, repr=False)
class ShownResult(Shown, ScenarioResult):
    """A result that shows itself."""

    @classmethod
    def of(cls, result: ScenarioResult) -> ShownResult:
        """The same result."""
        return cls(**_values(result))

    def show(self, console: Console) -> None:
        """Print the answer, as `simio run` does."""
        terminal.show(console, self)

    def _repr_html_(self) -> str:
        return super()._repr_html_() + _image(picture_of(self), f"Picture of {self.title}")


@dataclass(frozen=True, repr=False)
class ShownBound(Shown, Bound):
    """A bound that shows itself: `name` is that of the configuration, whose run ends at `until` ps, if not before.

    Rates are shown in `unit`.
    """

    name: str = ""
    unit: str = "MB/s"
    until: int | None = None

    @classmethod
    def of(cls, bound: Bound, name: str, unit: str, until: int | None = None) -> ShownBound:
        """The same bound."""
        return cls(**_values(bound), name=name, unit=unit, until=until)

    def show(self, console: Console) -> None:
        """Print it, as `simio bound` does."""
        for line in bounds.lines(self, self.name, self.unit, until=self.until):
            console.print(line)


@dataclass(frozen=True, repr=False)
class ShownExplanation(Shown):
    """The explanation of a case: a causal profile, and the time of a unit, if that can be followed."""

    profile: CausalProfile
    waterfall: Waterfall | None

    def show(self, console: Console) -> None:
        """Print it, as `simio explain` does."""
        explained.show(console, self.waterfall, self.profile, self.profile.title)


@dataclass(frozen=True, repr=False)
class ShownContrast(Shown, Contrast):
    """A comparison that shows itself."""

    @classmethod
    def of(cls, contrast: Contrast) -> ShownContrast:
        """The same comparison."""
        return cls(**_values(contrast))

    def show(self, console: Console) -> None:
        """Print it, as `simio compare` does."""
        contrasted.show(console, self)


def _console() -> Console:
    return Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True, highlight=False)


def _html(console: Console) -> str:
    """The printed text, escaped."""
    return console.export_html(inline_styles=True, code_format=_FORM)


def _image(svg: str, about: str) -> str:
    """An SVG as an image, whose style stays its own; nothing if it is empty."""
    if not svg:
        return ""
    data = b64encode(svg.encode()).decode()
    return f'<img alt="{shown(about)}" style="max-width: 100%" src="data:image/svg+xml;base64,{data}">'


def _values(record: Any) -> dict[str, Any]:
    return {field.name: getattr(record, field.name) for field in fields(record)}
