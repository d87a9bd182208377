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
