"""Resources and containers against traces worked by hand, on both engines. Times in ps."""

from __future__ import annotations

from types import ModuleType

from engine_bench import Bench, marks

from simio.engines.outcome import Status, Wait


def test_first_come_first_served(engine: ModuleType, bench: Bench) -> None:
    server = bench.p.resource("server")
    for value, start, work in ((1, 0, 10), (2, 3, 5), (3, 1, 4)):
        with bench.p.thread(f"t{value}", start=start), bench.p.hold(server):
            bench.p.advance(work)
            bench.mark(value)
    run = bench.run(engine)
    # 1 serves 0-10; 3 came at 1 and serves 10-14; 2 came at 3 and serves 14-19.
    assert marks(run) == [(10, 1), (14, 3), (19, 2)]
    # Busy 19; waited 9 + 11 = 20; three seizes, two waits, longest line 2, nothing in use at the end.
    assert run.resources.tolist() == [[19, 20, 3, 2, 2, 0]]


def test_releasing_does_not_give_way(engine: ModuleType, bench: Bench) -> None:
    # The one who releases goes on; the one who was waiting runs after what is already due at that instant.
    server = bench.p.resource("server")
    with bench.p.thread("a"):
        with bench.p.hold(server):
            bench.p.advance(2)
        bench.mark(1)
    with bench.p.thread("b"), bench.p.hold(server):
        bench.mark(2)
    with bench.p.thread("c"):
        bench.p.advance(2)
        bench.mark(3)
    assert marks(bench.run(engine)) == [(2, 1), (2, 3), (2, 2)]


def test_one_who_releases_and_seizes_again_goes_behind(engine: ModuleType, bench: Bench) -> None:
    # The unit was granted to B at the release, so A's second seize at the same instant waits.
    server = bench.p.resource("server")
    for value in (1, 2):
        with bench.p.thread(f"t{value}"), bench.p.loop(2), bench.p.hold(server):
            bench.p.advance(3)
            bench.mark(value)
    assert marks(bench.run(engine)) == [(3, 1), (6, 2), (9, 1), (12, 2)]


def test_priorities(engine: ModuleType, bench: Bench) -> None:
    server = bench.p.resource("server")
    for value, start, priority in ((1, 0, 5), (2, 1, 2), (3, 2, -1), (4, 3, 2), (5, 4, 3)):
        with bench.p.thread(f"t{value}", start=start), bench.p.hold(server, priority=priority):
            bench.p.advance(10)
            bench.mark(value)
    # Nobody is interrupted; then -1, the two of priority 2 in order of arrival, and 3.
    assert marks(bench.run(engine)) == [(10, 1), (20, 3), (30, 2), (40, 4), (50, 5)]


def test_the_head_of_the_line_holds_up_smaller_ones(engine: ModuleType, bench: Bench) -> None:
    server = bench.p.resource("server", units=3)
    for value, start, units, work in ((1, 0, 2, 10), (2, 1, 3, 5), (3, 2, 1, 5)):
        with bench.p.thread(f"t{value}", start=start), bench.p.hold(server, units):
            bench.p.advance(work)
            bench.mark(value)
    run = bench.run(engine)
    # 3 needs one unit and one is free from 2 on, but 2 is before it: 2 serves 10-15, 3 serves 15-20.
    assert marks(run) == [(10, 1), (15, 2), (20, 3)]
    # 2*10 + 3*5 + 1*5 unit-ps; waits of 9 and 13.
    assert run.resources.tolist() == [[40, 22, 3, 2, 2, 0]]


def test_a_more_urgent_one_passes_a_head_that_does_not_fit(engine: ModuleType, bench: Bench) -> None:
    server = bench.p.resource("server", units=3)
    for value, start, units, priority in ((1, 0, 2, 0), (2, 1, 3, 1), (3, 2, 1, 0), (4, 3, 1, 1)):
        with bench.p.thread(f"t{value}", start=start), bench.p.hold(server, units, priority):
            bench.p.advance(10)
            bench.mark(value)
    # 3 is more urgent than 2, the head, and its unit is free: 2-12. At 12 all three are free for 2; then 4.
    assert marks(bench.run(engine)) == [(10, 1), (12, 3), (22, 2), (32, 4)]


