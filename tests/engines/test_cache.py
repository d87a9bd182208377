"""Compiled code: the folder that keeps it, and the changes that renew it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from simio.engines import kept, native, sources
from simio.engines.compiling import LOOP
from simio.engines.kept import cache_folder
from simio.engines.shipped import shipped_size
from simio.engines.sources import source_hash
from simio.machines.door import families

WORKER = """
from simio.engines import compiled
from simio.program.builder import Builder
p = Builder()
seen = p.observation("seen")
with p.thread("t"), p.loop(1000):
    p.advance(3)
    p.mark(seen, 1)
told = []
for _ in range(2):
    run = compiled.run(p.build(), announce=told.append)
print(run.status.name, run.end, len(run.marks), len(told))
"""


READY_MADE = """
import json, os, pathlib, time
from simio.engines import native
root = pathlib.Path(os.environ["READY_MADE"])
def ready_made(name):
    time.sleep(1)
    return "", json.loads((root / "symbols").read_text())
native.shipped_ir = lambda name: None
native.compile_ir = ready_made
native.emit = lambda text, symbols: (root / "code").read_bytes()
"""
"""In place of compiling, which is tested by every other test: the same code, a second later."""


@pytest.fixture
def fresh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache."""
    monkeypatch.setenv("SIMIO_CACHE", str(tmp_path / "cache"))
    return tmp_path


