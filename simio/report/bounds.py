"""A bound on a terminal: the limits from the tightest on."""

from __future__ import annotations

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from simio.limits import Bound
from simio.wording import counted, figure, in_unit, merged

SHOWN = 6
"""Limits listed beside the tightest one."""


def lines(found: Bound, name: str, unit: str, all_limits: bool = False) -> list[RenderableType]:
    """The most that a configuration called `name` carries, and its limits from the tightest on."""
    if found.tightest is None:
        return [Text(f"{name}: no bound, since the amount of work depends on the run")]
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 2), show_header=False)
    limits = merged(found.limits, lambda limit: limit.name, lambda limit: limit.kind, lambda limit: limit.time)
    for label, limit in limits[: None if all_limits else SHOWN]:
        rate = found.rate(limit)
        if rate is not None:
            table.add_row(f"{figure(in_unit(float(rate), unit))} {unit}", Text(label), limit.kind)
    shown: list[RenderableType] = [
        Text(f"{name}: at most {figure(in_unit(float(found.rate() or 0), unit))} {unit}"),
        table,
    ]
    if found.left_out:
        parts = [label for label, _ in merged(found.left_out, str)]
        more = f" and {counted(len(parts) - SHOWN, 'other')}" if len(parts) > SHOWN else ""
        shown.append(
            Text(f"  left out, as the run decides what they do: {', '.join(parts[:SHOWN])}{more}", style="dim")
        )
    return shown