def test_one_release_grants_several(engine: ModuleType, bench: Bench) -> None:
    server = bench.p.resource("server", units=4)
    with bench.p.thread("big"), bench.p.hold(server, 4):
        bench.p.advance(10)
    for value, units in ((1, 1), (2, 2), (3, 2), (4, 1)):
        with bench.p.thread(f"t{value}"), bench.p.hold(server, units):
            bench.p.advance(value)
            bench.mark(value)
    # At 10: 1 and 2 fit, 3 does not (one unit left) and holds up 4. At 11 unit 1 is back: 3 takes two; at 12
    # two are back: 4.
    assert marks(bench.run(engine)) == [(11, 1), (12, 2), (14, 3), (16, 4)]


def test_releasing_in_parts(engine: ModuleType, bench: Bench) -> None:
    server = bench.p.resource("server", units=2)
    with bench.p.thread("a"):
        bench.p.seize(server, 2)
        bench.p.advance(5)
        bench.p.release(server, 1)
        bench.p.advance(5)
        bench.p.release(server, 1)
    with bench.p.thread("b"), bench.p.hold(server):
        bench.mark(1)
        bench.p.advance(20)
    run = bench.run(engine)
    assert marks(run) == [(5, 1)]
    # 2*5 + 1*5 of A, 20 of B.
    assert run.resources.tolist() == [[35, 5, 2, 1, 1, 0]]


def test_a_bounded_container(engine: ModuleType, bench: Bench) -> None:
    stock = bench.p.container("stock", capacity=5, level=2)
    with bench.p.thread("producer"), bench.p.loop(3):
        bench.p.put(stock, 3)
        bench.mark(1)
    with bench.p.thread("consumer", start=10), bench.p.loop(2):
        bench.p.get(stock, 4)
        bench.mark(2)
        bench.p.advance(10)
    run = bench.run(engine)
    # 0: 2+3=5, the next put waits. 10: get 4 leaves 1, the put is granted (4); the consumer marks before the
    # producer wakes, and the producer's third put waits (4+3>5). 20: get 4 leaves 0, the third put makes 3.
    assert marks(run) == [(0, 1), (10, 2), (10, 1), (20, 2), (20, 1)]
    # Level 3 at the end (30), lowest 0, highest 5, 9 put, 8 got, two waits; 5*10 + 4*10 + 3*10.
    assert run.containers.tolist() == [[3, 0, 5, 9, 8, 2]]
    assert run.container_area == (120,)


def test_puts_wait_in_order_of_arrival(engine: ModuleType, bench: Bench) -> None:
    stock = bench.p.container("stock", capacity=4, level=3)
    for value, start, amount in ((1, 0, 3), (2, 1, 1)):
        with bench.p.thread(f"t{value}", start=start):
            bench.p.put(stock, amount)
            bench.mark(value)
    with bench.p.thread("consumer", start=5):
        bench.p.get(stock, 1)
        bench.mark(3)
        bench.p.advance(5)
        bench.p.get(stock, 2)
        bench.mark(4)
    run = bench.run(engine)
    # One would fit for 2 from the start, but 1 is before it. 5: level 2, 3 does not fit. 10: level 0, both fit.
    assert marks(run) == [(5, 3), (10, 4), (10, 1), (10, 2)]
    assert run.containers.tolist() == [[4, 0, 4, 4, 3, 2]]


def test_gets_wait_in_order_of_arrival(engine: ModuleType, bench: Bench) -> None:
    stock = bench.p.container("stock", level=1)
    for value, start, amount in ((1, 0, 3), (2, 1, 1)):
        with bench.p.thread(f"t{value}", start=start):
            bench.p.get(stock, amount)
            bench.mark(value)
    with bench.p.thread("producer", start=5), bench.p.loop(3):
        bench.p.put(stock, 1)
        bench.p.advance(5)
    run = bench.run(engine)
    # Levels: 2 at 5; 3 at 10, all taken by the first get; 1 at 15, taken by the second.
    assert marks(run) == [(10, 1), (15, 2)]
    assert run.containers.tolist() == [[0, 0, 3, 3, 4, 2]]


