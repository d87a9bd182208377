"""Mirrors and RAID 5 over members that fail: every byte asked for is delivered, once, or the request has failed."""

from __future__ import annotations

import pytest
from failing_bench import asked, run
from hypothesis import given, settings
from hypothesis import strategies as st
from test_raid5 import UNIT, cases, dealt
from volume_bench import SECTOR, Request, volume

from simio.description.faults import Failed
from simio.description.model import Volume

# --- bad sectors ---------------------------------------------------------------------------------------------


def test_a_mirror_reads_what_one_cannot_from_the_other_and_writes_it_back() -> None:
    # 100 ps a request: m0 in vain, m1, and m0 again. The next read begins with m1, the one after it with m0.
    reads = [Request("read", 8 * SECTOR, 4 * SECTOR)] * 3
    result = run(volume("mirror", 2), reads, bad={0: [9]}, fixed=100)
    assert [asked(rows) for rows in result.asked] == [
        [("m0", "read", 4096), ("m1", "read", 4096), ("m0", "write", 4096)],
        [("m1", "read", 4096)],
        [("m0", "read", 4096), ("m1", "read", 4096), ("m0", "write", 4096)],
    ]
    assert result.ends == [300, 400, 700]
    assert result.failed == [False] * 3


def test_what_no_copy_has_is_a_failure_and_nothing_is_written() -> None:
    reads = [Request("read", 8 * SECTOR, 4 * SECTOR), Request("read", 12 * SECTOR, 4 * SECTOR)]
    result = run(volume("mirror", 2), reads, bad={0: [9], 1: [11]}, fixed=100)
    assert result.failed == [True, False]
    assert result.ends == [200, 300]
    assert all(row.verb == "read" for rows in result.asked for row in rows)


def test_a_raid5_computes_what_one_cannot_read_and_writes_it_back() -> None:
    # The first unit is on m0. 100 ps in vain, 100 for all others at once, 7 for parity, 100 to write.
    result = run(volume("raid5", 4, UNIT), [Request("read", 0, SECTOR)], bad={0: [0]}, fixed=100, xor=7)
    assert asked(result.asked[0]) == [
        ("m0", "read", 0), ("m1", "read", 0), ("m2", "read", 0), ("m3", "read", 0), ("m0", "write", 0),
    ]  # fmt: skip
    assert (result.ends, result.failed) == ([307], [False])


def test_two_bad_sectors_of_a_stripe_are_a_failure_of_those_who_want_them() -> None:
    reads = [Request("read", unit * UNIT, SECTOR) for unit in range(3)]
    result = run(volume("raid5", 4, UNIT), reads, bad={0: [0], 1: [0]})
    assert result.failed == [True, True, False]


@st.composite
def flawed(draw: st.DrawFn) -> tuple[int, int, Request, int, list[int]]:
    """Members, unit in sectors, a request, and bad sectors of one member."""
    members, unit, request = draw(cases(draw(st.sampled_from(["read", "write"]))))
    bad = draw(st.lists(st.integers(0, 6 * unit), min_size=1, max_size=3, unique=True))
    return members, unit, request, draw(st.integers(0, members - 1)), bad


