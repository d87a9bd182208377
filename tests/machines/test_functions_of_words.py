"""Machine functions that are declared to answer with a word of the state, which an engine reads without a call."""

from __future__ import annotations

import pytest

from simio.machines.door import Machine, call, families

READING = [one for functions in families().values() for one in functions if one.word is not None]
BASE = 3


def test_there_are_some_of_several_families() -> None:
    assert len({one.family for one in READING}) > 2


@pytest.mark.parametrize("one", READING, ids=lambda one: one.name)
def test_it_answers_with_that_word_and_changes_nothing(one: Machine) -> None:
    assert one.word is not None
    assert not one.timed
    assert one.arguments == 0
    state = [1000 + at for at in range(BASE + one.word + 500)]
    before = list(state)
    assert call(one.number, state, BASE, 10) == 1000 + BASE + one.word
    assert state == before
