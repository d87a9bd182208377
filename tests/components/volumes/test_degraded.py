"""Volumes without one of their disks: what is asked of the others suffices, and the failed one is never asked."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_raid5 import UNIT, cases, dealt, sectors
from volume_bench import SECTOR, Asked, NoParity, Request, recorders, run

from simio.components.storage.interfaces import BlockDevice
from simio.components.volumes import make_volume
from simio.description.model import Volume
from simio.program.builder import Builder


def without(
    kind: str, members: int, failed: int, unit: int | None = None, xor: int = 0, **service: int
) -> Callable[[Builder], BlockDevice]:
    """A volume over recorders, one of which has failed."""
    names = tuple(f"m{i}" for i in range(members))
    described = Volume("v", kind, names, unit, failed=(names[failed],))
    return lambda p: make_volume(p, described, recorders(p, members, **service), NoParity(p, xor))


@st.composite
def failures(draw: st.DrawFn, verb: str) -> tuple[int, int, Request, int]:
    members, unit, request = draw(cases(verb))
    return members, unit, request, draw(st.integers(0, members - 1))


def columns(request: Request, members: int, unit: int) -> tuple[dict[int, set[int]], list[int]]:
    """By sector of the members, which of them have data of the request there; and each stripe's parity member."""
    first, count = request.at // SECTOR, request.size // SECTOR
    stripes = -(-(first + count) // ((members - 1) * unit))
    data, parity = dealt(stripes, members, unit)
    touched: dict[int, set[int]] = {}
    for member, sector in data[first : first + count]:
        touched.setdefault(sector, set()).add(member)
    return touched, [parity[stripe * unit][0] for stripe in range(stripes)]


def by_sector(rows: list[Asked], verb: str) -> dict[int, set[int]]:
    found: dict[int, set[int]] = {}
    for member, sector in sectors(rows, verb):
        found.setdefault(sector, set()).add(member)
    return found


@settings(max_examples=60)
@given(failures("read"))
@pytest.mark.slow
def test_a_read_gets_what_it_needs_and_no_sector_twice(case: tuple[int, int, Request, int]) -> None:
    members, unit, request, failed = case
    (rows,), _ = run(without("raid5", members, failed, unit * SECTOR), [request], "simpy")
    touched, _ = columns(request, members, unit)
    others = set(range(members)) - {failed}
    wanted = {sector: others if failed in who else who for sector, who in touched.items()}
    assert by_sector(rows, "read") == wanted
    assert len(set(sectors(rows, "read"))) == len(sectors(rows, "read"))
    assert not sectors(rows, "write")
    computed = sum(row.size for row in rows if row.member == "parity")
    assert computed == SECTOR * sum(failed in who for who in touched.values())


@settings(max_examples=120)
@given(failures("write"))
@pytest.mark.slow
def test_after_a_write_all_data_follow_from_those_that_are_there(case: tuple[int, int, Request, int]) -> None:
    members, unit, request, failed = case
    (rows,), _ = run(without("raid5", members, failed, unit * SECTOR), [request], "simpy")
    touched, parities = columns(request, members, unit)
    read, written = by_sector(rows, "read"), by_sector(rows, "write")
    assert all(failed not in who for found in (read, written) for who in found.values())
    for sector in {*touched, *written}:
        parity, new = parities[sector // unit], touched.get(sector, set())
        assert written.get(sector, set()) - {parity} == new - {failed}
        if parity == failed or not new:
            continue
        assert parity in written[sector]
        # The new parity is that of new data and of the old ones that stay. Over GF(2), and as the old contents of all
        # members add up to nothing, it is known if of those that stay either all or none are missing among what was
        # read, all that was not read counting as missing in the first case.
        stay = set(range(members)) - {parity} - new
        unread = set(range(members)) - read.get(sector, set())
        assert stay & unread in (set(), unread)


def asked(rows: list[Asked]) -> list[tuple[str, str, int]]:
    return [(row.member, row.verb, row.at) for row in rows if row.member != "parity"]


@pytest.mark.parametrize(
    ("failed", "wanted"),
    [
        # The first unit is on m0, and its parity on m4.
        (0, [("m1", "read", 0), ("m2", "read", 0), ("m3", "read", 0), ("m4", "write", 0)]),
        (4, [("m0", "write", 0)]),
        (2, [("m0", "read", 0), ("m0", "write", 0), ("m4", "read", 0), ("m4", "write", 0)]),
    ],
)
def test_a_small_write_by_hand(failed: int, wanted: list[tuple[str, str, int]]) -> None:
    (rows,), _ = run(without("raid5", 5, failed, UNIT), [Request("write", 0, SECTOR)])
    assert sorted(asked(rows)) == wanted


def test_times_by_hand() -> None:
    # 100 ps a request and 1 a byte, 7 for parity. A unit of the failed member: all others at once, then parity.
    make = without("raid5", 5, 0, UNIT, xor=7, fixed=100, per=1)
    _, (done,) = run(make, [Request("read", 0, UNIT, UNIT)])
    assert done == 100 + UNIT + 7
    # A unit of another member is read as ever.
    _, (done,) = run(make, [Request("read", UNIT, UNIT, UNIT)])
    assert done == 100 + UNIT
    # A whole stripe is read from four members, one of which has the parity, and one unit computed.
    _, (done,) = run(make, [Request("read", 0, 4 * UNIT, 4 * UNIT)])
    assert done == 100 + UNIT + 7
    # The second stripe has its parity on m3, so that a whole stripe is written to m1 to m4, after parity.
    _, (done,) = run(make, [Request("write", 4 * UNIT, 4 * UNIT, 4 * UNIT)])
    assert done == 7 + 100 + UNIT


@pytest.mark.parametrize(
    ("failed", "read", "write", "ends"),
    [
        # 100 ps a request, 7 for parity, which a read computes afterwards and a write meanwhile.
        (1, ["m0", "m2", "m3"], ["m0", "m2", "m3"], [107, 207]),
        (3, ["m0", "m1", "m2"], ["m0", "m1", "m2"], [100, 200]),
    ],
)
def test_a_raid3_reads_parity_in_the_place_of_data(
    failed: int, read: list[str], write: list[str], ends: list[int]
) -> None:
    requests = [Request(verb, 0, 3 * SECTOR, 3 * SECTOR) for verb in ("read", "write")]
    rows, done = run(without("raid3", 4, failed, xor=7, fixed=100), requests)
    assert [[row.member for row in some if row.member != "parity"] for some in rows] == [read, write]
    computed = [[(row.at, row.size) for row in some if row.member == "parity"] for some in rows]
    assert computed == ([[(3, SECTOR)]] * 2 if failed == 1 else [[], []])
    assert done == ends


def test_a_mirror_goes_on_with_the_others() -> None:
    reads = [Request("read", 0, SECTOR)] * 4
    rows, _ = run(without("mirror", 3, 1), [*reads, Request("write", 0, SECTOR)])
    assert [[row.member for row in asked] for asked in rows] == [["m0"], ["m2"], ["m0"], ["m2"], ["m0", "m2"]]
