"""Stripes and concatenations against a map that is made sector by sector."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from volume_bench import SECTOR, Recorder, Request, outcome_of, plain, recorders, run, volume

from simio.components.volumes import make_volume
from simio.engines import reference
from simio.engines.outcome import Options, Status
from simio.errors import RunError
from simio.program.builder import Builder

KIB = 1024


def striped(sectors: int, members: int, unit: int) -> list[tuple[int, int]]:
    """Member and sector on it of each sector of a stripe, by dealing out units in turn."""
    held = [0] * members
    places = []
    while len(places) < sectors:
        for member in range(members):
            for _ in range(unit):
                places.append((member, held[member]))
                held[member] += 1
    return places


def runs(places: list[tuple[int, int]]) -> list[tuple[str, int, int]]:
    """Member, byte address and size of each run of adjoining sectors."""
    found: list[list[int]] = []
    for member, sector in sorted(places):
        if found and found[-1][0] == member and found[-1][2] == sector:
            found[-1][2] += 1
        else:
            found.append([member, sector, sector + 1])
    return [(f"m{m}", first * SECTOR, (end - first) * SECTOR) for m, first, end in found]


def test_a_stripe_by_hand() -> None:
    # Units of 4 KiB on three members; 20 KiB from 8 KiB on: units 2 to 6. Unit 2 is the first of m2, 3 and 6 the
    # second and third of m0, 4 the second of m1, 5 the second of m2. A member takes 10 ps and 1 ps a byte, so that m0
    # and m2, with two units each, take 8202 ps.
    make = plain("stripe", 3, 4 * KIB, fixed=10, per=1)
    asked, ends = run(make, [Request("read", 8 * KIB, 20 * KIB, 4 * KIB)])
    assert asked == [
        [
            (0, "m0", "read", 4 * KIB, 8 * KIB),
            (0, "m1", "read", 4 * KIB, 4 * KIB),
            (0, "m2", "read", 0, 8 * KIB),
        ]
    ]
    assert ends == [10 + 8 * KIB]


def test_a_small_block_goes_to_one_member() -> None:
    make = plain("stripe", 4, 64 * KIB, fixed=7)
    asked, ends = run(make, [Request("write", 200 * KIB, 8 * KIB, 8 * KIB)])
    assert asked == [[(0, "m3", "write", 8 * KIB, 8 * KIB)]]
    assert ends == [7]


@settings(max_examples=60, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_a_stripe_asks_for_what_the_map_says(data: st.DataObject) -> None:
    members = data.draw(st.integers(2, 6), "members")
    unit = data.draw(st.integers(1, 9), "unit")
    aligned = data.draw(st.integers(1, 40), "aligned")
    requests = [
        Request(
            data.draw(st.sampled_from(["read", "write"])),
            data.draw(st.integers(0, 30)) * aligned * SECTOR,
            data.draw(st.integers(1, 60)) * SECTOR,
            aligned * SECTOR,
        )
        for _ in range(data.draw(st.integers(1, 3)))
    ]
    places = striped(30 * 40 + 60, members, unit)
    asked, _ = run(plain("stripe", members, unit * SECTOR), requests, "reference")
    for request, rows in zip(requests, asked, strict=True):
        first = request.at // SECTOR
        expected = runs(places[first : first + request.size // SECTOR])
        assert [(row.member, row.at, row.size) for row in rows] == expected
        assert {row.verb for row in rows} == {request.verb}


@settings(max_examples=40, suppress_health_check=list(HealthCheck))
@given(st.lists(st.integers(1, 50), min_size=1, max_size=5), st.data())
def test_a_concatenation_asks_for_what_the_map_says(sizes: list[int], data: st.DataObject) -> None:
    places = [(member, sector) for member, size in enumerate(sizes) for sector in range(size)]
    aligned = data.draw(st.integers(1, 12))
    start = data.draw(st.integers(0, (len(places) - 1) // aligned)) * aligned
    size = data.draw(st.integers(1, len(places) - start))

    def make(p: Builder):
        devices = [Recorder(p, f"m{i}", count * SECTOR + 100) for i, count in enumerate(sizes)]
        made = make_volume(p, volume("concat", len(sizes)), devices)
        assert made.capacity == len(places) * SECTOR
        return made

    asked, _ = run(make, [Request("read", start * SECTOR, size * SECTOR, aligned * SECTOR)], "reference")
    assert [(row.member, row.at, row.size) for row in asked[0]] == runs(places[start : start + size])


def test_both_engines_agree_on_many_requests() -> None:
    requests = [Request("read", 3072 * i, 3072, 3072) for i in range(12)]
    asked, ends = run(plain("stripe", 3, 2048, fixed=3, per=2), requests)
    assert sum(row.size for rows in asked for row in rows) == 12 * 3072
    assert ends == sorted(ends)


@pytest.mark.slow
def test_random_small_reads_keep_all_members_busy() -> None:
    # Eight members that serve a request in 1 ms each: with many processes, eight a millisecond.
    p = Builder()
    device = make_volume(p, volume("stripe", 8, 64 * KIB), recorders(p, 8, fixed=10**9))
    anywhere = p.uniform("place", 0, 99_999)
    with p.thread("process", count=200), p.loop(40):
        at = p.register()
        p.draw(at, anywhere)
        p.let(at, "MUL", at, 8 * KIB)
        device.read(at, 8 * KIB, 8 * KIB)
    outcome = outcome_of(p)
    assert 200 * 40 / 8 * 10**9 <= outcome.end <= 1.06 * 200 * 40 / 8 * 10**9


def test_a_large_read_of_whole_stripes_is_certain_to_use_every_member() -> None:
    # The bound can then count it: no condition stands around the members' steps.
    from simio.bound import bound

    p = Builder()
    device = make_volume(p, volume("stripe", 4, 64 * KIB), recorders(p, 4, per=1))
    with p.thread("t"), p.loop(10):
        at = p.register(0)
        device.read(at, 512 * KIB, 512 * KIB)
        p.mark(p.observation("delivered", "delivered", "bytes"), 512 * KIB)
    limit = bound(p.build()).tightest
    assert limit is not None
    assert limit.time == 10 * 128 * KIB


def test_capacities() -> None:
    p = Builder()
    sizes = [1000 * SECTOR, 1003 * SECTOR, 1010 * SECTOR + 1]
    devices = [Recorder(p, f"d{i}", size) for i, size in enumerate(sizes)]
    assert make_volume(p, volume("stripe", 3, 8 * SECTOR), devices).capacity == 3 * 1000 * SECTOR
    assert make_volume(p, volume("stripe", 3, 64 * SECTOR), devices).capacity == 3 * 15 * 64 * SECTOR
    assert make_volume(p, volume("concat", 3), devices).capacity == (1000 + 1003 + 1010) * SECTOR


def test_a_caller_that_breaks_its_word_is_caught() -> None:
    p = Builder()
    device = make_volume(p, volume("stripe", 2, 4 * KIB), recorders(p, 2))
    with p.thread("t"):
        at = p.register(KIB)
        device.read(at, 4 * KIB, 4 * KIB)
    assert reference.run(p.build(), Options()).status == Status.OVERFLOW


def test_blocks_that_fall_in_too_many_ways_are_refused() -> None:
    p = Builder()
    device = make_volume(p, volume("stripe", 2, 64 * KIB), recorders(p, 2))
    with pytest.raises(RunError) as error, p.thread("t"):
        device.read(p.register(0), 96 * KIB, 512)
    assert str(error.value) == (
        "blocks of 96 KiB at multiples of 512 B fall on the stripe units of volume 'v', 64 KiB each, in more than 64 "
        "ways; make the block a divisor or a multiple of the unit, and its addresses multiples of the block"
    )
    p = Builder()
    devices = [Recorder(p, f"d{i}", 10**6 // SECTOR * SECTOR) for i in range(2)]
    device = make_volume(p, volume("concat", 2), devices)
    with pytest.raises(RunError) as error, p.thread("t"):
        device.read(p.register(0), 64 * KIB, 512)
    assert str(error.value) == (
        "blocks of 64 KiB at multiples of 512 B lie across the end of a member of volume 'v' in more than 64 ways; "
        "make their addresses multiples of the block"
    )


@pytest.mark.parametrize(
    ("size", "aligned", "unit"),
    [(512, 512, 2**30), (3 * 2**30, 512, 2**30), (64 * KIB, 512, 2**30)],
    ids=["within a unit", "whole stripes", "neither"],
)
def test_very_large_units(size: int, aligned: int, unit: int) -> None:
    # 3 GiB of a stripe hold six million places of 512 bytes: too many to go through one by one.
    request = Request("read", unit - 512 if size == 512 else unit, size, aligned)
    if size == 64 * KIB:
        with pytest.raises(RunError, match="in more than 64 ways"):
            run(plain("stripe", 3, unit), [request])
        return
    asked, _ = run(plain("stripe", 3, unit), [request])
    if size == 512:
        assert asked == [[(0, "m0", "read", unit - 512, 512)]]
    else:
        assert asked == [[(0, "m0", "read", unit, unit), (0, "m1", "read", 0, unit), (0, "m2", "read", 0, unit)]]
