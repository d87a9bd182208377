"""Small static charts as SVG: axes, lines, points, bars; legible on light and on dark pages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from math import ceil, floor, log10

COLOURS = ("#1f77b4", "#d1650c", "#2b8a3e", "#c92a2a", "#8154b8", "#80594a")
"""Colours of curves in turn; legible on white and on black."""
STYLE = """
text{font:12px system-ui,sans-serif;fill:#24292f}
.grid{stroke:#8884;stroke-width:1}.axis{stroke:#888;stroke-width:1}.band{fill:#8883}
.title{font-weight:600;font-size:14px}.dim{fill:#6e7781}.red{fill:#c92a2a}
@media (prefers-color-scheme:dark){text{fill:#e6edf3}.dim{fill:#9aa4ae}.red{fill:#ff8787}}
"""


@dataclass(frozen=True)
class Scale:
    """Places of values between `first` and `last` on a stretch of the picture from `start` to `end` pixels."""

    first: float
    last: float
    start: float
    end: float
    logarithmic: bool = False

    def place(self, value: float) -> float:
        """The pixel of a value; one beyond the ends is at the end."""
        low, high, here = (self._of(each) for each in (self.first, self.last, value))
        share = (here - low) / (high - low) if high > low else 0.5
        return self.start + min(max(share, 0.0), 1.0) * (self.end - self.start)

    def ticks(self) -> list[float]:
        """Round values along the scale: powers of ten, or some five steps of 1, 2 or 5."""
        if self.logarithmic:
            powers = range(ceil(log10(self.first) - 1e-9), floor(log10(self.last) + 1e-9) + 1)
            if len(powers) > 1:
                return [10.0**power for power in powers]
        span = self.last - self.first
        step = 10 ** floor(log10(span / 5)) if span > 0 else 1.0
        step *= next(factor for factor in (1, 2, 5, 10) if span / (step * factor) <= 6)
        return [step * number for number in range(ceil(self.first / step), floor(self.last / step + 1e-9) + 1)]

    def _of(self, value: float) -> float:
        return log10(max(value, 1e-300)) if self.logarithmic else value


@dataclass
class Picture:
    """An SVG of a width and height in pixels; parts are drawn in order."""

    width: int
    height: int
    title: str
    parts: list[str] = field(default_factory=list)

    def text(self, x: float, y: float, told: str, anchor: str = "start", kind: str = "") -> None:
        """A text at its base line; `kind` is a class of `STYLE`."""
        name = f' class="{kind}"' if kind else ""
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{name}>{escape(told)}</text>')

    def line(self, x1: float, y1: float, x2: float, y2: float, kind: str = "axis", colour: str = "") -> None:
        """A straight line, in the style of a class or in a colour."""
        look = f'stroke="{colour}" stroke-width="1.5"' if colour else f'class="{kind}"'
        self.parts.append(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" {look}/>')

    def lines(self, places: Sequence[tuple[float, float]], colour: str) -> None:
        """A line through places."""
        told = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        self.parts.append(f'<polyline points="{told}" fill="none" stroke="{colour}" stroke-width="1.5"/>')

    def band(self, places: Sequence[tuple[float, float]]) -> None:
        """A polygon in the look of a band."""
        told = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        self.parts.append(f'<polygon points="{told}" class="band"/>')

    def dot(self, x: float, y: float, colour: str, open_: bool = False, hint: str = "") -> None:
        """A circle, filled or open; `hint` is shown under the pointer."""
        fill = "none" if open_ else colour
        inner = f"<title>{escape(hint)}</title>" if hint else ""
        self.parts.append(
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{fill}" stroke="{colour}" stroke-width="1.5">'
            f"{inner}</circle>"
        )

    def area(self, x1: float, y1: float, x2: float, y2: float, colour: str = "") -> None:
        """A rectangle between two corners, of a colour or as a band."""
        look = f'fill="{colour}"' if colour else 'class="band"'
        x, y = min(x1, x2), min(y1, y2)
        self.parts.append(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{abs(x2 - x1):.1f}" height="{abs(y2 - y1):.1f}" {look}/>'
        )

    def whole(self) -> str:
        """The file."""
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" '
            f'width="{self.width}" height="{self.height}" role="img" aria-label="{escape(self.title)}">'
            f"<style>{STYLE}</style>\n" + "\n".join(self.parts) + "\n</svg>\n"
        )
