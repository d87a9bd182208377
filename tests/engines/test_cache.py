"""Where compiled code is kept, and when it is made anew."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from simio.engines import native
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
from simio.machines.door import families
def ready_made(name):
    time.sleep(1)
    root = pathlib.Path(os.environ["READY_MADE"])
    return (root / "code").read_bytes(), json.loads((root / "symbols").read_text())
native._compile = ready_made
"""
"""In place of compiling, which is tested by every other test: the same code, a second later."""


@pytest.fixture
def fresh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache."""
    monkeypatch.setenv("SIMIO_CACHE", str(tmp_path / "cache"))
    return tmp_path


@pytest.fixture
def sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the package's sources, which the engine takes for its own."""
    package = Path(native.__file__).parent.parent
    for room in ("engines", "machines"):
        shutil.copytree(package / room, tmp_path / "simio" / room, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(native, "__file__", str(tmp_path / "simio" / "engines" / "native.py"))
    return tmp_path / "simio"


@pytest.mark.parametrize(
    "path",
    [
        "engines/kernel.py",
        "engines/layout.py",
        "engines/outcome.py",
        "machines/disk/arm.py",
        "machines/random.py",
    ],
)
def test_a_change_of_any_source_changes_the_folder(sources: Path, fresh: Path, path: str) -> None:
    before = native.source_hash()
    folder = native.cache_folder()
    assert folder.name == before
    assert folder.is_relative_to(fresh / "cache")
    text = (sources / path).read_text()
    (sources / path).write_text(text + "\n")
    assert native.source_hash() != before
    assert native.cache_folder() != folder
    (sources / path).write_text(text)
    assert native.cache_folder() == folder


def test_a_new_machine_changes_the_folder(sources: Path) -> None:
    before = native.source_hash()
    (sources / "machines" / "tape.py").write_text("REELS = 2\n")
    assert native.source_hash() != before


def test_the_hash_does_not_depend_on_where_the_package_is(sources: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copied = native.source_hash()
    monkeypatch.undo()
    assert native.source_hash() == copied


def test_another_python_or_numba_has_another_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    hashes = {native.source_hash()}
    monkeypatch.setattr(native, "version", lambda package: "0.0")
    hashes.add(native.source_hash())
    monkeypatch.setattr(sys, "version", "3.99")
    hashes.add(native.source_hash())
    assert len(hashes) == 3


def test_the_folder_of_the_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SIMIO_CACHE", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert native.cache_folder().is_relative_to(tmp_path / ".cache" / "simio")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert native.cache_folder().is_relative_to(tmp_path / "xdg" / "simio")
    monkeypatch.setenv("SIMIO_CACHE", str(tmp_path / "own"))
    assert native.cache_folder().is_relative_to(tmp_path / "own")


def test_a_folder_that_cannot_be_made_falls_back(fresh: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # A file stands where the folder would have to be; so it does under the temporary folder in the end.
    (fresh / "cache").write_text("in the way")
    temporary = fresh / "tmp"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    folder = native.cache_folder()
    assert folder.is_relative_to(temporary)
    assert folder.name == native.source_hash()
    assert native.cache_folder() == folder
    shutil.rmtree(temporary / folder.relative_to(temporary).parts[0])
    (temporary / folder.relative_to(temporary).parts[0]).write_text("in the way too")
    last = native.cache_folder()
    assert last.is_dir()
    assert last.is_relative_to(temporary)


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="no owners of files here")
def test_a_folder_that_anyone_can_write_is_not_trusted(fresh: Path) -> None:
    (fresh / "cache" / "simio").mkdir(parents=True)
    (fresh / "cache" / "simio").chmod(0o777)
    assert not native.cache_folder().is_relative_to(fresh)


SYMBOLS = {"entry": "cfunc_advance", "outside": ["memset", "simio_tcp"], "functions": [1, 2]}


def damages(whole: bytes) -> Iterator[bytes]:
    """What a disk, or a curious person, may make of an entry."""
    for at in range(len(whole)):
        yield whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :]
    checksum, symbols, code = whole.split(b"\n", 2)
    for other in (b"[]", b"{}", b"null", b"7", b'{"entry": 7, "outside": 7, "functions": [1]}', b""):
        yield b"\n".join((checksum, other, code))
    yield from (b"", b"\n", whole[:-1], whole[1:], whole + b"\0", code, b"\n".join((checksum, symbols)))


def test_damaged_code_is_not_loaded(fresh: Path) -> None:
    folder = native.cache_folder()
    assert native._read(folder, native.LOOP) is None
    native._keep(folder, native.LOOP, b"some code\n", SYMBOLS)
    assert native._read(folder, native.LOOP) == (b"some code\n", SYMBOLS)
    (path,) = folder.iterdir()
    whole = path.read_bytes()
    for damaged in damages(whole):
        path.write_bytes(damaged)
        assert native._read(folder, native.LOOP) is None
    path.write_bytes(whole)
    assert native._read(folder, native.LOOP) is not None


def test_code_in_the_place_of_other_code_is_not_loaded(fresh: Path) -> None:
    folder, other = native.cache_folder(), fresh / "of another version"
    other.mkdir()
    for name in ("tcp", "disk"):
        native._keep(folder, name, name.encode(), SYMBOLS)
    native._keep(other, "tcp", b"tcp", SYMBOLS)
    first, second = (native._path(folder, name) for name in ("tcp", "disk"))
    one, two = first.read_bytes(), second.read_bytes()
    first.write_bytes(two)
    second.write_bytes(one)
    assert native._read(folder, "tcp") is None
    assert native._read(folder, "disk") is None
    first.write_bytes(native._path(other, "tcp").read_bytes())
    assert native._read(folder, "tcp") is None


def test_two_first_runs_at_once(tmp_path: Path) -> None:
    # Both make the code for themselves and write the same cache; a third starts from it.
    native.entry()
    kept_already = native._read(native.cache_folder(), native.LOOP)
    assert kept_already is not None
    ready, cache = tmp_path / "ready", tmp_path / "cache"
    ready.mkdir()
    (ready / "code").write_bytes(kept_already[0])
    (ready / "symbols").write_text(json.dumps(kept_already[1]))
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
    # Each tells once that it compiles; what starts from the cache tells nothing and writes nothing.
    assert end(first) == ["DONE", "3000", "1000", "1"]
    assert end(second) == ["DONE", "3000", "1000", "1"]
    kept = {path: path.stat().st_mtime_ns for path in cache.rglob("*") if path.is_file()}
    assert kept
    assert end(begin()) == ["DONE", "3000", "1000", "0"]
    assert {path: path.stat().st_mtime_ns for path in cache.rglob("*") if path.is_file()} == kept


def test_two_processes_share_what_there_is_to_compile(monkeypatch: pytest.MonkeyPatch) -> None:
    names = [native.LOOP, *families()]
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    mine, others = native._shared_out(names)
    assert sorted(mine + others) == sorted(names)
    assert mine
    assert others
    assert native._shared_out([native.LOOP]) == ([native.LOOP], [])
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    assert native._shared_out(names) == (names, [])


@pytest.mark.skipif(os.name != "posix", reason="a shell script stands in for Python")
@pytest.mark.parametrize("helps", [True, False])
def test_what_the_other_process_did_not_do_is_done_here(
    fresh: Path, monkeypatch: pytest.MonkeyPatch, helps: bool
) -> None:
    made: list[str] = []

    def compiled(name: str) -> native.Object:
        made.append(name)
        code = name.encode()
        return code, {}

    folder = native.cache_folder()
    elsewhere = fresh / "elsewhere" / folder.name
    elsewhere.mkdir(parents=True)
    for name in (native.LOOP, "tcp"):
        native._keep(elsewhere, name, *compiled(name))
    made.clear()
    other = fresh / "python"
    # Its arguments are -P, -c, the code, and the names.
    copies = f'shift 3; for name; do cp {elsewhere}/"$name".* {folder}; done'
    other.write_text(f"#!/bin/sh\n{copies if helps else 'exit 1'}\n")
    other.chmod(0o700)
    monkeypatch.setattr(native, "_compile", compiled)
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    monkeypatch.setattr(sys, "executable", str(other))
    told: list[str] = []
    found = native._objects([native.LOOP, "tcp"], told.append)
    assert {name: code for name, (code, _) in found.items()} == {native.LOOP: b"loop", "tcp": b"tcp"}
    assert len(told) == 1
    assert sorted(made) == (["tcp"] if helps else [native.LOOP, "tcp"])
    assert native._objects([native.LOOP, "tcp"], told.append) == found
    assert len(told) == 1
