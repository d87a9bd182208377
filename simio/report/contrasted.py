"""Two systems beside one another, on a terminal and as JSON: sentences first, then tables."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from simio import units
from simio.explaining.answers import THROUGHPUT
from simio.explaining.model import NOTHING, Answered, Contrast, PartOf
from simio.explaining.sentences import clause, percent
from simio.report.console import columns
from simio.report.explained import INTERRUPTED, plain
from simio.version import VERSION
from simio.wording import counted, figure, in_unit, listed, merged

SHOWN = 8
"""Values of one change, and utilisations, that are listed."""
APART = 0.02
"""Utilisations that differ by less are not listed."""


def show(console: Console, found: Contrast) -> None:
    """Print a comparison, or what there is of it."""
    console.print(Text(found.title, style="bold"))
    console.print()
    for sentence in sentences(found):
        console.print(Text(sentence))
    if found.parts:
        console.print(Padding(_parts(found), (1, 0, 0, 0)))
        console.print(Padding(_values(found), (1, 0, 0, 0)))
    console.print(Padding(_results(found), (1, 0, 0, 0)))
    for note in found.notes:
        console.print(Text(f"\n{note}", style="dim"))
    if not found.complete:
        console.print(Text(f"\n{INTERRUPTED}", style="yellow"))


def sentences(found: Contrast) -> Iterator[str]:
    """The difference, its causes, and the limits of both."""
    if not found.parts:
        yield f"{found.a.name} and {found.b.name} are alike: nothing that is simulated differs."
        return
    if found.given:
        changes = (f"{each.path} from {each.a or 'none'} to {each.b or 'none'}" for each in found.given[:SHOWN])
        more = f" and {counted(len(found.given) - SHOWN, 'other')}" if len(found.given) > SHOWN else ""
        yield f"{found.a.name} to {found.b.name} changes {listed(list(changes))}{more}."
    before, after = _value(found, found.a), _value(found, found.b)
    base = before[0]
    change = f" ({percent(found.whole / base)})" if base else ""
    what = "" if found.metric == THROUGHPUT else f", {found.metric}"
    yield f"{found.a.name}: {before[1]}, {found.b.name}: {after[1]}{change}{what}."
    ranked = sorted((part for part in found.parts if part.share is not None), key=lambda p: -abs(p.share or 0.0))
    for part in ranked:
        share = part.share or 0.0
        if base and abs(share) < NOTHING * abs(base):
            yield f"{part.change.name} makes no difference."
            continue
        of = f" ({share / found.whole:.0%} of the difference)" if found.whole and len(ranked) > 1 else ""
        yield f"{part.change.name} accounts for {_signed(found, share)}{of}."
    alone = sum(part.alone or 0.0 for part in found.parts)
    if found.interact and max(abs(alone), abs(found.whole)) >= NOTHING * abs(base):
        yield (
            f"The changes interact: made one by one, their effects add up to {_signed(found, alone)}; made together, "
            f"they come to {_signed(found, found.whole)}. Each share is the mean over all orders of making them."
        )
    if found.a.limiter.sentence != found.b.limiter.sentence:
        for each in (found.a, found.b):
            yield f"In {each.name}, {clause(each.limiter)}."


def _value(found: Contrast, each: Answered) -> tuple[float, str]:
    """The metric of one of the two, as a number and in words."""
    if found.metric == THROUGHPUT:
        text = figure(in_unit(float(each.rate), found.unit))
        text += f" ± {figure(in_unit(each.half_width, found.unit), 2)}" if each.half_width else ""
        return float(each.rate), f"{text} {found.unit}"
    value = each.times[found.metric]
    return value, units.format_quantity(round(value), "time")


def _signed(found: Contrast, value: float | None) -> str:
    """A difference in words."""
    if value is None:
        return "not run"
    if found.metric == THROUGHPUT:
        return f"{in_unit(value, found.unit):+.4g} {found.unit}"
    return f"{'-' if value < 0 else '+'}{units.format_quantity(round(abs(value)), 'time')}"


def _parts(found: Contrast) -> Table:
    table = columns("change", f"alone in {found.a.name}", f"last in {found.b.name}", "share of the whole")

    def row(part: PartOf) -> None:
        table.add_row(part.change.name, *(_signed(found, each) for each in (part.alone, part.last, part.share)))

    for part in found.parts:
        row(part)
    table.add_row("all of them", "", "", _signed(found, found.whole), style="bold")
    return table


def _values(found: Contrast) -> Table:
    table = columns("differs", found.a.name, found.b.name)
    for part in found.parts:
        values, given = part.change.values, part.change.given
        for value in values[: given or SHOWN]:
            table.add_row(value.path, value.a or "none", value.b or "none")
        if len(values) > (given or SHOWN):
            table.add_row(f"and {len(values) - given} that follow" if given else f"and {len(values) - SHOWN} more")
    return table


def _results(found: Contrast) -> Table:
    """The results of both: rate, utilisations that differ, observed times."""
    table = columns("result", found.a.name, found.b.name, "")
    rates = [float(each.rate) for each in (found.a, found.b)]
    table.add_row(
        f"throughput, {found.unit}",
        *(figure(in_unit(rate, found.unit)) for rate in rates),
        percent(rates[1] / rates[0] - 1) if rates[0] else "",
    )
    names = list(dict.fromkeys([*found.a.utilisations, *found.b.utilisations]))
    used = [(name, found.a.utilisations.get(name), found.b.utilisations.get(name)) for name in names]
    apart = sorted(used, key=lambda row: -abs((row[2] or 0.0) - (row[1] or 0.0)))
    shown = [row for row in apart if abs((row[2] or 0.0) - (row[1] or 0.0)) >= APART]
    for label, (_, *shares) in merged(shown, lambda row: row[0])[:SHOWN]:
        table.add_row(f"{label} busy", *("" if share is None else f"{share:.0%}" for share in shares), "")
    for name in [name for name in found.a.times if name in found.b.times]:
        before, after = found.a.times[name], found.b.times[name]
        times = (units.format_quantity(round(value), "time") for value in (before, after))
        table.add_row(f"{name}, mean", *times, percent(after / before - 1) if before else "")
    return table


def as_json(found: Contrast) -> str:
    """A comparison as JSON: rates in bytes a second, times in ps."""
    data = {
        "simio": VERSION,
        "title": found.title,
        "sentences": [*sentences(found)],
        "comparison": plain(asdict(found)),
    }
    return json.dumps(data, indent=1, allow_nan=False) + "\n"
