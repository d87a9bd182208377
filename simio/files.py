"""Files that simio reads and writes: only regular files are read, and no output replaces what others wrote."""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Iterable
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import BinaryIO

from simio.errors import SimioError, quote

_HEAD = 4096
"""Bytes at the beginning of a file that show whether it is a report of simio."""
_REPORTS = {
    "page": re.compile(rb'<meta name="generator" content="simio'),
    "picture": re.compile(rb'^<svg [^>]*data-generator="simio"'),
    "JSON": re.compile(rb'^\s*\{.*("simio": "|"title": "simio scenario")', re.DOTALL),
    "CSV": re.compile(rb"^case,.*throughput \("),
}
"""Reports of simio by the mark at their beginning. A table of a sweep has none, as it may have taken hours."""
_inputs: set[tuple[int, int]] = set()
"""Device and inode of each file that was read as an input; no output replaces one of these."""


def cache_base() -> Path:
    """The folder for what simio can make anew: in $SIMIO_CACHE, or below the cache folder of the user."""
    given = os.environ.get("SIMIO_CACHE") or os.environ.get("XDG_CACHE_HOME")
    # A shell expands '~' only where no quotation marks are around it.
    return (Path(given).expanduser() if given else Path.home() / ".cache") / "simio"


def read_regular(path: str | os.PathLike[str], most: int) -> bytes:
    """Up to `most` bytes of a file, which from then on no output replaces.

    Raises OSError if it cannot be read; a device, a pipe or a socket is refused with EINVAL, since reading one may
    never end.
    """
    # Opening a pipe waits for a writer, reading a kernel's log for the next line; not so without blocking.
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    with open(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        if stat.S_ISDIR(status.st_mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "not a regular file")
        note_input(path)
        # Files that the kernel makes up as they are read have no size.
        return file.read(most) if status.st_size else b""


def note_input(path: str | os.PathLike[str]) -> None:
    """Note a file that is read or was read, so that no output replaces it."""
    with suppress(OSError):
        _inputs.add(_identity(os.stat(path)))


def check_output(path: str | os.PathLike[str], force: bool) -> None:
    """Raise SimioError if an output may not go to `path`, so that a command finds out before its work.

    An input is never replaced; another file that exists only if it is a report of simio, or with `force`.
    """
    _check(path, None, force)


def write_output(path: str | os.PathLike[str], content: str | bytes | Iterable[str], force: bool) -> None:
    """Write an output of a command as `write_whole` does.

    Raises SimioError where nothing can be written, for an input, and for another file that exists, unless it is a
    report of simio of the same kind or `force` is given.
    """
    pieces = iter([content] if isinstance(content, (str, bytes)) else content)
    begun: list[str | bytes] = []
    head = b""
    while len(head) < _HEAD and (piece := next(pieces, None)) is not None:
        begun.append(piece)
        head += piece.encode() if isinstance(piece, str) else piece
    _check(path, _report(head), force)
    write_whole(path, chain(begun, pieces))


def _check(path: str | os.PathLike[str], kind: str | None, force: bool) -> None:
    """Raise SimioError if a report of this kind, or of any for None, may not go to `path`."""
    told = quote(str(path))
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        folder = Path(path).parent
        if not folder.is_dir():
            raise SimioError(f"cannot write {told}: no folder {quote(str(folder))}") from None
        return
    if _identity(status) in _inputs:
        raise SimioError(f"cannot write {told}: this command reads it; give another name")
    if force or not stat.S_ISREG(status.st_mode) or not status.st_size:
        return
    there = _report(_head(path))
    if not there or kind not in (None, there):
        what = f"is a {there} of simio" if there else "exists, and is no report that simio could make anew"
        raise SimioError(f"cannot write {told}: it {what}; --force replaces it")


def _identity(status: os.stat_result) -> tuple[int, int]:
    return status.st_dev, status.st_ino


def _head(path: str | os.PathLike[str]) -> bytes:
    with suppress(OSError), open(path, "rb") as file:
        return file.read(_HEAD)
    return b""


def _report(head: bytes) -> str:
    """The kind of report that a file of simio begins with `head`, or an empty text for anything else."""
    return next((kind for kind, mark in _REPORTS.items() if mark.search(head[:_HEAD])), "")


def write_whole(path: str | os.PathLike[str], content: str | bytes | Iterable[str | bytes]) -> None:
    """Write `content` (text as UTF-8, whole or piece by piece) beside `path` and rename it into place.

    What was there stays until then, and stays if this fails. Raises SimioError where nothing can be written.
    """
    target = Path(path)
    pieces = [content] if isinstance(content, (str, bytes)) else content
    try:
        # Renaming over a link, a pipe or /dev/stdout would replace that, not what it leads to.
        target = target.resolve() if target.is_symlink() else target
        if target.exists() and not target.is_file():
            with open(target, "wb") as file:
                _write(file, pieces)
        else:
            _replace(target, pieces)
    except OSError as error:
        raise SimioError(f"cannot write {quote(str(path))}: {error.strerror or error}") from error


def _write(file: BinaryIO, pieces: Iterable[str | bytes]) -> None:
    file.writelines(piece.encode() if isinstance(piece, str) else piece for piece in pieces)


def _replace(target: Path, pieces: Iterable[str | bytes]) -> None:
    import tempfile

    handle, aside = tempfile.mkstemp(prefix=f".{target.name[:64]}.", dir=target.parent)
    try:
        with open(handle, "wb") as file:
            _write(file, pieces)
        os.chmod(aside, _mode(target))
        os.replace(aside, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(aside)
        raise


def _mode(target: Path) -> int:
    """Permissions of the file that is replaced, or those a new file would have; mkstemp's are for one user only."""
    with suppress(OSError):
        return target.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
