"""Dirty pages, their writeback, fsync() and the journal, as traces worked by hand with round costs.

A system call takes 10 us, finding a page 1 us, room for a page 3 us, a copy of 1000 bytes 50 us, waking a process
20 us, the device 100 us a request and 50 us a flush, one at a time; there is one CPU.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from storage_bench import US, Bench

from simio.components.files.journal import FileSystemJournal
from simio.components.files.writeback import WrittenFile
from simio.program.builder import Register

FILES = {"dirty_background": "20 kB", "dirty_limit": "100 kB", "commit_interval": "1 s", "time_grain": "10 ms"}
JBD2 = {"journal_body": "2000 B", "journal_record": "1000 B"}
XFS = {"journal_record": "1000 B", "journal_commits": 2}
JOURNAL = 499_122_176
"""First byte of the journal: the middle of 1 GB, down to a multiple of 1 MiB."""


def bench(**files: str | int) -> Bench:
    return Bench(**{**FILES, **files})


def file_of(bench: Bench, name: str = "f", size: int = 100_000) -> WrittenFile:
    return WrittenFile(bench.mount, name, (0, size), FileSystemJournal(bench.mount))


def steps(bench: Bench, *actions: Callable[[Register], None]) -> dict:
    """One thread that does these in turn, marking when each is done."""
    p = bench.p
    with p.thread("program"):
        at = p.register(0)
        for action in actions:
            action(at)
            p.mark(bench.done, 1)
    return bench.run()


def write(file: WrittenFile, place: int, size: int = 1000) -> Callable[[Register], None]:
    def emit(at: Register) -> None:
        at.set(place)
        file.write(at, size)

    return emit


def test_what_is_written_twice_is_stored_once_and_in_ascending_order():
    b = bench()
    file = file_of(b)
    found = steps(b, *(write(file, place) for place in (5000, 1000, 2000, 5000)), lambda _: file.sync())
    # A write() takes 10 + 1 + 3 + 50 us; one to a page that is dirty, no room. Two requests, of two pages and of one,
    # then a flush: 253 to 353 and to 453, awake at 473, 523.
    assert [time for time, _ in found["done"]] == [64, 128, 192, 253, 523]
    assert found["writes"] == [(253, 1000), (253, 5000)]
    assert [size for _, size in found["sizes"]] == [2000, 1000]


def test_fsync_without_dirty_pages_flushes_only():
    b = bench()
    file = file_of(b)
    assert [time for time, _ in steps(b, lambda _: file.sync())["done"]] == [50]


def test_a_commit_of_jbd2_is_a_body_a_flush_a_record_and_a_flush():
    b = bench(**JBD2)
    file = file_of(b)
    found = steps(b, write(file, 0), lambda _: file.sync(), write(file, 0), lambda _: file.sync())
    # Data: 64 to 164, awake 184. The journal's thread: 204; body to 304, awake 324; flush to 374; record to 474,
    # awake 494; flush to 544. The second write is in the same grain of time: no metadata change, only a flush.
    assert found["writes"] == [(64, 0), (204, JOURNAL), (374, JOURNAL + 2000), (608, 0)]
    assert [time for time, _ in found["done"]] == [64, 544, 608, 608 + 100 + 20 + 50]
    assert [time for time, _ in found["flushes"]] == [324, 494, 728]


def test_a_commit_of_xfs_is_a_record_between_two_flushes():
    b = bench(**XFS)
    file = file_of(b)
    found = steps(b, write(file, 0), lambda _: file.sync())
    assert found["writes"] == [(64, 0), (254, JOURNAL)]
    assert [time for time, _ in found["flushes"]] == [204, 374]
    assert [time for time, _ in found["done"]] == [64, 424]


def test_fdatasync_needs_no_commit_where_only_times_have_changed():
    b = bench(**JBD2)
    file = file_of(b)
    found = steps(b, write(file, 0), lambda _: file.sync(data_only=True))
    assert len(found["writes"]) == 1
    assert [time for time, _ in found["done"]] == [64, 64 + 100 + 20 + 50]


def committing(**journal: str | int) -> list[int]:
    """Instants at which three threads have their changes committed; the first comes 10 us before the others."""
    b = bench(**journal)
    p, own = b.p, FileSystemJournal(b.mount)
    for number in range(3):
        with p.thread(f"t{number}"):
            p.wait(10 * US * (number > 0))
            own.changed(f"f{number}")
            own.sync(f"f{number}")
            p.mark(b.done, number)
    return [time for time, _ in b.run()["done"]]


def test_who_comes_during_a_commit_shares_the_next_one():
    # 360 us a commit: wake 20, body 100 and wake 20, flush 50, record 100 and wake 20, flush 50. The second serves
    # two: one of them makes it once it is awake, the other finds it under way and sleeps again.
    first, second, third = committing(**JBD2)
    assert first == 360
    assert second == third - 20
    assert third < 3 * 360


def test_two_commits_of_xfs_overlap_and_end_in_their_order():
    first, second, third = committing(**XFS)
    assert first < second <= third < 2 * first + 200


def test_writeback_begins_above_the_background_limit_and_stops_below():
    b = bench(dirty_background="4000 B")
    file = file_of(b)
    found = steps(b, *(write(file, 1000 * page) for page in range(6)))
    # The fifth page makes it more than four: a request of the first four, and then one page is dirty.
    assert [(at, size) for (_, at), (_, size) in zip(found["writes"], found["sizes"], strict=True)] == [(0, 4000)]


def test_a_writer_waits_where_the_limits_leave_no_room():
    # Settled at (3 x 8000 + 4000) / 4 = 7000 bytes.
    b = bench(dirty_background="4000 B", dirty_limit="8000 B", write_behind="1000 B")
    file = file_of(b)
    found = steps(b, *(write(file, 1000 * page) for page in range(12)))
    gaps = [later[0] - earlier[0] for earlier, later in zip(found["done"], found["done"][1:], strict=False)]
    assert gaps[:6] == [64] * 6
    assert max(gaps) > 64


def test_old_pages_are_written_at_the_next_look():
    b = bench(dirty_expire="3 ms", writeback_interval="2 ms")
    file = file_of(b)
    found = steps(b, write(file, 0), lambda _: b.p.wait(10_000 * US))
    # Dirty at 11 us, old at 3011 us; looks are at 2, 4, 6 ms.
    assert [time for time, _ in found["writes"]] == [4000]


def test_a_change_that_nobody_waits_for_is_committed_in_time():
    b = bench(**JBD2, dirty_expire="50 ms")
    file = file_of(b)
    found = steps(b, write(file, 0), lambda _: b.p.wait(1_100_000 * US))
    assert [at for _, at in found["writes"]][-2:] == [JOURNAL, JOURNAL + 2000]


@pytest.mark.parametrize("any_size", [True, False])
def test_devices_that_take_constants_only_get_whole_requests_or_pages(any_size):
    b = bench()
    b.device.any_size = any_size
    file = file_of(b)
    found = steps(b, write(file, 0, 6000), lambda _: file.sync())
    assert [size for _, size in found["sizes"]] == ([4000, 2000] if any_size else [4000, 1000, 1000])