@settings(max_examples=25)
@given(flawed())
def test_a_raid5_with_one_flawed_member_delivers_everything(
    case: tuple[int, int, Request, int, list[int]],
) -> None:
    members, unit, request, flaw, bad = case
    result = run(volume("raid5", members, unit * SECTOR), [request], bad={flaw: bad})
    assert result.failed == [False]
    (rows,) = result.asked
    reads = [row for row in rows if row.verb == "read" and row.member != "parity"]
    vain = [
        row for row in reads
        if row.member == f"m{flaw}" and any(row.at <= s * SECTOR < row.at + row.size for s in bad)
    ]  # fmt: skip
    for row in vain:
        # A sector that was read in vain was read of all others, and then written.
        there = {other.member for other in reads if other.at <= row.at and row.at + row.size <= other.at + other.size}
        assert there == {f"m{number}" for number in range(members)}
        assert any(other[1:] == (row.member, "write", row.at, row.size) for other in rows)
    if request.verb == "read":
        first, count = request.at // SECTOR, request.size // SECTOR
        data, _ = dealt(-(-(first + count) // ((members - 1) * unit)), members, unit)
        wanted = {(f"m{member}", sector) for member, sector in data[first : first + count]}
        got = {
            (row.member, sector)
            for row in reads if row not in vain
            for sector in range(row.at // SECTOR, (row.at + row.size) // SECTOR)
        }  # fmt: skip
        repaired = {
            (row.member, sector) for row in vain for sector in range(row.at // SECTOR, (row.at + row.size) // SECTOR)
        }
        assert wanted <= got | repaired


GRAIN = 3 * SECTOR
"""Least bytes that a RAID 3 of four members reads or writes."""


def test_a_raid3_reads_parity_for_what_one_cannot_read_and_writes_it_back() -> None:
    # 100 ps in vain, 100 for parity, 7 to compute, 100 to write; m0 and m2 have read long since.
    result = run(volume("raid3", 4), [Request("read", 0, GRAIN, GRAIN)], bad={1: [0]}, fixed=100, xor=7)
    assert asked(result.asked[0]) == [
        ("m0", "read", 0), ("m1", "read", 0), ("m2", "read", 0), ("m3", "read", 0), ("m1", "write", 0),
    ]  # fmt: skip
    assert (result.ends, result.failed) == ([307], [False])
    reads = [Request("read", at * GRAIN, GRAIN, GRAIN) for at in range(3)]
    result = run(volume("raid3", 4), reads, bad={1: [0, 1], 2: [1], 3: [0]})
    assert result.failed == [True, True, False]


def test_a_raid3_goes_on_without_who_was_given_up() -> None:
    # m0 dies at 150: the second read takes parity after it, until 300; then parity is read at once with the rest.
    requests = [Request(verb, 0, GRAIN, GRAIN) for verb in ("read", "read", "read", "write")]
    result = run(volume("raid3", 4), requests, dies={0: 150}, fixed=100)
    data, parity = ["m0", "m1", "m2"], "m3"
    assert [sorted(row.member for row in rows if row.member != "parity") for rows in result.asked] == [
        data, [*data, parity], ["m1", "m2", parity], ["m1", "m2", parity],
    ]  # fmt: skip
    assert (result.ends, result.failed) == ([100, 300, 400, 500], [False] * 4)


# --- disks that die ------------------------------------------------------------------------------------------


def test_a_mirror_asks_no_more_who_was_given_up() -> None:
    # 100 ps a request; m0 dies at 150: the read that it has from 200 on fails, and then all come from m1.
    reads = [Request("read", 0, SECTOR)] * 5
    result = run(volume("mirror", 2), [*reads, Request("write", 0, SECTOR)], dies={0: 150}, fixed=100)
    assert [asked(rows) for rows in result.asked] == [
        [("m0", "read", 0)],
        [("m1", "read", 0)],
        [("m0", "read", 0), ("m1", "read", 0)],
        [("m1", "read", 0)],
        [("m1", "read", 0)],
        [("m1", "write", 0)],
    ]
    assert result.failed == [False] * 6


def test_a_raid5_goes_on_without_who_was_given_up() -> None:
    # The first unit is on m0, its parity on m3. The other two are read, 100 ps, and then both written; m0 dies
    # meanwhile. What it would hold follows from the others, so that the write is done, and later ones do without it.
    writes = [Request("write", 0, SECTOR)] * 3
    result = run(volume("raid5", 4, UNIT), writes, dies={0: 150}, fixed=100)
    parity = [("m1", "read", 0), ("m2", "read", 0), ("m3", "write", 0)]
    assert [sorted(asked(rows)) for rows in result.asked] == [[("m0", "write", 0), *parity], parity, parity]
    assert result.failed == [False] * 3
    assert result.ends == [200, 400, 600]


@settings(max_examples=10)
@given(st.data())
def test_whenever_a_member_dies_a_raid5_delivers_everything(data: st.DataObject) -> None:
    members, unit, request = data.draw(cases(data.draw(st.sampled_from(["read", "write"]))))
    flaw, dies = data.draw(st.integers(0, members - 1)), data.draw(st.integers(0, 1500))
    described = volume("raid5", members, unit * SECTOR)
    result = run(described, [request], dies={flaw: dies}, times=4, fixed=100)
    assert result.failed == [False] * 4
    # Once it has been in vain, the dead member is not asked: its last requests began before it was known.
    late = [row.time for rows in result.asked for row in rows if row.member == f"m{flaw}" and row.time >= dies]
    assert sum(any(row.time in late for row in rows) for rows in result.asked) <= 1


def test_a_write_that_no_member_of_a_mirror_has_is_a_failure() -> None:
    # m0 dies at 150, m1 at 250: the second write is on m1, the third nowhere, and later ones are not tried.
    writes = [Request("write", 0, SECTOR)] * 5
    result = run(volume("mirror", 2), writes, dies={0: 150, 1: 250}, fixed=100)
    assert [len(rows) for rows in result.asked] == [2, 2, 1, 0, 0]
    assert result.failed == [False, False, True, True, True]


def test_a_raid5_without_two_members_fails_what_is_on_both() -> None:
    # Units 0, 1 and 2 are on m0, m1 and m2, their parity on m3. m0 and m1 are given up by the first two reads.
    reads = [Request("read", unit * UNIT, SECTOR) for unit in (0, 1, 2)]
    writes = [Request("write", unit * UNIT, SECTOR) for unit in (0, 2)]
    result = run(volume("raid5", 4, UNIT), [*reads, *writes], dies={0: 50, 1: 250}, fixed=100)
    # The first is computed from the others by 200; the second finds m1 dead, and m0 is gone already.
    assert result.failed == [False, True, False, True, False]


@settings(max_examples=30)
@given(
    st.sampled_from(["mirror", "raid3", "raid5"]),
    st.lists(st.tuples(st.sampled_from(["read", "write"]), st.integers(0, 11)), min_size=1, max_size=8),
    st.tuples(st.integers(0, 2500), st.integers(0, 2500)),
)
def test_whenever_two_members_die_what_was_done_is_where_it_can_be_read(
    kind: str, wanted: list[tuple[str, int]], dies: tuple[int, int]
) -> None:
    members = 2 if kind == "mirror" else 4
    size, grain = (GRAIN, GRAIN) if kind == "raid3" else (SECTOR, UNIT)
    requests = [Request(verb, unit * grain, size, grain) for verb, unit in wanted]
    described = volume(kind, members, UNIT if kind == "raid5" else None)
    result = run(described, requests, dies=dict(enumerate(dies)), fixed=100)
    ends = {f"m{number}": end for number, end in enumerate(dies)}
    for request, rows, failed in zip(requests, result.asked, result.failed, strict=True):
        # One request at a time, 100 ps each: those are in vain that end when the member is dead.
        done = {(row.member, row.verb) for row in rows if row.time + 100 < ends.get(row.member, 2**62)}
        stripe, column = divmod(request.at // UNIT, members - 1)
        data = f"m{(column - stripe) % members}"
        parity = f"m{(members - 1 - stripe) % members}"
        every = {f"m{number}" for number in range(members)}
        has = {member for member, verb in done if verb == request.verb}
        if kind == "mirror":
            good = bool(has)
        elif kind == "raid3":
            good = len(has) >= 3
        elif request.verb == "read":
            good = data in has or every - {data} <= has
        else:
            good = bool(has & {data, parity})
        assert good or failed


@pytest.mark.parametrize(
    ("kind", "during", "after"),
    [
        # The second unit of a RAID 5 is on m1; a mirror has m0 alone, and then the spare has the second turn.
        ("raid5", [("m0", "read", 0), ("m2", "read", 0)], [[("s", "read", 0)]] * 2),
        ("mirror", [("m0", "read", UNIT)], [[("m0", "read", UNIT)], [("s", "read", UNIT)]]),
    ],
)
def test_a_rebuild_goes_chunk_by_chunk_and_then_serves(
    kind: str, during: list[tuple[str, str, int]], after: list[list[tuple[str, str, int]]]
) -> None:
    # Before the run m1 has failed. 100 ps a request: a chunk takes 200 ps, three of them 600. Nobody is in the way.
    members = ("m0", "m1", "m2") if kind == "raid5" else ("m0", "m1")
    described = Volume("v", kind, members, UNIT if kind == "raid5" else None, failed=("m1",))
    fault = Failed(of="m1", spare="s", extent=3 * UNIT, chunk=UNIT)
    reads = [Request("read", UNIT, SECTOR)]
    result = run(described, reads, spare=fault, pause=1000, times=2, fixed=100)
    rebuilt = [row for row in result.asked[0] if row.time < 1000]
    assert [(row.time, row.at) for row in rebuilt if row.member == "s"] == [
        (100, 0),
        (300, UNIT),
        (500, 2 * UNIT),
    ]
    assert {row.member for row in rebuilt} == {*members, "s"} - {"m1"} | ({"parity"} if kind == "raid5" else set())
    assert [asked([row for row in rows if row.time >= 1000]) for rows in result.asked] == after
    # A request at the very beginning finds nothing rebuilt.
    (first,) = run(described, reads, spare=fault, fixed=100).asked
    assert asked([row for row in first if row.size == SECTOR]) == during


@pytest.mark.parametrize(
    ("window", "written"),
    [
        (1, [(100, 0), (300, 1), (500, 2), (700, 3)]),
        (2, [(100, 0), (200, 1), (300, 2), (400, 3)]),
        (9, [(100, 0), (200, 1), (300, 2), (400, 3)]),
    ],
)
@pytest.mark.parametrize("kind", ["raid5", "mirror"])
def test_a_chunk_is_read_while_another_is_written_in_a_window_of_several(
    kind: str, window: int, written: list[tuple[int, int]]
) -> None:
    # 100 ps a request, of which a member serves one at a time: the next chunk is read while one is written.
    members = ("m0", "m1", "m2") if kind == "raid5" else ("m0", "m1")
    described = Volume("v", kind, members, UNIT if kind == "raid5" else None, failed=("m1",))
    fault = Failed(of="m1", spare="s", extent=4 * UNIT, chunk=UNIT, window=window * UNIT)
    result = run(described, [Request("read", UNIT, SECTOR)], spare=fault, pause=2000, fixed=100)
    (rows,) = result.asked
    assert [(row.time, row.at // UNIT) for row in rows if row.member == "s" and row.time < 1000] == written
    assert asked([row for row in rows if row.time >= 1000])[0][0] in ("s", "m0")


def test_a_rebuild_keeps_to_its_rate_and_gives_way_to_others() -> None:
    # A chunk of 16 KiB in 1 us at most by the rate; 3 us where somebody uses the volume.
    described = Volume("v", "raid5", ("m0", "m1", "m2"), UNIT, failed=("m1",))
    fault = Failed(of="m1", spare="s", extent=8 * 16384, chunk=16384, rate=16384 * 10**6, least=16384 * 10**6 // 3)
    result = run(described, [Request("read", 0, SECTOR)], spare=fault, pause=2_500_000, fixed=100)
    starts = [row.time for rows in result.asked for row in rows if row.member == "s"]
    assert [start - starts[0] for start in starts[:3]] == [0, 1_000_000, 2_000_000]


def test_what_could_not_be_rebuilt_is_not_read_from_the_spare() -> None:
    # m1 is rebuilt by 600 ps, but for its second unit, since m0 cannot read the same place. Units 1 and 4 of the
    # volume are on m1, in its first and its third.
    described = Volume("v", "raid5", ("m0", "m1", "m2"), UNIT, failed=("m1",))
    fault = Failed(of="m1", spare="s", extent=3 * UNIT, chunk=UNIT)
    reads = [Request("read", UNIT, SECTOR), Request("read", 4 * UNIT, SECTOR)]
    bad = UNIT // SECTOR
    result = run(described, reads, bad={0: [bad]}, spare=fault, pause=1000, fixed=100)
    late = [asked([row for row in rows if row.time >= 1000]) for rows in result.asked]
    assert late[0] == [("s", "read", 0)]
    assert late[1] == [("s", "read", 2 * UNIT)]
    # The second stripe has its parity on m1: its data are read as ever, from m2 and m0, who cannot.
    second = [Request("read", 2 * UNIT, SECTOR), Request("read", 3 * UNIT, SECTOR)]
    result = run(described, second, bad={0: [bad]}, spare=fault, pause=1000, fixed=100)
    assert [asked([row for row in rows if row.time >= 1000]) for rows in result.asked] == [
        [("m2", "read", UNIT)],
        [("m0", "read", UNIT)],
    ]
    assert result.failed == [False, True]


def test_a_lost_unit_of_a_mirror_is_a_failure_until_the_end() -> None:
    described = Volume("v", "mirror", ("m0", "m1"), None, failed=("m1",))
    fault = Failed(of="m1", spare="s", extent=3 * UNIT, chunk=UNIT)
    reads = [Request("read", at * SECTOR, SECTOR) for at in (8, 9, 16)]
    result = run(described, reads, bad={0: [9]}, spare=fault, pause=1000, times=2, fixed=100)
    # The second chunk, sectors 8 to 15, was lost: all of it is read from m0, which can read sector 8.
    late = [asked([row for row in rows if row.time >= 1000])[0][0] for rows in result.asked]
    assert late[:4] == ["m0"] * 4
    assert set(late[4:]) == {"m0", "s"}
    assert result.failed == [False, False, True, True, False, False]
