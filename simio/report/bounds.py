"""A bound on a terminal: the limits from the tightest on."""

from __future__ import annotations

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from simio.limits import Bound
from simio.wording import byte_unit, counted, figure, in_unit, merged

SHOWN = 6
"""Limits listed beside the tightest one."""


def lines(
    found: Bound,
    name: str,
    unit: str,
    all_limits: bool = False,
    until: int | None = None,
    size: int | None = None,
) -> list[RenderableType]:
    """The most that a configuration called `name` carries, and its limits from the tightest on.

    In a run that ends at `until` ps, with work left, some threads may have done more of theirs than others. `size` is
    the number of bytes of each request, if all have as many: only then is a bound in requests a second.
    """
    caps = found.caps(until) if found.tightest else []
    if not caps:
        why = "nothing is certain to take time" if found.delivered else "the amount of work depends on the run"
        return [Text(f"{name}: no bound, since {why}")]
    in_bytes = byte_unit(unit)
    shown_in, amount = (unit, size) if size and in_bytes != unit else (in_bytes, 1)
    rates = [f"{figure(in_unit(float(cap.rate / amount), shown_in))} {shown_in}" for cap in caps]
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 2), show_header=False)
    limits = merged(zip(caps, rates, strict=True), lambda each: each[0].name, lambda each: (each[0].kind, each[1]))
    for label, (cap, rate) in limits[: None if all_limits else SHOWN]:
        table.add_row(rate, Text(label), cap.kind)
    shown: list[RenderableType] = [Text(f"{name}: at most {rates[0]}"), table]
    if shown_in != unit:
        shown.append(Text(f"  in bytes: the run decides how many {unit} these are", style="dim"))
    if found.left_out:
        parts = [label for label, _ in merged(found.left_out, str)]
        more = f" and {counted(len(parts) - SHOWN, 'other')}" if len(parts) > SHOWN else ""
        shown.append(
            Text(f"  left out, as the run decides what they do: {', '.join(parts[:SHOWN])}{more}", style="dim")
        )
    return shown
