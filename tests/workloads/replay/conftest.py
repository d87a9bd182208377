"""A scenario with a trace."""

from __future__ import annotations

import pytest
from replay_bench import RIG


@pytest.fixture
def scenario(tmp_path):
    def make(text: str, form: str | None = "disksim-validation", more: str = "", count: int = 1, no_storage=False):
        (tmp_path / "a.trace").write_text(text)
        path = tmp_path / "replay.yaml"
        more += "" if no_storage else ", storage: d"
        more += f", format: {form}" if form else ""
        path.write_text(RIG.format(file="a.trace", more=more, count=count))
        return path

    return make
