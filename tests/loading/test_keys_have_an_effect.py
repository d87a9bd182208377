"""Every key of a datasheet is read by something."""

from __future__ import annotations

import re
from pathlib import Path

import simio
from simio.description.sheets import CATEGORIES, sheet_kinds

ROOT = Path(simio.__file__).parent
BY_NAME = ("components", "description", "machines")
"""Packages in which keys are read by names in texts, too."""


def test_no_key_of_a_datasheet_is_read_by_nothing() -> None:
    read: set[str] = set()
    for path in ROOT.rglob("*.py"):
        text = path.read_text()
        read |= set(re.findall(r"\.(\w+)", text))
        if path.relative_to(ROOT).parts[0] in BY_NAME:
            read |= set(re.findall(r'"(\w+)"', text))
    keys = {key for category in CATEGORIES for sheet in sheet_kinds(category).values() for key in sheet.model_fields}
    assert len(keys) > 100
    assert sorted(keys - read) == []