def test_when_both_lines_stand_nothing_passes(engine: ModuleType, bench: Bench) -> None:
    # Capacity 10, level 5: a get of 7 waits, then a put of 6. A put of 1 and a get of 1 would fit, but each
    # stands behind its own kind.
    stock = bench.p.container("stock", capacity=10, level=5)
    for value, verb, amount in ((1, "get", 7), (2, "put", 6), (3, "put", 1), (4, "get", 1)):
        with bench.p.thread(f"t{value}", start=value):
            getattr(bench.p, verb)(stock, amount)
            bench.mark(value)
    run = bench.run(engine)
    assert (run.status, run.end, marks(run)) == (Status.DEADLOCK, 4, [])
    assert run.alive[:, 3].tolist() == [Wait.GET, Wait.PUT, Wait.PUT, Wait.GET]


def test_one_put_serves_gets_until_the_head_does_not_fit(engine: ModuleType, bench: Bench) -> None:
    # Gets of 2, 3, 4 and 1 wait. 9 arrive: 2, 3 and 4 are served at once, in order; the last needs one more.
    stock = bench.p.container("stock")
    for value, amount in ((1, 2), (2, 3), (3, 4), (4, 1)):
        with bench.p.thread(f"t{value}"):
            bench.p.get(stock, amount)
            bench.mark(value)
    with bench.p.thread("producer", start=6):
        bench.p.put(stock, 9)
        bench.mark(5)
        bench.p.advance(1)
        bench.p.put(stock, 1)
    run = bench.run(engine)
    assert marks(run) == [(6, 5), (6, 1), (6, 2), (6, 3), (7, 4)]
    assert run.containers.tolist() == [[0, 0, 9, 10, 10, 4]]
    assert run.container_area == (0,)


def test_one_get_lets_several_puts_in(engine: ModuleType, bench: Bench) -> None:
    # Capacity 10, level 4. At 0: A puts 8 (4+8>10, waits). At 1: B puts 1, behind A. At 2: C gets 3 at once
    # (level 1): A fits (9), B fits (10). At 3: D puts 6 (waits). At 4: E gets 7 at once (3), D fits (9).
    stock = bench.p.container("stock", capacity=10, level=4)
    for value, start, verb, amount in (
        (1, 0, "put", 8), (2, 1, "put", 1), (3, 2, "get", 3), (4, 3, "put", 6), (5, 4, "get", 7),
    ):  # fmt: skip
        with bench.p.thread(f"t{value}", start=start):
            getattr(bench.p, verb)(stock, amount)
            bench.mark(value)
    run = bench.run(engine)
    assert marks(run) == [(2, 3), (2, 1), (2, 2), (4, 5), (4, 4)]
    assert run.containers.tolist() == [[9, 1, 10, 15, 10, 3]]
    # 4*2 + 10*2 up to time 4.
    assert run.container_area == (28,)


def test_amounts_from_registers_and_of_nothing(engine: ModuleType, bench: Bench) -> None:
    stock = bench.p.container("stock", capacity=3)
    with bench.p.thread("t"):
        amount = bench.p.register(3)
        bench.p.put(stock, amount)
        bench.p.put(stock, 0)
        bench.p.let(amount, "SUB", amount, 2)
        bench.p.get(stock, amount)
    run = bench.run(engine)
    assert (run.status, run.events) == (Status.DONE, 1)
    assert run.containers.tolist() == [[2, 0, 3, 3, 1, 0]]


def test_a_window_of_credits(engine: ModuleType, bench: Bench) -> None:
    # Two credits, each back 10 ps after its frame is sent, 3 ps a frame: 3, 6, then one each time a credit is back.
    credit = bench.p.container("credit", capacity=2, level=2, unit="frames")
    with bench.p.thread("sender"), bench.p.loop(5):
        bench.p.get(credit, 1)
        bench.p.advance(3)
        bench.mark(1)
        with bench.p.fork("back", delay=10):
            bench.p.put(credit, 1)
    # Credits return at 13, 16, 26: frames end at 16, 19, 29.
    assert [time for time, _ in marks(bench.run(engine))] == [3, 6, 16, 19, 29]
