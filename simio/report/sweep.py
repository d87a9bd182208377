"""A sweep on a terminal: the rows, the best and the worst, and throughput over each key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.text import Text

from simio.report.console import Bar, columns
from simio.report.table import heading, shown
from simio.sweeps.rows import SweepRow
from simio.sweeps.ties import as_good, ties_text
from simio.sweeps.values import number_of
from simio.wording import figure, in_unit, settings_text, short_names

MOST_ROWS = 40
"""Rows that are printed; of more, only the summary."""
MOST_VALUES = 16
"""Largest number of values of a key in its curve; more are gathered into this many ranges."""


class SweepPrinter:
    """Prints rows whose settings are those of `keys`, with throughput in `unit`."""

    def __init__(self, console: Console, keys: Sequence[str], unit: str) -> None:
        self.console, self.all_keys, self.unit = console, list(keys), unit

    def rate(self, value: float) -> str:
        """A throughput without its unit."""
        return figure(in_unit(value, self.unit))

    def keys(self, rows: Sequence[SweepRow]) -> list[str]:
        """The keys in which the rows differ."""
        return [key for key in self.all_keys if len({row.settings.get(key) for row in rows}) > 1]

    def rows(self, rows: Sequence[SweepRow], more: Sequence[str] = ()) -> None:
        """All rows, if they are few enough."""
        if len(rows) > MOST_ROWS:
            return
        keys = self.keys(rows)
        headings = ["row", *short_names(keys), self.unit, *(heading(name, self.unit) for name in more), "limit"]
        table = columns(*headings, left=(len(headings) - 1,), styles={"row": "dim", self.unit: "bold"})
        for row in rows:
            settings = [row.settings.get(key, "") for key in keys]
            if row.outcome is None:
                table.add_row(str(row.number), *settings, "", *("" for _ in more), Text(row.error, style="red"))
                continue
            extra = [self._cell(row, name) for name in more]
            table.add_row(str(row.number), *settings, self.rate(row.throughput or 0), *extra, _limit(row))
        self.console.print(table)
        self.console.print()

    def _cell(self, row: SweepRow, name: str) -> str:
        value = row.value(name)
        return "" if value is None else figure(shown(name, value, self.unit))

    def summary(self, rows: Sequence[SweepRow]) -> None:
        """The best, the worst, and a curve for each key that takes several values."""
        ran = [row for row in rows if row.outcome]
        if not ran:
            return
        keys = self.keys(rows)
        ordered = sorted(ran, key=lambda row: row.throughput or 0)
        best = as_good(ran, lambda row: -(row.throughput or 0))
        for name, row in (("best", best[0]), ("worst", ordered[0])):
            assert row.outcome is not None
            settings = settings_text({key: row.settings[key] for key in keys if key in row.settings})
            self._line(name, f"{self.rate(row.throughput or 0)} {self.unit}", settings, f"limit {row.outcome.limit}")
            if name == "best" and len(best) < len(ran) and (alike := ties_text(best, keys)):
                self.console.print(Text(f"       {alike}"))
        for key in keys:
            groups = grouped(ran, key)
            if len(groups) > 1:
                self._curve(key, groups, ordered[-1].throughput or 0)

    def _line(self, name: str, rate: str, *parts: str) -> None:
        line = Text(f"{name:<5}  ")
        line.append(rate, style="bold")
        line.append("  " + "; ".join(each for each in parts if each))
        self.console.print(line)

    def _curve(self, key: str, groups: Mapping[str, list[SweepRow]], most: float) -> None:
        """The highest throughput at each value of a key, as a bar; with several rows a value, the lowest as well."""
        single = all(len(group) == 1 for group in groups.values())
        rates_ = [self.unit] if single else [f"least {self.unit}", f"most {self.unit}"]
        table = columns(key, *rates_, "", left=(len(rates_) + 1,))
        for value, group in groups.items():
            rates = sorted(row.throughput or 0 for row in group)
            ends = rates if single else [rates[0], rates[-1]]
            table.add_row(Text(value), *map(self.rate, ends), Bar(rates[-1] / most if most else 0))
        self.console.print()
        self.console.print(table)


def _limit(row: SweepRow) -> Text:
    """The limit of a row that ran, and what cut its run off, if that was so."""
    text = Text(row.outcome.limit if row.outcome else "")
    if row.error:
        text.append(f"; {row.error}", style="yellow")
    return text


def grouped(rows: Sequence[SweepRow], key: str) -> dict[str, list[SweepRow]]:
    """Rows by the value of a key: numbers in order of size, in ranges if they are many; words as they come."""
    groups: dict[str, list[SweepRow]] = {}
    for row in rows:
        groups.setdefault(row.settings.get(key, ""), []).append(row)
    numbers = {value: number_of(value) for value in groups}
    if all(numbers.values()):
        groups = {value: groups[value] for value in sorted(groups, key=lambda text: numbers[text][0])}  # type: ignore[index]
        if len(groups) > MOST_VALUES:
            return _binned(list(groups.items()))
    return groups


def _binned(groups: Sequence[tuple[str, list[SweepRow]]]) -> dict[str, list[SweepRow]]:
    found: dict[str, list[SweepRow]] = {}
    for bin_ in range(MOST_VALUES):
        part = groups[bin_ * len(groups) // MOST_VALUES : (bin_ + 1) * len(groups) // MOST_VALUES]
        name = part[0][0] if len(part) == 1 else f"{part[0][0]} to {part[-1][0]}"
        found[name] = [row for _, rows in part for row in rows]
    return found
