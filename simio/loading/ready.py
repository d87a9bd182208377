"""Ready scenarios: those that simio comes with, by name from any folder."""

from __future__ import annotations

import os
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

from simio.errors import did_you_mean, quote
from simio.loading.catalogue import data_root
from simio.loading.yamltree import parse_yaml
from simio.reading import read_file

_FOLDER = "scenarios"


@dataclass(frozen=True)
class Ready:
    """A ready scenario: its name, its title and the question that it answers."""

    name: str
    title: str
    question: str


def ready_names() -> list[str]:
    """The names of the ready scenarios, sorted."""
    return sorted(path.stem for path in data_root("simio.scenarios").glob("*.yaml"))


def ready_file(name: str) -> Path | None:
    """The file of the ready scenario of this name, or None if there is none."""
    path = data_root("simio.scenarios") / f"{name}.yaml"
    # A name can be longer than a system allows, for which `Path.is_file` raises.
    return path if os.path.isfile(path) else None


def located(text: str) -> str:
    """The file that a user means by `text`: that file if it exists, else the ready scenario of this name.

    `linux-fc-raw`, `linux-fc-raw.yaml` and `scenarios/linux-fc-raw.yaml` all name a ready scenario; a file of the
    name in the current folder comes first. Any other text is returned as it is.
    """
    if os.path.lexists(text):
        return text
    folder, base = os.path.split(text)
    name = base.removesuffix(".yaml")
    if not folder and os.path.lexists(f"{name}.yaml"):
        return f"{name}.yaml"
    found = ready_file(name) if folder in ("", _FOLDER) else None
    return str(found) if found else text


def near_ready(text: str) -> str:
    """A suggestion of a ready scenario for the name of a missing file, or an empty text."""
    folder, base = os.path.split(text)
    if os.path.lexists(text) or folder not in ("", _FOLDER):
        return ""
    if located(text) != text:
        return f"did you mean {quote(located(text))}?"
    return did_you_mean(base.removesuffix(".yaml"), ready_names())


def ready_scenarios() -> list[Ready]:
    """All ready scenarios, by name."""
    return [_described(name) for name in ready_names()]


def _described(name: str) -> Ready:
    path = data_root("simio.scenarios") / f"{name}.yaml"
    text = read_file(path)
    title = parse_yaml(text, str(path)).entries["title"].value
    return Ready(name, str(title), _question(text))


def _question(text: str) -> str:
    """The questions of the first paragraph of comments, in a line."""
    lines = takewhile(lambda line: line.strip("# "), text.splitlines())
    paragraph = " ".join(line.removeprefix("#").strip() for line in lines)
    return paragraph[: paragraph.rfind("?") + 1] or paragraph


def file_beside(folder: Path, name: str) -> Path:
    """A file that a scenario in `folder` names; a copy of a ready scenario has those of the original."""
    path, ready = folder / name, data_root("simio.scenarios") / name
    return ready if not path.exists() and ready.is_file() else path
