"""Small measurements: calls, switches, copies, faults; in C where there is a compiler, else in Python."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

import numpy as np

from simio.measure.log import Log, Unavailable
from simio.measure.machine import OwnMachine

REPEATS = 5
"""Measurements of one thing, of which the least counts."""
COPIED = 64 * 2**20
"""Bytes of the largest copy by default; as much again is copied to."""
Values = dict[str, float]
"""Results by name, with the unit at the end of the name."""


class Small:
    """The small measurements of one machine; `way` says how they were made."""

    def __init__(self, log: Log, build: Path) -> None:
        """Compile the C program into the folder `build`, if there is a compiler."""
        self.log = log
        self.program: Path | None = None
        compiler = next((name for name in ("cc", "gcc", "clang") if shutil.which(name)), None)
        if compiler is None:
            log.lacks(
                "C compiler", "neither cc, gcc nor clang is installed; Python measures calls, switches and copies"
            )
            self.way = "Python with numpy, less an empty loop"
            return
        source = build / "small.c"
        source.write_bytes((files("simio.measure") / "small.c").read_bytes())
        command = [compiler, "-O2", "-o", str(build / "small"), str(source)]
        if log.attempt("C compiler", lambda: log.run(command, 60)) is not None:
            self.program = build / "small"
            self.way = f"small.c of simio, {compiler} -O2"
        else:
            self.way = "Python with numpy, less an empty loop"

    def values(self, what: str, *arguments: object) -> Values:
        """The result of one measurement. Raises Unavailable if it cannot be made here."""
        words = [what, *map(str, arguments)]
        if self.program is None:
            if what not in _IN_PYTHON:
                raise Unavailable("it needs a C compiler")
            return _IN_PYTHON[what]()
        text = self.log.run([str(self.program), *words], 60, f"small {what}")
        # A file's name is where this machine keeps it.
        shown = " ".join("FILE" if "/" in word else word for word in words)
        self.log.keep(f"raw/small-{what}.txt", f"$ small {shown}\n{text}")
        return {name: float(value) for name, value in (line.split() for line in text.splitlines())}

    def all(self, machine: OwnMachine, scratch: Path) -> Values:
        """Every measurement that can be had; `scratch` is a file whose pages are mapped."""
        size = COPIED if machine.memory > 16 * COPIED else 2**22
        wanted: list[tuple[str, tuple[object, ...]]] = [
            ("calls", ()), ("switches", ()), ("copy", (size,)), ("together", (size, machine.cpus)),
            ("faults", (scratch,)), *([("wakes", ())] if machine.cpus > 1 else []),
        ]  # fmt: skip
        found: Values = {}
        for what, arguments in wanted:
            found |= self.log.attempt(f"small {what}", lambda w=what, a=arguments: self.values(w, *a)) or {}  # type: ignore[misc]
        return found


def _least(once: Callable[[], None], count: int) -> float:
    """Seconds a time, the least of REPEATS, less those of an empty call."""

    def took(do: Callable[[], None]) -> float:
        begun = time.perf_counter()
        for _ in range(count):
            do()
        return (time.perf_counter() - begun) / count

    empty = min(took(lambda: None) for _ in range(REPEATS))
    return max(min(took(once) for _ in range(REPEATS)) - empty, 1e-9)


def _calls() -> Values:
    return {"system_call_ns": 1e9 * _least(_getppid, 20_000)}


def _getppid() -> None:
    os.getppid()


def _switches() -> Values:
    there, back = os.pipe(), os.pipe()

    def alone() -> None:
        os.write(there[1], b"x")
        os.read(there[0], 1)

    one = _least(alone, 5000)
    child = os.fork()
    if child == 0:
        try:
            os.close(there[1])
            while os.read(there[0], 1):
                os.write(back[1], b"x")
        finally:
            os._exit(0)

    def both() -> None:
        os.write(there[1], b"x")
        os.read(back[0], 1)

    try:
        turn = _least(both, 2000)
    finally:
        for end in (*there, *back):
            os.close(end)
        os.waitpid(child, 0)
    return {"pipe_ns": one * 1e9, "round_trip_ns": turn * 1e9, "context_switch_ns": max(turn / 2 - one, 1e-9) * 1e9}


def _copy() -> Values:
    found = {}
    source, target = np.ones(COPIED, dtype=np.uint8), np.zeros(COPIED, dtype=np.uint8)
    size = 4096
    while size <= COPIED:
        one, two = source[:size], target[:size]
        took = _least(lambda a=one, b=two: np.copyto(b, a), max(2**22 // size, 1))  # type: ignore[misc]
        found[f"copy_{size}_MBps"] = size / took / 1e6
        size *= 4
    piece = 64 * 1024

    def stream() -> None:
        for at in range(0, COPIED, piece):
            target[:piece] = source[at : at + piece]

    found["copy_to_buffer_MBps"] = COPIED / _least(stream, 1) / 1e6
    words, sums = source.view(np.uint64), target.view(np.uint64)
    found["xor_MBps"] = COPIED / _least(lambda: _xor(words, sums), 1) / 1e6
    return found


def _xor(words: np.ndarray, sums: np.ndarray) -> None:
    np.bitwise_xor(words, sums, out=sums)


_IN_PYTHON: dict[str, Callable[[], Values]] = {"calls": _calls, "switches": _switches, "copy": _copy}
