"""Results of earlier runs: found again, never mixed up, and never in the way."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from simio.loading import load
from simio.lower import lower
from simio.running import Lowered
from simio.sweeps import cache
from simio.sweeps.outcome import SweepOutcome

HIPPI = str(Path(__file__).parents[2] / "scenarios" / "sgi-hippi-raw.yaml")
KEY = "ab" + 62 * "0"
SOME = SweepOutcome({"throughput": 1.25, "time": 0.1}, "bus", "f00")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr("simio.sweeps.cache._folder", lambda: tmp_path)
    return tmp_path


def key(*sets: str) -> str:
    case = load(HIPPI, ["workload.blast.packets=2", *sets]).cases[0]
    return cache.key(case, Lowered(lower(case.system)))


def test_what_is_put_is_found_and_marked():
    assert cache.get(KEY) is None
    cache.put(KEY, SOME)
    found = cache.get(KEY)
    assert (found.measures, found.limit, found.hash, found.kept) == (SOME.measures, "bus", "f00", True)


def test_a_key_tells_apart_what_has_other_results():
    known = key()
    assert key() == known
    # The program, and what is done with it, but not how the answer is shown.
    assert key("workload.blast.size=4 KiB") != known
    assert key("run.warm_up=1 ms") != known
    assert key("run.step_budget=1000") != known
    assert key("report.unit=KiB/s") == known


@pytest.mark.parametrize(
    "spoil",
    [
        lambda content: b"",
        lambda content: content[:-3],
        lambda content: content.replace(b"1.25", b"9.25"),
        lambda content: content.partition(b"\n")[0],
        lambda content: b"\xff\xfe\x00",
    ],
)
def test_what_is_damaged_is_not_there_and_is_written_again(folder, spoil):
    cache.put(KEY, SOME)
    path = folder / KEY[:2] / KEY
    path.write_bytes(spoil(path.read_bytes()))
    assert cache.get(KEY) is None
    cache.put(KEY, SOME)
    assert cache.get(KEY).measures == SOME.measures


def test_an_entry_of_another_key_does_not_count(folder):
    cache.put(KEY, SOME)
    other = KEY[:-1] + "1"
    os.rename(folder / KEY[:2] / KEY, folder / KEY[:2] / other)
    assert cache.get(other) is None


def test_old_entries_make_room(folder):
    keys = [f"ab{number:062x}" for number in range(3 * cache.ENTRIES_A_FOLDER)]
    for number, each in enumerate(keys):
        cache.put(each, SOME)
        os.utime(folder / "ab" / each, (number, number))
        if number > 0:
            # Used, so that it stays.
            assert cache.get(keys[0]) is not None
    left = {path.name for path in (folder / "ab").iterdir()}
    assert len(left) <= cache.ENTRIES_A_FOLDER
    assert {keys[0], *keys[-50:]} <= left


def test_many_may_write_at_once(folder):
    keys = [f"ab{number % 150:062x}" for number in range(600)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda each: (cache.put(each, SOME), cache.get(each)), keys))
    entries = list((folder / "ab").iterdir())
    assert len(entries) <= cache.ENTRIES_A_FOLDER + 8
    assert all(cache.get(path.name) is not None for path in entries)


def test_nothing_is_kept_where_nothing_can_be_written(folder, monkeypatch):
    (folder / "file").write_text("")
    monkeypatch.setattr("simio.sweeps.cache._folder", lambda: folder / "file")
    cache.put(KEY, SOME)
    assert cache.get(KEY) is None
