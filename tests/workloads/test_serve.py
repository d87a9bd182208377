"""A server of objects: caches, places, both engines, and what clients see."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from simio.components.files.objects import Slots, spread
from simio.engines import compiled, reference
from simio.engines.outcome import Options
from simio.errors import ScenarioError
from simio.loading import load
from simio.lower import lower
from simio.machines import objects
from simio.result.model import CaseResult
from simio.running import run_case

MS = 10**9
SCENARIO = """
title: Objects over a network
hosts:
  server:
    model: hosts/linux-2002-dual-p3
    stack: stacks/linux-2.4
    adapters: {eth: {model: adapters/gigabit-pc, bus: pci}}
  client: {like: server}
disks:
  d: {model: disks/fc-15k-2002, count: 2, file_system: filesystems/ext2}
volumes:
  array: {kind: stripe, of: d, unit: 64 KiB}
switches:
  fabric: {model: switches/fc-2g}
links:
  - {model: links/fc-2g, between: [server.fc, fabric], length: 10 m}
  - {model: links/fc-2g, between: [fabric, d], length: 10 m}
  - {model: links/ethernet-1000, between: [client.eth, server.eth], length: 10 m}
workload:
  web: {kind: serve, from: client, to: server, storage: d, objects: 200000, object: 4 KiB, connections: 4, count: 40}
