"""The garbage collector is as it was, whatever happens meanwhile."""

from __future__ import annotations

import gc

import pytest

from simio.program.garbage import uncollected


def fail() -> None:
    with uncollected():
        with uncollected():
            assert not gc.isenabled()
        assert not gc.isenabled()
        raise KeyError


@pytest.mark.parametrize("collecting", [True, False])
def test_the_collector_is_as_it_was_afterwards(collecting: bool) -> None:
    (gc.enable if collecting else gc.disable)()
    try:
        with pytest.raises(KeyError):
            fail()
        assert gc.isenabled() == collecting
    finally:
        gc.enable()


def test_objects_that_were_made_meanwhile_count_as_old() -> None:
    with uncollected():
        made = [set[int]()]
    assert any(each is made for each in gc.get_objects(generation=2))
    assert not gc.get_freeze_count()


def test_what_a_program_has_frozen_stays_frozen() -> None:
    gc.freeze()
    try:
        frozen = gc.get_freeze_count()
        with uncollected():
            pass
        assert gc.get_freeze_count() >= frozen - 10
    finally:
        gc.unfreeze()


def test_nobody_counts_what_a_process_has_frozen_for_good(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("simio.program.garbage._frozen", True)
    monkeypatch.setattr(gc, "get_freeze_count", lambda: pytest.fail("counting takes longer than lowering"))
    with uncollected():
        pass
    assert gc.isenabled()
