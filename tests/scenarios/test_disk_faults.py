"""Disks of a scenario that cannot read, or that fail while it runs: what is delivered, what is told, and when."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_faults import MS, Ran, described, run

from simio.errors import RunError, ScenarioError
from simio.loading.parts import default_text
from simio.result.usage import thread_use

BLOCK = 65536
ARRAY = """
title: disks that fail
hosts:
  server:
    model: hosts/linux-2002-dual-p3
    adapters: {scsi: {model: adapters/aic-7899, bus: pci}}
disks: {d: {model: disks/atlas-10k, count: 7, write_cache: false}}
volumes:
  raid: {kind: raid5, of: [d1, d2, d3], unit: 32 KiB}
  pair: {kind: mirror, of: [d4, d5]}
links: [{model: links/scsi-ultra160, between: [server.scsi, d], length: 3 m}]
"""
READER = "workload: {reader: {host: server, from: %s, block: 64 KiB, size: 4 MiB}}\n"
WRITER = "workload: {writer: {host: server, to: %s, block: 64 KiB, size: 2 MiB}}\n"
REVOLUTION = round(60e12 / 10025)


def faults(*lines: str) -> str:
    return "faults:\n" + "".join(f"  - {{{line}}}\n" for line in lines)


def total(ran: Ran, what: str) -> int:
    """Count that all machines together made by themselves."""
    found = [tally for tally in ran.program.tallies if tally.what == what]
    assert found
    return sum(int(ran.outcome.state[tally.at]) for tally in found)


# --- read errors ---------------------------------------------------------------------------------------------


def test_what_could_not_be_read_is_told_and_does_not_count() -> None:
    # Blocks are 128 sectors: two of the bad ones are in one block. Each try takes the drive four revolutions.
    ran = run(ARRAY + READER % "d6" + faults("kind: read_errors, of: d6, unreadable: [200, 210, 4000]"))
    assert [size for _, size in ran.marks("reader: d6")] == [BLOCK] * 62
    assert ran.counted("reader: d6", "failed") == 2
    # Six times each, as the driver sends a command five times again.
    assert total(ran, "commands ended by a medium error") == 12
    assert total(ran, "reading again") == pytest.approx(48 * REVOLUTION, rel=1e-3)


@pytest.mark.parametrize(("again", "tries"), [(0, 1), (1, 2), (7, 8)])
def test_the_driver_sends_a_command_again_as_often_as_it_is_told(again: int, tries: int) -> None:
    errors = f"kind: read_errors, of: d6, unreadable: [4000], command_retries: {again}"
    ran = run(ARRAY + READER % "d6" + faults(errors))
    assert total(ran, "commands ended by a medium error") == tries
    assert ran.counted("reader: d6", "failed") == 1


@pytest.mark.parametrize(
    ("volume", "disk", "bad"),
    # Of d2 stripes 3 and 32 are data, of 64 sectors each; of d5 blocks 1 and 15, of 128, are those of its turns.
    [("raid", "d2", "[200, 2100]"), ("pair", "d5", "[200, 2000]")],
)
def test_a_volume_with_redundancy_delivers_all_and_repairs_the_sectors(volume: str, disk: str, bad: str) -> None:
    errors = f"kind: read_errors, of: {disk}, unreadable: {bad}, marginal: [3000], command_retries: 0"
    twice = READER.replace("size: 4 MiB", "size: 4 MiB, passes: 2") % volume
    ran = run(ARRAY + twice + faults(errors))
    assert ran.delivered() == 2 * 4 * 2**20
    # In the second pass the sectors can be read.
    assert total(ran, "commands ended by a medium error") == 2


def test_errors_by_chance_need_no_reader_that_tells() -> None:
    buffered = READER.replace("size: 4 MiB", "size: 4 MiB, access: buffered") % "d6"
    text = ARRAY.replace("write_cache: false", "write_cache: false, file_system: filesystems/ext2")
    errors = faults("kind: read_errors, of: d6, recoverable: 1 MB")
    ran = run(text + buffered + errors)
    assert ran.delivered() == 4 * 2**20
    assert total(ran, "read errors recovered") > 0


# --- a disk that fails during the run ------------------------------------------------------------------------


def test_a_disk_that_dies_is_waited_for_once() -> None:
    still = run(ARRAY + READER % "d6")
    ran = run(ARRAY + READER % "d6" + faults("kind: failed, of: d6, at: 60 ms, timeout: 2 s"))
    before = [mark for mark in still.marks("reader: d6") if mark[0] < 60 * MS]
    # Deliveries until then are as without the failure; the command under way is given up 2 s after it was sent.
    assert ran.marks("reader: d6") == before
    assert ran.counted("reader: d6", "failed") == 64 - len(before)
    waited = max(value for _, value in ran.marks("reader: block"))
    assert 2000 * MS <= waited < 2001 * MS
    assert before[-1][0] + 2000 * MS < ran.outcome.end < before[-1][0] + 2010 * MS


@pytest.mark.parametrize("depth", [1, 8])
@pytest.mark.parametrize(
    ("volume", "disk", "kind"), [("raid", "d2", "raid5"), ("raid", "d2", "raid3"), ("pair", "d5", "")]
)
@pytest.mark.parametrize("work", [READER, WRITER])
def test_all_is_delivered_when_a_disk_dies(volume: str, disk: str, kind: str, work: str, depth: int) -> None:
    deep = work.replace("block:", f"depth: {depth}, block:") % volume
    ran = run(
        ARRAY.replace("raid5", kind or "raid5")
        + deep
        + faults(f"kind: failed, of: {disk}, at: 20 ms, timeout: 300 ms")
    )
    whole = 4 * 2**20 if work == READER else 2 * 2**20
    marks = ran.marks(f"{work[11:17]}: {volume}")
    assert [size for _, size in marks] == [BLOCK] * (whole // BLOCK)
    # With several requests under way the other disk has some to go on with; a RAID 3 has one at a time.
    assert (
        (200 if depth > 1 and kind != "raid3" else 270) * MS
        <= max(after - before for (before, _), (after, _) in pairwise(marks))
        < 320 * MS
    )


@settings(max_examples=20)
@given(
    st.integers(0, 120),
    st.sampled_from([("raid", "d1"), ("raid", "d3"), ("pair", "d4"), ("pair", "d5")]),
    st.sampled_from([READER, WRITER]),
    st.booleans(),
    st.lists(st.integers(0, 8000), max_size=2, unique=True),
    st.sampled_from(["raid3", "raid5"]),
)
@pytest.mark.slow
def test_whatever_happens_all_is_delivered_once_or_told(
    at: int, where: tuple[str, str], work: str, spare: bool, bad: list[int], kind: str
) -> None:
    volume, disk = where
    other = {"d1": "d2", "d3": "d1", "d4": "d5", "d5": "d4"}[disk]
    lines = [f"kind: failed, of: {disk}, at: {at + 1} ms, timeout: 50 ms" + ", spare: d7, extent: 1 MiB" * spare]
    if bad:
        lines.append(f"kind: read_errors, of: {other}, unreadable: {bad}, command_retries: 0")
    text = ARRAY.replace("raid5", kind)
    ran = run(text + work.replace("size:", "depth: 3, size:") % volume + faults(*lines))
    told = [tally for tally in ran.program.tallies if tally.what == "failed"]
    failed = sum(int(ran.outcome.state[tally.at]) for tally in told)
    assert ran.delivered() + failed * BLOCK == (4 * 2**20 if work == READER else 2 * 2**20)
    assert not failed or bad


def test_a_dead_disk_of_a_stripe_fails_what_is_on_it() -> None:
    text = ARRAY.replace("pair: {kind: mirror, of: [d4, d5]}", "pair: {kind: stripe, of: [d4, d5], unit: 64 KiB}")
    ran = run(text + READER % "pair" + faults("kind: failed, of: d4, at: 1 ns, timeout: 10 ms"))
    assert ran.delivered() == 2 * 2**20
    assert ran.counted("reader: pair", "failed") == 32


# --- rebuilding ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("at", ["", ", at: 60 ms, timeout: 100 ms"])
@pytest.mark.parametrize(
    ("volume", "disk", "kind"), [("raid", "d2", "raid5"), ("raid", "d2", "raid3"), ("pair", "d5", "")]
)
def test_a_spare_takes_the_place_of_a_disk(volume: str, disk: str, kind: str, at: str) -> None:
    lost = f"kind: failed, of: {disk}{at}, spare: d7, extent: 2 MiB"
    work = READER.replace("size: 4 MiB", "size: 2 MiB, passes: 8") % volume
    ran = run(ARRAY.replace("raid5", kind or "raid5") + work + faults(lost))
    assert ran.delivered() == 8 * 2 * 2**20
    assert ran.counted(volume, "rebuilt") == 2 * 2**20
    ((_, took),) = ran.marks(f"{volume}: rebuild")
    assert took > 0
    asked = [ran.counted(volume, f"asked {word}") for word in ("without the disk", "where it is rebuilt")]
    before = ran.counted(volume, "asked before the failure") if at else 0
    assert sum(asked) + before == ran.delivered()
    assert bool(before) == bool(at)
    assert min(asked) > 0
    used = {r.name: int(busy) for r, busy in zip(ran.program.resources, ran.outcome.resources[:, 0], strict=True)}
    assert used["d7"] > 0
    assert bool(used[disk]) == bool(at)


@pytest.mark.parametrize("spare", ["", ", spare: d7, extent: 1 MiB"])
@pytest.mark.parametrize("work", [READER, WRITER])
@pytest.mark.parametrize("kind", ["raid5", "raid3", "mirror"])
def test_an_array_goes_on_without_a_disk_and_is_rebuilt_by_its_controller(kind: str, work: str, spare: str) -> None:
    text = ARRAY.replace(", unit: 32 KiB", ", unit: 32 KiB" * (kind == "raid5")).replace(
        "raid: {kind: raid5,", f"raid: {{controller: controllers/pci-raid-2000, kind: {kind},"
    )
    ran = run(text + work % "raid" + faults(f"kind: failed, of: d2{spare}"))
    assert ran.delivered() == (4 if work == READER else 2) * 2**20
    used = {r.name: int(busy) for r, busy in zip(ran.program.resources, ran.outcome.resources[:, 0], strict=True)}
    assert not used.get("d2")
    assert bool(used.get("d7")) == bool(spare)
    assert used["raid processor"] > 0
    if spare:
        assert ran.counted("raid", "rebuilt") == 2**20


def test_a_slower_rebuild_takes_longer_and_hurts_less() -> None:
    took, ends = [], []
    for limits in ("", ", rate: 2 MB/s", ", rate: 2 MB/s, least: 1 MB/s"):
        ran = run(ARRAY + READER % "raid" + faults(f"kind: failed, of: d2, spare: d7, extent: 1 MiB{limits}"))
        took.append(ran.marks("raid: rebuild")[0][1])
        ends.append(ran.marks("reader: raid")[-1][0])
    # A chunk is 65.536 kB. The reader is there for some of the time, and in the end has no influence.
    assert took[1] == pytest.approx(16 * 32.768 * MS, rel=0.001)
    assert took[0] < took[1] < took[2] < 16 * 65.536 * MS
    assert ends[2] < ends[1] < ends[0]


def test_a_wider_window_rebuilds_faster() -> None:
    # One chunk at a time waits for most of a revolution before each write.
    took = []
    for window in ("64 KiB", "1 MiB"):
        lines = f"kind: failed, of: d2, spare: d7, extent: 4 MiB, window: {window}"
        ran = run(ARRAY + READER.replace("size: 4 MiB", "size: 64 KiB") % "raid" + faults(lines))
        assert ran.counted("raid", "rebuilt") == 4 * 2**20
        took.append(ran.marks("raid: rebuild")[0][1])
    assert took[1] < took[0] / 1.5


@pytest.mark.parametrize(("keys", "told"), [("", True), (", window: 64 KiB", False), (", chunk: 1 MiB", False)])
def test_a_rebuild_by_small_chunks_one_at_a_time_is_told(keys: str, told: bool) -> None:
    ran = run(ARRAY + READER % "raid" + faults(f"kind: failed, of: d2, spare: d7, extent: 1 MiB{keys}"))
    assert any("raid is rebuilt by 64 KiB at a time" in note for note in ran.program.told) == told


@pytest.mark.parametrize("window", ["64 KiB", "1 MiB"])
def test_a_rebuild_that_waits_for_its_pace_is_not_busy(window: str) -> None:
    lines = f"kind: failed, of: d2, spare: d7, extent: 4 MiB, window: {window}, rate: 2 MB/s"
    ran = run(ARRAY + READER.replace("size: 4 MiB", "size: 64 KiB") % "raid" + faults(lines))
    (busy,) = (use.busy for use in thread_use(ran.program, ran.outcome) if use.name == "raid: rebuild")
    assert ran.marks("raid: rebuild")[0][1] > 1900 * MS
    assert busy < 0.1


def test_a_rebuild_that_finds_a_bad_sector_goes_on_and_tells() -> None:
    lines = "kind: failed, of: d2, spare: d7, extent: 1 MiB", "kind: read_errors, of: d1, unreadable: [1000]"
    ran = run(ARRAY + READER.replace("size: 4 MiB", "size: 64 KiB") % "raid" + faults(*lines))
    assert ran.counted("raid", "chunks that could not be rebuilt") == 1
    assert ran.counted("raid", "rebuilt") == 2**20 - 65536


# --- what is refused -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        (("kind: read_errors, of: d6",), "found no errors; expected recoverable, unrecoverable"),
        (
            ("kind: read_errors, of: d6, recoverable: 10 kB",),
            "fault1.recoverable: found 10 kB; expected at least 1 MB",
        ),
        (
            ("kind: read_errors, of: d6, marginal: [5], retries: 0",),
            "rereads: found 1; expected at most retries, 0",
        ),
        (
            ("kind: read_errors, of: d6, marginal: [5], unreadable: [5]",),
            "found sector 5, which is unreadable",
        ),
        (("kind: read_errors, of: raid, marginal: [5]",), "the unknown disk 'raid'"),
        (
            ("kind: read_errors, of: d6, marginal: [5]",) * 2,
            "'d6', which has 'fault1'; expected one fault of a kind",
        ),
        (("kind: failed, of: d6, timeout: 1 s, at: none",), "timeout without at"),
        (("kind: failed, of: d2, rate: 5 MB/s",), "rate without spare"),
        (("kind: failed, of: d2, spare: d7, extent: 100 kB",), "expected a multiple of chunk"),
        (("kind: failed, of: d2, spare: d9",), "the unknown disk 'd9'"),
        (("kind: failed, of: d2, spare: d4",), "'d4', which is in the volume 'pair'"),
        (
            ("kind: failed, of: d6, at: 1 s, spare: d7",),
            "a spare for 'd6'; expected one for a disk of a raid5, raid6, erasure, raidz1 to raidz3, mirror or raid3",
        ),
        (("kind: failed, of: d2, at: 1 s", "kind: failed, of: d1, at: 2 s"), "at most 1 of 'raid'"),
        (
            ("kind: failed, of: d2, spare: d7", "kind: failed, of: d5, spare: d7"),
            "'d7', which is a spare already",
        ),
    ],
)
def test_faults_that_make_no_sense_are_told(lines: tuple[str, ...], told: str) -> None:
    with pytest.raises(ScenarioError) as error:
        described(ARRAY + READER % "raid" + faults(*lines))
    assert told in str(error.value)


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        (
            "kind: failed, of: d2, at: 1 s",
            "fault1.at: found 'd2', behind the array controller of 'both', failing",
        ),
        ("kind: read_errors, of: d2, unreadable: [3]", "'d2' behind the array controller of 'both'"),
    ],
)
def test_commands_that_fail_inside_of_an_array_are_told(lines: str, told: str) -> None:
    # The controller is that of a volume around the one with the disk.
    text = ARRAY.replace(
        "  pair:", "  both: {kind: stripe, of: [raid], unit: 64 KiB, controller: controllers/pci-raid-2000}\n  pair:"
    ).replace("of: [raid]", "of: [raid, more]").replace(
        "  pair: {kind: mirror, of: [d4, d5]}", "  more: {kind: mirror, of: [d4, d5]}"
    )  # fmt: skip
    with pytest.raises(ScenarioError) as error:
        described(text + READER % "both" + faults(lines))
    assert told in str(error.value)


@pytest.mark.parametrize(
    ("work", "lines", "told"),
    [
        (
            READER.replace("size:", "access: buffered, size:") % "d6",
            "kind: failed, of: d6, at: 1 s",
            "requests of 'd6' can fail, by its faults, and only reader and writer with access raw or direct report",
        ),
        (
            READER % "d6",
            "kind: read_errors, of: d6, unreadable: [99999999]",
            "disk 'd6' has no sector 99999999",
        ),
        (
            READER % "raid",
            "kind: failed, of: d2, spare: d7, extent: 1 TiB",
            "of 'raid' are to be rebuilt of disks",
        ),
    ],
)
def test_what_only_wiring_and_sizes_show_is_told(work: str, lines: str, told: str) -> None:
    with pytest.raises(RunError, match=re.escape(told)):
        run(ARRAY + work + faults(lines))


def test_a_list_of_sectors_is_told_as_it_is_written() -> None:
    lines = "kind: read_errors, of: d6, unreadable: [3, 5], recoverable: 10 Gbit"
    (fault,) = described(ARRAY + READER % "raid" + faults(lines)).faults
    told = {key: default_text(fault.params, key) for key in ("unreadable", "marginal", "recoverable", "time_limit")}
    assert told == {"unreadable": "[3, 5]", "marginal": "[]", "recoverable": "1.25 GB", "time_limit": "none"}