"""


def path_of(folder: Path) -> str:
    path = folder / "serve.yaml"
    path.write_text(SCENARIO)
    return str(path)


def ran(folder: Path, *sets: str) -> CaseResult:
    return run_case(load(path_of(folder), [f"workload.web.{text}" for text in sets]).cases[0])


def tally(result: CaseResult, name: str) -> int:
    return sum(each.value for each in result.tallies if each.name == name)


@pytest.mark.parametrize(
    "sets",
    [
        ("object={4 KiB: 3, 64 KiB: 1}", "cache=100 MiB", "popularity=1.0", "threads=2"),
        ("access=buffered", "writes=0.3", "popularity=0.5"),
        ("access=buffered", "writes=0.3", "sync=false", "warm=false"),
        ("storage=array", "arrivals.rate=200 /s", "steps=3", "access=raw"),
    ],
)
def test_engines_agree(tmp_path: Path, sets: tuple[str, ...]) -> None:
    system = load(path_of(tmp_path), [f"workload.web.{text}" for text in sets]).cases[0].system
    program = lower(system)
    options = Options(until=2000 * MS, seed=5)
    assert compiled.run(program, options).differences(reference.run(program, options)) == []


def test_bytes_of_objects_count_and_requests_take_a_disk(tmp_path: Path) -> None:
    result = ran(tmp_path)
    took = result.observations[0]
    assert took.name == "web: request"
    # Requests that end within the warm-up are left out.
    assert 700 < took.count <= 5 * 160
    assert result.throughput.amount <= 160 * 4096
    # A turn of 15,000 a minute takes 4 ms; four clients have two disks.
    assert 3 * MS < took.mean < 30 * MS


def test_a_cache_of_everything_leaves_the_disks_alone(tmp_path: Path) -> None:
    result = ran(tmp_path, "cache=1 GiB")
    assert (tally(result, "web cache hits"), tally(result, "web cache misses")) == (160, 0)
    assert result.observations[0].most < 3 * MS


def test_a_cold_cache_reads_each_object_once(tmp_path: Path) -> None:
    result = ran(tmp_path, "cache=16 MiB", "warm=false", "objects=10", "count=100")
    assert tally(result, "web cache misses") == 10
    assert tally(result, "web cache hits") == 390


def test_the_cache_of_the_kernel_is_as_large_as_its_file_system_says(tmp_path: Path) -> None:
    small = load(path_of(tmp_path), ["workload.web.access=buffered", "disks.d.file_system.cache=40 MiB"])
    result = run_case(small.cases[0])
    assert tally(result, "web cache misses") > 100
    assert tally(ran(tmp_path, "access=buffered"), "web cache misses") == 0


def test_what_is_written_is_on_the_disk_before_the_answer_unless_it_need_not(tmp_path: Path) -> None:
    safe = ran(tmp_path, "access=buffered", "writes=0.99")
    quick = ran(tmp_path, "access=buffered", "writes=0.99", "sync=false")
    assert quick.observations[0].p50 < MS < safe.observations[0].p50


def test_threads_of_the_server_are_shared(tmp_path: Path) -> None:
    one, four = (ran(tmp_path, f"threads={number}", "connections=8") for number in (1, 4))
    assert one.observations[0].mean > 1.5 * four.observations[0].mean
    use = next(use for use in one.resources if use.name == "web threads")
    assert use.utilisation > 0.9


def test_a_transaction_of_several_requests_takes_as_many_times(tmp_path: Path) -> None:
    one, three = ran(tmp_path, "connections=1"), ran(tmp_path, "connections=1", "steps=3")
    assert three.observations[0].name == "web: transaction"
    assert three.observations[0].mean == pytest.approx(3 * one.observations[0].mean, rel=0.1)


@pytest.mark.parametrize(("exponent", "share"), [(0.0, 0.3), (0.8, 0.1), (1.1, 0.05)])
def test_hits_by_popularity_are_those_of_ches_approximation(exponent: float, share: float) -> None:
    # H. Che, Y. Tung and Z. Wang, IEEE J. Selected Areas in Communications 20(7), 2002: an object is there if it was
    # asked for within the characteristic time t, in which as many objects are asked for as there is room for.
    number = 2000
    room = int(number * share)
    p = np.arange(1, number + 1) ** -exponent
    p /= p.sum()
    low, high = 0.0, 1e7
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if (1 - np.exp(-p * middle)).sum() < room else (low, middle)
    expected = (p * (1 - np.exp(-p * low))).sum()
    state = np.array(objects.cache(number, room * 4096, [4096] * room), dtype=np.int64)
    hits = 0
    asked = np.random.default_rng(3).choice(number, 60_000, p=p).tolist()
    for at, object_ in enumerate(asked):
        found = objects.look(state, 0, object_)
        if found == 0:
            objects.enter(state, 0, object_, 4096)
        hits += found == 1 and at >= 20_000
    assert hits / 40_000 == pytest.approx(expected, abs=0.012)
    assert state[objects.USED] == room * 4096


def test_an_object_on_its_way_is_waited_for_and_one_too_large_is_not_kept() -> None:
    state = np.array(objects.cache(3, 10), dtype=np.int64)
    assert [objects.look(state, 0, 1), objects.look(state, 0, 1), objects.look(state, 0, 1)] == [0, 2, 2]
    assert objects.enter(state, 0, 1, 6) == 2
    assert objects.look(state, 0, 1) == 1
    assert objects.look(state, 0, 2) == 0
    assert objects.enter(state, 0, 2, 11) == 0
    assert objects.look(state, 0, 2) == 0
    assert objects.enter(state, 0, 2, 5) == 0
    # It took the room of object 1.
    assert objects.look(state, 0, 1) == 0
    assert state[objects.EVICTED] == 1


def test_places_are_apart_and_each_is_taken_once() -> None:
    slots = Slots.of(((1000, 3), (9000, 1)), 4096)
    assert sorted(slots.order) == [0, 0, 0, 1]
    state = np.array(objects.places(101, 2, slots.table, slots.group), dtype=np.int64)
    spans = {
        (objects.device(state, 0, n), objects.address(state, 0, n), slots.stored[objects.kind(state, 0, n)])
        for n in range(101)
    }
    assert len(spans) == 101
    for device in (0, 1):
        ends = sorted((at, at + size) for on, at, size in spans if on == device)
        assert all(end <= begin for (_, end), (begin, _) in zip(ends, ends[1:], strict=False))
        assert ends[-1][1] <= slots.extent(51)


def test_sizes_are_spread_evenly() -> None:
    assert spread([6, 2]) == spread([3, 1]) == [0, 0, 1, 0]
    assert sorted(spread([70, 25, 5])) == [0] * 14 + [1] * 5 + [2]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("objects=2000000", "objects: found 2000000; expected at most 1048576"),
        ("popularity=-1", "popularity: found -1; expected"),
        ("writes=120 %", "writes: found '120 %'"),
        ("object={4 KiB: 5000, 64 KiB: 4999}", "object: found weights that are too fine; expected a sum of at most"),
        ("access=buffered mmap", "access: "),
    ],
)
def test_mistakes(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(ScenarioError) as error:
        load(path_of(tmp_path), [f"workload.web.{text}"])
    assert told in str(error.value)
