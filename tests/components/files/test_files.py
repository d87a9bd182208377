"""The cache, read-ahead, write-behind and mapping, as traces worked by hand with round costs.

A system call takes 10 us, finding a page 1 us, room for a page 3 us and its buffer header 1 us, a copy of 1000 bytes
50 us, waking a process 20 us, the device 100 us a request; there is one CPU.
"""

from __future__ import annotations

import pytest
from storage_bench import US, Bench

from simio.components.files.cached import CachedFile, MappedFile
from simio.loading import load
from simio.running import RunOptions, run_case


def reading(bench: Bench, size: int, copy: bool = True, sequential: bool = True, block: int = 1000, passes: int = 1):
    p = bench.p
    file = CachedFile(bench.mount, "reader", (0, size), sequential)
    with p.thread("reader"):
        at = p.register()
        file.open()
        for number in range(passes):
            file.rewind()
            p.let(at, "SET", 0)
            for amount in p.pieces(size, block):
                file.read(at, amount, block, copy, cached=number > 0)
                p.mark(bench.done, amount)
                p.let(at, "ADD", at, amount)
    return bench.run()


def test_sequential_reading_keeps_a_window_ahead():
    found = reading(Bench(), 12_000)
    # 11: two windows are asked for, 16 us each, at 27 and 43. The first is there at 127, the process awake at 147.
    # 147 copy, 197 done; 208 copy, 258 done. The second window came at 227 but the CPU copies until 258: awake at
    # 278. 289 copy, 339 done; 350 copy, 400 done. At 411 the reader enters the second window: the third is asked for.
    assert found["reads"][:3] == [(27, 0), (43, 4000), (427, 8000)]
    assert found["done"][:5] == [(197, 1000), (258, 1000), (339, 1000), (400, 1000), (477, 1000)]
    assert [size for _, size in found["sizes"]] == [4000] * 3
    assert len(found["done"]) == 12


def test_without_the_copy_only_the_copy_is_missing():
    found = reading(Bench(), 12_000, copy=False)
    # The second window's bytes are there at 227, awake at 247.
    assert found["done"][:5] == [(147, 1000), (158, 1000), (169, 1000), (180, 1000), (247, 1000)]


def test_the_rest_of_a_file_is_read_in_whole_pages():
    found = reading(Bench(), 5_500)
    assert [at for _, at in found["reads"]] == [0, 4000]
    assert [size for _, size in found["sizes"]] == [4000, 2000]
    assert sum(size for _, size in found["done"]) == 5_500


def test_the_end_of_a_file_of_odd_bytes_is_read_from_a_stripe(tmp_path):
    path = tmp_path / "s.yaml"
    path.write_text(
        """\
title: A small file of odd bytes is copied
hosts: {h: {model: hosts/linux-2002-dual-p3, adapters: {scsi: {model: adapters/aha-2940, bus: pci}}}}
disks: {d: {model: disks/st41601n, count: 2}}
volumes: {v: {kind: stripe, of: d, unit: 8 KiB, file_system: filesystems/aix-jfs}}
links: [{model: links/scsi-1, between: [h.scsi, d], length: 1 m}]
workload: {copy: {host: h, from: v, to: v, file: 4093 B, buffer: 512 B, access: buffered}}
"""
    )
    (case,) = load(path).cases
    one, other = (run_case(case, RunOptions(engine)) for engine in ("compiled", "simpy"))
    assert one.throughput.amount == other.throughput.amount == 4093
    assert one.end == other.end


def test_a_request_larger_than_a_window_asks_for_all_it_needs_and_one_more():
    found = reading(Bench(), 24_000, block=8000)
    assert [at for time, at in found["reads"] if time <= 66] == [0, 4000, 8000]
    assert [at for _, at in found["reads"]] == [4000 * n for n in range(6)]


def test_a_second_pass_over_a_file_in_the_cache_does_not_touch_the_device():
    found = reading(Bench(), 4_000, passes=2)
    assert [at for _, at in found["reads"]] == [0]
    times = [time for time, _ in found["done"]]
    assert [later - earlier for earlier, later in zip(times[3:], times[4:], strict=False)] == [61] * 4


