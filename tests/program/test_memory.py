"""Words of state as lists and arrays: the same table as from one list."""

from __future__ import annotations

from array import array

import numpy as np
import pytest

from simio.machines.layout import Layout
from simio.program.builder import Builder
from simio.program.memory import StateWords


def words(memory: StateWords) -> list[int]:
    return memory.table(np.int64).tolist()


def test_lists_and_arrays_are_words_in_a_row_that_can_be_changed_and_repeated() -> None:
    memory = StateWords()
    assert words(memory) == []
    rows = array("q", [-1, -1, 7])
    for part in ([1, 2], [3], rows, (4, 5)):
        memory.extend(part)
    assert len(memory) == 8
    assert words(memory) == [1, 2, 3, -1, -1, 7, 4, 5]
    memory[1], memory[4] = 20, 40
    assert memory[4] == 40
    memory.repeat(2, 2)
    assert words(memory) == [1, 20, *[3, -1, 40, 7, 4, 5] * 3]
    memory[3] = 30
    assert words(memory) == [1, 20, 3, 30, 40, 7, 4, 5, *[3, -1, 40, 7, 4, 5] * 2]
    assert rows.tolist() == [-1, -1, 7]
    assert memory.table(object).tolist() == words(memory)


def test_a_last_table_that_is_an_array_is_laid_down_as_a_list_would_be() -> None:
    layout = Layout("drive")
    layout.word("free")
    layout.table("rows")
    layout.later("more")
    programs = []
    for rows in ([5, -1, -1], array("q", [5, -1, -1])):
        state = layout.initial(free=3, rows=rows)
        p = Builder()
        p.machine("other", state + layout.initial(free=1))
        offset = p.machine("drive", state)
        p.set_word(offset, 2)
        with p.thread("user"):
            p.advance(1)
        programs.append(p.build())
    one, two = programs
    assert two.state.tolist() == one.state.tolist() == [3, 5, -1, -1, 1, 2, 5, -1, -1]
    assert two.words == one.words
    with pytest.raises(ValueError, match="'more' is behind an array"):
        layout.initial(rows=array("q", [1]), more=[2])


def test_words_that_are_traced_stay_as_they_are_when_repeated() -> None:
    class Traced(int):
        pass

    memory = StateWords()
    memory.extend([1, Traced(2)])
    memory.repeat(0, 2)
    assert [type(memory[at]) for at in range(6)] == [int, Traced] * 3
    assert words(memory) == [1, 2] * 3
