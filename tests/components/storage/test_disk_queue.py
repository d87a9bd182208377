"""The order of queued commands against an independent model; random loads on both engines."""

from __future__ import annotations

import random
from types import ModuleType

import pytest
from drive_bench import (
    CYLINDER,
    HEADS,
    MS,
    OVERHEAD,
    REVOLUTION,
    SECTORS,
    US,
    Command,
    carry_out,
    in_order,
    path,
    place,
    program,
    sheet,
    travel,
)
from hypothesis import example, given, settings
from hypothesis import strategies as st

from simio.engines import compiled, reference
from simio.engines.outcome import Status


def scattered(count: int, seed: int, kind: str = "read") -> list[Command]:
    choose = random.Random(seed)
    return [(kind, choose.randrange(SECTORS - 8), 8, 0) for _ in range(count)]


def served(first: Command, rest: list[Command], scheduling: str) -> list[Command]:
    """Single commands that all wait while the first is served, in the order in which they are."""
    waiting, here, now = list(rest), first[1] + 8, float(0)
    # The first reaches the arm after its overhead, from cylinder 0.
    arrival = OVERHEAD + travel(0, first[1])
    now = arrival + (float(path(first[1])) - arrival) % REVOLUTION
    now += float(path(first[1] + 7) - path(first[1])) + REVOLUTION / place(first[1] + 7)[2]
    order, inwards = [first], True
    while waiting:
        cylinder = place(here)[0]

        def access(command: Command, here: int = here, now: float = now) -> float:
            arrival = now + travel(here, command[1])
            return arrival + (float(path(command[1])) - arrival) % REVOLUTION

        if scheduling == "fifo":
            chosen = waiting[0]
        elif scheduling == "shortest":
            chosen = min(waiting, key=lambda c: round(access(c) / US))
        else:
            ahead = [c for c in waiting if (place(c[1])[0] - cylinder) * (1 if inwards else -1) >= 0]
            inwards = inwards if ahead else not inwards
            chosen = min(ahead or waiting, key=lambda c: abs(place(c[1])[0] - cylinder))
        if place(chosen[1])[0] != cylinder:
            inwards = place(chosen[1])[0] > cylinder
        waiting.remove(chosen)
        order.append(chosen)
        now = access(chosen) + float(path(chosen[1] + 7) - path(chosen[1])) + REVOLUTION / place(chosen[1] + 7)[2]
        here = chosen[1] + 8
    return order


