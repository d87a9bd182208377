"""simio sensitivity: which catalogue values the answer depends on, and how much."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import click

from simio.cli.options import case_number, overrides, scenario_argument

if TYPE_CHECKING:
    from rich.text import Text

    from simio.calibration.effects import Case, Effect

LEAST = 0.0005
"""An effect below this is told as none: it rounds to 0.0%."""


@click.command()
@scenario_argument
@overrides
@click.option("--case", "number", type=int, default=1, metavar="N", help="The case to vary (default: 1).")
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
def sensitivity(scenario: str, sets: tuple[str, ...], number: int, as_json: bool) -> None:
    """Rank the catalogue's values by their effect on throughput.

    Each number of the datasheets in use is varied alone: by a tenth, and over its stated interval. An assumed time or
    rate without an interval is varied from 1/1.25 to 1.25 times its value.
    """
    from simio.calibration.effects import Case, effects
    from simio.loading import load
    from simio.loading.catalogue import catalogue

    index = case_number(load(scenario, sets), number) or 0
    case = Case(scenario, sets, index, catalogue())
    found = effects(case, _progress)
    if sys.stderr.isatty():
        click.echo("\r\033[K", nl=False, err=True)
    if as_json:
        click.echo(json.dumps(_data(case, found), indent=1))
        return
    _show(case, found)


def _progress(done: int, total: int) -> None:
    if sys.stderr.isatty():
        click.echo(f"\r\033[K{done} of {total} values", nl=False, err=True)


def _data(case: Case, found: list[Effect]) -> dict[str, object]:
    return {
        "bytes_per_second": case.rate,
        "settings": dict(case.case.settings),
        "values": [
            {
                "name": effect.value.name, "value": effect.value.written, "basis": effect.value.basis,
                "elasticity": effect.elasticity, "low": effect.low, "high": effect.high, "stated": effect.stated,
            }
            for effect in found
        ],
    }  # fmt: skip


def _show(case: Case, found: list[Effect]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from simio.wording import in_unit

    console = Console(highlight=False, width=None if sys.stdout.isatty() else 140)
    unit = case.case.system.report.unit
    settings = ", ".join(f"{key} = {value}" for key, value in case.case.settings.items())
    console.print(Text(case.case.system.title, style="bold"))
    told = f"case {case.index + 1}: {settings}: " if settings else ""
    console.print(Text(f"{told}{in_unit(case.rate, unit):.4g} {unit}\n"))
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    table.add_column("value", no_wrap=True)
    for heading in ("is", "basis", "+10%", "range", "throughput over it"):
        table.add_column(heading, justify="right" if heading == "+10%" else "left")
    moving = [effect for effect in found if effect.size >= LEAST]
    for effect in moving:
        name, value = effect.value.name, effect.value
        table.add_row(name, value.written, value.basis, _tenth(effect), *_over(effect))
    console.print(table)
    fixed = [effect for effect in found if effect.size < LEAST and effect.more is not None]
    stuck = [effect for effect in found if effect.size < LEAST and effect.more is None]
    _list(console.print, f"\nwithout effect on this case, {len(fixed)} values:", fixed)
    _list(console.print, f"\ncannot be varied alone, {len(stuck)} values:", stuck)
    if any(not effect.stated and effect.low is not None for effect in moving):
        console.print("\n* assumed without an interval: from 1/1.25 to 1.25 times the value, by rule", style="dim")


def _tenth(effect: Effect) -> Text:
    from rich.text import Text

    from simio.calibration.effects import MORE

    if effect.elasticity is None:
        return Text("refused", style="dim")
    change = MORE**effect.elasticity - 1
    style = "bold" if abs(change) >= 0.01 else ""
    return Text(f"{round(change, 3) + 0.0:+.1%}", style=style)


def _over(effect: Effect) -> tuple[str, str]:
    """The range of a value, and the changes at its ends."""
    from simio.calibration.usage import range_of

    within = range_of(effect.value)
    if within is None:
        return "", ""
    ends = f"{effect.value.text(within.low, 3) if within.low else '0'} to {effect.value.text(within.high, 3)}"
    star = "" if within.stated else " *"
    changes = ("refused" if end is None else f"{round(end, 3) + 0.0:+.1%}" for end in (effect.low, effect.high))
    return ends + star, " to ".join(changes)


def _list(put: object, heading: str, found: list[Effect]) -> None:
    """Names of values, those of a datasheet on one line."""
    if not found or not callable(put):
        return
    by_part: dict[str, list[str]] = {}
    for effect in found:
        by_part.setdefault(effect.value.part, []).append(effect.value.key)
    put(heading)
    for part, keys in by_part.items():
        put(f"  {part}: {', '.join(keys)}", markup=False)
