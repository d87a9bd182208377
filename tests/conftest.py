"""Fixtures that all rooms share."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import HealthCheck, settings

# The duration of an example tells how busy the machine is.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")
# A shell starts what runs in the background with SIGINT ignored: tests that interrupt would never end.
signal.signal(signal.SIGINT, signal.default_int_handler)

ROOT = Path(__file__).parent.parent
SCENARIOS = ROOT / "scenarios"


@pytest.fixture(scope="session", autouse=os.environ.get("NUMBA_DISABLE_JIT") == "1")
def interpreted() -> Iterator[None]:
    """The compiled engine, run as Python where numba is missing."""
    from interpreted import interpret

    with pytest.MonkeyPatch.context() as patch:
        interpret(patch)
        yield


@pytest.fixture(params=["reference", "compiled"])
def engine(request: pytest.FixtureRequest) -> ModuleType:
    """Each of the two engines in turn."""
    return import_module(f"simio.engines.{request.param}")


@pytest.fixture(scope="session")
def load():
    """Load one of the ready scenarios by file name, with overrides."""
    from simio.loading import load as read

    def loaded(name: str, *sets: str):
        return read(str(SCENARIOS / name), sets)

    return loaded


@pytest.fixture
def own_results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sweeps find no results of earlier runs or of another test."""
    monkeypatch.setattr("simio.sweeps.cache._folder", lambda: tmp_path / "results")