@pytest.mark.parametrize("scheduling", ["fifo", "elevator", "shortest"])
@pytest.mark.parametrize("seed", range(4))
def test_the_order_of_queued_reads(engine: ModuleType, scheduling: str, seed: int) -> None:
    # The first is far away, so that the others are all in the queue before the arm is free.
    commands = [("read", 1500 * CYLINDER, 8, 0), *scattered(14, seed)]
    drive = sheet(scheduling=scheduling, command_overhead=OVERHEAD // 2, cached_overhead=OVERHEAD // 2)
    ends, _ = carry_out(engine, drive, *([command] for command in commands))
    first, *rest = commands
    assert in_order(commands, ends) == served(first, rest, scheduling)


@pytest.mark.parametrize(
    ("far", "ends"),
    [
        # Sector 1151 comes around at 6.41 ms, 1.12 us before the head is on its track, and again at 12.41 ms. Sector
        # 60 is then missed, too: the head is back at 12.726 ms.
        (1151, (12_420, 18_610)),
        # Sector 1152, at 6.42 ms, is reached; from there sector 60, at 6.6 ms, is not.
        (1152, (6430, 12_610)),
    ],
)
def test_the_shortest_may_miss_what_is_just_reached_from_the_last_sector(
    engine: ModuleType, far: int, ends: tuple[int, int]
) -> None:
    # The first read has its data at 6.1 ms and has sent them 5.12 us later, when the arm is free. For the drive it is
    # 6.1 ms still: it is on the other track at 6.406 ms, and sector 60 of this one is further away, at 6.6 ms.
    drive = sheet(scheduling="shortest", read_ahead=False, preseek=False, head_switch=306 * US)
    reads = [[("read", 0, 10, 0)], [("read", 60, 1, 0)], [("read", far, 1, 0)]]
    found, _ = carry_out(engine, drive, *reads, byte=1000)
    assert found == [[6_105_120_000], [ends[1] * US + 512_000], [ends[0] * US + 512_000]]


@pytest.mark.parametrize("kind", ["read", "write"])
def test_the_elevator_beats_fifo_and_the_shortest_beats_the_elevator(kind: str) -> None:
    threads = [scattered(60, seed, kind) for seed in range(16)]
    spent = {}
    for scheduling in ("fifo", "elevator", "shortest"):
        drive = sheet(scheduling=scheduling, segments=16)
        ends, _ = carry_out(compiled, drive, *threads)
        assert [len(each) for each in ends] == [60] * 16
        spent[scheduling] = max(each[-1] for each in ends)
    assert spent["shortest"] < 0.9 * spent["elevator"] < 0.9 * 0.9 * spent["fifo"]


def test_a_drive_without_tagged_queueing_takes_one_command_at_a_time(engine: ModuleType) -> None:
    # The second does not start before the data of the first are with the host: 8 sectors at 1 ms each.
    first, second = ("read", 0, 8, 0), ("read", 2000 * CYLINDER, 8, 0)
    byte = MS // 512 + 1
    ends, _ = carry_out(engine, sheet(queue_depth=1, scheduling="shortest"), [first], [second], byte=byte)
    assert ends[1][0] - ends[0][0] > OVERHEAD + travel(0, 2000 * CYLINDER) * 0.999
    queued, _ = carry_out(engine, sheet(queue_depth=2), [first], [second], byte=byte)
    assert queued[1][0] < ends[1][0]


def test_more_commands_than_the_drive_holds_wait_for_a_place(engine: ModuleType) -> None:
    commands = scattered(12, 3)
    ends, _ = carry_out(engine, sheet(queue_depth=3), *([command] for command in commands))
    assert in_order(commands, ends) == commands


def test_more_commands_than_segments(engine: ModuleType) -> None:
    # Over a slow interface all segments are in use at times; nobody starves.
    for kind in ("read", "write"):
        threads = [scattered(6, seed, kind) for seed in range(8)]
        for scheduling in ("fifo", "shortest"):
            drive = sheet(segments=2, scheduling=scheduling)
            ends, _ = carry_out(engine, drive, *threads, byte=2 * US)
            assert all(len(each) == 6 for each in ends)


SOON = 4 * CYLINDER

commands = st.lists(
    st.tuples(
        st.sampled_from(["read", "read", "write"]),
        st.integers(0, 40).map(lambda n: n * 37 % SOON) | st.integers(0, SECTORS - 1000),
        st.integers(1, 300) | st.integers(600, 1000),
        st.sampled_from([0, 0, 1, 200 * US, 3 * MS, 40 * MS]),
    ),
    min_size=1,
    max_size=5,
)


R, W = "read", "write"


# A read that has to wait for dirty data, while a younger one could be served from the buffer but for it.
# A read of the last sector of a write waits for its data, which come while the arm is free.
@example(
    threads=[
        [(R, 555, 1, 0), (R, 0, 1, 0), (R, 814, 184, 0), (R, 0, 73, 0)],
        [(W, 777, 254, 0), (R, 0, 200, 0), (R, 444, 1, 0)],
        [(R, 37, 1, 1), (R, 37, 1, 0), (W, 111, 334, 0)],
        [(R, 777, 57, 40_000 * US), (R, 0, 158, 0)],
        [(R, 0, 1, 0)],
        [(R, 0, 799, 40_000 * US)],
    ],
    scheduling="shortest", flags=(False, False), segments=2, segment=800, depth=2, byte=200_000, unit=512,
)  # fmt: skip
@example(
    threads=[
        [(R, 0, 1, 1)],
        [(R, 0, 1, 1), (R, 0, 1, 0), (R, 0, 1, 0), (R, 0, 1, 0), (R, 0, 1, 0)],
        [(R, 37, 1, 200 * US), (R, 0, 1, 0), (R, 0, 1, 0), (R, 0, 1, 0), (R, 0, 2, 0)],
        [(W, 0, 1, 200 * US), (R, 0, 1, 0), (R, 0, 1, 0), (R, 0, 1, 0), (R, 0, 1, 0)],
        [(W, 0, 1, 0), (R, 37, 600, 0)],
    ],
    scheduling="fifo", flags=(False, True), segments=1, segment=800, depth=2, byte=0, unit=512,
)  # fmt: skip
@settings(max_examples=150)
@given(
    threads=st.lists(commands, min_size=1, max_size=6),
    scheduling=st.sampled_from(["fifo", "elevator", "shortest"]),
    flags=st.tuples(st.booleans(), st.booleans()),
    segments=st.integers(1, 4),
    segment=st.sampled_from([40, 160, 800]),
    depth=st.sampled_from([1, 2, 16]),
    byte=st.sampled_from([0, 1000, 30_000, 200_000]),
    unit=st.sampled_from([512, 10 * 512, 64 * 512]),
)
@pytest.mark.slow
def test_every_load_is_served_alike_by_both_engines(
    threads: list[list[Command]], scheduling: str, flags: tuple[bool, bool], segments: int, segment: int,
    depth: int, byte: int, unit: int,
) -> None:  # fmt: skip
    drive = sheet(
        segments=segments, segment=segment, scheduling=scheduling, read_ahead=flags[0], write_cache=flags[1],
        queue_depth=depth,
    )  # fmt: skip
    made = program(drive, threads, byte=byte, unit=unit)
    one, other = reference.run(made), compiled.run(made)
    assert one.status == other.status == Status.DONE
    assert (one.marks == other.marks).all()
    assert (one.state == other.state).all()
    assert (one.end, one.steps, one.events) == (other.end, other.steps, other.events)
    # Nothing is faster than the buffer and the wire.
    for number, each in enumerate(threads):
        took = [int(value) for _, mark, value in one.marks if mark == number + len(threads)]
        assert all(time >= 100 * US + command[2] * 512 * byte for time, command in zip(took, each, strict=True))


def test_a_drive_that_holds_much_reads_no_less_than_its_media_gives() -> None:
    # Sixteen sequential streams of one's own, longer than the buffer: at most the rate of the outer zone.
    threads = [[("read", 100 * CYLINDER * n + 200 * k, 200, 0) for k in range(40)] for n in range(HEADS * 4)]
    ends, _ = carry_out(compiled, sheet(segments=4, scheduling="shortest"), *threads)
    sectors = 16 * 40 * 200
    assert max(each[-1] for each in ends) >= sectors * REVOLUTION // 600
