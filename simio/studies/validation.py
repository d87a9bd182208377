"""Results of a validation: tables with their rows, verdicts, and changes since the baseline."""

from __future__ import annotations

from dataclasses import dataclass

from simio.studies.baseline import Deviation
from simio.studies.simulate import Simulated
from simio.studies.summary import TableSummary, Verdict

MISSED = 0.10
"""A row is missed whose absolute error is above this share."""


@dataclass(frozen=True)
class Validation:
    """Everything that a report of a validation states; `complete` is False after an interrupt.

    `engine` is 'compiled', 'simpy' or 'both'. `changes` and `gone` are against the baseline, if there was one.
    """

    tables: tuple[TableSummary, ...]
    verdicts: tuple[Verdict, ...]
    engine: str
    version: str
    baseline: str = ""
    changes: tuple[Deviation, ...] = ()
    gone: tuple[str, ...] = ()
    complete: bool = True

    @property
    def rows(self) -> list[Simulated]:
        """All rows that were simulated."""
        return [row for table in self.tables for row in table.rows]

    @property
    def fitted(self) -> list[str]:
        """Fitted values in the parts used by any table, each once."""
        return list(dict.fromkeys(name for table in self.tables for name in table.fitted))

    @property
    def unsourced(self) -> list[str]:
        """Values in the parts used that no source gives, each once."""
        return list(dict.fromkeys(name for table in self.tables for name in table.unsourced))

    @property
    def differences(self) -> list[str]:
        """Differences of the two engines, each once: a defect of one of them."""
        return list(dict.fromkeys(row.difference for row in self.rows if row.difference))

    @property
    def failures(self) -> list[str]:
        """Reasons against success: bars that do not hold, rows without a value, engines that differ."""
        found = [f"{each.name}: {', '.join(each.reasons)}" for each in self.verdicts if each.reasons]
        for table in self.tables:
            for row in table.missing:
                found.append(f"{table.name}: {row.row.name}: {row.fault or 'nothing simulated'}")
        return found + self.differences


def missed(row: Simulated) -> bool:
    """True if a row is off by more than `MISSED`."""
    return row.error is not None and abs(row.error) > MISSED
