"""Rows that are as good as the best: a difference within the confidence interval, or of some tenths of a per cent,
says nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import hypot

from simio.sweeps.outcome import HALF_INTERVAL, THROUGHPUT
from simio.sweeps.rows import SweepRow
from simio.sweeps.values import number_of
from simio.wording import counted, settings_text

COST = "cost"
"""The measure that holds what a configuration costs."""
ALIKE = 0.005
"""Share by which rows may differ that are as good as one another, where no interval says how precise they are."""
PARTS = "count"
"""The last part of a key that says how many parts there are."""
NAMED = 8
"""Ties that are named."""


def margin(one: SweepRow, other: SweepRow, measure: str = THROUGHPUT) -> float:
    """Largest difference of a measure between two rows that count as equally good; prices are exact."""
    if measure == COST:
        return 0.0
    widths = [half_width(each, measure) for each in (one, other)]
    return precision(widths, [each.value(measure) or 0.0 for each in (one, other)])


def half_width(row: SweepRow, measure: str = THROUGHPUT) -> float | None:
    """Half of the 95% confidence interval of a row's measure, in the unit of that; None where none is known."""
    return row.value("half width" if measure == THROUGHPUT else HALF_INTERVAL + measure)


def precision(widths: Sequence[float | None], values: Sequence[float]) -> float:
    """Difference that says nothing, of values with intervals of these half widths, or by ALIKE of them without."""
    known = [width for width in widths if width is not None]
    return hypot(*known) if len(known) == len(widths) else ALIKE * max(map(abs, values))


def precision_text(random: bool) -> str:
    """The `precision` in words, of values with intervals or without."""
    return "the confidence interval" if random else f"{ALIKE:.1%}"


def as_good(
    rows: Sequence[SweepRow], value: Callable[[SweepRow], float], measure: str = THROUGHPUT
) -> list[SweepRow]:
    """Rows that are as good as the one of the least `value`; the one to take is the first.

    That is the cheapest, or where nothing has a price, the one with the fewest parts and the smallest numbers.
    """
    if not rows:
        return []
    top = min(rows, key=lambda row: (value(row), row.value(COST) or 0.0, row.number))
    found = [row for row in rows if value(row) <= value(top) + margin(row, top, measure)]
    return sorted(found, key=lambda row: (row.value(COST) or 0.0, *smallness(row), row.number))


def smallness(row: SweepRow) -> tuple[tuple[Fraction, ...], tuple[Fraction, ...]]:
    """The numbers of parts in a row's settings, and its other numbers; less is to be preferred."""
    numbers = {key: number_of(value) for key, value in row.settings.items()}
    known = {key: found[0] for key, found in numbers.items() if found}
    parts = tuple(number for key, number in known.items() if key.rpartition(".")[2] == PARTS)
    return parts, tuple(number for key, number in known.items() if key.rpartition(".")[2] != PARTS)


def ties_text(found: Sequence[SweepRow], keys: Sequence[str], measure: str = THROUGHPUT) -> str:
    """The rows whose measure is as good as the first one's, by what they differ in; '' if there is none."""
    first, others = found[0], found[1:]
    if not others:
        return ""
    differ = [key for key in keys if any(row.settings.get(key) != first.settings.get(key) for row in others)]
    within = "" if measure == COST else f" within {precision_text(half_width(first, measure) is not None)}"
    text = f"as good{within}: "
    rest = f" and {counted(len(others) - NAMED, 'other')}" if len(others) > NAMED else ""
    if len(differ) == 1:
        return f"{text}{differ[0]} = {', '.join(row.settings.get(differ[0], '') for row in others[:NAMED])}{rest}"
    if len(others) > 2:
        return f"{text}{counted(len(others), 'other configuration')}"
    return text + "; ".join(settings_text({key: row.settings.get(key, "") for key in differ}) for row in others)
