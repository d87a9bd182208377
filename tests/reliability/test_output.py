"""Output that cannot be written, and homes that cannot: a message, and nothing half-written."""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path

import pytest
from quick_runs import QUICK, Simio

pytestmark = pytest.mark.slow

FULL = Path("/dev/full")


@pytest.mark.skipif(not FULL.exists(), reason="no device that is always full")
@pytest.mark.parametrize("said", ["schema", "--help", "--version"])
def test_a_full_disk_below_the_output(said: str) -> None:
    with FULL.open("w") as full:
        done = subprocess.run([sys.executable, "-m", "simio", said], stdout=full, stderr=subprocess.PIPE, text=True)
    assert (done.returncode, done.stderr) == (2, "cannot write the output: No space left on device\n")


def test_a_disk_that_is_full_half_way_leaves_what_was_there(simio: Simio, tmp_path: Path) -> None:
    target = tmp_path / "schema.json"
    target.write_text("what was there")
    process = simio(
        "schema", "-o", str(target), "--force", before=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
    )
    out, err = process.communicate(timeout=600)
    assert (process.returncode, out) == (2, b"")
    told = err.decode()
    assert told.startswith("cannot write '")
    assert told.endswith(": File too large\n")
    assert len(told.splitlines()) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["schema.json"]
    assert target.read_text() == "what was there"


def test_a_home_that_is_not_there(simio: Simio, tmp_path: Path) -> None:
    process = simio("bound", QUICK, HOME=str(tmp_path / "none"), XDG_CACHE_HOME="", SIMIO_CACHE="/proc/none")
    out, err = process.communicate(timeout=600)
    assert (process.returncode, err) == (0, b"")
    assert b"MB/s" in out
