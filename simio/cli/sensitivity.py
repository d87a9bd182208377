"""simio sensitivity: which catalogue values the answer depends on, and how much."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from functools import partial
from shlex import quote
from typing import TYPE_CHECKING

import click

from simio.cli.main import INTERRUPTED
from simio.cli.options import COMPLETING, case_number, case_option, overrides, scenario_argument, tell, write
from simio.cli.progress import Line
from simio.wording import figure

if TYPE_CHECKING or not COMPLETING:
    from rich.console import Console
    from rich.text import Text

    from simio.calibration.effects import MORE, AnsweredCase, Effect, effects
    from simio.calibration.usage import range_of
    from simio.loading import load
    from simio.report.console import columns, printed
    from simio.sweeps import Task
    from simio.sweeps.outcome import PS, THROUGHPUT, is_rate, unit_of
    from simio.units import format_quantity
    from simio.wording import byte_unit, counted, in_unit, settings_text

LEAST = 0.0005
"""Effects below this count as none: they round to 0.0%."""
MOST_TOLD = 2
"""Values that are told while others are varied."""
CLIPPED = " †"
SECONDS = " (s)"
"""End of the name of a measure that is a time."""
MEAN = "mean of "
"""Beginning of the names of mean times."""
NOTED = 0.01
"""A change of throughput that stands out."""


@click.command()
@scenario_argument
@overrides
@case_option("Case to vary; the first by default.")
@click.option("--measure", metavar="MEASURE", help="Quantity that values move (throughput).")
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
def sensitivity(scenario: str, sets: tuple[str, ...], number: int | None, measure: str | None, as_json: bool) -> None:
    """Rank the catalogue's values by their effect on throughput, or on another measure.

    Each number of the datasheets in use is varied alone: by 10%, and over its stated interval. The interval of a
    value without a source is that of its class of quantity, as fitted values of the class have shown it.

    \b
    simio sensitivity linux-fc-raw --case 1
    simio sensitivity nvme-reads-beside-writes --measure '99% of readers: block (s)'
    """
    index = case_number(load(scenario, sets).cases, number) or 0
    case = AnsweredCase(Task(scenario, sets, index), measure or THROUGHPUT)
    line = Line()
    found, left = effects(case, lambda known, total: line.show(so_far(known, total)))
    line.clear()
    if left:
        tell(f"interrupted: {counted(left, 'value')} of {len(found) + left} not varied yet; these are the others")
    if as_json:
        click.echo(json.dumps(_data(case, found), indent=1))
    else:
        write(None, printed(partial(_show, case=case, found=found)))
    if left:
        sys.exit(INTERRUPTED)


def so_far(known: Sequence[Effect], total: int) -> str:
    """The number of values that are varied, and those with the largest effects."""
    largest = sorted(known, key=lambda effect: -effect.size)[:MOST_TOLD]
    told = ", ".join(f"{effect.value.name} {effect.size:.1%}" for effect in largest if effect.size >= LEAST)
    return f"{len(known)} of {counted(total, 'value')}" + (f", most so far: {told}" if told else "")


def _data(case: AnsweredCase, found: list[Effect]) -> dict[str, object]:
    return {
        "bytes_per_second": case.measures[THROUGHPUT], "measure": case.measure, "answer": case.answer,
        "settings": dict(case.case.settings),
        "values": [
            {
                "name": effect.value.name, "value": effect.value.written, "basis": effect.value.basis,
                "elasticity": effect.elasticity, "low": effect.low, "high": effect.high, "stated": effect.stated,
                "at": list(effect.ends),
            }
            for effect in found
        ],
    }  # fmt: skip


def _show(console: Console, case: AnsweredCase, found: list[Effect]) -> None:
    settings = settings_text(case.case.settings)
    console.print(Text(case.case.system.title, style="bold"))
    of = f"case {case.task.case + 1}: {settings}: " if settings else ""
    name = case.measure.removesuffix(SECONDS)
    console.print(Text(f"{of}{'' if name == THROUGHPUT else f'{name} '}{_answer(case)}\n"))
    times = [each for each in case.measures if each.startswith(MEAN) and each.endswith(SECONDS)]
    if case.measure == THROUGHPUT and times and all(abs(_by_tenth(effect)) < NOTED for effect in found):
        hint = f"a tenth more of any value moves throughput by less than {NOTED:.0%}"
        console.print(Text(f"{hint}; --measure {quote(times[0])} ranks them by a time\n"))
    table = columns("value", "is", "basis", "+10%", "range", f"{name} over it", left=(0, 1, 2, 4, 5))
    table.columns[0].no_wrap = True
    moving = [effect for effect in found if effect.size >= LEAST]
    for effect in moving:
        name, value = effect.value.name, effect.value
        table.add_row(name, value.written, value.basis, _tenth(effect), *_over(effect))
    console.print(table)
    fixed = [effect for effect in found if effect.size < LEAST and effect.more is not None]
    stuck = [effect for effect in found if effect.size < LEAST and effect.more is None]
    for heading, effects_ in (("without effect on this case", fixed), ("cannot be varied alone", stuck)):
        if effects_:
            console.print(f"\n{heading}, {counted(len(effects_), 'value')}:")
            _print_names(console, effects_)
    if any(clipped(effect) for effect in moving):
        console.print(f"\n{CLIPPED.strip()} as far as the parts accept it; the range goes on", style="dim")
    if any(not effect.stated and effect.low is not None for effect in moving):
        console.print("\n* without a source: the width that its class of quantity has shown", style="dim")


def _answer(case: AnsweredCase) -> str:
    """The measure of the case as it is, with its unit."""
    if is_rate(case.measure):
        unit = byte_unit(case.case.system.report.unit)
        return f"{figure(in_unit(case.answer, unit))} {unit}"
    if case.measure.endswith(SECONDS):
        return format_quantity(case.answer * PS, "time")
    return f"{figure(case.answer)} {unit_of(case.measure)}".rstrip()


def _tenth(effect: Effect) -> Text:
    if effect.elasticity is None:
        return Text("refused", style="dim")
    change = _by_tenth(effect)
    return Text(f"{round(change, 3) + 0.0:+.1%}", style="bold" if abs(change) >= NOTED else "")


def _by_tenth(effect: Effect) -> float:
    """The change for a tenth more of a value; 0 if it cannot be varied."""
    return MORE ** (effect.elasticity or 0.0) - 1


def _over(effect: Effect) -> tuple[str, str]:
    """The range of a value, and the changes at its ends."""
    within = range_of(effect.value)
    if within is None:
        return "", ""
    ends = " to ".join(effect.value.text(end, 3) if end else "0" for end in effect.ends)
    star = ("" if within.stated else " *") + (CLIPPED if clipped(effect) else "")
    changes = ("refused" if end is None else f"{round(end, 3) + 0.0:+.1%}" for end in (effect.low, effect.high))
    return ends + star, " to ".join(changes)


def clipped(effect: Effect) -> bool:
    """True if an end of a range was refused, and a nearer value taken."""
    within = range_of(effect.value)
    return within is not None and effect.ends != (within.low, within.high)


def _print_names(console: Console, found: list[Effect]) -> None:
    """Names of values, those of a datasheet on one line."""
    by_part: dict[str, list[str]] = {}
    for effect in found:
        by_part.setdefault(effect.value.part, []).append(effect.value.key)
    for part, keys in by_part.items():
        console.print(f"  {part}: {', '.join(keys)}", markup=False)
