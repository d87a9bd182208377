"""Small static charts as SVG files that need nothing else: axes, lines, points, bars; on light and dark pages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import ceil, floor, log10

from simio.report.html.text import shown as escape

COLOURS = ("#1f77b4", "#d1650c", "#2b8a3e", "#c92a2a", "#8154b8", "#80594a")
"""Colours of curves; legible on white and on black."""
_STYLE = """
text{font:12px system-ui,sans-serif;fill:#24292f}
.grid{stroke:#8884;stroke-width:1}.axis{stroke:#888;stroke-width:1}.band{fill:#8883}
.title{font-weight:600;font-size:14px}.dim{fill:#6e7781}.red{fill:#c92a2a}
@media (prefers-color-scheme:dark){text{fill:#e6edf3}.dim{fill:#9aa4ae}.red{fill:#ff8787}}
"""


@dataclass(frozen=True)
class Scale:
    """Maps values from `first` to `last` to pixels from `start` to `end`."""

    first: float
    last: float
    start: float
    end: float
    logarithmic: bool = False

    @classmethod
    def from_zero(cls, most: float, start: float, end: float) -> Scale:
        """A scale from zero to the first tick that leaves some space above `most`."""
        step = _step(most)
        return cls(0.0, step * ceil(most * 1.02 / step), start, end)

    def place(self, value: float) -> float:
        """The pixel of a value; a value beyond an end is placed at the end."""
        low, high, here = (self._of(each) for each in (self.first, self.last, value))
        share = (here - low) / (high - low) if high > low else 0.5
        return self.start + min(max(share, 0.0), 1.0) * (self.end - self.start)

    def ticks(self) -> list[float]:
        """Round values along the scale: powers of ten, or about five steps of 1, 2 or 5."""
        if self.logarithmic:
            powers = range(ceil(log10(self.first) - 1e-9), floor(log10(self.last) + 1e-9) + 1)
            if len(powers) > 1:
                return [10.0**power for power in powers]
        step = _step(self.last - self.first)
        return [step * number for number in range(ceil(self.first / step), floor(self.last / step + 1e-9) + 1)]

    def _of(self, value: float) -> float:
        return log10(max(value, 1e-300)) if self.logarithmic else value


def _step(span: float) -> float:
    """The distance of ticks: 1, 2 or 5 times a power of ten, at most six of them in `span`."""
    power = 10.0 ** floor(log10(span / 5)) if span > 0 else 1.0
    return power * next(factor for factor in (1, 2, 5, 10) if span / (power * factor) <= 6)


@dataclass
class Picture:
    """An SVG of a width and height in pixels; parts are drawn in order.

    `style` is CSS that comes after the usual one; a `kind` is a class of either. Instead of a `kind`, lines and dots
    may have a `colour`. `about` is the main number in words, for readers who cannot see the picture.
    """

    width: int
    height: int
    title: str
    style: str = ""
    about: str = ""
    parts: list[str] = field(default_factory=list)

    def text(self, x: float, y: float, text: str, anchor: str = "start", kind: str = "") -> None:
        """A text at its base line."""
        name = f' class="{kind}"' if kind else ""
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{name}>{escape(text)}</text>')

    def line(self, x1: float, y1: float, x2: float, y2: float, kind: str = "axis", colour: str = "") -> None:
        """A straight line, in the style of a class or in a colour."""
        look = f'stroke="{colour}" stroke-width="1.5"' if colour else f'class="{kind}"'
        self.parts.append(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" {look}/>')

    def levels(self, y: Scale, left: float, right: float, kind: str = "", first: str = "grid") -> None:
        """A level line at each tick of a scale, the `first` of a kind of its own, with the value at its left."""
        for number, tick in enumerate(y.ticks()):
            self.line(left, y.place(tick), right, y.place(tick), "grid" if number else first)
            self.text(left - 6, y.place(tick) + 4, f"{tick:g}", "end", kind)

    def lines(self, points: Sequence[tuple[float, float]], colour: str = "", kind: str = "", dash: str = "") -> None:
        """A line through points."""
        look = f'class="{kind}"' if kind else f'fill="none" stroke="{colour}" stroke-width="1.5"'
        look += f' stroke-dasharray="{dash}"' if dash else ""
        self.parts.append(f'<polyline points="{_joined(points)}" {look}/>')

    def band(self, points: Sequence[tuple[float, float]]) -> None:
        """A polygon in the look of a band."""
        self.parts.append(f'<polygon points="{_joined(points)}" class="band"/>')

    def dot(self, x: float, y: float, colour: str = "", open_: bool = False, hint: str = "", kind: str = "") -> None:
        """A circle, filled or open; `hint` is shown under the pointer."""
        fill = "none" if open_ else colour
        look = f'r="4" class="{kind}"' if kind else f'r="3.5" fill="{fill}" stroke="{colour}" stroke-width="1.5"'
        inner = f"<title>{escape(hint)}</title>" if hint else ""
        self.parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" {look}>{inner}</circle>')

    def area(self, x1: float, y1: float, x2: float, y2: float, colour: str = "") -> None:
        """A rectangle between two corners, of a colour or as a band."""
        look = f'fill="{colour}"' if colour else 'class="band"'
        x, y = min(x1, x2), min(y1, y2)
        self.parts.append(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{abs(x2 - x1):.1f}" height="{abs(y2 - y1):.1f}" {look}/>'
        )

    def whole(self) -> str:
        """The text of the file."""
        about = f"<desc>{escape(self.about)}</desc>" if self.about else ""
        return (
            '<svg xmlns="http://www.w3.org/2000/svg" data-generator="simio" '
            f'viewBox="0 0 {self.width} {self.height}" '
            f'width="{self.width}" height="{self.height}" role="img"><title>{escape(self.title)}</title>{about}'
            f"<style>{_STYLE}{self.style}</style>\n" + "\n".join(self.parts) + "\n</svg>\n"
        )


def _joined(points: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
