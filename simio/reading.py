"""The text of YAML files, and of others that they name, or the problem that makes one unreadable."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from simio.errors import Place, Problem, ScenarioError, quote
from simio.files import read_regular

MAX_BYTES = 2**20
_noted: ContextVar[dict[str, str] | None] = ContextVar("noted", default=None)


@contextmanager
def files_read() -> Iterator[dict[str, str]]:
    """The files that `read_file` reads inside, by name, each with the SHA-256 of its content."""
    found: dict[str, str] = {}
    token = _noted.set(found)
    try:
        yield found
    finally:
        _noted.reset(token)


def read_file(path: str | os.PathLike[str], hint: str = "", what: str = "YAML file", most: int = MAX_BYTES) -> str:
    """The text of a YAML file, or of a `what`; `hint` is for a missing one that no file beside it resembles.

    Raises ScenarioError if it is missing, a directory, unreadable, larger than `most` bytes or not UTF-8.
    """
    name = os.fspath(path)
    data = _read(path, hint, what, most + 1)
    note_file(name, hashlib.sha256(data).hexdigest())
    return decode(data, name, most)


def note_file(name: str, digest: str) -> None:
    """Note a file that was read for `files_read`; `digest` is the SHA-256 of its content."""
    if (noted := _noted.get()) is not None:
        noted[name] = digest


def check_readable(path: str | os.PathLike[str], what: str) -> None:
    """Raise ScenarioError as `read_file` does, if a `what` cannot be read at all."""
    _read(path, "", what, 1)


def _read(path: str | os.PathLike[str], hint: str, what: str, most: int) -> bytes:
    name = os.fspath(path)
    try:
        return read_regular(path, most)
    except FileNotFoundError:
        if os.path.islink(name):
            found = f"a link to {quote(os.readlink(name))}, which is missing"
            raise ScenarioError(Problem(name, found, f"a {what}")) from None
        raise ScenarioError(Problem(name, "no such file", f"a {what}", _similar_file(name) or hint)) from None
    except IsADirectoryError:
        raise ScenarioError(Problem(name, "a directory", f"a {what}")) from None
    except PermissionError:
        found = "a directory" if os.path.isdir(name) else "a file that may not be read"
        raise ScenarioError(Problem(name, found, f"a readable {what}")) from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise ScenarioError(Problem(name, f"a file that cannot be read ({reason})", f"a {what}")) from None


def decode(data: bytes, file: str, most: int = MAX_BYTES) -> str:
    """The text in the bytes of `file`. Raises ScenarioError if they are more than `most` or not UTF-8."""
    if len(data) > most:
        raise ScenarioError(too_large(file, most))
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8-sig", errors="replace")
        line = before.count("\n") + 1
        place = Place(file, line, len(before) - (before.rfind("\n") + 1) + 1)
        hint = "save the file as UTF-8"
        if data.startswith((b"\xff\xfe", b"\xfe\xff")):
            hint = "the file seems to be UTF-16; save it as UTF-8"
        found = f"the byte 0x{data[error.start]:02x}"
        raise ScenarioError(Problem("", found, "UTF-8 text", hint, place)) from None


def too_large(file: str, most: int = MAX_BYTES) -> Problem:
    """The problem of a file of more than `most` bytes, whole MiB."""
    size = f"{most >> 20} MiB"
    return Problem("", f"a file of more than {size}", f"at most {size}", place=Place(file, 1, 1))


def _similar_file(name: str) -> str:
    import difflib  # only a mistake needs it

    folder, base = os.path.split(name)
    try:
        beside = [other for other in os.listdir(folder or ".") if other.endswith((".yaml", ".yml"))]
    except (OSError, ValueError):
        return ""
    # With the ending left on, any two short names would seem alike.
    stems = {os.path.splitext(other)[0]: other for other in sorted(beside)}
    near = difflib.get_close_matches(os.path.splitext(base)[0], stems, n=1)
    return f"did you mean '{os.path.join(folder, stems[near[0]])}'?" if near else ""
