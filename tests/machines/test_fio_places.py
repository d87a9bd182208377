"""The machine of fio's places: maps that visit each block once, distributions, and completions in order."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from simio.formats.fio.job import Each, PlaceDistribution
from simio.machines import fio
from simio.workloads.fio.places import weighted


@pytest.mark.parametrize("blocks", [1, 2, 3, 7, 64, 1000, 4097])
def test_a_map_visits_each_block_once_and_then_begins_another_order(blocks: int):
    state = fio.files([(0, blocks * 512, 0)], 0)
    fio.keyed(state, 0, 0, 12345)
    first, second = ([fio.mapped(state, 0, 0, blocks) for _ in range(blocks)] for _ in range(2))
    assert sorted(first) == sorted(second) == list(range(blocks))
    assert blocks < 64 or first != second


def test_a_map_looks_random():
    blocks = 2**16
    places = np.array([fio.permuted(number, blocks, 99) for number in range(blocks)])
    assert abs(np.corrcoef(places[:-1], places[1:])[0, 1]) < 0.02
    assert abs(places[: blocks // 8].mean() / blocks - 0.5) < 0.02


def test_a_large_map_stays_in_range():
    blocks = fio.MOST_BLOCKS
    places = [fio.permuted(number, blocks, 7) for number in range(1000)]
    assert len(set(places)) == 1000
    assert all(0 <= place < blocks for place in places)


def test_sequential_requests_go_around_with_holes():
    state = fio.files([(1000, 40, 0)], 2)
    assert [fio.sequential(state, 0, 0, 10) for _ in range(5)] == [1000, 1012, 1024, 1000, 1012]
    assert fio.sequential(state, 0, 1, 10) == 1000, "writes have a place of their own"


def test_files_take_turns():
    state = fio.files([(0, 100, 0), (100, 100, 1)], 0)
    assert [fio.turn(state, 0, 2) for _ in range(6)] == [0, 0, 1, 1, 0, 0]
    assert fio.device(state, 0, 1) == 1


def test_completions_come_in_order_and_no_more_than_there_is_room_for():
    state = fio.ring(2)
    assert [fio.completed(state, 0, number, 10 * number) for number in (4, 6, 8)] == [0, 0, -1]
    assert fio.ready(state, 0) == 2
    assert (fio.oldest(state, 0), fio.reaped(state, 0)) == (4, 40)
    assert (fio.oldest(state, 0), fio.reaped(state, 0)) == (6, 60)
    assert fio.oldest(state, 0) == fio.reaped(state, 0) == -1


def shares(kind: str, value: str, blocks: int = 100_000) -> list[tuple[int, int, float]]:
    zones = weighted(PlaceDistribution(kind, Fraction(value)), 0, blocks, 4096)
    total = sum(weight for _, weight in zones)
    assert sum(count for (_, count), _ in zones) <= blocks
    return [(first, count, weight / total) for (first, count), weight in zones]


def test_zipf_gives_each_rank_its_weight():
    zones = shares("zipf", "1.2")
    every = np.arange(1, 100_001) ** -1.2
    for first, count, share in zones[:300:7]:
        assert share == pytest.approx(every[first : first + count].sum() / every.sum(), rel=1e-3)


def test_pareto_gives_a_share_of_the_places_the_rest_of_the_requests():
    # Power h: a share h of the range has a share 1 - h of the requests.
    below = sum(share for first, count, share in shares("pareto", "0.2") if first + count <= 20_000)
    assert below == pytest.approx(0.8, abs=0.01)


def test_normal_has_its_middle_and_its_width():
    zones = shares("normal", "10")
    middles = np.array([first + count / 2 for first, count, _ in zones]) / 100_000
    weights = np.array([share for *_, share in zones])
    mean = (middles * weights).sum()
    assert mean == pytest.approx(0.5, abs=0.002)
    # The mean of twelve even numbers, and one more of this width.
    expected = (1 / 144 + 0.1**2 / 12) ** 0.5
    assert ((middles - mean) ** 2 * weights).sum() ** 0.5 == pytest.approx(expected, rel=0.02)


def test_zones_are_where_the_job_says():
    zones = weighted(PlaceDistribution("zoned", zones=Each(((60, 10), (40, 90)), ())), 0, 1000, 4096)
    assert zones == [((0, 100), 60), ((100, 900), 40)]
    absolute = weighted(PlaceDistribution("zoned_abs", zones=Each(((60, 4096 * 50), (40, 2**40)), ())), 0, 1000, 4096)
    assert absolute == [((0, 50), 60), ((50, 950), 40)]


def test_ranks_of_a_zone_are_alike_likely_and_scattered_ones_are_the_same_blocks_always():
    state = fio.ranks([(0, 4), (4, 12)], 16, scattered=False)
    assert [fio.ranked(state, 0, 1, fio.UNIT * part // 12 + 1) for part in range(12)] == list(range(4, 16))
    scattered = fio.ranks([(0, 16)], 16, scattered=True)
    seen = Counter(fio.ranked(scattered, 0, 0, fio.UNIT * part // 16 + 1) for part in range(16))
    assert sorted(seen) == list(range(16))
