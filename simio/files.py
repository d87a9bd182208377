"""Where files go, and writing them so that whoever reads one finds the whole of it, old or new."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from simio.errors import SimioError, quote


def cache_base() -> Path:
    """The folder for what simio can make anew: in $SIMIO_CACHE, or below the cache folder of the user."""
    given = os.environ.get("SIMIO_CACHE") or os.environ.get("XDG_CACHE_HOME")
    return (Path(given) if given else Path.home() / ".cache") / "simio"


def write_whole(path: str | os.PathLike[str], content: str | bytes | Iterable[str]) -> None:
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
