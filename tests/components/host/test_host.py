"""Copies and parity: CPU time, and traffic on the memory bus that DMA shares; worked by hand with round rates.

Memory moves 100 MB/s; one CPU copies 20 MB/s and works through 50 MB/s for parity; half of its cache is 32 kB.
"""

from __future__ import annotations

from storage_bench import US, Bench

from simio.engines import reference


def done(bench: Bench, number: int = 1) -> None:
    bench.p.mark(bench.done, number)


def test_a_copy_takes_the_cpu_for_its_rate():
    bench = Bench()
    with bench.p.thread("copy"):
        bench.host.copy(10_000)
        done(bench)
    assert bench.run()["done"] == [(500, 1)]


def test_a_copy_into_a_buffer_beyond_the_cache_crosses_the_bus_three_times():
    for size, crossings in ((32_000, 1), (33_000, 3)):
        bench = Bench()
        p = bench.p
        with p.thread("copy"):
            bench.host.copy(size)
        busy = reference.run(p.build()).resources[bench.host.memory.number, 0]
        assert busy == size * crossings * 10_000


def test_a_copy_waits_for_dma_and_keeps_its_cpu_meanwhile():
    bench = Bench()
    p = bench.p
    with p.thread("dma"):
        with p.hold(bench.host.memory):
            p.advance(100 * US)
        done(bench, 1)
    with p.thread("copy", start=US):
        bench.host.copy(1000)
        done(bench, 2)
    with p.thread("work", start=2 * US):
        bench.host.work(US)
        done(bench, 3)
    # The copy gets the bus at 100 for 10 us and the CPU is its own until 150.
    assert bench.run()["done"] == [(100, 1), (150, 2), (151, 3)]


def test_dma_waits_for_the_crossing_of_a_copy_only():
    bench = Bench()
    p = bench.p
    with p.thread("copy"):
        bench.host.copy(1000)
        done(bench, 1)
    with p.thread("dma", start=US):
        with p.hold(bench.host.memory):
            p.advance(5 * US)
        done(bench, 2)
    assert bench.run()["done"] == [(15, 2), (50, 1)]


def test_interrupts_get_in_between_the_pages_of_a_copy():
    bench = Bench()
    p = bench.p
    with p.thread("copy"):
        bench.host.copy(3000)
        done(bench, 1)
    with p.thread("card", start=60 * US):
        bench.kernel.interrupt()
        done(bench, 2)
    assert bench.run()["done"] == [(105, 2), (155, 1)]


def test_a_memory_slower_than_the_copy_sets_its_pace():
    bench = Bench()
    with bench.p.thread("copy"):
        bench.host.xor(1, 40_000)
        done(bench)
    # Per byte of source three cross the bus, 30 ns; the CPU would take 20.
    assert bench.run()["done"] == [(1200, 1)]


def test_parity_of_many_sources_is_bound_by_the_cpu():
    bench = Bench()
    with bench.p.thread("copy"):
        bench.host.xor(4, 1000)
        done(bench)
    assert bench.run()["done"] == [(80, 1)]


def test_kernel_work_uses_the_memory_bus_for_its_share():
    def times(**kernel: str) -> list[tuple[int, int]]:
        bench = Bench(cpus=2, kernel=kernel)
        for number in (1, 2):
            with bench.p.thread(f"work {number}"):
                bench.host.work(10 * US)
                done(bench, number)
        return bench.run()["done"]

    assert times() == [(10, 1), (10, 2)]
    # The second waits for the bus until the first is done with it.
    assert times(memory_share="40 %") == [(10, 1), (14, 2)]


def test_long_work_leaves_the_bus_to_dma_in_between():
    bench = Bench(kernel={"memory_share": "50 %"})
    p = bench.p
    with p.thread("work"):
        bench.host.work(100 * US)
        done(bench, 1)
    with p.thread("dma", start=US):
        with p.hold(bench.host.memory):
            p.advance(US)
        done(bench, 2)
    assert bench.run()["done"] == [(6, 2), (100, 1)]


def test_bounced_data_cross_the_bus_as_a_large_copy_does():
    bench = Bench()
    with bench.p.thread("copy"):
        bench.host.bounce(10_000)
        done(bench)
    # 10 us a page at each of three crossings, and the copy takes 50.
    assert bench.run()["done"] == [(500, 1)]


def test_a_copy_within_a_cache_goes_at_its_rate_and_leaves_memory_alone():
    for behind, took in ((1000, 200), (50_000, 250), (80_000, 500)):
        bench = Bench(cpu={"l1": "8 kB", "copy_l1": "50 MB/s", "copy_l2": "40 MB/s"})
        p = bench.p
        with p.thread("copy"):
            bench.host.copy(4000, behind=behind)
            done(bench)
        outcome = reference.run(p.build())
        # The CPU's cache of 64 kB holds 54 kB; what is beyond comes from memory at 20 MB/s.
        busy = outcome.resources[bench.host.memory.number, 0]
        assert (busy > 0) == (behind == 80_000)
        assert outcome.end == took * US * 4 // 10
