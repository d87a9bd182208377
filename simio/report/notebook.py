"""Results and bounds that show themselves in a notebook: what a terminal shows, as HTML."""

from __future__ import annotations

import io
from dataclasses import dataclass, fields
from typing import Any

from rich.console import Console

from simio.bound import Bound
from simio.report import bounds, terminal
from simio.result.model import ScenarioResult

WIDTH = 130
"""Characters in a line."""
_FORM = (
    '<pre style="line-height: 1.25; overflow-x: auto; font-family: Menlo, Consolas, monospace">{code}</pre>'
)


@dataclass(frozen=True)
class ShownResult(ScenarioResult):
    """A result that shows itself."""

    @classmethod
    def of(cls, result: ScenarioResult) -> ShownResult:
        """The same result."""
        return cls(**_values(result))

    def _repr_html_(self) -> str:
        console = _console()
        terminal.show(console, self)
        return _html(console)


@dataclass(frozen=True)
class ShownBound(Bound):
    """A bound that shows itself; `name` says of which configuration, and rates are shown in `unit`."""

    name: str = ""
    unit: str = "MB/s"

    @classmethod
    def of(cls, bound: Bound, name: str, unit: str) -> ShownBound:
        """The same bound."""
        return cls(**_values(bound), name=name, unit=unit)

    def _repr_html_(self) -> str:
        console = _console()
        for line in bounds.lines(self, self.name, self.unit):
            console.print(line)
        return _html(console)


def _console() -> Console:
    return Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True, highlight=False)


def _html(console: Console) -> str:
    """What was printed, escaped."""
    return console.export_html(inline_styles=True, code_format=_FORM)


def _values(record: Any) -> dict[str, Any]:
    return {field.name: getattr(record, field.name) for field in fields(record)}
