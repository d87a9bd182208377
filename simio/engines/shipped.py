"""IR of the loop and of each family that comes with the package, so that a first run need not wait for numba.

Each file holds the work of one compilation: a line of JSON with its sources' hash, LLVM, platform and symbols, and
the compressed text. One that does not fit is not used, so that numba compiles instead.
`python -m simio.engines.shipped` writes them anew.
"""

from __future__ import annotations

import json
import lzma
from functools import cache
from pathlib import Path
from typing import Any

from simio.engines.sources import code_hash
from simio.machines import door

FOLDER = Path(__file__).with_name("shipped_ir")
IR = tuple[str, dict[str, Any]]
"""Text of a module in IR, and its symbols."""


def shipped_ir(name: str, folder: Path = FOLDER) -> IR | None:
    """IR of the loop or a family, or None where it is missing, damaged, or of other sources, LLVM or platform."""
    try:
        if not fits(name, folder):
            return None
        head, _, packed = (folder / f"{name}.ir").read_bytes().partition(b"\n")
        return lzma.decompress(packed).decode(), json.loads(head)["symbols"]
    except (OSError, ValueError, TypeError, KeyError, EOFError, lzma.LZMAError):
        return None


def fits(name: str, folder: Path = FOLDER) -> bool:
    """True if there is IR of the loop or a family, of these sources and for this LLVM and platform."""
    if any(package != "simio" for package in door.packages(name)):
        return False
    try:
        with (folder / f"{name}.ir").open("rb") as file:
            return bool(json.loads(file.readline())["of"] == _of())
    except (OSError, ValueError, TypeError, KeyError):
        return False


def shipped_size(name: str, folder: Path = FOLDER) -> int:
    """Bytes of the IR of the loop or a family, 10,000 where there is none: a measure of the time to compile it.

    IR of other sources or another platform serves as well.
    """
    try:
        return (folder / f"{name}.ir").stat().st_size
    except OSError:
        return 10_000


def write(folder: Path = FOLDER) -> list[Path]:
    """Compile the loop and every family of simio's own, and write their IR; returns the files. Takes a minute."""
    from simio.engines.compiling import LOOP, compile_ir

    written = []
    folder.mkdir(exist_ok=True)
    for name in [LOOP, *(family for family in door.families() if door.packages(family) == ["simio"])]:
        text, symbols = compile_ir(name)
        written.append(folder / f"{name}.ir")
        head = json.dumps({"of": _of(), "symbols": symbols}).encode()
        written[-1].write_bytes(head + b"\n" + lzma.compress(text.encode(), preset=9))
    for old in set(folder.glob("*.ir")) - set(written):
        old.unlink()
    return written


@cache
def _of() -> dict[str, Any]:
    """Versions and sources that shipped IR must be of to be used here."""
    import llvmlite.binding as llvm

    return {
        "sources": code_hash(),
        "llvm": llvm.llvm_version_info[0],
        "platform": llvm.get_process_triple(),
    }


if __name__ == "__main__":
    for path in write():
        print(path)
