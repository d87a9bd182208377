"""Fixtures of the engines' tests: one program, both engines."""

from __future__ import annotations

from types import ModuleType

import pytest
from engine_bench import Bench

from simio.engines import compiled, reference


@pytest.fixture(params=[reference, compiled], ids=["reference", "compiled"])
def engine(request: pytest.FixtureRequest) -> ModuleType:
    """Each of the two engines in turn."""
    return request.param


@pytest.fixture
def bench() -> Bench:
    return Bench()
