"""A fixture of the engines' tests: one program."""

from __future__ import annotations

import pytest
from engine_bench import Bench


@pytest.fixture
def bench() -> Bench:
    return Bench()
