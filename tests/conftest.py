"""Fixtures that all rooms share."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SCENARIOS = ROOT / "scenarios"


@pytest.fixture(scope="session")
def load():
    """Load one of the ready scenarios by file name, with overrides."""
    from simio.loading import load as read

    def loaded(name: str, *sets: str):
        return read(str(SCENARIOS / name), sets)

    return loaded
