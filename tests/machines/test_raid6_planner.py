"""The planner of a RAID 6 without two members: what is read determines what is wanted, by the code's own algebra."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_volume_planner import bytes_of, home6, plan, requests

from simio.machines.door import call
from simio.machines.volume import layout, planner
from simio.machines.volume.layout import RAID5, RAID6, READ, WRITE

FIELD = 257
"""A prime: a field in which 2 has enough powers that differ for the weights of Q."""


def vector(members: int, member: int, stripe: int) -> list[int]:
    """A member's part of a stripe, as weights of the stripe's data."""
    data, column = members - 2, (member + stripe) % members
    if column < data:
        return [int(i == column) for i in range(data)]
    return [1] * data if column == data else [pow(2, i, FIELD) for i in range(data)]


def spans(known: list[list[int]], wanted: list[int]) -> bool:
    """True if a sum of what is known, with weights, is what is wanted (Gaussian elimination)."""
    rows = [list(row) for row in known]
    wanted = list(wanted)
    for column in range(len(wanted)):
        pivot = next((row for row in rows if row[column]), None)
        if pivot is None:
            if wanted[column]:
                return False
            continue
        rows = [row for row in rows if row is not pivot]
        inverse = pow(pivot[column], -1, FIELD)
        for row in [*rows, wanted]:
            share = row[column] * inverse
            row[:] = [(a - share * b) % FIELD for a, b in zip(row, pivot, strict=True)]
    return not any(wanted)


@st.composite
def losses(draw: st.DrawFn) -> tuple[int, int, int, int, tuple[int, int]]:
    members, unit, at, size = draw(requests())
    members += 1
    first = draw(st.integers(0, members - 2))
    return members, unit, at, size, (first, draw(st.integers(first + 1, members - 1)))


@given(losses())
def test_what_a_read_wants_of_two_lost_members_follows_from_what_it_reads(case: Any) -> None:
    members, unit, at, size, lost = case
    present = layout.both(*lost, members)
    (part,) = plan(layout.initial(RAID6, members, unit), at, size, READ, present)
    read = bytes_of(part.reads)
    wanted = {home6(members, unit, x) for x in range(at, at + size)}
    assert {member for member, _ in read}.isdisjoint(lost)
    missing = {place for place in wanted if place[0] in lost}
    assert wanted - missing <= read
    for member, x in missing:
        known = [vector(members, other, x // unit) for other, y in read if y == x]
        assert spans(known, vector(members, member, x // unit))
    rows = {x for _, x in missing}
    assert {x for _, x in read - wanted} <= rows
    assert part.parity == ((members - 2, len(missing)) if missing else (0, 0))


@given(losses())
def test_after_a_write_what_two_lost_members_had_still_follows_from_the_others(case: Any) -> None:
    members, unit, at, size, lost = case
    present = layout.both(*lost, members)
    parts = plan(layout.initial(RAID6, members, unit), at, size, WRITE, present)
    new = {home6(members, unit, x) for x in range(at, at + size)}
    for part in parts:
        read, written = bytes_of(part.reads), bytes_of(part.writes)
        assert {member for member, _ in read | written}.isdisjoint(lost)
        for x in {x for _, x in written}:
            stripe = x // unit
            both = {(members - 2 - stripe) % members, (members - 1 - stripe) % members}
            here = {member for member, y in new if y == x}
            has = {member for member, y in written if y == x}
            assert has >= here - set(lost)
            assert has - here <= both
            if here:
                assert has - here == both - set(lost)
            known = [vector(members, other, stripe) for other, y in read if y == x]
            for parity in has - here if here else set():
                weights = vector(members, parity, stripe)
                changed = [sum(vector(members, m, stripe)[i] for m in here) for i in range(members - 2)]
                stays = [0 if there else weight for weight, there in zip(weights, changed, strict=True)]
                assert spans(known, stays)
    assert {place for part in parts for place in bytes_of(part.writes)} >= {p for p in new if p[0] not in lost}


@pytest.mark.parametrize(
    ("lost", "reads", "parity", "writes"),
    [
        # Six members, data of the first stripe on 0 to 3, P on 4, Q on 5; the first unit is written.
        ((4, 5), [], (0, 0), [0]),
        ((1, 2), [0, 4, 5], (6, 8), [0, 4, 5]),
        ((0, 5), [1, 2, 3], (4, 8), [4]),
        ((0, 1), [2, 3, 4, 5], (16, 8), [4, 5]),
    ],
)
def test_a_small_write_without_two_members_by_hand(
    lost: tuple[int, int], reads: list[int], parity: tuple[int, int], writes: list[int]
) -> None:
    (part,) = plan(layout.initial(RAID6, 6, 8), 0, 8, WRITE, layout.both(*lost, 6))
    assert ([m for m, _, _ in part.reads], part.parity, [m for m, _, _ in part.writes]) == (reads, parity, writes)


def test_two_are_lost_of_a_raid6_only() -> None:
    state = layout.initial(RAID5, 6, 8)
    call(planner.open_request, state, 0, 0, 0, 8)
    assert call(planner.parts, state, 0, 0, WRITE, layout.both(0, 1, 6)) == -1
