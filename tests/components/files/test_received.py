"""Files written with what a socket gave, or read by several processes, as traces worked by hand with round costs.

A system call takes 10 us, finding a page 1 us, room for a page 3 us and its buffer header 1 us, a copy of 1000 bytes
50 us, waking a process 20 us, the device 100 us a request; a page has 1000 bytes and there is one CPU.
"""

from __future__ import annotations

import pytest
from storage_bench import Bench

from simio.components.files.cached import CachedFile
from simio.components.files.received import ReceivedFile, SentFile, SharedFile


def received(bench: Bench, *amounts: int, start: int = 0):
    p, size = bench.p, sum(amounts)
    file = ReceivedFile(bench.mount, "writer", (start, size))
    stored = p.observation("stored")
    with p.thread("writer"):
        file.open()
        amount = p.register()
        for given in amounts:
            p.let(amount, "SET", given)
            file.write_amount(amount, 4000, lambda size: p.mark(stored, size))
            p.mark(bench.done, amount)
        file.flush_rest(lambda size: p.mark(stored, size))
    return bench.run()


def test_a_page_is_entered_once_however_it_is_filled():
    found = received(Bench(), 2500, 1500, 1000)
    # 10 and twice 55: 120. Half a page is found, entered and copied in 30: 150. Another call, the other half, found
    # and copied in 26: 186; a page in 55: 241, and 4000 bytes are together. 10 and 55: 306.
    assert found["done"] == [(150, 2500), (241, 1500), (306, 1000)]
    assert found["writes"] == [(241, 0), (306, 4000)]


def test_a_large_write_waits_at_the_dirty_limit_part_way():
    found = received(Bench(dirty_limit="4000 B"), 12_000)
    # 230: four pages, on their way. The fifth has room at 330; 550: eight, and room again at 650.
    assert found["writes"] == [(230, 0), (550, 4000), (870, 8000)]
    assert found["done"] == [(870, 12_000)]


@pytest.mark.parametrize("amounts", [(20,), (980, 20, 20), (3980, 20), (4020, 7980), (700,) * 23, (9000, 500, 9500)])
def test_all_that_is_written_reaches_the_device_in_order(amounts: tuple[int, ...]):
    found = received(Bench(), *amounts, start=8000)
    assert sum(size for _, size in found["stored"]) == sum(amounts)
    places = [at for _, at in found["writes"]]
    assert places == [8000 + 4000 * number for number in range(len(places))]
    assert all(size == 4000 for _, size in found["sizes"][:-1])


def reading(bench: Bench, kind: type[CachedFile], size: int, block: int):
    p = bench.p
    file = kind(bench.mount, "reader", (0, size), True)
    with p.thread("reader"):
        at = p.register(0)
        file.open()
        file.rewind()
        for amount in p.pieces(size, block):
            file.read(at, amount, block, True)
            p.mark(bench.done, amount)
            p.let(at, "ADD", at, amount)
    return bench.run()


def test_a_large_read_copies_what_has_come_while_it_waits_for_the_rest():
    found = reading(Bench(), SentFile, 12_000, 8000)
    # Three windows are asked for, at 26, 42 and 58. The first is there at 126 and the process awake at 146, when four
    # pages are found (before, at 62) and copied. The second came at 226 and takes the CPU between two pages from 246
    # to 266, the third at 326 and takes it from 366 to 386; finding and copying four more is done at 590.
    assert found["reads"] == [(26, 0), (42, 4000), (58, 8000)]
    assert found["done"][0] == (590, 8000)
    assert reading(Bench(), CachedFile, 12_000, 8000)["done"][0][0] > 590
    # Each arrival is a window, however much other reads fetch at a time.
    assert reading(Bench(cluster="8000 B"), SentFile, 12_000, 8000)["done"] == found["done"]


@pytest.mark.parametrize("block", [1000, 3000, 4000, 10_000])
@pytest.mark.parametrize("readers", [2, 3])
def test_several_readers_of_a_file_read_it_once_from_the_device(block: int, readers: int):
    bench, size = Bench(cpus=2), 25_000
    p = bench.p
    claimed = p.variable("file")
    names = [f"reader {number}" for number in range(readers)]
    for name in names:
        file = SharedFile(bench.mount, name, (0, size), names, claimed)
        with p.thread(name):
            at = p.register(0)
            file.open()
            file.rewind()
            for amount in p.pieces(size, block):
                file.read(at, amount, block, True)
                p.mark(bench.done, amount)
                p.let(at, "ADD", at, amount)
    found = bench.run()
    assert sorted(at for _, at in found["reads"]) == list(range(0, size, 4000))
    assert sum(size for _, size in found["sizes"]) == size
    assert sum(amount for _, amount in found["done"]) == readers * size


def ahead(size: int, block: int, **files: str):
    """The instant at which each window was asked for, and the bytes read by then."""
    found = reading(Bench(**files), SentFile, size, block)
    return [(sum(amount for at, amount in found["done"] if at < time), place) for time, place in found["reads"]]


def test_read_ahead_follows_the_request_as_far_as_the_file_system_lets_it():
    whatever, follows, less = (ahead(32_000, 8000, **more) for more in (
        {}, {"max_read_ahead": "8000 B"}, {"max_read_ahead": "7000 B"},
    ))  # fmt: skip
    # For the first 8000 bytes those, and 4000 or 8000 more; then 8000 more for each request.
    assert [place for done, place in whatever if done == 0] == [0, 4000, 8000]
    assert [place for done, place in follows if done == 0] == [0, 4000, 8000, 12_000]
    assert less == whatever
    assert [place for _, place in whatever] == [place for _, place in follows] == list(range(0, 32_000, 4000))
    # A request no longer than the window is read ahead of as ever.
    assert ahead(32_000, 4000) == ahead(32_000, 4000, max_read_ahead="16000 B")
