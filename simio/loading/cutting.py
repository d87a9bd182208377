"""The text of a scenario without some of its sections."""

from __future__ import annotations

from collections.abc import Collection

from simio.loading.yamltree import parse_yaml


def without(text: str, file: str, keys: Collection[str]) -> str:
    """A YAML text without these keys at its top, each with the lines up to the next key."""
    starts = {place.line: key for key, place in parse_yaml(text, file).key_places.items()}
    kept, left_out = [], False
    for number, line in enumerate(text.splitlines(keepends=True), 1):
        if number in starts:
            left_out = starts[number] in keys
        if not left_out:
            kept.append(line)
    return "".join(kept).rstrip() + "\n"
