"""A small catalogue and small tables, so that these tests do not change when the ones of simio do."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import load_sheets
import pytest
from load_samples import Loader

from simio.description.model import Scenario
from simio.description.sheets import base
from simio.description.sheets.kinds import import_all
from simio.loading import load
from simio.loading.catalogue import Catalogue

HERE = Path(__file__).parent


@pytest.fixture(autouse=True)
def kinds(monkeypatch: pytest.MonkeyPatch) -> None:
    """The kinds of parts of these tests, which other tests do not see."""
    import_all()
    monkeypatch.setattr(base, "REGISTERED", dict(base.REGISTERED))
    load_sheets.register()


@pytest.fixture
def parts() -> Catalogue:
    """The small catalogue."""
    return Catalogue(HERE / "models")


@pytest.fixture
def read(tmp_path: Path, parts: Catalogue) -> Loader:
    """Loads a scenario from text."""

    def read_text(text: str, sets: Sequence[str] = ()) -> Scenario:
        path = tmp_path / "scenario.yaml"
        path.write_text(text, encoding="utf-8")
        return load(path, sets, parts=parts, tables=HERE / "tables")

    return read_text
