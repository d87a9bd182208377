"""Samples of the timeline against areas worked by hand, on both engines. The unit here is the first interval."""

from __future__ import annotations

from types import ModuleType

import pytest
from engine_bench import Bench

from simio.engines import compiled, outcome
from simio.engines.outcome import FIRST_INTERVAL, SAMPLES, Options, sample_rows
from simio.engines.prepared import prepare
from simio.machines.network import queue
from simio.machines.network.queue import LEVEL, initial

UNIT = FIRST_INTERVAL


def test_samples_are_areas_so_far(engine: ModuleType, bench: Bench) -> None:
    server, stock = bench.p.resource("server", units=2), bench.p.container("stock", capacity=9, level=1)
    with bench.p.thread("a"):
        with bench.p.hold(server, 2):
            bench.p.advance(3 * UNIT // 2)
            bench.p.put(stock, 4)
            bench.mark(10)
        bench.p.advance(2 * UNIT)
        bench.mark(5)
    with bench.p.thread("b", start=UNIT // 2), bench.p.hold(server):
        bench.p.advance(3 * UNIT)
    run = bench.run(engine)
    assert run.end == 9 * UNIT // 2
    # Samples at 1, 2, 3 and 4 units; busy with 2 until 1.5 and with 1 from then on (b has it until 4.5), so
    # 2, 3.5, 4.5 and 5.5. b waits from 0.5 to 1.5: 0.5, then 1. Level 1, then 5. Marks 10 at 1.5, 5 more at 3.5.
    assert run.times.tolist() == [UNIT, 2 * UNIT, 3 * UNIT, 4 * UNIT]
    assert run.samples.tolist() == [
        [2 * UNIT, UNIT // 2, 1, 0],
        [7 * UNIT // 2, UNIT, 5, 10],
        [9 * UNIT // 2, UNIT, 5, 10],
        [11 * UNIT // 2, UNIT, 5, 15],
    ]


def test_a_sample_is_taken_when_all_of_its_instant_has_happened(engine: ModuleType, bench: Bench) -> None:
    with bench.p.thread("t", count=3):
        bench.p.advance(UNIT)
        bench.mark(1)
        bench.p.advance(1)
    run = bench.run(engine)
    assert run.times.tolist() == [UNIT]
    assert run.samples.tolist() == [[3]]


def test_no_sample_beyond_the_end(engine: ModuleType, bench: Bench) -> None:
    with bench.p.thread("t"):
        bench.p.advance(3 * UNIT)
    # The run ends within the instant of 3 units, before a sample of that instant could be taken.
    assert bench.run(engine).times.tolist() == [UNIT, 2 * UNIT]


def test_the_interval_doubles_when_the_rows_are_full(engine: ModuleType, bench: Bench) -> None:
    # Row n would be taken at n units: at 512 units every second one stays (2, 4, ... 512), 256 of them, and the
    # next are 514, 516, ... until at 1024 units there are 512 again.
    with bench.p.thread("t"), bench.p.loop(2100):
        bench.p.advance(UNIT)
        bench.mark(1)
    run = bench.run(engine)
    # After 512, 1024 and 2048 units the interval is 8. Row k is at 8k units and has seen 8k marks.
    assert run.times.tolist() == [8 * k * UNIT for k in range(1, 2099 // 8 + 1)]
    assert run.samples[:, 0].tolist() == [8 * k for k in range(1, 2099 // 8 + 1)]


def test_the_last_row_before_the_interval_doubles(engine: ModuleType, bench: Bench) -> None:
    for units, rows in ((SAMPLES - 1, SAMPLES - 1), (SAMPLES, SAMPLES // 2)):
        bench = Bench()
        with bench.p.thread("t"):
            bench.p.advance(units * UNIT + 1)
        run = bench.run(engine)
        assert len(run.times) == rows
        assert run.times[-1] == units * UNIT


def test_one_step_over_many_intervals(engine: ModuleType, bench: Bench) -> None:
    # 2**60 ps are 2**40 units: the interval doubles until 512 rows are not filled; all are at its multiples.
    server = bench.p.resource("server")
    with bench.p.thread("t"), bench.p.hold(server):
        bench.p.advance(2**60 + 1)
    run = bench.run(engine)
    interval = int(run.times[0])
    assert interval == 2**52
    assert run.times.tolist() == [interval * k for k in range(1, 257)]
    assert run.samples[:, 0].tolist() == run.times.tolist()


def test_sums_may_be_negative(engine: ModuleType, bench: Bench) -> None:
    with bench.p.thread("t"), bench.p.loop(3):
        bench.mark(-7)
        bench.p.advance(UNIT)
    assert bench.run(engine).samples.tolist() == [[-14], [-21]]


def test_without_anything_to_sample(engine: ModuleType) -> None:
    bench = Bench.__new__(Bench)
    from simio.program.builder import Builder

    bench.p = Builder()
    with bench.p.thread("t"):
        bench.p.advance(3 * UNIT + 1)
    run = bench.run(engine)
    assert run.times.tolist() == [UNIT, 2 * UNIT, 3 * UNIT]
    assert run.samples.shape == (3, 0)
    assert run.marks.shape == (0, 3)
    assert run.resources.shape == (0, 6)


def test_sums_of_marks_leave_64_bits_at_one_end_and_come_back_at_the_other(engine: ModuleType, bench: Bench) -> None:
    # Words of packets are marked, whose sum means nothing, but must not end the run.
    with bench.p.thread("t"):
        bench.p.advance(UNIT // 2)
        for _ in range(3):
            bench.mark(2**62 - 1)
        bench.p.advance(UNIT)
    assert bench.run(engine).samples.tolist() == [[3 * (2**62 - 1) - 2**64]]


def test_a_gauge_is_the_word_of_its_machine_at_each_sample(engine: ModuleType, bench: Bench) -> None:
    offset = bench.p.machine("queue", initial(10))
    bench.p.gauge("queue", "level", offset + LEVEL, "bytes")
    with bench.p.thread("t"), bench.p.loop(1):
        done = bench.p.register()
        for amount in (3, 4):
            bench.p.advance(UNIT - 1)
            bench.p.call(done, queue.enter, offset, amount, 0)
        bench.p.advance(UNIT)
        bench.p.call(done, queue.leave, offset, 5, 0)
        bench.p.advance(3 * UNIT)
    run = bench.run(engine)
    # Areas of nothing, the sum of the marks, and the gauge: 3 from before the first unit, 7 before the second.
    assert run.times.tolist() == [UNIT, 2 * UNIT, 3 * UNIT, 4 * UNIT, 5 * UNIT]
    assert run.samples.tolist() == [[0, 3], [0, 7], [0, 2], [0, 2], [0, 2]]


def test_a_wide_timeline_has_fewer_rows(engine: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    assert [sample_rows(columns) for columns in (0, 2**12, 2**13, 2**13 + 1, 2**20)] == [512, 512, 256, 254, 64]
    monkeypatch.setattr(outcome, "SAMPLED_WORDS", 600)
    monkeypatch.setattr(outcome, "LEAST_SAMPLES", 8)
    bench = Bench()
    servers = [bench.p.resource(f"server {number}") for number in range(30)]
    with bench.p.thread("t"), bench.p.hold(servers[7]):
        bench.p.advance(25 * UNIT)
    run = bench.run(engine)
    # 60 columns: ten rows, of which five are left at 10 units and at 20.
    assert run.times.tolist() == [4 * UNIT * k for k in range(1, 7)]
    assert run.samples[:, 14].tolist() == run.times.tolist()


def test_a_timeline_is_the_same_whatever_the_length_of_the_run_before(bench: Bench) -> None:
    line = bench.p.resource("line")
    with bench.p.thread("t", count=2), bench.p.loop(20_000), bench.p.hold(line):
        bench.p.advance(UNIT // 3)
        bench.mark(1)
    program = bench.p.build()
    prepared, intervals = prepare(program), []
    for until in (12_000, 3_100, 12_000, 1_500, 11, 12_000, 12_000):
        options = Options(until=until * UNIT)
        run = compiled.run(program, options, prepared=prepared)
        assert run.differences(compiled.run(program, options)) == []
        intervals.append(prepared.room.interval // UNIT)
    # 12,000 units are 32 a row at last and 3100 eight, with which the next may begin. 1500 are 4, which it lacks.
    assert intervals == [8, 2, 8, 1, 1, 1, 1]
