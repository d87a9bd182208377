"""A cache before a volume: hits, misses, the three modes, limits, sequences, and what is written back when."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from volume_bench import Recorder, Request, outcome_of, run, volume

from simio.components.volumes import make_volume
from simio.description.caches import CacheOptions
from simio.errors import RunError, SimioError
from simio.loading import load
from simio.machines.volume import buckets, caching, writeback
from simio.program.builder import Builder

K = 1024
SECOND = 10**12


def options(**own: Any) -> CacheOptions:
    """A cache of two buckets of four blocks, and these options."""
    return CacheOptions.model_validate({"room": "32 KiB", "bucket": "16 KiB", **own})


def cached(slow: int = 100, fast: int = 10, **own: Any):
    """A function that makes a volume behind a cache; the disk takes `slow` a request, the fast device `fast`."""

    def make(p: Builder):
        devices = [Recorder(p, "disk", 2**30, fixed=slow), Recorder(p, "fast", 64 * K, fixed=fast)]
        return make_volume(p, replace(volume("cached", 2), cache=options(**own)), devices)

    return make


def block(verb: str, number: int, count: int = 1) -> Request:
    return Request(verb, 4 * K * number, 4 * K * count, 4 * K)


def who(asked: list[list[Any]]) -> list[list[tuple[str, str]]]:
    return [[(row.member, row.verb) for row in rows] for rows in asked]


def test_a_read_is_added_to_the_cache_and_then_served_by_it() -> None:
    asked, ends = run(cached(), [block("read", number) for number in (7, 8, 7, 8)])
    assert ends[1] == 200
    # Blocks of a read are added in the background, while the next read may ask the fast device, too.
    assert ends[3] <= 230
    assert [("fast", "read")] in who(asked)
    assert sum(row == ("disk", "read") for rows in who(asked) for row in rows) == 2


@pytest.mark.parametrize(
    ("mode", "end", "write", "read"),
    [
        ("writeback", 10, [("fast", "write")], "fast"),
        ("writethrough", 100, [("disk", "write"), ("fast", "write")], "fast"),
        ("writearound", 100, [("disk", "write")], "disk"),
    ],
)
def test_a_write_goes_where_the_mode_says(mode: str, end: int, write: list[tuple[str, str]], read: str) -> None:
    asked, ends = run(cached(mode=mode), [block("write", 7), block("read", 7)], engines="reference")
    assert ends[0] == end
    assert who(asked)[0] == write
    assert who(asked)[1][0] == (read, "read")


def test_a_write_around_takes_what_it_changes_out_of_the_cache() -> None:
    requests = [block("read", 7), block("write", 7), block("read", 7)]
    asked, _ = run(cached(mode="writearound", warm="32 KiB"), requests, engines="reference")
    assert who(asked)[0] == [("fast", "read")]
    assert ("disk", "read") in who(asked)[2]


def test_writes_go_through_once_too_many_buckets_are_dirty() -> None:
    writes = [block("write", 10 * number) for number in range(6)]
    asked, ends = run(cached(mode="writeback", dirty_limit="40 %"), writes, engines="reference")
    # The first dirty block makes one of two buckets dirty, which is more than 40%.
    assert ends == [10, 110, 210, 310, 410, 510]
    assert who(asked)[1] == [("disk", "write"), ("fast", "write")]


def test_a_sequence_passes_by_from_its_cut_off_on() -> None:
    writes = [block("write", number) for number in range(4)] + [block("write", 100)]
    asked, _ = run(cached(mode="writeback", sequential_cutoff="12 KiB"), writes, engines="reference")
    assert [row[0][0] for row in who(asked)] == ["fast", "fast", "disk", "disk", "fast"]


def test_dirty_blocks_are_written_back_in_ascending_order_after_the_delay() -> None:
    p = Builder()
    device, at = cached(mode="writeback", writeback_delay="1 us", dirty_target=0)(p), [9, 2, 5]
    with p.thread("process"), p.scope():
        where = p.register()
        for number in at:
            p.let(where, "SET", 4 * K * number)
            device.write(where, 4 * K, 4 * K)
        p.wait(10**8)
    outcome = outcome_of(p)
    names = [mark.name for mark in p.build().marks]
    back = [(time, value) for time, mark, value in outcome.marks.tolist() if names[mark].startswith("disk write")]
    # The delay is from the first write on, whose blocks lie in the cache from the first on.
    assert [value // (4 * K) for _, value in back] == [2, 5, 9]
    assert back[0][0] == 10**6 + 10


def machine(**own: int) -> np.ndarray[Any, Any]:
    values = {
        "unit": 4 * K,
        "slots": 8,
        "width": 4,
        "capacity": 2**30,
        "mode": caching.BACK,
        "cutoff": 0,
        "limit": 70,
    }
    return np.array(caching.Cache(**{**values, "target": 0, "run": 4, "warm": 0, **own}).initial(), dtype=np.int64)


def test_the_bucket_used_longest_ago_is_emptied_and_no_dirty_one() -> None:
    state = machine(mode=caching.THROUGH, warm=32 * K)
    buckets.read(state, 0, 0, 0, 4 * K)
    buckets.add(state, 0, 400 * K, 4 * K)
    # Blocks 4 to 7 were in the bucket that is open when all are full.
    found = [buckets.read(state, 0, 0, 4 * K * number, 4 * K) % caching.FEW for number in (0, 3, 4, 7, 100)]
    assert found == [0, 0, caching.HIT, caching.HIT, caching.HIT]


def test_blocks_that_lie_together_are_written_back_at_once_and_what_changes_meanwhile_stays_dirty() -> None:
    state = machine()
    for number in (8, 9, 10, 11, 1):
        assert buckets.write(state, 0, 0, 4 * K * number, 4 * K) % caching.PASSING in (caching.BACK, caching.THROUGH)
    assert writeback.take(state, 0) == 1 * caching.COUNTED + 1
    assert writeback.take(state, 0) == 8 * caching.COUNTED + 4
    assert writeback.take(state, 0) == 0
    writeback.landed(state, 0, 8, 4)
    assert state[caching.BYTES] == 4 * K
    writeback.landed(state, 0, 1, 1)
    assert state[caching.BYTES] == 0
    buckets.write(state, 0, 0, 4 * K, 4 * K)
    assert writeback.take(state, 0) == 1 * caching.COUNTED + 1
    buckets.write(state, 0, 0, 4 * K, 4 * K)
    writeback.landed(state, 0, 1, 1)
    assert state[caching.BYTES] == 4 * K


def test_the_rate_of_writeback_is_the_error_over_forty_and_bounded() -> None:
    state = machine(slots=2**14, width=128, target=2**20)
    # 512 KiB/s until it is first set: 64 KiB take an eighth of a second more than is owed from the beginning.
    assert writeback.pace(state, 0, 0, 64 * K) == SECOND // 8
    state[caching.BYTES] = 41 * 2**20
    assert writeback.pace(state, 0, 5 * SECOND, 64 * K) == 0
    assert state[caching.RATE] == 2**20
    state[caching.BYTES] = 0
    writeback.pace(state, 0, 10 * SECOND, 64 * K)
    assert state[caching.RATE] == caching.LEAST


def test_what_does_not_fit_is_refused() -> None:
    p = Builder()
    with pytest.raises(RunError, match="has 64 KiB, and the cache is to have 128 KiB"):
        cached(room="128 KiB")(p)
    with pytest.raises(ValueError, match="multiple of the bucket"):
        options(room="40 KiB")


SCENARIO = """
title: Cached
hosts:
  a: {model: hosts/server-2023-2s}
disks:
  d: {model: disks/datacentre-tlc-2023, count: 3}
volumes:
  v: {kind: cached, of: [d1, d2], cache: {room: 1 MiB}}
links:
  - {model: links/nvme, between: [a.nvme, d], length: 0 m}
workload:
  writer: {host: a, to: v, block: 4 KiB, access: raw, size: 8 KiB}
"""


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("volumes.v={kind: cached, of: [d1, d2]}", "such as {room: 1 GiB}"),
        ("volumes.v={kind: cached, of: d, cache: {room: 1 MiB}}", "two: what is behind the cache, and what has it"),
        ("volumes.v={kind: mirror, of: d, cache: {room: 1 MiB}}", "only cached has it"),
        ("volumes.v.unit=64 KiB", "a unit for a cached"),
        ("volumes.v.cache.mode=none", "writearound"),
        ("volumes.v.cache.dirty_limit=100 %", "a share from 0 to below 1, such as 0.1"),
    ],
)
def test_mistakes_in_a_scenario_are_told(tmp_path: Path, given: str, said: str) -> None:
    (tmp_path / "v.yaml").write_text(SCENARIO)
    with pytest.raises(SimioError) as caught:
        load(str(tmp_path / "v.yaml"), [given])
    assert said in str(caught.value)
