"""RAIDZ and erasure codes by their planner: where records are, what is read for lost data, and what is written."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simio.machines.volume import layout, planner
from simio.machines.volume.layout import ERASURE, RAID6, RAIDZ, READ, SOURCES, WRITE
from simio.machines.volume.raidz import taken

Pieces = list[tuple[int, int, int]]


def phase(state: Any, at: int, size: int, verb: int, which: int, present: int) -> tuple[int, Pieces]:
    """Blocks that a phase of a request computes, and its pieces: member, offset and size, in sectors."""
    planner.open_request(state, 0, at, size)
    assert planner.parts(state, 0, verb, present) == 1 or state[layout.LEVEL] == ERASURE
    parity, pieces = planner.begin(state, 0, 0, which), []
    while member := planner.next_piece(state, 0):
        pieces.append((member - 1, planner.offset(state, 0), planner.amount(state, 0)))
    return parity, sorted(pieces)


def raidz(members: int, parities: int, record: int) -> Any:
    """A RAIDZ of records of so many sectors, each of one byte, with room for 1000."""
    return layout.initial(RAIDZ, members, parities=parities, record=record, slots=1000)


@pytest.mark.parametrize(
    ("members", "parities", "record", "sectors"),
    [
        # 128 KiB in sectors of 4 KiB: of ten members with two parities 4 rows of 8, and 40 padded to 42.
        (10, 2, 32, 42),
        (5, 1, 8, 10),
        (6, 2, 8, 12),
        # A sector with two parities is a mirror of three; two with one parity take four, one of them padding.
        (10, 2, 1, 3),
        (5, 1, 2, 4),
        (11, 3, 32, 44),
    ],
)
def test_what_a_record_takes(members: int, parities: int, record: int, sectors: int) -> None:
    assert taken(raidz(members, parities, record), 0) == sectors


def laid_out(members: int, parities: int, record: int, slot: int) -> dict[tuple[int, int], str]:
    """Member and row of each sector of a record: P for parity, D for data (vdev_raidz_map_alloc, as a table)."""
    data = members - parities
    full, rest = divmod(record, data)
    begins, found = slot * taken(raidz(members, parities, record), 0), {}
    for column in range(members):
        rows = full + (rest > 0 and column < rest + parities)
        for row in range(rows):
            place = begins + column
            found[place % members, place // members + row] = "P" if column < parities else "D"
    return found


layouts = st.tuples(st.integers(4, 9), st.integers(1, 3), st.integers(1, 20), st.integers(0, 30))


@given(layouts)
def test_records_do_not_overlap_and_a_read_takes_all_data_of_one_and_nothing_else(case: tuple[int, ...]) -> None:
    members, parities, record, slot = case
    here, next_one = laid_out(members, parities, record, slot), laid_out(members, parities, record, slot + 1)
    assert not here.keys() & next_one.keys()
    assert sum(kind == "D" for kind in here.values()) == record
    parity, pieces = phase(raidz(members, parities, record), slot * record, 1, READ, READ, members)
    read = {(member, row) for member, offset, size in pieces for row in range(offset, offset + size)}
    assert read == {place for place, kind in here.items() if kind == "D"}
    assert parity == 0


@given(layouts, st.integers(0, 8))
def test_without_a_member_a_read_takes_one_column_of_parity_in_its_place(case: tuple[int, ...], lost: int) -> None:
    members, parities, record, slot = case
    lost %= members
    here = laid_out(members, parities, record, slot)
    missing = sum(kind == "D" and member == lost for (member, _), kind in here.items())
    parity, pieces = phase(raidz(members, parities, record), slot * record, record, READ, READ, lost)
    read = {(member, row) for member, offset, size in pieces for row in range(offset, offset + size)}
    assert lost not in {member for member, _ in read}
    assert {place for place, kind in here.items() if kind == "D" and place[0] != lost} <= read
    extra = [place for place in read if here[place] == "P"]
    assert (len({member for member, _ in extra}) == 1 and len(extra) >= missing) if missing else not extra
    assert parity == (missing * SOURCES + members - parities if missing else 0)


def test_a_part_of_a_record_is_written_by_reading_and_writing_all_of_it_elsewhere() -> None:
    state = raidz(5, 1, 8)
    parity, old = phase(state, 3, 2, WRITE, READ, 5)
    assert old == phase(raidz(5, 1, 8), 0, 8, READ, READ, 5)[1]
    assert (parity // SOURCES, parity % SOURCES) == (8, 1)
    _, new = phase(state, 3, 2, WRITE, WRITE, 5)
    # Ten sectors of a record, from slot 500 on: two rows of five members, at 1000.
    assert new == [(member, 1000, 2) for member in range(5)]
    _, after = phase(state, 3, 2, WRITE, WRITE, 5)
    assert after == [(member, 1002, 2) for member in range(5)]


def test_whole_records_are_written_without_reading_one_piece_a_member() -> None:
    state = raidz(5, 1, 8)
    assert phase(state, 16, 32, WRITE, READ, 5)[1] == []
    assert phase(state, 16, 32, WRITE, WRITE, 5)[1] == [(member, 1000, 8) for member in range(5)]


def test_writes_go_round_in_the_free_half() -> None:
    state = layout.initial(RAIDZ, 5, parities=1, record=8, slots=4)
    firsts = [phase(state, 0, 8, WRITE, WRITE, 5)[1][0][1] for _ in range(3)]
    assert firsts == [4, 6, 4]


def test_long_reads_cross_short_gaps_and_leave_out_long_ones() -> None:
    short = phase(raidz(5, 1, 8), 0, 16, READ, READ, 5)[1]
    assert short == [(member, 0, 4) for member in range(5)]
    long = layout.initial(RAIDZ, 5, 4096, parities=1, record=64, slots=1000)
    _, pieces = phase(long, 0, 2 * 64 * 4096, READ, READ, 5)
    assert [(member, size // 4096) for member, _, size in pieces] == [
        (each, 16) for each in (1, 2, 3, 4) for _ in "ab"
    ]


@given(
    st.tuples(st.integers(3, 9), st.integers(1, 5), st.integers(0, 200), st.integers(1, 90), st.integers(0, 11)),
    st.sampled_from([READ, WRITE]),
)
def test_an_erasure_code_with_two_parities_plans_as_a_raid6(case: tuple[int, ...], verb: int) -> None:
    data, unit, at, size, lost = case
    members = data + 2
    lost = min(lost, members)
    states = layout.initial(ERASURE, members, unit, parities=2), layout.initial(RAID6, members, unit)
    for which in (READ, WRITE):
        first, second = (planned(state, at, size, verb, which, lost) for state in states)
        assert first == second


def planned(state: Any, at: int, size: int, verb: int, which: int, lost: int) -> list[Any]:
    """The pieces of a phase of all parts of a request."""
    planner.open_request(state, 0, at, size)
    found: list[Any] = []
    for part in range(planner.parts(state, 0, verb, lost)):
        found.append(planner.begin(state, 0, part, which))
        while member := planner.next_piece(state, 0):
            found.append((member, planner.offset(state, 0), planner.amount(state, 0)))
    return found


def test_a_small_write_of_eight_and_three_reads_and_writes_four_members() -> None:
    state = layout.initial(ERASURE, 11, 4, parities=3)
    reads, writes = (planned(state, 0, 4, WRITE, which, 11) for which in (READ, WRITE))
    assert [member - 1 for member, _, _ in reads[1:]] == [member - 1 for member, _, _ in writes[1:]] == [0, 8, 9, 10]
    assert reads[0] == 4 * SOURCES + 3 * 3
    # A lost member is computed of eight: the other data and the first parity.
    degraded = planned(state, 0, 4, READ, READ, 0)
    assert [member - 1 for member, _, _ in degraded[1:]] == [1, 2, 3, 4, 5, 6, 7, 8]
    assert degraded[0] == 4 * SOURCES + 8
