"""A thread may use every register that the builder hands out, without touching those of its neighbours."""

from __future__ import annotations

import pytest

from simio.engines import compiled, layout, reference
from simio.engines.outcome import Status
from simio.program.builder import MAX_REGISTERS, Builder, ProgramError


def test_the_compiled_tables_have_room_for_what_the_builder_hands_out():
    assert layout.REGISTERS + MAX_REGISTERS <= layout.THREAD_COLUMNS


def test_all_registers_of_many_threads_keep_their_values():
    p = Builder()
    seen = p.observation("seen")
    with p.thread("work", count=40):
        registers = [p.register(number) for number in range(MAX_REGISTERS)]
        p.advance(10)
        with p.fork("child", joined=True):
            p.advance(5)
            for register in registers:
                p.mark(seen, register)
        p.join()
    program = p.build()
    outcome = compiled.run(program)
    assert outcome.status == Status.DONE
    values = sorted(outcome.marks[:, 2].tolist())
    assert values == sorted(40 * list(range(MAX_REGISTERS)))
    assert outcome.differences(reference.run(program)) == []


def test_one_register_more_is_refused():
    p = Builder()
    with p.thread("work"):
        for _ in range(MAX_REGISTERS):
            p.register()
        with pytest.raises(ProgramError, match=f"a thread has {MAX_REGISTERS} registers"):
            p.register()
