"""Rows of measured tables as a tool's output gives them, and the JSON that a tool prints among other text."""

from __future__ import annotations

import json
from typing import Any

Row = tuple[str, float, str, str]
"""Quantity, value, unit and of what."""


def first_object(text: str) -> dict[str, Any] | None:
    """The first JSON object of a text, which other text and further objects may surround; None if there is none."""
    begin = text.find("{")
    if begin < 0:
        return None
    try:
        found, _ = json.JSONDecoder().raw_decode(text, begin)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None