def test_reads_that_are_not_sequential_wait_for_what_they_need():
    found = reading(Bench(), 3_000, sequential=False)
    # 11 to find out, 4 to make room; 100 and 20 for the device; 50 to copy: 185 each.
    assert found["reads"] == [(15, 0), (200, 1000), (385, 2000)]
    assert [time for time, _ in found["done"]] == [185, 370, 555]


def test_a_large_request_goes_in_clusters():
    found = reading(Bench(), 10_000, sequential=False, block=10_000)
    assert [at for _, at in found["reads"]] == [0, 4000, 8000]
    assert [size for _, size in found["sizes"]] == [4000, 4000, 2000]


def test_less_than_a_page_reads_the_whole_page():
    found = reading(Bench(), 1_000, sequential=False, block=500)
    assert [at for _, at in found["reads"]] == [0, 0]
    assert [size for _, size in found["sizes"]] == [1000, 1000]


def test_index_blocks_are_read_where_they_begin_to_map():
    found = reading(Bench(index_span="8000 B"), 20_000)
    assert sorted(at for _, at in found["reads"]) == sorted([0, 8000, 16_000, *range(0, 20_000, 4000)])


def writing(bench: Bench, size: int, block: int, sequential: bool = True, sync: bool = False):
    p = bench.p
    file = CachedFile(bench.mount, "writer", (0, size), sequential)
    stored = (lambda amount: p.mark(bench.done, amount)) if sync else None
    with p.thread("writer"):
        at = p.register()
        file.open()
        file.rewind()
        p.let(at, "SET", 0)
        for amount in p.pieces(size, block):
            file.write(at, amount, block, stored)
            if not sync:
                p.mark(bench.done, amount)
            p.let(at, "ADD", at, amount)
        file.flush_rest(stored)
    return bench.run()


def test_writes_go_to_the_device_together():
    found = writing(Bench(), 6_000, 1000)
    # 11 and 4 and 50: 65 us a write(); the first four are written behind at 260.
    assert [time for time, _ in found["done"]] == [65, 130, 195, 260, 325, 390]
    assert found["writes"] == [(260, 0), (390, 4000)]
    assert [size for _, size in found["sizes"]] == [4000, 2000]


def test_writers_wait_while_too_much_is_dirty():
    found = writing(Bench(), 16_000, 4000)
    # 14 to enter the kernel and look up; room, headers and copy of 4000 bytes: 16 and 200 us.
    # The first block is done at 230, on the device at 330; the second at 460 and 560. Never 8000 dirty: no wait.
    assert [time for time, _ in found["done"]] == [230, 460, 690, 920]
    slow = Bench(dirty_limit="4000 B")
    # Now the second waits at 244 until the first is on the device, at 330.
    assert [time for time, _ in writing(slow, 16_000, 4000)["done"]] == [230, 546, 862, 1178]


def test_with_sync_bytes_count_when_the_device_has_them():
    found = writing(Bench(), 6_000, 1000, sync=True)
    assert found["done"] == [(360, 4000), (490, 2000)]


def test_writes_that_are_not_sequential_go_one_by_one():
    found = writing(Bench(), 3_000, 1000, sequential=False)
    assert found["writes"] == [(65, 0), (130, 1000), (195, 2000)]


def test_a_mapped_file_comes_in_by_faults():
    bench = Bench()
    p = bench.p
    file = MappedFile(bench.mount, ("program", 1))
    with p.thread("reader"):
        at = p.register(0)
        file.read(at, 4000, 4000, 4000)
        p.mark(bench.done, 4000)
    found = bench.run()
    # Mapping 50. A fault 7, room for a cluster of two pages 8: the device at 65, awake at 185, the second page's
    # fault 192. The same again: 207, 327, 334. Unmapping 50.
    assert found["reads"] == [(65, 0), (207, 2000)]
    assert found["done"] == [(384, 4000)]


def test_changing_the_map_waits_for_faults_under_way_and_holds_up_new_ones():
    bench = Bench(cpus=2)
    p = bench.p
    file = MappedFile(bench.mount, ("program", 2))
    with p.thread("faulting"), p.hold(file.space):
        p.advance(100 * US)
    with p.thread("mapping", start=10 * US):
        file._change_map()
        p.mark(bench.done, 1)
    with p.thread("late", start=30 * US):
        with p.hold(file.space):
            p.advance(US)
        p.mark(bench.done, 2)
    # The system call ends at 20; the lock is free at 100, the process awake at 120, the map changed at 160; only then
    # the late fault, which is not one of the file's own and so is not woken here.
    assert bench.run()["done"] == [(160, 1), (161, 2)]


