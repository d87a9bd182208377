"""The bound worked by hand for small programs, and never exceeded by generated ones."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simio.bound import bound
from simio.engines import reference
from simio.engines.outcome import Options, Status
from simio.limits import Lone
from simio.program.builder import Builder
from simio.result.measure import deliveries


def limits(p: Builder) -> dict[str, Fraction]:
    return {limit.name: limit.time for limit in bound(p.build()).limits}


def test_demand_is_service_times_repetition_over_units():
    p = Builder()
    cpu, disk = p.resource("cpu", 2), p.resource("disk")
    done = p.observation("done", "delivered", "bytes")
    with p.thread("work", count=3), p.loop(10):
        with p.hold(cpu):
            p.advance(40)
        with p.hold(disk):
            p.advance(50)
        p.mark(done, 4096)
    found = bound(p.build())
    # cpu: 3 threads x 10 x 40 / 2 units; disk: 3 x 10 x 50; each thread does 10 x 90 itself.
    assert limits(p) == {"cpu": 600, "disk": 1500, "work": 900}
    assert found.delivered == 3 * 10 * 4096
    assert found.tightest.name == "disk"
    assert found.rate() == Fraction(3 * 10 * 4096 * 10**12, 1500)


def test_work_that_no_64_bits_count_is_counted_exactly():
    # Two nested loops of 2^40 rounds, of which every third at least asks for the disk: 2^80 // 3 times 7 ps.
    p = Builder()
    disk = p.resource("disk")
    with p.thread("work"), p.loop(2**40), p.loop(2**40):
        r = p.register()
        with p.when(r, "==", 0, share=Fraction(1, 3)), p.hold(disk):
            p.advance(7)
    assert limits(p)["disk"] == 2**80 // 3 * 7


def test_a_forked_body_does_not_hold_what_its_parent_holds():
    p = Builder()
    lock, bus = p.resource("lock"), p.resource("bus")
    with p.thread("work"), p.hold(lock):
        with p.fork("dma", joined=True), p.hold(bus):
            p.advance(100)
        p.advance(7)
        p.join()
    assert limits(p) == {"lock": 7, "bus": 100, "work": 7}


def test_what_may_not_run_counts_as_never_run():
    p = Builder()
    cpu = p.resource("cpu")
    with p.thread("work"):
        r = p.register(3)
        with p.when(r, ">", 5), p.hold(cpu):
            p.advance(1000)
        with p.loop(r), p.hold(cpu):
            p.advance(1000)
        with p.hold(cpu):
            p.advance(5, r, 10)
    assert limits(p)["cpu"] == 5


def test_what_another_thread_releases_is_left_out():
    p = Builder()
    lock = p.resource("lock")
    with p.thread("work"):
        p.seize(lock)
        p.advance(100)
        with p.fork("other", joined=True):
            p.release(lock)
        p.join()
    assert limits(p)["lock"] == 0


def test_windows_count_the_time_that_a_slot_is_taken():
    p = Builder()
    credit = p.window("credit", 4)
    done = p.observation("done", "delivered", "bytes")
    with p.thread("work"), p.loop(8):
        p.occupy(credit, 100)
        p.advance(10)
        p.mark(done, 2048)
    found = bound(p.build())
    assert found.tightest.name == "credit"
    assert found.rate() == Fraction(8 * 2048 * 10**12, 200)


def test_unknown_amounts_give_no_bound():
    p = Builder()
    done = p.observation("done", "delivered", "bytes")
    with p.thread("work"):
        r = p.register(100)
        p.advance(10)
        p.mark(done, r)
    assert bound(p.build()).rate() is None
    assert bound(p.build()).tightest is None


def test_a_cut_off_run_may_be_ahead_by_one_round():
    p = Builder()
    done = p.observation("done", "delivered", "bytes")
    with p.thread("work"), p.loop(100):
        p.mark(done, 10)
        p.advance(50)
    found = bound(p.build())
    assert found.slack == 10
    assert found.allows(20, 50, complete=False)
    assert not found.allows(20, 50, complete=True)
    assert not found.allows(31, 50, complete=False)


@st.composite
def programs(draw):
    """Threads that seize, serve and deliver in loops, some of it in forked children."""
    p = Builder()
    resources = [p.resource(f"r{i}", draw(st.integers(1, 2))) for i in range(3)]
    done = p.observation("done", "delivered", "bytes")

    def serve(depth: int) -> None:
        for _ in range(draw(st.integers(1, 3))):
            with p.hold(draw(st.sampled_from(resources))):
                p.advance(draw(st.integers(0, 5)))
            if depth and draw(st.booleans()):
                with p.fork("child", delay=draw(st.integers(0, 3)), joined=draw(st.booleans())):
                    serve(depth - 1)
                p.join()
            p.advance(draw(st.integers(0, 3)))
        p.mark(done, draw(st.integers(1, 3)))

    for number in range(draw(st.integers(1, 3))):
        count, start = draw(st.integers(1, 3)), draw(st.integers(0, 9))
        with p.thread(f"t{number}", count=count, start=start), p.loop(draw(st.integers(1, 4))):
            serve(2)
    return p.build()


@given(programs(), st.one_of(st.none(), st.integers(1, 60)))
@settings(max_examples=300)
@pytest.mark.slow
def test_no_run_exceeds_its_bound(program, until):
    found = bound(program)
    outcome = reference.run(program, Options() if until is None else Options(until=until))
    _, amounts = deliveries(program, outcome)
    if outcome.status == Status.DONE:
        assert int(amounts.sum()) == found.delivered
        for limit in found.limits:
            assert outcome.end >= limit.time
    busy = outcome.resources[:, 0].tolist()
    assert all(area <= r.units * outcome.end for r, area in zip(program.resources, busy, strict=True))


def test_every_ready_scenario_stays_under_its_bound(load):
    from simio.running import run_case

    scenario = load("sgi-hippi-raw.yaml", "workload.blast.packets=4")
    for case in scenario.cases:
        result = run_case(case)
        assert Fraction(result.throughput.amount * 10**12, result.end) <= result.bound, case.settings


@pytest.mark.parametrize("engine", ["compiled", "simpy"])
def test_a_result_beyond_its_bound_is_refused(load, engine, monkeypatch):
    from simio import limits as module
    from simio.errors import RunError
    from simio.running import RunOptions, run_case

    monkeypatch.setattr(module.Bound, "allows", lambda *_, **__: False)
    case = load("sgi-hippi-raw.yaml", "workload.blast.packets=2", "workload.blast.size=4 KiB").cases[0]
    with pytest.raises(RunError, match="exceeds its bound"):
        run_case(case, RunOptions(engine))


def test_a_cut_off_run_may_have_done_more_of_what_takes_less():
    # Of 100 bytes from each, one thread's take the server 1 ps a byte, the other's 10 ps. Within 100 ps the first may
    # have delivered all of its bytes and the other none; all of the work, 200 bytes, takes 1100 ps.
    p = Builder()
    server = p.resource("server")
    done = p.observation("done", "delivered", "bytes")
    for name, time in (("slow", 100), ("fast", 10)):
        with p.thread(name), p.loop(10):
            with p.hold(server):
                p.advance(time)
            p.mark(done, 10)
    found = bound(p.build())
    assert (found.rate(), found.slack) == (Fraction(200 * 10**12, 1100), 20)

    def most(time: int) -> Fraction:
        return min(found.most_by(time, one) for one in found.stations)

    assert most(100) == 100
    assert most(150) == 105
    assert most(5000) == 200
    assert found.allows(120, 100, complete=False)
    assert not found.allows(121, 100, complete=False)
    assert not found.allows(100, 100, complete=True)


def test_a_cut_off_run_is_as_fast_as_all_servers_of_their_own_together():
    # Each of 2 threads has a server to itself, where 10 bytes take 10 ps: 1000 bytes of each take 1000 ps. Within
    # 100 ps both have delivered 100 bytes; a server alone would leave the other thread's 1000 bytes out. All hold a
    # third server for 1 ps per 10 bytes.
    p = Builder()
    common = p.resource("common")
    done = p.observation("done", "delivered", "bytes")
    for name in ("one", "other"):
        own = p.resource(f"{name}'s")
        with p.thread(name), p.loop(100):
            with p.hold(own):
                p.advance(10)
            with p.hold(common):
                p.advance(1)
            p.mark(done, 10)
    found = bound(p.build())
    assert found.lone(100) == ([Fraction(1000, 11)] * 2, Fraction(2000, 11))
    cap = found.cap(100)
    assert cap is not None
    assert cap.rate == Fraction(2000 * 10**12, 1100)


def test_a_cut_can_make_another_station_the_tightest():
    # All 4000 bytes take "disk" 2020 ps and "wire" 2000 ps. In a run of 1000 ps the disk may serve "quick" first,
    # whose 1000 bytes take 10 ps there, and then 990/2010 of the others'; the wire takes all alike: 2000 bytes.
    p = Builder()
    disk, wire = p.resource("disk"), p.resource("wire")
    done = p.observation("done", "delivered", "bytes")
    for name, count, time in (("quick", 1, 1), ("slow", 3, 67)):
        with p.thread(name, count=count), p.loop(10):
            with p.hold(disk):
                p.advance(time)
            with p.hold(wire):
                p.advance(50)
            p.mark(done, 100)
    found = bound(p.build())
    assert found.cap().name == "disk"
    assert found.cap(1000) == found.caps(1000)[0] == (Fraction(2 * 10**12), "wire", "resource")
    for until in (1, 10, 500, 1999, 2005, 5000):
        assert found.cap(until) == found.caps(until)[0], until
        assert found.cap(until, ahead=True) == found.caps(until, ahead=True)[0], until


def test_who_has_time_left_where_another_takes_no_more_passes_there():
    # Within 100 ps "quick" could pass 100 bytes of the common server, but its own lets it pass 20, which leaves 80 ps
    # there for 40 bytes of "slow".
    p = Builder()
    common, own = p.resource("common"), p.resource("own")
    done = p.observation("done", "delivered", "bytes")
    for name, time in (("quick", 10), ("slow", 20)):
        with p.thread(name), p.loop(100):
            with p.hold(common):
                p.advance(time)
            if name == "quick":
                with p.hold(own):
                    p.advance(50)
            p.mark(done, 10)
    found = bound(p.build())
    one = next(station for station in found.stations if station.name == "common")
    each = [Fraction(20), Fraction(50)]
    assert found.most_by(100, one, Lone(each, Fraction(70))) == 20 + 40


def test_what_a_thread_causes_elsewhere_counts_with_it():
    # Each of 5 messages makes another thread hold the line for 20 ps and deliver 8 bytes, an amount that only a
    # register knows; a window of 4 bytes is taken by each byte for 30 ps.
    p = Builder(arguments=1)
    line = p.resource("line")
    done = p.observation("done", "delivered", "bytes")
    queue = p.container("queue", unit="messages")
    window = p.window("window", 4)
    with p.thread("receiver", daemon=True), p.forever():
        amount = p.register(8)
        p.get(queue, 1)
        with p.hold(line):
            p.advance(0, amount, Fraction(5, 2))
        p.mark(done, amount)
    with p.thread("sender"):
        with p.loop(5):
            p.promise(8)
            p.demand(line, 20)
            p.occupy(window, 8 * 30)
            p.put(queue, 1)
        p.advance(1000)
    found = bound(p.build())
    limits = {limit.name: limit.time for limit in found.limits}
    assert (found.delivered, limits["line"], limits["window"]) == (40, 100, 5 * 8 * 30 // 4)
    assert (found.tightest.name, limits["sender"], found.slack) == ("sender", 1000, 8)
