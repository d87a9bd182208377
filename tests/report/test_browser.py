"""Figures drawn in a process of its own: what is said where none can be drawn."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from simio.errors import SimioError
from simio.report import browser

pytest.importorskip("plotly")


def test_a_browser_that_stands_still_is_ended_and_tried_once_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[subprocess.Popen[str]] = []

    class Seen(subprocess.Popen[str]):
        def __init__(self, *words: Any, **more: Any) -> None:
            super().__init__(*words, **more)
            started.append(self)

    # No interpreter starts in so short a time.
    monkeypatch.setattr(browser, "LIMIT", 0)
    monkeypatch.setattr(subprocess, "Popen", Seen)
    with pytest.raises(SimioError, match="the browser gave no answer for 0 s"):
        browser.draw([{"data": [], "layout": {}}], [tmp_path / "a.png"], "a picture", ".svg")
    assert [each.returncode for each in started] == [-9, -9]
    assert not list(tmp_path.iterdir())


def test_the_reason_and_what_needs_no_browser_are_told(tmp_path: Path) -> None:
    with pytest.raises(SimioError) as refused:
        browser.draw(
            [{"data": [{"type": "pencil"}], "layout": {}}], [tmp_path / "a.png"], "a picture as '.png'", ".svg"
        )
    said = str(refused.value)
    assert said.startswith("cannot draw a picture as '.png': that needs the package kaleido")
    assert "while .svg needs neither" in said
    assert "pencil" in said
    assert "Traceback" not in said
