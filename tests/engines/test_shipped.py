"""The IR that comes with the package: of these sources, used without numba, and never where it does not fit."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm
import pytest

from simio.engines import shipped
from simio.engines.compiling import LOOP, compile_ir
from simio.engines.llvm import emit
from simio.engines.sources import code_hash
from simio.machines.door import families, packages

RENEW = "renew with: python -m simio.engines.shipped"

FIRST_RUN = """
import sys
sys.modules["numba"] = None
from simio.engines.native import entry
told = []
entry(told.append)
print(len(told))
"""


def head_of(path: Path) -> dict[str, dict[str, object]]:
    """The line of JSON before the compressed text."""
    head: dict[str, dict[str, object]] = json.loads(path.read_bytes().partition(b"\n")[0])
    return head


def instructions(text: str, symbols: dict[str, Any]) -> list[bytes]:
    """The machine code without the names, which numba numbers by what it compiled before."""
    made = llvm.ObjectFileRef.from_data(emit(text, symbols))
    return [bytes(section.data()) for section in made.sections() if section.is_text()]


def test_what_is_shipped_is_of_these_sources() -> None:
    own = {LOOP, *(family for family in families() if packages(family) == ["simio"])}
    files = {path.stem: path for path in shipped.FOLDER.glob("*.ir")}
    assert set(files) == own, RENEW
    assert {head_of(path)["of"]["sources"] for path in files.values()} == {code_hash()}, RENEW


@pytest.mark.skipif(shipped.shipped_ir(LOOP) is None, reason="nothing is shipped for this platform")
def test_a_first_run_needs_no_numba(tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-c", FIRST_RUN],
        env={**os.environ, "SIMIO_CACHE": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout == "0\n"


@pytest.mark.skipif(not all(map(shipped.fits, [LOOP, *families()])), reason="not all is shipped for this platform")
def test_a_first_sweep_makes_what_it_runs(tmp_path: Path) -> None:
    sweep = ["-m", "simio", "sweep", "sgi-hippi-raw", "--case", "20", "--set", "run.seed=1,2", "--no-cache"]
    subprocess.run(
        [sys.executable, *sweep], check=True, env={**os.environ, "SIMIO_CACHE": str(tmp_path)}, cwd=tmp_path
    )
    made = {path.stem for path in tmp_path.rglob("*.code")}
    assert LOOP in made
    assert not {"tcp", "ssd"} & made


@pytest.mark.slow
@pytest.mark.skipif(shipped.shipped_ir(LOOP) is None, reason="nothing is shipped for this platform")
@pytest.mark.parametrize("name", ["parts", LOOP])
def test_the_code_is_what_numba_gives_now(name: str) -> None:
    ready = shipped.shipped_ir(name)
    assert ready
    fresh = compile_ir(name)
    assert ready[1]["functions"] == fresh[1]["functions"]
    assert instructions(*ready) == instructions(*fresh)


@pytest.mark.parametrize("differs", ["sources", "llvm", "platform"])
def test_ir_of_something_else_is_not_used(tmp_path: Path, differs: str) -> None:
    path = tmp_path / "parts.ir"
    shutil.copy(shipped.FOLDER / path.name, path)
    head, _, packed = path.read_bytes().partition(b"\n")
    made = json.loads(head)
    made["of"] = {**shipped._of()}
    path.write_bytes(json.dumps(made).encode() + b"\n" + packed)
    assert shipped.shipped_ir("parts", tmp_path)
    assert shipped.fits("parts", tmp_path)
    made["of"][differs] = "other"
    path.write_bytes(json.dumps(made).encode() + b"\n" + packed)
    assert shipped.shipped_ir("parts", tmp_path) is None
    assert not shipped.fits("parts", tmp_path)


@pytest.mark.parametrize("damaged", [b"", b"\n", b"[]\n", b"{}\n", b"no JSON\n", b'{"of": 7}\n'])
def test_damaged_ir_is_not_used(tmp_path: Path, damaged: bytes) -> None:
    (tmp_path / "parts.ir").write_bytes(damaged)
    assert shipped.shipped_ir("parts", tmp_path) is None
    assert not shipped.fits("parts", tmp_path)
    whole = (shipped.FOLDER / "parts.ir").read_bytes()
    (tmp_path / "parts.ir").write_bytes(whole[:-20])
    assert shipped.shipped_ir("parts", tmp_path) is None


def test_what_is_not_shipped_is_compiled(tmp_path: Path) -> None:
    assert shipped.shipped_ir("parts", tmp_path) is None