def test_windows_of_a_mapping_limit_the_cluster():
    bench = Bench()
    p = bench.p
    file = MappedFile(bench.mount, ("program", 1))
    with p.thread("reader"):
        at = p.register(0)
        file.read(at, 2000, 2000, 1000)
        p.mark(bench.done, 2000)
    found = bench.run()
    assert [size for _, size in found["sizes"]] == [1000, 1000]
    # Each: 50 to map, 7 and 4, 100 and 20, 50 to unmap.
    assert found["done"] == [(462, 2000)]


@pytest.mark.parametrize(("direct", "sizes", "done"), [(False, [2500, 2500], 272), (True, [5000], 145)])
def test_raw_and_direct_requests_differ_in_their_pieces(direct, sizes, done):
    bench = Bench(kernel={"raw_chunk": "2500 B", "raw_buffer": "500 B", "direct_buffer": "1000 B"})
    p = bench.p
    with p.thread("reader"):
        at = p.register(0)
        bench.kernel.read_unbuffered(bench.device, at, 5000, 5000, direct)
        p.mark(bench.done, 5000)
    found = bench.run()
    assert [size for _, size in found["sizes"]] == sizes
    # 10 to enter. Raw: twice 6 for 3 pages, 5 for five headers, 100 and 20. Direct: 10 for 5 pages, 5, 100 and 20.
    assert found["done"] == [(done, 5000)]


ARRIVED = {"ahead_of_arrived": True}
"""Windows are asked for when data of the one before have come."""


def test_a_window_that_has_not_come_starts_no_read_ahead():
    found = reading(Bench(**ARRIVED), 12_000)
    # 11: the first window is asked for, 16 us, and is there at 127, awake at 147. Only then the second one is asked
    # for, 163, and the first block copied, 213. Blocks of 61 us and the waking of 20 us until 416; 427: the third.
    assert found["reads"] == [(27, 0), (163, 4000), (443, 8000)]
    assert found["done"][0] == (213, 1000)


def test_a_large_read_goes_window_by_window_where_windows_follow_what_has_come():
    found = reading(Bench(**ARRIVED), 16_000, block=8000, copy=False)
    # 18: the first window is asked for, at 34, and comes at 134, awake at 154; the second at 170, awake at 290.
    # It lies in the middle of the read, which asks for the third before it is over.
    assert found["reads"][:3] == [(34, 0), (170, 4000), (306, 8000)]
    assert found["done"][0] == (306, 8000)


def test_a_window_longer_than_a_cluster_comes_cluster_by_cluster():
    found = reading(Bench(read_ahead="8000 B", **ARRIVED), 8000, copy=False)
    assert [size for _, size in found["sizes"]] == [4000, 4000]
    # Both are asked for at 43; the first four blocks need only the first.
    assert [time for time, _ in found["reads"]] == [43, 43]
    assert found["done"][3][0] < 243 < found["done"][4][0]


def test_a_page_daemon_frees_pages_on_another_processor():
    def last(cpus: int, kernel: dict[str, str]) -> int:
        return reading(Bench(cpus, kernel), 12_000)["done"][-1][0]

    daemon = {"reclaim_cost": "10 us"}
    assert last(2, daemon) == last(2, {})
    assert last(1, daemon) > last(1, {})


def test_who_finds_no_page_free_waits_for_the_page_daemon():
    slow = {"reclaim_cost": "100 us", "free_memory": "4000 B"}
    found = reading(Bench(2, slow), 12_000, copy=False)
    # Each window takes the four pages that are free, and the daemon needs 400 us for as many.
    times = [time for time, _ in found["reads"]]
    assert times[1] - times[0] >= 400
    assert times[2] - times[1] >= 400


def test_munmap_waits_until_the_other_processors_have_dropped_their_translations():
    def time(threads: int, cpus: int) -> int:
        bench = Bench(cpus)
        p = bench.p
        file = MappedFile(bench.mount, ("reader", threads))
        with p.thread("reader"):
            at = p.register(0)
            file.read(at, 2000, 2000, 2000)
            p.mark(bench.done, 2000)
        return bench.run()["done"][0][0]

    assert time(2, 2) - time(1, 2) == 5
    assert time(2, 1) == time(1, 1)
