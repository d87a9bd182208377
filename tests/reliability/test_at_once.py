"""Two commands at once that fill one cache of results."""

from __future__ import annotations

import re
import signal
from pathlib import Path

import pytest
from quick_runs import QUICK, Simio

from simio.engines.native import cache_folder

pytestmark = pytest.mark.slow

SWEEP = ("sweep", QUICK, "--case", "1", "--set", "workload.blast.packets=1..40", "--processes", "1", "--csv")


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """A cache in which no results are, but the compiled engine."""
    (tmp_path / "simio").mkdir(mode=0o700)
    (tmp_path / "simio" / "compiled").symlink_to(cache_folder().parent)
    return tmp_path


def entries(folder: Path) -> dict[str, bytes]:
    """Results that are kept, by the name of the file."""
    return {
        path.name: path.read_bytes()
        for path in (folder / "simio" / "results").rglob("*")
        if path.is_file() and len(path.name) == 64
    }


def test_two_sweeps_at_once_give_the_same_and_leave_whole_entries(simio: Simio, kept: Path) -> None:
    running = [simio(*SWEEP, SIMIO_CACHE=str(kept)) for _ in range(2)]
    tables = [process.communicate(timeout=600) for process in running]
    assert [process.returncode for process in running] == [0, 0], tables
    assert tables[0][0] == tables[1][0]
    found = entries(kept)
    assert len(found) == 40
    again = simio(*SWEEP[:-1], SIMIO_CACHE=str(kept))
    told, _ = again.communicate(timeout=600)
    assert re.search(rb"40 configurations, 40 known from earlier runs", told)
    assert entries(kept) == found


def test_one_that_is_killed_leaves_nothing_that_the_other_trips_over(simio: Simio, kept: Path) -> None:
    first, second = (simio(*SWEEP, SIMIO_CACHE=str(kept)) for _ in range(2))
    while first.poll() is None and len(entries(kept)) < 5:
        pass
    first.send_signal(signal.SIGKILL)
    first.communicate(timeout=600)
    second.communicate(timeout=600)
    assert second.returncode == 0
    assert len(entries(kept)) == 40
