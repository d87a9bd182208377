"""Files that several threads read and write, as traces worked by hand with round costs.

Finding a page takes 1 us, room for a page 3 us and its buffer header 1 us, waking a thread 20 us, the device 100 us a
request, one at a time; there is one CPU. Windows are of 4000 bytes.
"""

from __future__ import annotations

import pytest
from storage_bench import US, Bench

from simio.components.files.served import ServedFile
from simio.errors import RunError

KEEP = 10**9


def served(bench: Bench, size: int, transfer: int = 1000, start: int = 0) -> ServedFile:
    span = (start, size)
    return ServedFile(bench.mount, "file", span, transfer)


def reading(bench: Bench, size: int, requests: list[tuple[int, int]], transfer: int = 1000, start: int = 0):
    """A thread for each request: (time in us, block)."""
    p, file = bench.p, served(bench, size, transfer, start)
    for number, (time, block) in enumerate(requests):
        with p.thread(f"nfsd {number}", start=time * US):
            which = p.register(block)
            file.read(which)
            p.mark(bench.done, block)
    return bench.run()


def test_two_windows_are_under_way_when_the_first_block_is_asked_for():
    found = reading(Bench(), 12_000, [(0, 0)])
    # 1 to find out, and 16 for each window's pages: asked at 17 and 33. There at 117; awake at 137.
    assert found["reads"] == [(17, 0), (33, 4000)]
    assert found["done"] == [(137, 0)]


def test_a_block_that_is_there_is_found_at_once_and_as_often_as_asked():
    found = reading(Bench(), 8_000, [(0, 0), (300, 1), (400, 1), (500, 7)])
    assert found["done"] == [(137, 0), (301, 1), (401, 1), (501, 7)]
    assert [at for _, at in found["reads"]] == [0, 4000]


def test_a_later_block_that_comes_first_brings_all_before_it():
    found = reading(Bench(), 12_000, [(0, 5), (60, 0)])
    # 1, and three windows of 16: at 17, 33 and 49. The device is done with them at 117, 217 and 317. Block 0 is found
    # to be missing at 61, there at 117, its thread awake at 137. Block 5 is woken at 117 too, and sleeps on to 217.
    assert found["reads"] == [(17, 0), (33, 4000), (49, 8000)]
    assert found["done"] == [(137, 0), (237, 5)]


def test_threads_that_wait_for_the_same_window_all_go_on():
    found = reading(Bench(), 4_000, [(0, 0), (0, 1), (0, 2)])
    assert [at for _, at in found["reads"]] == [0]
    # Three look at 0, 1 and 2, the first of them then has 16 us of pages to enter: asked at 19, there at 119. One CPU
    # wakes one after another.
    assert [time for time, _ in found["done"]] == [139, 159, 179]


def test_the_rest_of_a_file_is_read_in_whole_pages_from_where_it_lies():
    found = reading(Bench(), 5_500, [(0, 0), (500, 5)], start=20_000)
    assert [at for _, at in found["reads"]] == [20_000, 24_000]
    assert [size for _, size in found["sizes"]] == [4000, 2000]


def test_without_read_ahead_each_request_reads_its_block():
    found = reading(Bench(read_ahead="0 B"), 3_500, [(0, 0), (200, 3), (400, 0)])
    # 1 to find out, 4 for a page, 100 and 20.
    assert found["reads"] == [(5, 0), (205, 3000), (405, 0)]
    assert found["done"] == [(125, 0), (325, 3), (525, 0)]
    assert [size for _, size in found["sizes"]] == [1000] * 3


def writing(bench: Bench, size: int, blocks: list[int], stable: bool = False, commit: bool = True):
    p, file = bench.p, served(bench, size)
    with p.thread("nfsd"):
        for block in blocks:
            which = p.register(block)
            if stable:
                file.write_through(which)
            else:
                file.write(which, lambda: None)
            p.mark(bench.done, block)
        if commit and not stable:
            file.commit()
            p.mark(bench.done, KEEP)
    return bench.run()


def test_blocks_go_to_the_device_together_in_whatever_order_they_come():
    found = writing(Bench(), 8_000, [1, 0, 4, 3, 2, 5, 6, 7])
    # 5 a block; the first four of the file are there at 25, all at 40.
    assert found["writes"] == [(25, 0), (40, 4000)]
    assert [size for _, size in found["sizes"]] == [4000, 4000]
    # The device is done at 125 and 225; the commit, asleep since 40, is woken by both and goes on with the second.
    assert found["done"][-1] == (245, KEEP)


def test_a_block_that_comes_again_changes_nothing():
    found = writing(Bench(), 4_000, [0, 0, 1, 2, 2, 2, 3, 3])
    assert found["writes"] == [(35, 0)]
    assert found["done"][-1] == (155, KEEP)


def test_the_last_blocks_go_when_the_file_has_no_more():
    found = writing(Bench(), 5_500, [0, 1, 2, 3, 4, 5])
    assert [at for _, at in found["writes"]] == [0, 4000]
    assert [size for _, size in found["sizes"]] == [4000, 2000]


def test_a_file_of_one_group_goes_as_a_whole():
    found = writing(Bench(), 2_500, [0, 1, 2])
    assert [size for _, size in found["sizes"]] == [3000]


def test_writers_wait_while_too_much_is_dirty():
    found = writing(Bench(dirty_limit="4000 B"), 8_000, list(range(8)))
    # Block 4 finds room when the first four are on the device, at 120.
    assert [time for time, _ in found["done"]][3:5] == [20, 124]


def test_what_is_written_through_is_on_the_device_before_the_thread_goes_on():
    found = writing(Bench(), 3_000, [0, 2, 1], stable=True)
    # Pages 4, the device 100, awake 20.
    assert found["writes"] == [(4, 0), (128, 2000), (252, 1000)]
    assert [time for time, _ in found["done"]] == [124, 248, 372]


def test_transfers_of_parts_of_sectors_are_refused():
    with pytest.raises(RunError, match=r"'file' transfers 1234 B; 'dev' takes whole sectors of 500 B"):
        served(Bench(), 8_000, transfer=1234)
