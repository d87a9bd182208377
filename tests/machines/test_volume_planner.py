"""The planner of volumes by itself: its pieces cover a request once, and parity can be computed of what they read."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simio.machines.door import call
from simio.machines.volume import layout, planner
from simio.machines.volume.layout import CONCAT, MIRROR, RAID3, RAID5, RAID6, READ, STRIPE, WRITE
from simio.machines.volume.levels import after


class Part(NamedTuple):
    """Reads of a part of a request, its parity (blocks and bytes of each), and its writes."""

    reads: list[tuple[int, int, int]]
    parity: tuple[int, int]
    writes: list[tuple[int, int, int]]


def plan(state: Any, at: int, size: int, verb: int, present: int, inside: bool = False) -> list[Part]:
    """All parts of a request, each of whose pieces is a member, an offset and a size."""
    assert planner.open_request(state, 0, at, size) == 0
    parts = []
    for part in range(planner.parts(state, 0, verb + 2 * inside, present)):
        phases, parities = [], set()
        for phase in (READ, WRITE):
            parities.add(planner.begin(state, 0, part, phase))
            pieces = []
            while member := planner.next_piece(state, 0):
                pieces.append((member - 1, planner.offset(state, 0), planner.amount(state, 0)))
            assert planner.next_piece(state, 0) == 0
            phases.append(pieces)
        (parity,) = parities
        parts.append(Part(phases[0], (parity % layout.SOURCES, parity // layout.SOURCES), phases[1]))
    return parts


def bytes_of(pieces: list[tuple[int, int, int]]) -> set[tuple[int, int]]:
    """Member and address of each byte; no byte is in two pieces."""
    found = [(member, x) for member, offset, size in pieces for x in range(offset, offset + size)]
    assert len(found) == len(set(found))
    assert all(size > 0 for _, _, size in pieces)
    return set(found)


def home(level: int, members: int, unit: int, x: int) -> tuple[int, int]:
    """Member and address of byte `x` of a volume, from the definition of its level."""
    if level == STRIPE:
        stripe, rest = divmod(x, members * unit)
        return rest // unit, stripe * unit + rest % unit
    stripe, rest = divmod(x, (members - 1) * unit)
    column = rest // unit
    if level == RAID3:
        return column, stripe * unit + rest % unit
    # Left-symmetric: data follow the parity, around.
    return (members - stripe % members + column) % members, stripe * unit + rest % unit


@st.composite
def requests(draw: st.DrawFn) -> tuple[int, int, int, int]:
    """Members, unit, address and size."""
    members, unit = draw(st.integers(3, 7)), draw(st.integers(1, 6))
    stripe = (members - 1) * unit
    return members, unit, draw(st.integers(0, 3 * members * stripe)), draw(st.integers(1, 4 * stripe))


@given(requests(), st.sampled_from([READ, WRITE]))
def test_a_stripe_asks_each_member_for_its_bytes_once(case: tuple[int, int, int, int], verb: int) -> None:
    members, unit, at, size = case
    (part,) = plan(layout.initial(STRIPE, members, unit), at, size, verb, members)
    pieces = part.reads if verb == READ else part.writes
    assert bytes_of(pieces) == {home(STRIPE, members, unit, x) for x in range(at, at + size)}
    assert [member for member, _, _ in pieces] == sorted({member for member, _, _ in pieces})
    assert part[2 if verb == READ else 0] == []
    assert part.parity == (0, 0)


@given(st.lists(st.integers(1, 40), min_size=1, max_size=5), st.data())
def test_a_concatenation_goes_on_with_the_next_member(sizes: list[int], data: st.DataObject) -> None:
    ends = [sum(sizes[:i]) for i in range(len(sizes) + 1)]
    at = data.draw(st.integers(0, ends[-1] - 1))
    size = data.draw(st.integers(1, ends[-1] - at))
    (part,) = plan(layout.initial(CONCAT, len(sizes), ends=ends), at, size, READ, len(sizes))
    where = [(member, x) for member, count in enumerate(sizes) for x in range(count)]
    assert bytes_of(part.reads) == set(where[at : at + size])
    assert len(part.reads) == len({member for member, _ in where[at : at + size]})


@given(st.integers(2, 5), st.integers(0, 6), st.lists(st.sampled_from([READ, WRITE]), max_size=12))
def test_a_mirror_is_read_in_turn_and_written_everywhere(members: int, lost: int, verbs: list[int]) -> None:
    lost = min(lost, members + 1)
    state, there = layout.initial(MIRROR, members), [member for member in range(members) if member != lost]
    turns = 0
    for verb in verbs:
        (part,) = plan(state, 7, 5, verb, lost)
        if verb == READ:
            assert part == ([(there[turns % len(there)], 7, 5)], (0, 0), [])
            turns += 1
        else:
            assert part == ([], (0, 0), [(member, 7, 5) for member in there])
    follows = [after(state, 0, member, lost) for member in there]
    assert follows == there[1:] + there[:1]


@given(st.integers(3, 7), st.integers(1, 4), st.integers(0, 9), st.integers(1, 9), st.integers(0, 8))
def test_a_raid3_takes_an_equal_share_of_all(members: int, unit: int, first: int, count: int, lost: int) -> None:
    data, lost, state = members - 1, min(lost, members + 1), layout.initial(RAID3, members, unit)
    at, size = first * data * unit, count * data * unit
    share = (first * unit, count * unit)
    (read,) = plan(state, at, size, READ, lost)
    # Parity is read in the place of lost data, and only then.
    asked = [member for member in range(members) if member != lost and (member < data or lost < data)]
    assert read == ([(member, *share) for member in asked], (data, share[1]) if lost < data else (0, 0), [])
    (written,) = plan(state, at, size, WRITE, lost)
    asked = [member for member in range(members) if member != lost]
    assert written == ([], (0, 0) if lost == data else (data, share[1]), [(member, *share) for member in asked])


# --- RAID 5 --------------------------------------------------------------------------------------------------


@given(requests(), st.integers(0, 8))
def test_a_raid5_reads_what_is_wanted_and_all_others_for_what_is_lost(
    case: tuple[int, int, int, int], lost: int
) -> None:
    members, unit, at, size = case
    lost = min(lost, members + 1)
    (part,) = plan(layout.initial(RAID5, members, unit), at, size, READ, lost)
    wanted = {home(RAID5, members, unit, x) for x in range(at, at + size)}
    missing = {x for member, x in wanted if member == lost}
    others = {(member, x) for x in missing for member in range(members)}
    assert bytes_of(part.reads) == {place for place in wanted | others if place[0] != lost}
    assert part.parity == ((members - 1, len(missing)) if missing else (0, 0))
    assert part.writes == []
    # Bytes that adjoin are one piece.
    ends = {(member, offset + length) for member, offset, length in part.reads}
    assert not ends & {(member, offset) for member, offset, _ in part.reads}


@given(requests(), st.integers(0, 8))
def test_after_a_write_parity_is_right_and_every_new_byte_can_be_had(
    case: tuple[int, int, int, int], lost: int
) -> None:
    members, unit, at, size = case
    lost = min(lost, members + 1)
    parts = plan(layout.initial(RAID5, members, unit), at, size, WRITE, lost)
    new = {home(RAID5, members, unit, x) for x in range(at, at + size)}
    written = [bytes_of(part.writes) for part in parts]
    assert sum(map(len, written)) == len(set().union(*written))
    assert {member for part in parts for member, _, _ in part.reads + part.writes}.isdisjoint({lost})
    for part, own in zip(parts, written, strict=True):
        read = bytes_of(part.reads)
        for row in {x for _, x in own | read}:
            parity = (members - 1 - row // unit) % members
            here = {member for member, x in new if x == row}
            has = {member for member, x in own if x == row}
            assert has - {parity} == here - {lost}
            if lost == parity:
                assert part.reads == []
                continue
            # As the old contents of all add up to nothing, the new parity is known if of the data that stay either
            # all or none are missing among what was read.
            stay = set(range(members)) - {parity} - here
            unread = set(range(members)) - {member for member, x in read if x == row}
            assert parity in has
            assert stay & unread in (set(), unread)


@pytest.mark.parametrize(
    ("members", "units", "reads", "sources"),
    [
        # Of five members, one unit is modified: old data and parity; three are not: the fourth is read.
        (5, 1, [0, 4], 3),
        (5, 3, [3], 4),
        # Two pieces either way: the rest of the stripe.
        (4, 1, [1, 2], 3),
        (9, 3, [0, 1, 2, 8], 7),
    ],
)
def test_the_rule_that_reads_less(members: int, units: int, reads: list[int], sources: int) -> None:
    (part,) = plan(layout.initial(RAID5, members, 8), 0, units * 8, WRITE, members)
    assert [member for member, _, _ in part.reads] == reads
    assert part.parity == (sources, 8)
    assert [member for member, _, _ in part.writes] == [*range(units), members - 1]


@pytest.mark.parametrize(
    ("lost", "reads", "sources"),
    [
        # A lost unit that stays is not read; one that changes follows from the rest of the stripe.
        (3, [0, 1, 4], 5),
        (1, [2, 3], 4),
        (4, [], 0),
    ],
)
def test_a_write_without_a_member(lost: int, reads: list[int], sources: int) -> None:
    (part,) = plan(layout.initial(RAID5, 5, 8), 0, 16, WRITE, lost)
    assert [member for member, _, _ in part.reads] == reads
    assert part.parity == (sources, 8 if sources else 0)
    assert [member for member, _, _ in part.writes] == [member for member in (0, 1, 4) if member != lost]


def test_lost_bytes_that_stay_are_computed_first() -> None:
    # Bytes 4 to 11 are the second half of unit 0 and the first of unit 1, which is lost: parity changes everywhere.
    (part,) = plan(layout.initial(RAID5, 4, 8), 4, 8, WRITE, 1)
    assert part == ([(0, 0, 8), (2, 0, 8), (3, 0, 8)], (6, 8), [(0, 4, 4), (3, 0, 8)])


def test_a_write_of_many_stripes_has_three_parts() -> None:
    # Four members, units of 2: from the middle of stripe 0 to the middle of stripe 3.
    whole, head, tail = plan(layout.initial(RAID5, 4, 2), 4, 16, WRITE, 4)
    assert whole == ([], (3, 4), [(member, 2, 4) for member in range(4)])
    assert head.writes == [(2, 0, 2), (3, 0, 2)]
    assert tail.writes == [(1, 6, 2), (0, 6, 2)]


@given(requests(), st.integers(0, 6), st.sampled_from([READ, WRITE]))
def test_inside_a_unit_the_same_pieces_come_in_another_order(
    case: tuple[int, int, int, int], lost: int, verb: int
) -> None:
    members, unit, at, size = case
    size = min(size, unit - at % unit)
    state = layout.initial(RAID5, members, unit)
    (one,), (other,) = (plan(state, at, size, verb, min(lost, members), inside) for inside in (False, True))
    assert (sorted(one.reads), one.parity, one.writes) == (sorted(other.reads), other.parity, other.writes)


@given(requests(), st.sampled_from([MIRROR, RAID3, RAID5]))
def test_the_extent_of_a_request_has_all_of_its_pieces(case: tuple[int, int, int, int], level: int) -> None:
    members, unit, at, size = case
    if level == RAID3:
        at, size = at * (members - 1), size * (members - 1)
    state = layout.initial(level, members, unit)
    for verb in (READ, WRITE):
        for part in plan(state, at, size, verb, members):
            for _, offset, length in part.reads + part.writes:
                assert planner.extent(state, 0, 0) <= offset
                assert offset + length <= planner.extent(state, 0, 1)


def test_what_is_refused() -> None:
    state = layout.initial(RAID5, 4, 8)
    assert call(planner.open_request, state, 0, 0, 8, 0) == -1
    assert call(planner.open_request, state, 0, 0, -1, 8) == -1
    assert call(planner.parts, state, 0, 0, WRITE, 6) == -1
    assert call(after, state, 0, 0, 4, 4) == -1


# --- RAID 6 --------------------------------------------------------------------------------------------------


def home6(members: int, unit: int, x: int) -> tuple[int, int]:
    """Member and address of byte `x` of a RAID 6, whose last two columns have P and Q."""
    stripe, rest = divmod(x, (members - 2) * unit)
    return (rest // unit - stripe) % members, stripe * unit + rest % unit


@given(requests(), st.integers(0, 9))
def test_a_raid6_reads_what_is_wanted_and_all_others_but_q_for_what_is_lost(
    case: tuple[int, int, int, int], lost: int
) -> None:
    members, unit, at, size = case
    members, lost = members + 1, min(lost, members + 2)
    (part,) = plan(layout.initial(RAID6, members, unit), at, size, READ, lost)
    wanted = {home6(members, unit, x) for x in range(at, at + size)}
    missing = {x for member, x in wanted if member == lost}
    others = {
        (member, x) for x in missing for member in range(members) if (member + x // unit) % members != members - 1
    }
    assert bytes_of(part.reads) == {place for place in wanted | others if place[0] != lost}
    assert part.parity == ((members - 2, len(missing)) if missing else (0, 0))
    assert part.writes == []


@given(requests(), st.integers(0, 9))
def test_after_a_write_both_parities_of_a_raid6_are_right(case: tuple[int, int, int, int], lost: int) -> None:
    """Each parity is known if of the data that stay all are, or none and its own old value is."""
    members, unit, at, size = case
    members, lost = members + 1, min(lost, members + 2)
    parts = plan(layout.initial(RAID6, members, unit), at, size, WRITE, lost)
    new = {home6(members, unit, x) for x in range(at, at + size)}
    written = [bytes_of(part.writes) for part in parts]
    assert sum(map(len, written)) == len(set().union(*written))
    assert {member for part in parts for member, _, _ in part.reads + part.writes}.isdisjoint({lost})
    for part, own in zip(parts, written, strict=True):
        read = bytes_of(part.reads)
        for row in {x for _, x in own | read}:
            both = {(members - 2 - row // unit) % members, (members - 1 - row // unit) % members}
            here = {member for member, x in new if x == row}
            has = {member for member, x in own if x == row}
            assert has == (here | both) - {lost}
            data = set(range(members)) - both
            unread = set(range(members)) - {member for member, x in read if x == row}
            stay = data - here
            p = (members - 2 - row // unit) % members
            if stay & unread == {lost} and p not in unread and not (data & unread) - {lost}:
                # A block that is lost and stays so follows from P and all other data.
                continue
            for parity in both - {lost}:
                assert stay.isdisjoint(unread) or ((here | {parity}) - {lost}).isdisjoint(unread)
                if not stay.isdisjoint(unread):
                    assert lost not in here


@pytest.mark.parametrize(
    ("members", "units", "reads", "sources"),
    [
        # Of eight members, one unit is modified: old data, P and Q; five are not: the sixth is read.
        (8, 1, [0, 6, 7], 6),
        (8, 5, [5], 12),
        # Three pieces of six either way: the rest of the stripe.
        (6, 1, [1, 2, 3], 8),
    ],
)
def test_the_rule_that_reads_less_of_a_raid6(members: int, units: int, reads: list[int], sources: int) -> None:
    (part,) = plan(layout.initial(RAID6, members, 8), 0, units * 8, WRITE, members)
    assert [member for member, _, _ in part.reads] == reads
    assert part.parity == (sources, 8)
    assert [member for member, _, _ in part.writes] == [*range(units), members - 2, members - 1]
