"""Results of a tool as rows of a measured table: which quantity, of what, in which unit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from simio.errors import Problem, ScenarioError, SimioError, quote
from simio.formats.fio.results import fio_results
from simio.formats.iperf3.results import iperf3_results
from simio.formats.netperf import netperf_results
from simio.formats.rows import Row


@dataclass(frozen=True)
class Found:
    """A quantity that a tool measured; `of` is an observation, or for a host 'client' or 'server'."""

    quantity: str
    value: Fraction
    unit: str
    of: str = ""


Reader = Callable[[str], list[Row] | None]
"""Rows (quantity, value, unit, of) of a text; None for another tool's. Raises SimioError where no result is in it."""
READERS: dict[str, Reader] = {
    "iperf3 -J": iperf3_results,
    "fio --output-format=json": fio_results,
    "netperf": netperf_results,
}
"""The tools whose output is known."""
DIGITS = 6
"""Digits of a value that are kept."""


def read_results(path: Path) -> list[Found]:
    """All that a result file of a tool says. Raises ScenarioError if it cannot be read, or is of no known tool."""
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise _refused(path, f"cannot be read: {error.strerror}", "the output of a tool") from None
    for reader in READERS.values():
        try:
            rows = reader(text)
        except SimioError as error:
            raise _refused(path, str(error), "the result of a test that ran to its end") from None
        if rows is not None:
            return [Found(quantity, Fraction(f"{value:.{DIGITS}g}"), unit, of) for quantity, value, unit, of in rows]
    raise _refused(path, quote(text.strip()[:40]), f"the output of {', '.join(READERS)}")


def _refused(path: Path, found: str, expected: str) -> ScenarioError:
    return ScenarioError([Problem(str(path.name), found, expected, "", None)])
