"""Registers of a builder, calls, and procedures that are given values in them."""

from __future__ import annotations

import pytest

from simio.engines import compiled, reference
from simio.engines.outcome import Options
from simio.machines import bus, variable
from simio.machines.door import number_of
from simio.program.builder import Builder, Handle, ProgramError, Register
from simio.program.steps import NO_REGISTER, Op

NONE = NO_REGISTER


# --- registers ---------------------------------------------------------------------------------------------


def test_registers_are_free_again_after_loops_and_forks() -> None:
    p = Builder()
    with p.thread("a"):
        first = p.register()
        with p.loop(2):
            inside = p.register()
        with p.fork("f"):
            forked = p.register()
        after = p.register()
    with p.thread("b"):
        other = p.register()
    # The loop's counter is 1, so what is inside it is 2.
    assert [r.number for r in (first, inside, forked, after, other)] == [0, 2, 1, 1, 0]
    assert p.build().registers == 3


def test_nothing_inside_a_block_disturbs_what_is_outside() -> None:
    # Counters and variables of nested loops and forks all differ where they live at once.
    p = Builder()
    seen = p.observation("seen")
    with p.thread("t"):
        total = p.register(0)
        with p.loop(3):
            with p.loop(2):
                step = p.register(10)
                with p.fork("child", joined=True):
                    own = p.register(1000)
                    p.let(own, "ADD", own, total)
                    p.mark(seen, own)
                    p.let(total, "SET", -1)
                    p.let(step, "SET", -1)
                p.join()
                p.let(total, "ADD", total, step)
            one = p.register(1)
            p.let(total, "ADD", total, one)
        p.mark(seen, total)
    values: list[int] = reference.run(p.build()).marks[:, 2].tolist()
    assert values == [1000, 1010, 1021, 1031, 1042, 1052, 63]


def test_a_call_reads_its_arguments_before_it_writes() -> None:
    # The result may be one of the arguments, and constants take no register.
    p = Builder()
    at = p.machine("disk", [0] * 20)
    with p.thread("t"):
        r = p.register(1)
        p.call(r, bus.begin, at, r, 5)
        s = p.register(2)
    assert s.number == 1
    assert p.build().steps[1, :6].tolist() == [Op.CALL, number_of(bus.begin), at, 0, -6, 0]


@pytest.mark.parametrize("value", [-1, 2**62 + 1])
def test_a_call_takes_no_constant_that_does_not_fit(value: int) -> None:
    p = Builder()
    at = p.machine("swapped", [0])
    with p.thread("t"), pytest.raises(ProgramError, match=f"constant {value} does not fit"):
        p.call(p.register(), variable.swap, at, value)


def test_a_call_is_given_constants_as_they_are() -> None:
    p = Builder()
    at, seen = p.machine("swapped", [7]), p.observation("seen")
    with p.thread("t"):
        r = p.register()
        for value in (0, 2**40, 5, 0):
            p.call(r, variable.swap, at, value)
            p.mark(seen, r)
    for engine in (reference, compiled):
        assert engine.run(p.build()).marks[:, 2].tolist() == [7, 0, 2**40, 5]


def test_handles_say_what_they_are() -> None:
    p = Builder()
    assert p.resource("a") == Handle("resource", 0, "a")
    assert p.resource("b") == Handle("resource", 1, "b")
    assert p.container("b") == Handle("container", 0, "b")
    assert p.observation("m") == Handle("mark", 0, "m")
    assert p.window("w", 2) == Handle("window", 0, "w")


def test_pieces_are_the_whole_ones_and_the_rest() -> None:
    def puts(size: int, piece: int) -> list[int]:
        p = Builder()
        buffer = p.container("buffer")
        with p.thread("t"):
            for amount in p.pieces(size, piece):
                p.put(buffer, amount)
        outcome = reference.run(p.build(), Options(trace=True))
        return [outcome.containers[0, 3], *(outcome.trace[:, 2].tolist())]

    # 10 in pieces of 4: LET, then PUT 4 and LOOP twice, then PUT 2 and END.
    assert puts(10, 4) == [10, 0, 1, 2, 1, 2, 3, 4]
    # One piece or less needs no loop, and nothing at all no step but END.
    assert puts(4, 4) == [4, 0, 1]
    assert puts(3, 4) == [3, 0, 1]
    assert puts(0, 4) == [0, 0]


def test_a_procedure_is_written_once_and_given_its_values():
    p = Builder(arguments=3)
    seen = p.observation("seen")

    def body(first: Register, second: Register) -> None:
        own = p.register()
        p.let(own, "ADD", first, second)
        p.advance(own_time)
        p.mark(seen, own)

    own_time = 7
    work = p.procedure("work", 2, body)
    with p.thread("caller"):
        mine = p.register(40)
        p.spawn(work, mine, 2)
        p.spawn(work, 1, mine, delay=100, joined=True)
        p.join()
        p.mark(seen, mine)
    program = p.build()
    assert sum(step[0] == Op.ADVANCE for step in program.steps) == 1
    outcome = reference.run(program)
    assert outcome.marks.tolist() == [[7, 0, 42], [107, 0, 41], [107, 0, 40]]


def test_a_procedure_may_spawn_itself():
    p = Builder(arguments=1)
    seen = p.observation("seen")

    def body(left: Register) -> None:
        p.mark(seen, left)
        with p.when(left, ">", 0):
            p.let(left, "SUB", left, 1)
            p.spawn(count, left, delay=5)

    count = p.procedure("count", 1, body)
    with p.thread("caller"):
        p.spawn(count, 2, joined=True)
        p.join()
        p.advance(100)
    assert reference.run(p.build()).marks[:, [0, 2]].tolist() == [[0, 2], [5, 1], [10, 0]]


def test_what_a_procedure_is_given_must_fit():
    p = Builder(arguments=1)
    with pytest.raises(ProgramError, match="needs 2 arguments, and threads have 1"):
        p.procedure("work", 2, lambda a, b: None)
    one = p.procedure("work", 1, lambda a: None)
    with p.thread("caller"), pytest.raises(ProgramError, match="takes 1 values, not 2"):
        p.spawn(one, 1, 2)


def test_pieces_go_into_places_in_turn():
    # Seven and a half pieces into three places: two rounds, then the first place, and the half into the second.
    p = Builder()
    seen = p.observation("seen")
    with p.thread("t"):
        for place, amount in p.turns(75, 10, 3):
            p.mark(seen, 100 * place + amount)
    values = reference.run(p.build()).marks[:, 2].tolist()
    assert values == [10, 110, 210] * 2 + [10, 105]
