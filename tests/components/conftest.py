"""A fixture of components' tests: a program that marks instants."""

from __future__ import annotations

import pytest
from part_samples import Trace


@pytest.fixture
def trace() -> Trace:
    """An empty program."""
    return Trace()
