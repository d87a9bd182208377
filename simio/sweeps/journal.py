"""A sweep's rows while it runs: a file beside the table, to which finished rows are added at once.

Its first line says what the sweep is; each other line is a row. After any end, the same sweep resumes from
there. A line that was cut short by a loss of power or a kill does not count.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from simio.errors import SimioError, quote
from simio.sweeps import outcome
from simio.sweeps.pools import interrupts_held
from simio.sweeps.rows import SweepRow

ENDING = ".partial"
EVERY = 0.5
"""Seconds that a row waits, at most, until it is on the disk."""


def beside(table: str) -> Path:
    """Path of the journal of a table."""
    return Path(table + ENDING)


class Journal:
    """The rows finished so far, in `rows` by number, and the file that they are added to."""

    def __init__(self, path: Path, header: Mapping[str, Any], anew: bool = False) -> None:
        """Open the journal, or begin one. Raises SimioError for that of another sweep, unless `anew` discards it."""
        self.path = path
        self.rows: dict[int, SweepRow] = {}
        self._waiting: list[str] = []
        self._written = time.monotonic()
        first = json.dumps(header, sort_keys=True)
        try:
            # Opened for update, so that it can be locked before a byte is changed.
            self._file = open(path, "a+b")  # noqa: SIM115  (closed by `close`)
        except OSError as error:
            raise SimioError(f"cannot write {quote(str(path))}: {error.strerror or error}") from error
        try:
            self._lock()
            self._begin(first, anew)
        except BaseException:
            self._file.close()
            raise

    def _lock(self) -> None:
        """Keep others away: two sweeps into one table would each find rows of the other."""
        try:
            import fcntl
        except ImportError:  # no such locks on this platform
            return
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise SimioError(f"another sweep is writing {quote(str(self.path))}") from None

    def _begin(self, first: str, anew: bool) -> None:
        self._file.seek(0)
        lines = [] if anew else self._file.read().split(b"\n")
        # The text after the last line end was cut short.
        whole = lines[:-1]
        if whole and whole[0].decode(errors="replace") != first:
            raise SimioError(
                f"{quote(str(self.path))} is of another sweep or another simio, or a file that it needs has changed; "
                "give another file, or --anew to begin anew"
            )
        good = 0
        for line in whole[1:]:
            row = _row(line)
            if row is None:
                break
            self.rows.setdefault(row.number, row)
            good += len(line) + 1
        self._file.truncate(len(whole[0]) + 1 + good if whole else 0)
        if not whole:
            self._waiting.append(first)
            self.flush()

    def add(self, row: SweepRow) -> None:
        """Add a row; it is on the disk after a while, or after `flush`."""
        self.rows[row.number] = row
        self._waiting.append(json.dumps(_plain(row)))
        if time.monotonic() - self._written > EVERY:
            self.flush()

    def flush(self) -> None:
        """Bring all rows to the disk. An interrupt waits until they are there; else some would be written twice."""
        with interrupts_held():
            self._write()
        self._written = time.monotonic()

    def _write(self) -> None:
        if not self._waiting:
            return
        try:
            self._file.write("".join(f"{line}\n" for line in self._waiting).encode())
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError as error:
            raise SimioError(f"cannot write {quote(str(self.path))}: {error.strerror or error}") from error
        self._waiting = []

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self.flush()
        finally:
            self._file.close()


def _plain(row: SweepRow) -> dict[str, Any]:
    told = row.outcome.as_dict() if row.outcome else None
    return {"row": row.number, "settings": dict(row.settings), "outcome": told, "error": row.error}


def _row(line: bytes) -> SweepRow | None:
    try:
        data = json.loads(line)
        found = None if data["outcome"] is None else outcome.read(data["outcome"])
        return SweepRow(
            int(data["row"]), {str(k): str(v) for k, v in data["settings"].items()}, found, str(data["error"])
        )
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


def missing(rows: Mapping[int, SweepRow], numbers: Iterable[int]) -> list[int]:
    """The numbers that have no row yet."""
    return [number for number in numbers if number not in rows]