@pytest.fixture
def copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the package's sources, which the engine takes for its own."""
    package = Path(native.__file__).parent.parent
    shutil.copytree(package, tmp_path / "simio", ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(sources, "_PACKAGE", tmp_path / "simio")
    return tmp_path / "simio"


@pytest.mark.parametrize(
    "path",
    [
        "engines/kernel.py",
        "engines/layout.py",
        "engines/llvm.py",
        "engines/outcome.py",
        "machines/disk/arm.py",
        "machines/random.py",
        "program/steps.py",
    ],
)
def test_a_change_of_any_source_changes_the_folder(copied: Path, fresh: Path, path: str) -> None:
    before = source_hash()
    folder = cache_folder()
    assert folder.name == before
    assert folder.is_relative_to(fresh / "cache")
    text = (copied / path).read_text()
    (copied / path).write_text(text + "\n")
    assert source_hash() != before
    assert cache_folder() != folder
    (copied / path).write_text(text)
    assert cache_folder() == folder


def test_sources_are_read_again_only_where_one_has_another_time_or_size(
    copied: Path, fresh: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for path in (copied, *copied.rglob("*")):
        os.utime(path, (1e9, 1e9))
    before = cache_folder().name
    assert source_hash() == before
    with monkeypatch.context() as unread:
        unread.setattr(sources, "_sources", lambda: pytest.fail("read again"))
        assert source_hash() == before
    kernel = copied / "engines" / "kernel.py"
    text = kernel.read_text()
    kernel.write_text(text.replace("a", "b"))
    os.utime(kernel, (1e9 + 1, 1e9 + 1))
    assert source_hash() != before
    # The time of a file that changed within the last seconds is not relied upon.
    kernel.write_text(text)
    assert source_hash() == before
    kernel.write_text(text.replace("b", "c"))
    assert source_hash() != before
    (note,) = (fresh / "cache" / "simio" / "compiled").glob("sources-*")
    note.write_text("damaged")
    assert source_hash() != before


def test_a_new_machine_changes_the_folder(copied: Path) -> None:
    before = source_hash()
    (copied / "machines" / "tape.py").write_text("REELS = 2\n")
    assert source_hash() != before


def test_the_hash_does_not_depend_on_where_the_package_is(copied: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert copied.exists()
    there = source_hash()
    monkeypatch.undo()
    assert source_hash() == there


def test_another_python_or_numba_has_another_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    hashes = {source_hash()}
    monkeypatch.setattr(sources, "_version", lambda package: "0.0")
    hashes.add(source_hash())
    monkeypatch.setattr(sys, "version", "3.99")
    hashes.add(source_hash())
    assert len(hashes) == 3


def test_a_package_is_told_by_its_module_of_versions_or_by_its_metadata(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "tape_compiler").mkdir()
    (tmp_path / "tape_compiler" / "__init__.py").write_text("raise ImportError('is not to be imported')")
    assert sources._version("tape_driver") == ""
    information = tmp_path / "tape_compiler-1.2.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: tape_compiler\nVersion: 1.2\n")
    assert sources._version("tape_compiler") == "1.2"
    (tmp_path / "tape_compiler" / "_version.py").write_text("version = '1.3'")
    assert sources._version("tape_compiler") == "version = '1.3'"


def test_the_folder_of_the_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SIMIO_CACHE", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_folder().is_relative_to(tmp_path / ".cache" / "simio")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache_folder().is_relative_to(tmp_path / "xdg" / "simio")
    monkeypatch.setenv("SIMIO_CACHE", str(tmp_path / "own"))
    assert cache_folder().is_relative_to(tmp_path / "own")


def test_a_folder_that_cannot_be_made_falls_back(fresh: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # A file stands where the folder would have to be; so it does under the temporary folder in the end.
    (fresh / "cache").write_text("in the way")
    temporary = fresh / "tmp"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    folder = cache_folder()
    assert folder.is_relative_to(temporary)
    assert folder.name == source_hash()
    assert cache_folder() == folder
    shutil.rmtree(temporary / folder.relative_to(temporary).parts[0])
    (temporary / folder.relative_to(temporary).parts[0]).write_text("in the way too")
    last = cache_folder()
    assert last.is_dir()
    assert last.is_relative_to(temporary)


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="no owners of files here")
def test_a_folder_that_anyone_can_write_is_not_trusted(fresh: Path) -> None:
    (fresh / "cache" / "simio").mkdir(parents=True)
    (fresh / "cache" / "simio").chmod(0o777)
    assert not cache_folder().is_relative_to(fresh)


SYMBOLS = {"entry": "cfunc_advance", "outside": ["memset", "simio_tcp"], "functions": [1, 2]}


def damages(whole: bytes) -> Iterator[bytes]:
    """Damages that a disk, or a curious person, may do to an entry."""
    for at in range(len(whole)):
        yield whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :]
    checksum, symbols, code = whole.split(b"\n", 2)
    for other in (b"[]", b"{}", b"null", b"7", b'{"entry": 7, "outside": 7, "functions": [1]}', b""):
        yield b"\n".join((checksum, other, code))
    yield from (b"", b"\n", whole[:-1], whole[1:], whole + b"\0", code, b"\n".join((checksum, symbols)))


def test_damaged_code_is_not_loaded(fresh: Path) -> None:
    folder = cache_folder()
    assert kept.read(folder, LOOP) is None
    kept.keep(folder, LOOP, b"some code\n", SYMBOLS)
    assert kept.read(folder, LOOP) == (b"some code\n", SYMBOLS)
    (path,) = folder.iterdir()
    whole = path.read_bytes()
    for damaged in damages(whole):
        path.write_bytes(damaged)
        assert kept.read(folder, LOOP) is None
    path.write_bytes(whole)
    assert kept.read(folder, LOOP) is not None


def test_code_in_the_place_of_other_code_is_not_loaded(fresh: Path) -> None:
    folder, other = cache_folder(), fresh / "of another version"
    other.mkdir()
    for name in ("tcp", "disk"):
        kept.keep(folder, name, name.encode(), SYMBOLS)
    kept.keep(other, "tcp", b"tcp", SYMBOLS)
    first, second = (kept._path(folder, name) for name in ("tcp", "disk"))
    one, two = first.read_bytes(), second.read_bytes()
    first.write_bytes(two)
    second.write_bytes(one)
    assert kept.read(folder, "tcp") is None
    assert kept.read(folder, "disk") is None
    first.write_bytes(kept._path(other, "tcp").read_bytes())
    assert kept.read(folder, "tcp") is None


def test_two_first_runs_at_once(tmp_path: Path) -> None:
    # Both make the code for themselves and write the same cache; a third starts from it.
    native.entry()
    ready_made = kept.read(cache_folder(), LOOP)
    assert ready_made is not None
    ready, cache = tmp_path / "ready", tmp_path / "cache"
    ready.mkdir()
    (ready / "code").write_bytes(ready_made[0])
    (ready / "symbols").write_text(json.dumps(ready_made[1]))
    environment = {**os.environ, "SIMIO_CACHE": str(cache), "READY_MADE": str(ready)}

    def begin() -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-c", READY_MADE + WORKER], env=environment, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip

    def end(process: subprocess.Popen[str]) -> list[str]:
        out, errors = process.communicate(timeout=600)
        assert process.returncode == 0, errors
        return out.split()

    first, second = begin(), begin()

    def entries() -> dict[Path, int]:
        # The note of the sources' times comes as soon as these are old enough, whichever run that is.
        files = (path for path in cache.rglob("*") if path.is_file() and not path.name.startswith("sources-"))
        return {path: path.stat().st_mtime_ns for path in files}

    # Each reports once that it compiles; a run that starts from the cache reports and writes nothing.
    assert end(first) == ["DONE", "3000", "1000", "1"]
    assert end(second) == ["DONE", "3000", "1000", "1"]
    written = entries()
    assert written
    assert end(begin()) == ["DONE", "3000", "1000", "0"]
    assert entries() == written


def test_two_processes_share_what_there_is_to_compile(monkeypatch: pytest.MonkeyPatch) -> None:
    names = [LOOP, *families()]
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    mine, others = native._shared_out(names)
    assert sorted(mine + others) == sorted(names)
    assert mine
    assert others
    # Neither waits long for the other, whatever families there are.
    sizes = {name: shipped_size(name) for name in names}
    both = [sum(sizes[name] for name in half) for half in (mine, others)]
    assert abs(both[0] - both[1]) < 0.2 * sum(both)
    assert native._shared_out([LOOP]) == ([LOOP], [])
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    assert native._shared_out(names) == (names, [])


@pytest.mark.skipif(os.name != "posix", reason="a shell script stands in for Python")
@pytest.mark.parametrize("helps", [True, False])
def test_what_the_other_process_did_not_do_is_done_here(
    fresh: Path, monkeypatch: pytest.MonkeyPatch, helps: bool
) -> None:
    made: list[str] = []

    symbols = {"entry": "", "functions": []}

    def compiled(name: str) -> tuple[str, dict[str, Any]]:
        made.append(name)
        return name, symbols

    folder = cache_folder()
    elsewhere = fresh / "elsewhere" / folder.name
    elsewhere.mkdir(parents=True)
    for name in (LOOP, "tcp"):
        kept.keep(elsewhere, name, name.encode(), symbols)
    other = fresh / "python"
    # Its arguments are -P, -c, the code, and the names.
    copies = f'shift 3; for name; do cp {elsewhere}/"$name".* {folder}; done'
    other.write_text(f"#!/bin/sh\n{copies if helps else 'exit 1'}\n")
    other.chmod(0o700)
    monkeypatch.setattr(native, "shipped_ir", lambda name: None)
    monkeypatch.setattr(native, "compile_ir", compiled)
    monkeypatch.setattr(native, "emit", lambda text, symbols: text.encode())
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    monkeypatch.setattr(sys, "executable", str(other))
    told: list[str] = []
    found = native._objects([LOOP, "tcp"], told.append)
    assert {name: code for name, (code, _) in found.items()} == {LOOP: b"loop", "tcp": b"tcp"}
    assert len(told) == 1
    assert sorted(made) == (["tcp"] if helps else [LOOP, "tcp"])
    assert native._objects([LOOP, "tcp"], told.append) == found
    assert len(told) == 1
