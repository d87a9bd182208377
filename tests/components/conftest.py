"""Fixtures of components' tests: both engines, and a program that marks instants."""

from __future__ import annotations

from types import ModuleType

import pytest
from part_samples import Trace

from simio.engines import compiled, reference


@pytest.fixture(params=[reference, compiled], ids=["simpy", "compiled"])
def engine(request: pytest.FixtureRequest) -> ModuleType:
    """Each of the two engines in turn."""
    return request.param


@pytest.fixture
def trace() -> Trace:
    """An empty program."""
    return Trace()
