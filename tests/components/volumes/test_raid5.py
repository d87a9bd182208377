"""RAID 5 against a layout dealt out unit by unit, and its writes against real contents."""

from __future__ import annotations

import functools
import operator
import random
from collections import Counter

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from volume_bench import SECTOR, Asked, NoParity, Request, outcome_of, plain, recorders, run, volume

from simio.bound import bound
from simio.components.volumes import make_volume
from simio.errors import RunError
from simio.program.builder import Builder

UNIT = 4096


def dealt(stripes: int, members: int, unit: int) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Member and sector of each sector of data, and of each sector of parity, dealt out stripe by stripe."""
    data, parity = [], []
    for stripe in range(stripes):
        last = members - 1 - stripe % members
        around = [(last + 1 + i) % members for i in range(members - 1)]
        data += [(member, stripe * unit + i) for member in around for i in range(unit)]
        parity += [(last, stripe * unit + i) for i in range(unit)]
    return data, parity


def sectors(rows: list[Asked], verb: str) -> list[tuple[int, int]]:
    """Member and sector of every sector read or written, as often as it is."""
    return sorted(
        (int(row.member[1:]), sector)
        for row in rows
        if row.verb == verb
        for sector in range(row.at // SECTOR, (row.at + row.size) // SECTOR)
    )


def commands(rows: list[Asked]) -> Counter[str]:
    """The number of requests of each verb."""
    return Counter(row.verb for row in rows if row.member != "parity")


@st.composite
def cases(draw: st.DrawFn, verb: str) -> tuple[int, int, Request]:
    """Members, unit in sectors and a request that begins in one of at most 64 places of a stripe."""
    members = draw(st.integers(3, 7))
    unit = draw(st.integers(1, 8))
    aligned = draw(st.integers(1, 4 * unit * members))
    size = draw(st.integers(1, 3 * unit * members))
    start = draw(st.integers(0, 12)) * aligned
    return members, unit, Request(verb, start * SECTOR, size * SECTOR, aligned * SECTOR)


# --- layout and reads ----------------------------------------------------------------------------------------


def test_the_layout_by_hand() -> None:
    # Five members, left-symmetric: unit 0 1 2 3 P, then 5 6 7 P 4, then 10 11 P 8 9, 15 P 12 13 14, P 16 17 18 19.
    rows = ["0 1 2 3 P", "5 6 7 P 4", "10 11 P 8 9", "15 P 12 13 14", "P 16 17 18 19"]
    expected = {
        int(unit): (f"m{member}", stripe * UNIT)
        for stripe, row in enumerate(rows)
        for member, unit in enumerate(row.split())
        if unit != "P"
    }
    asked, _ = run(plain("raid5", 5, UNIT), [Request("read", n * UNIT, UNIT, UNIT) for n in range(20)])
    assert [(row.member, row.at) for (row,) in asked] == [expected[n] for n in range(20)]


def test_a_read_of_two_stripes_by_hand() -> None:
    # Units 0 to 7 of the table above: m0 has 0 and 5, m1 1 and 6, m2 2 and 7, m3 3, m4 4 in the second stripe.
    asked, ends = run(plain("raid5", 5, UNIT, fixed=10), [Request("read", 0, 8 * UNIT, 4 * UNIT)])
    assert asked == [
        [
            (0, "m0", "read", 0, 2 * UNIT),
            (0, "m1", "read", 0, 2 * UNIT),
            (0, "m2", "read", 0, 2 * UNIT),
            (0, "m3", "read", 0, UNIT),
            (0, "m4", "read", UNIT, UNIT),
        ]
    ]
    assert ends == [10]


@settings(max_examples=60, suppress_health_check=list(HealthCheck))
@given(cases("read"))
def test_reads_cover_the_data_once_in_pieces_as_long_as_can_be(example: tuple[int, int, Request]) -> None:
    members, unit, request = example
    data, _ = dealt((request.at + request.size) // SECTOR // ((members - 1) * unit) + 1, members, unit)
    asked, _ = run(plain("raid5", members, unit * SECTOR), [request], "reference")
    first = request.at // SECTOR
    wanted = sorted(data[first : first + request.size // SECTOR])
    assert sectors(asked[0], "read") == wanted
    pieces = sum(1 for m, s in wanted if (m, s - 1) not in wanted)
    assert commands(asked[0]) == {"read": pieces}


def test_parity_goes_round_evenly() -> None:
    asked, _ = run(plain("raid5", 5, UNIT), [Request("write", n * UNIT, UNIT, UNIT) for n in range(80)])
    # Each of 80 small writes writes one data and one parity unit; the data units are even as well.
    written = Counter(row.member for rows in asked for row in rows if row.verb == "write")
    assert written == {f"m{i}": 32 for i in range(5)}


# --- writes --------------------------------------------------------------------------------------------------


def test_a_small_write_is_four_requests_by_hand() -> None:
    # Unit 5 is on m0 in the second stripe, whose parity is on m3. Two reads of 100 ps at the same time, parity of old
    # data, new data and old parity in 7 ps, two writes.
    asked, ends = run(plain("raid5", 5, UNIT, fixed=100, xor=7), [Request("write", 5 * UNIT, UNIT, UNIT)])
    assert asked == [
        [
            (0, "m0", "read", UNIT, UNIT),
            (0, "m3", "read", UNIT, UNIT),
            (100, "parity", "xor", 3, UNIT),
            (107, "m0", "write", UNIT, UNIT),
            (107, "m3", "write", UNIT, UNIT),
        ]
    ]
    assert ends == [207]


def test_a_full_stripe_is_five_requests_by_hand() -> None:
    asked, ends = run(plain("raid5", 5, UNIT, fixed=100, xor=7), [Request("write", 4 * UNIT, 4 * UNIT, 4 * UNIT)])
    assert asked == [[(0, "parity", "xor", 4, UNIT), *((7, f"m{i}", "write", UNIT, UNIT) for i in range(5))]]
    assert ends == [107]


def test_many_full_stripes_are_one_request_a_member() -> None:
    asked, _ = run(plain("raid5", 5, UNIT), [Request("write", 12 * UNIT, 40 * UNIT, 4 * UNIT)])
    assert asked == [
        [*((0, f"m{i}", "write", 3 * UNIT, 10 * UNIT) for i in range(5)), (0, "parity", "xor", 4, 10 * UNIT)]
    ]


def test_most_of_a_stripe_is_reconstructed() -> None:
    # Three of four units: modifying would read three and parity, reconstructing the fourth unit alone.
    asked, _ = run(plain("raid5", 5, UNIT), [Request("write", 0, 3 * UNIT, UNIT)])
    assert commands(asked[0]) == {"read": 1, "write": 4}
    assert asked[0][0] == (0, "m0", "write", 0, UNIT)
    assert Asked(0, "m3", "read", 0, UNIT) in asked[0]
    assert Asked(0, "parity", "xor", 4, UNIT) in asked[0]


@pytest.mark.parametrize(("members", "reads"), [(3, 1), (4, 2), (5, 2), (9, 2)], ids=lambda value: str(value))
def test_reads_of_a_small_write(members: int, reads: int) -> None:
    # The other data units, if these are at most two; else old data and old parity.
    asked, _ = run(plain("raid5", members, UNIT), [Request("write", 0, 1024, 1024)])
    assert commands(asked[0]) == {"read": reads, "write": 2}


def test_where_both_ways_read_as_much_a_stripe_is_reconstructed() -> None:
    # Unit 0 of four members: old data and parity are on m0 and m3, the other data on m1 and m2.
    for size in (UNIT, 1024):
        asked, _ = run(plain("raid5", 4, UNIT), [Request("write", 0, size, size)])
        assert [row.member for row in asked[0] if row.verb == "read"] == ["m1", "m2"]


def test_a_part_of_a_stripe_waits_for_what_it_reads_and_for_parity() -> None:
    # Units 0 and 1 of six members: modifying reads these two and parity, as reconstructing the other three.
    asked, ends = run(plain("raid5", 6, UNIT, fixed=100, xor=7), [Request("write", 0, 2 * UNIT, 2 * UNIT)])
    assert asked == [
        [
            *((0, f"m{i}", "read", 0, UNIT) for i in (2, 3, 4)),
            (100, "parity", "xor", 5, UNIT),
            *((107, f"m{i}", "write", 0, UNIT) for i in (0, 1, 5)),
        ]
    ]
    assert ends == [207]


def test_a_write_of_a_stripe_and_a_half() -> None:
    # Two units from the third on, a whole stripe, one unit: each at the same time as the others.
    make = plain("raid5", 5, UNIT, xor=0, fixed=100)
    asked, _ = run(make, [Request("write", 2 * UNIT, 7 * UNIT, UNIT)])
    assert commands(asked[0]) == {"read": 2 + 2, "write": 3 + 5 + 2}
    assert Asked(0, "parity", "xor", 4, UNIT) in asked[0]


@settings(max_examples=150, suppress_health_check=list(HealthCheck))
@given(cases("write"))
@pytest.mark.slow
def test_writes_leave_parity_right_and_know_what_they_need(example: tuple[int, int, Request]) -> None:
    members, unit, request = example
    stripe = (members - 1) * unit
    stripes = (request.at + request.size) // SECTOR // stripe + 1
    data, parity = dealt(stripes, members, unit)
    asked, _ = run(plain("raid5", members, unit * SECTOR), [request], "reference")
    first, count = request.at // SECTOR, request.size // SECTOR
    new = set(data[first : first + count])
    read, written = sectors(asked[0], "read"), sectors(asked[0], "write")
    # Nothing is written twice, all of the data, and else only parity of stripes that the write touches.
    assert len(set(written)) == len(written)
    assert new <= set(written)
    touched = range(first // stripe, (first + count - 1) // stripe + 1)
    assert set(written) - new <= {place for s in touched for place in parity[s * unit : (s + 1) * unit]}
    # For each row of sectors, parity can be had from what was read and what is new.
    for row in range(touched.start * unit, (touched.stop - 1) * unit + unit):
        here = {place for place in data if place[1] == row}
        check = parity[row]
        if not here & new:
            continue
        assert check in written
        known = here <= new | set(read)
        modified = check in read and here & new <= set(read)
        assert known or modified
    # No way of the two would have read less.
    assert commands(asked[0])["read"] <= least_reads(new, members, unit, touched, data)


def least_reads(
    new: set[tuple[int, int]], members: int, unit: int, touched: range, data: list[tuple[int, int]]
) -> int:
    """Reads of the better of the two ways, stripe by stripe."""
    total = 0
    width = (members - 1) * unit
    for s in touched:
        units = [
            {place[1] - s * unit for place in data[s * width + c * unit : s * width + (c + 1) * unit] if place in new}
            for c in range(members - 1)
        ]  # fmt: skip
        rows = set().union(*units)
        rows = set(range(min(rows), max(rows) + 1))
        modify = sum(1 for column in units if column) + 1
        reconstruct = sum(1 for column in units for row in rows - column if row - 1 not in rows - column)
        if reconstruct:
            total += min(modify, reconstruct)
    return total


def test_contents() -> None:
    # Sixty random writes, carried out on real contents by the requests that the members get; then every stripe's
    # exclusive or is zero and the data are those last written.
    rng = random.Random(5)
    members, unit, stripes = 5, 2, 12
    data, parity = dealt(stripes, members, unit)
    held = dict.fromkeys(data + parity, 0)
    latest = [0] * len(data)
    requests = []
    for _ in range(60):
        start = rng.randrange(len(data) - 20)
        requests.append(Request("write", start * SECTOR, rng.randint(1, 20) * SECTOR, SECTOR))
    asked, _ = run(plain("raid5", members, unit * SECTOR), requests)
    for request, rows in zip(requests, asked, strict=True):
        first, count = request.at // SECTOR, request.size // SECTOR
        new = {data[first + i]: rng.getrandbits(32) for i in range(count)}
        latest[first : first + count] = new.values()
        read = set(sectors(rows, "read"))
        for place in sectors(rows, "write"):
            if place in new:
                continue
            row = [other for other in data if other[1] == place[1]]
            if set(row) <= set(new) | read:
                value = functools.reduce(operator.xor, (new.get(other, held[other]) for other in row))
            else:
                value = held[place]
                for other in set(row) & set(new):
                    value ^= held[other] ^ new[other]
            held[place] = value
        held.update(new)
    assert [held[place] for place in data] == latest
    for sector in range(stripes * unit):
        assert functools.reduce(operator.xor, (held[m, sector] for m in range(members))) == 0


# --- throughput ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("verb", "requests"), [("read", 1), ("write", 4)])
def test_small_random_requests(verb: str, requests: int) -> None:
    # Five members of 1 ms a request: 5 reads a millisecond, or 5/4 writes.
    p = Builder()
    device = make_volume(p, volume("raid5", 5, 64 * 1024), recorders(p, 5, fixed=10**9), NoParity(p))
    anywhere = p.uniform("place", 0, 99_999)
    with p.thread("process", count=120), p.loop(30):
        at = p.register()
        p.draw(at, anywhere)
        p.let(at, "MUL", at, 8192)
        (device.read if verb == "read" else device.write)(at, 8192, 8192)
    outcome = outcome_of(p)
    ideal = 120 * 30 * requests / 5 * 10**9
    assert ideal <= outcome.end <= 1.06 * ideal


def test_large_writes_use_all_but_one_member_for_data() -> None:
    p = Builder()
    device = make_volume(p, volume("raid5", 5, 65536), recorders(p, 5, per=1000), NoParity(p))
    with p.thread("t"):
        at = p.register(0)
        with p.loop(10):
            device.write(at, 2**20, 2**20)
            p.mark(p.observation("delivered", "delivered", "bytes"), 2**20)
            p.let(at, "ADD", at, 2**20)
    program = p.build()
    limit = bound(program).tightest
    # A quarter of the data on each, data or parity; and the bound sees it, since where stripes begin is certain.
    assert outcome_of(p).end == 10 * 2**18 * 1000
    assert limit is not None
    assert limit.time == 10 * 2**18 * 1000


def test_capacity_is_that_of_the_data() -> None:
    p = Builder()
    device = make_volume(p, volume("raid5", 5, UNIT), recorders(p, 5, capacity=10 * UNIT + 511), NoParity(p))
    assert device.capacity == 40 * UNIT


def test_blocks_that_fall_in_too_many_ways_are_refused() -> None:
    p = Builder()
    device = make_volume(p, volume("raid5", 5, 65536), recorders(p, 5), NoParity(p))
    with (
        pytest.raises(RunError, match=r"^blocks of 96 KiB at multiples of 512 B fall on the stripe units of volume"),
        p.thread("t"),
    ):
        device.write(p.register(0), 96 * 1024, 512)
