"""Integer arithmetic of the disk's geometry."""

from __future__ import annotations

from math import isqrt

import pytest

from simio.machines import disk
from simio.machines.disk import layout as c
from simio.machines.disk.geometry import last_sector_end, seek_time, square_root, track_end, track_of

BASE = 3


def test_square_roots_are_whole_and_exact() -> None:
    # Zero is what a seek of a single cylinder asks for.
    values = [*range(2000), *(10**n + d for n in range(4, 18) for d in (-1, 0, 1)), (2**31 - 1) ** 2]
    assert [square_root(value) for value in values] == [isqrt(value) for value in values]


def drive() -> list[int]:
    """Three cylinders of two tracks with six sectors each, then two with five, behind words of something else."""
    return [77] * BASE + disk.initial(
        revolution=12, heads=2, zones=[(3, 6), (2, 5)], track_skew=2, cylinder_skew=3, head_switch=1,
        seek=(2, 4, 7), segment=5,
    )  # fmt: skip


def test_each_sector_lies_on_its_track() -> None:
    ends = [*range(6, 37, 6), *range(41, 57, 5)]
    for track, (first, end) in enumerate(zip([0, *ends], ends, strict=False)):
        for sector in range(first, end):
            assert (track_of(drive(), BASE, sector), track_end(drive(), BASE, sector)) == (track, end)


@pytest.mark.parametrize(("distance", "time"), [(0, 0), (-2, 0), (1, 500), (2, 1502), (17, 4532), (10_001, 120_500)])
def test_a_seek_takes_a_root_and_a_share_of_its_distance(distance: int, time: int) -> None:
    # 500 ps, 1000 for the root of the cylinders beyond the first, 2048 / 1024 for each of them.
    state = drive()
    state[BASE + c.SEEK_SINGLE], state[BASE + c.SEEK_ROOT], state[BASE + c.SEEK_LINEAR] = 500, 1000, 2048
    assert seek_time(state, BASE, distance) == time
    # A curve that falls at first takes no less than a single cylinder.
    state[BASE + c.SEEK_LINEAR] = -(10**6)
    assert seek_time(state, BASE, 2) == 523
    assert seek_time(state, BASE, 10_001) == 500


@pytest.mark.parametrize(
    ("track", "ends"),
    [
        # Six sectors of 2 ps; the second track begins 2 ps later on the circle, the third 5.
        (0, [0, 2, 4, 6, 8, 10, 12]), (1, [0, 2, 4, 6, 8, 10, 12]), (2, [1, 3, 5, 7, 9, 11, 13]),
        # Five of 12/5 ps, which begin after 0, 2, 4, 7 and 9; the first of the zone 9 ps later on the circle (three
        # times 2 + 3 ps, less a revolution of 12, is 3), the second track 2 ps after that.
        (6, [3, 5, 7, 10, 12, 15]), (7, [2, 5, 7, 9, 12, 14]),
    ],
)  # fmt: skip
def test_a_sector_of_the_track_ended_last(track: int, ends: list[int]) -> None:
    state = drive()
    for end, following in zip(ends, ends[1:], strict=False):
        assert {last_sector_end(state, BASE, now, track) for now in range(end, following)} == {end}
        # The platters turn for ever.
        assert last_sector_end(state, BASE, 1200 + end, track) == 1200 + end
