"""Replayed requests as a file, a row each: CSV or Parquet."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import IO, Any

from simio.errors import SimioError, quote
from simio.files import check_output
from simio.report.table import check_form
from simio.result.requests import RequestLog, Table

COLUMNS = ("workload", "request", "device", "operation", "offset_bytes", "size_bytes", "start_us", "latency_us")
FORMS = (".csv", ".parquet")
_US = 10**6


@contextmanager
def request_file(path: str | os.PathLike[str]) -> Iterator[RequestLog]:
    """A log that goes to a file, which is there in whole when the body is done.

    Raises SimioError for a name that ends in none of `FORMS`, where pyarrow is missing for Parquet, and if the file
    cannot be written.
    """
    name = os.fspath(path)
    form = os.path.splitext(name)[1]
    if form not in FORMS:
        raise SimioError(f"found {quote(name)}; expected a name that ends in {' or '.join(FORMS)}")
    if form == ".parquet":
        check_form("parquet")
    # Traces are known as inputs only now that they have been read.
    check_output(name, force=True)
    beside = f"{name}.part"
    try:
        with open(beside, "wb") as file, _parquet(file) if form == ".parquet" else _csv(file) as write:
            yield RequestLog(write)
        os.replace(beside, name)
    except OSError as error:
        raise SimioError(f"cannot write {quote(name)}: {error.strerror or error}") from error
    finally:
        with suppress(OSError):
            os.unlink(beside)


@contextmanager
def _csv(file: IO[bytes]) -> Iterator[Callable[[Table], object]]:
    file.write(f"{','.join(COLUMNS)}\n".encode())

    def write(table: Table) -> None:
        rows = zip(
            map(_quoted, table["workload"]), table["request"].tolist(), map(_quoted, table["device"]),
            table["writes"].tolist(), table["offset"].tolist(), table["size"].tolist(), table["start"].tolist(),
            table["latency"].tolist(), strict=True,
        )  # fmt: skip
        file.write(
            "".join(
                f"{workload},{number},{device},{'write' if writes else 'read'},{offset},{size},"
                f"{start // _US}.{start % _US:06d},{latency // _US}.{latency % _US:06d}\n"
                for workload, number, device, writes, offset, size, start, latency in rows
            ).encode()
        )

    yield write


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"' if set(text) & set(',"\n') else text


@contextmanager
def _parquet(file: IO[bytes]) -> Iterator[Callable[[Table], object]]:
    import pyarrow
    import pyarrow.parquet

    text, whole, number = pyarrow.string(), pyarrow.int64(), pyarrow.float64()
    types = (text, whole, text, text, whole, whole, number, number)
    schema = pyarrow.schema(list(zip(COLUMNS, types, strict=True)))
    with pyarrow.parquet.ParquetWriter(file, schema) as writer:

        def write(table: Table) -> None:
            columns: list[Any] = [
                table["workload"],
                table["request"],
                table["device"],
                ["write" if writes else "read" for writes in table["writes"].tolist()],
                table["offset"],
                table["size"],
                table["start"] / _US,
                table["latency"] / _US,
            ]
            writer.write_table(pyarrow.table(dict(zip(COLUMNS, columns, strict=True)), schema=schema))

        yield write
