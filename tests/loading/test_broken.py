"""Messages for broken scenarios: each `broken/NAME.yaml` beside its message, `broken/NAME.txt`."""

from __future__ import annotations

from pathlib import Path

import pytest

from simio.errors import ScenarioError
from simio.loading import load
from simio.loading.catalogue import Catalogue

BROKEN = Path(__file__).parent / "broken"
NAMES = sorted(path.stem for path in BROKEN.glob("*.yaml"))


@pytest.mark.parametrize("name", NAMES)
def test_message(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(BROKEN)
    with pytest.raises(ScenarioError) as caught:
        load(f"{name}.yaml", parts=Catalogue(Path("../models")), tables=Path("../tables"))
    assert f"{caught.value}\n" == Path(f"{name}.txt").read_text(encoding="utf-8")


def test_every_message_belongs_to_a_scenario() -> None:
    assert sorted(path.stem for path in BROKEN.glob("*.txt")) == NAMES
    assert len(NAMES) >= 20
