"""Rows of a sweep as a table: CSV, JSON or Parquet. The file does not depend on who ran them."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from simio import units
from simio.errors import SimioError, quote
from simio.extras import needs
from simio.sweeps.outcome import THROUGHPUT, is_rate, unit_of
from simio.sweeps.rows import SweepRow
from simio.sweeps.values import number_of
from simio.wording import in_unit

if TYPE_CHECKING:
    import pandas

FORMS = ("csv", "json", "parquet")
_MEASURES = (THROUGHPUT, "half width", "bound", "busy", "time")
DIGITS = 6
SWITCHES = ("true", "false")
BASES = {
    "time": ("s", 1e12), "size": ("B", 1), "rate": ("B/s", 1), "length": ("m", 1), "frequency": ("Hz", 1),
    "request_rate": ("/s", 1), "share": ("1", 1), "rotation": ("rev/s", 1),
}  # fmt: skip
"""The base unit of a dimension, and how many of the units that simio computes in it has."""


def form_of(path: str) -> str:
    """The form that a file's name ends in. Raises SimioError for any other name."""
    form = path.rpartition(".")[2].lower()
    if form not in FORMS:
        raise SimioError(f"-o: found {quote(path)}; expected a name that ends in .csv, .json or .parquet")
    return form


def heading(measure: str, unit: str) -> str:
    """The name of a measure with its unit; `unit` is that of rates."""
    own = unit if is_rate(measure) else unit_of(measure)
    return f"{measure} ({own})" if own and not measure.endswith(")") else measure


def shown(measure: str, value: float, unit: str) -> float:
    """A measure in the unit of its heading, with the digits that are written."""
    return float(f"{in_unit(value, unit) if is_rate(measure) else value:.{DIGITS}g}")


def records(
    rows: Sequence[SweepRow], keys: Sequence[str], unit: str, more: Sequence[str] = ()
) -> list[dict[str, Any]]:
    """The rows as plain data with the same headings each; `more` measures come last, and what is not there is None.

    The half width has a column if some row has one.
    """
    has_width = any(row.value("half width") is not None for row in rows)
    measures = [name for name in _MEASURES if has_width or name != "half width"]
    return [_record(row, keys, unit, measures, more) for row in rows]


def _record(
    row: SweepRow, keys: Sequence[str], unit: str, measures: Sequence[str], more: Sequence[str]
) -> dict[str, Any]:
    def cell(name: str) -> float | None:
        value = row.value(name)
        return None if value is None else shown(name, value, unit)

    return {
        "row": row.number,
        **{key: row.settings.get(key) for key in keys},
        **{heading(name, unit): cell(name) for name in measures},
        "limit": row.outcome.limit if row.outcome else None,
        **{heading(name, unit): cell(name) for name in more},
        "error": row.error or None,
        "program": row.outcome.hash if row.outcome else None,
    }


def as_table(table: Sequence[dict[str, Any]], form: str, keys: Sequence[str]) -> str | bytes:
    """The table in a form, in Parquet with numbers for the settings of `keys`. Raises SimioError without pyarrow."""
    if form == "json":
        return json.dumps(list(table), indent=1) + "\n"
    if form == "parquet":
        return _parquet(numbered(table, keys))
    out = io.StringIO()
    writer = csv.DictWriter(out, list(table[0]) if table else [], lineterminator="\n")
    writer.writeheader()
    for record in table:
        writer.writerow({name: _text(value) for name, value in record.items()})
    return out.getvalue()


def _text(value: Any) -> Any:
    if value is None:
        return ""
    return f"{value:.{DIGITS}g}" if isinstance(value, float) else value


def check_form(form: str) -> None:
    """Raise SimioError where a form cannot be written here."""
    if form == "parquet":
        needs("pyarrow", "Parquet")


def _parquet(table: Sequence[dict[str, Any]]) -> bytes:
    check_form("parquet")
    import pyarrow
    import pyarrow.parquet

    out = io.BytesIO()
    names = list(table[0]) if table else []
    columns = {name: pyarrow.array([record[name] for record in table]) for name in names}
    pyarrow.parquet.write_table(pyarrow.table(columns), out)
    return out.getvalue()


def frame(rows: Sequence[SweepRow], keys: Sequence[str], unit: str, more: Sequence[str] = ()) -> pandas.DataFrame:
    """The rows as a pandas frame, indexed by their numbers. Raises SimioError where pandas is missing.

    Settings are numbers and switches where all of a key are. Quantities stay as they were written; a last column for
    each, such as 'workload.blast.size (B)', has them as numbers in bytes, seconds, bytes a second and so on.
    """
    needs("pandas", "a table in Python")
    import pandas

    return pandas.DataFrame(numbered(records(rows, keys, unit, more), keys)).set_index("row")


def numbered(table: Sequence[dict[str, Any]], keys: Sequence[str]) -> list[dict[str, Any]]:
    """The records with numbers and switches where all of a key are such; numbers of quantities have a last column."""
    found = [dict(record) for record in table]
    for key in keys:
        written = [record[key] for record in table]
        columns: dict[str, Sequence[Any]] = {}
        if plain := _plain(written):
            columns = {key: plain}
        elif quantities := _quantities(written):
            columns = {f"{key} ({quantities[0]})": quantities[1]}
        for name, values in columns.items():
            for record, value in zip(found, values, strict=True):
                record[name] = value
    return found


def _plain(written: Sequence[str | None]) -> list[int] | list[float] | list[bool] | None:
    """Whole numbers, else numbers, or switches; None unless all are such."""
    if written and all(text in SWITCHES for text in written):
        return [text == "true" for text in written]
    found = [number_of(text) if text is not None else None for text in written]
    numbers = [each[0] for each in found if each and each[1] is None]
    if not numbers or len(numbers) < len(written):
        return None
    whole = all(number.denominator == 1 for number in numbers)
    return [int(number) for number in numbers] if whole else [float(number) for number in numbers]


def _quantities(written: Sequence[str | None]) -> tuple[str, list[float]] | None:
    """The base unit and the numbers of quantities; None unless all are of one dimension."""
    found = [number_of(text) if text is not None else None for text in written]
    dimensions = {each[1] if each else None for each in found}
    if len(dimensions) != 1 or None in dimensions:
        return None
    dimension = str(dimensions.pop())
    base, scale = BASES.get(dimension, (units.DIMENSIONS[dimension].noun, 1))
    return base, [float(each[0]) / scale for each in found if each]
