"""A fit as changes of datasheets: all checked before the first is written, and an interrupt waits for the last."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path
from types import FrameType

from simio.calibration.edit import aliases, edited, flow, scalar
from simio.calibration.fitting import Fit, Judged
from simio.calibration.problem import FitProblem
from simio.errors import Place, Problem, ScenarioError
from simio.files import write_whole
from simio.loading.catalogue import display
from simio.loading.datasheet import read_datasheet
from simio.loading.yamltree import parse_yaml
from simio.reading import read_file

NOTED = 0.2
"""Correlations below this are not written."""


@dataclass(frozen=True)
class SheetChange:
    """A datasheet before and after."""

    file: Path
    old: str
    new: str

    @property
    def diff(self) -> str:
        """The change in the form of `diff -u`, without times."""
        name = display(self.file)
        lines = unified_diff(self.old.splitlines(True), self.new.splitlines(True), name, name)
        return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)


def check_editable(problem: FitProblem) -> None:
    """Raise ScenarioError for datasheets that a fit could not be written into, before a search takes its time."""
    problems = [
        Problem("", "an alias", "a value of its own, for a fit to be written there", "write out what it stands for",
              Place(display(file), line, column))
        for file in dict.fromkeys(value.file for value in problem.values)
        for line, column in aliases(read_file(file))
    ]  # fmt: skip
    if problems:
        raise ScenarioError(problems)


def changes(fit: Fit) -> list[SheetChange]:
    """Changes by a fit, a datasheet each. Raises ScenarioError if one could not be read any more."""
    by_file: dict[Path, dict[str, Mapping[str, str]]] = {}
    sheets: dict[Path, tuple[str, str]] = {}
    for index, judged in enumerate(fit.judged):
        value = judged.value
        by_file.setdefault(value.file, {})[value.key] = _entries(fit, index, judged)
        sheets[value.file] = (value.part, value.part.partition("/")[0])
    found = []
    for file, entries in by_file.items():
        old = read_file(file)
        new = edited(old, entries)
        _check(new, *sheets[file], file)
        if new != old:
            found.append(SheetChange(file, old, new))
    return found


def write(found: list[SheetChange]) -> None:
    """Write datasheets, each aside and renamed; a Ctrl-C meanwhile counts when all are there."""
    with _uninterrupted():
        for change in found:
            write_whole(change.file, change.new)


def _entries(fit: Fit, index: int, judged: Judged) -> dict[str, str]:
    value, model = judged.value, fit.problem.model
    correlation = {
        other.value.name: f"{fit.determination.correlation[index, k]:.2f}"
        for k, other in enumerate(fit.judged)
        if k != index and abs(fit.determination.correlation[index, k]) >= NOTED
    }
    record: dict[str, object] = {
        "rows": len(model.rows),
        "values": len(fit.judged),
        "residual": f"{100 * fit.determination.scale:.1f} %",
    }
    studies = fit.problem.studies_of(value)
    others = set(studies) != set(value.studies)
    if others and not fit.starts:
        # Nothing was searched: the value is as it was fitted to its own study; what is known of it is from these.
        record["studies"] = f"[{', '.join(studies)}]"
    if correlation:
        record["correlation"] = correlation
    entries = {"interval": f"[{judged.low}, {judged.high}]", "fit": flow(record)}
    if judged.text != judged.was:
        entries["value"] = judged.text
    if others and fit.starts:
        entries["source"] = scalar(", ".join(studies))
    return entries


def _check(text: str, part: str, folder: str, file: Path) -> None:
    """Raise ScenarioError if a datasheet could not be read any more."""
    from simio.description.sheets import CATEGORIES, sheet_kinds

    root = parse_yaml(text, display(file))
    kind = root.at(("kind",)).value
    # A datasheet of the user's own is in no folder of a class.
    fitting = [
        name for name, own in CATEGORIES.items() if own == folder or (folder == "." and kind in sheet_kinds(name))
    ]
    for category in fitting[:-1]:
        with suppress(ScenarioError):
            read_datasheet(root, part, category, file)
            return
    read_datasheet(root, part, fitting[-1], file)


@contextmanager
def _uninterrupted() -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []

    def later(number: int, _frame: FrameType | None) -> None:
        came.append(number)

    before = signal.signal(signal.SIGINT, later)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if came:
        raise KeyboardInterrupt
