"""Reads of a file through the page cache, and of a device past it, measured by fio."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from simio.errors import SimioError
from simio.measure.log import Log, Unavailable

KIB = 1024
SECONDS = 1


@dataclass(frozen=True)
class Read:
    """A test of fio: bytes a read, from the page cache or past it, with as many outstanding."""

    block: int
    cached: bool = True
    depth: int = 1
    pattern: str = "sequential"


@dataclass(frozen=True)
class FioRow:
    """The result of a test: the file in the folder, and the rate in bytes a second."""

    test: Read
    file: str
    rate: float


CACHED = tuple(
    Read(block * KIB, pattern=pattern)
    for block, pattern in (
        (4, "sequential"), (8, "sequential"), (16, "sequential"), (32, "sequential"), (64, "sequential"),
        (128, "sequential"), (256, "sequential"), (512, "sequential"),
    )
)  # fmt: skip
"""Tests of reads that the cache has."""
PAST_IT = tuple(Read(block * KIB, False, depth, "random") for block in (4, 64) for depth in (1, 4, 16))
"""Tests of a device, for the record: the datasheet of it is the user's choice."""


def check_device(device: str | None) -> None:
    """Raise SimioError for a device that is not one, or cannot be read."""
    if device is None:
        return
    if not Path(device).is_block_device():
        raise SimioError(f"--device: found {device}; expected a block device such as /dev/nvme0n1")
    if not os.access(device, os.R_OK):
        raise SimioError(f"--device: {device} may not be read by you")


def scratch_file(log: Log, path: Path, size: int) -> bool:
    """Write the scratch file, if its file system has twice the room. True if it is there."""

    def write() -> bool:
        free = os.statvfs(path.parent)
        if free.f_bavail * free.f_frsize < 2 * size:
            raise Unavailable(f"the file system has less than {2 * size >> 20} MiB of room")
        block = os.urandom(2**20)
        with path.open("wb") as file:
            for _ in range(size >> 20):
                file.write(block)
            file.flush()
            os.fsync(file.fileno())
        return True

    return bool(log.attempt(f"scratch file of {size >> 20} MiB", write))


def reads(log: Log, path: Path, tests: Sequence[Read], repeats: int, shown: str) -> Iterator[FioRow]:
    """The tests on a file or device that is there; fio opens it for reading alone."""
    for number, test in enumerate(tests, 1):
        words = _command(test, path)
        depth = "" if test.cached else f", depth {test.depth}"
        what = f"fio {shown} {number} of {len(tests)}: {test.block >> 10} KiB{depth}"
        text = log.attempt(what, partial(_best, partial(log.run, words, 30, "fio"), repeats))
        if text:
            yield FioRow(test, log.keep(f"raw/fio-{shown}-{number:02}.json", text), _rate(text))


def _command(test: Read, path: Path) -> list[str]:
    engine = ["--ioengine=psync"] if test.depth == 1 else ["--ioengine=libaio", f"--iodepth={test.depth}"]
    return [
        "fio", "--name=simio", f"--filename={path}", f"--rw={'randread' if test.pattern == 'random' else 'read'}",
        f"--bs={test.block}", *engine, f"--direct={int(not test.cached)}", "--invalidate=0", "--readonly", "--thread",
        "--time_based", f"--runtime={SECONDS}", "--output-format=json",
    ]  # fmt: skip


def _best(once: Any, repeats: int) -> str:
    return max((once() for _ in range(repeats)), key=_rate)


def _rate(text: str) -> float:
    """Bytes a second that a job read."""
    try:
        # fio may warn in front of its JSON.
        job = json.loads(text[text.index("{") :])["jobs"][0]
        rate = float(job["read"]["bw_bytes"])
    except (ValueError, KeyError, IndexError):
        raise Unavailable("fio gave no result") from None
    if rate <= 0:
        raise Unavailable("fio read nothing")
    return rate


def own_time(log: Log) -> float:
    """fio's own time a read in ns, from a test whose engine does nothing."""
    words = [
        "fio", "--name=simio", "--ioengine=null", "--filesize=1g", "--rw=read", "--bs=4k", "--thread", "--time_based",
        f"--runtime={SECONDS}", "--output-format=json",
    ]  # fmt: skip
    text = log.run(words, 30, "fio")
    log.keep("raw/fio-null.json", text)
    return 4096 / _rate(text) * 1e9
