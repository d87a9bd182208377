"""Rooms of the package: those that model the world import in one direction, and no modules import in a circle."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import networkx as nx
import pytest

import simio

ROOT = Path(simio.__file__).parent
MODEL = {
    "reading", "units", "description", "topology", "formats", "machines", "program", "engines", "components",
    "workloads", "lower", "loading", "result", "observing", "running",
}  # fmt: skip
"""Rooms and modules between a scenario's text and its result."""


def modules() -> dict[str, Path]:
    names = {}
    for path in ROOT.rglob("*.py"):
        parts = ("simio", *path.relative_to(ROOT).with_suffix("").parts)
        names[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return names


def imported(node: ast.AST, known: dict[str, Path], within: bool = False) -> Iterator[tuple[str, bool]]:
    """Modules that are imported, each with whether a function does it; imports for types alone are left out."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING":
            continue
        if isinstance(child, ast.ImportFrom) and child.module:
            for alias in child.names:
                whole = f"{child.module}.{alias.name}"
                yield whole if whole in known else child.module, within
        elif isinstance(child, ast.Import):
            yield from ((alias.name, within) for alias in child.names)
        else:
            yield from imported(child, known, within or isinstance(child, ast.FunctionDef))


@pytest.fixture(scope="module")
def arrows() -> list[tuple[str, str, bool]]:
    known = modules()
    found = []
    for name, path in known.items():
        for other, within in imported(ast.parse(path.read_text()), known):
            if other in known and other != name:
                found.append((name, other, within))
    assert len(found) > 3000
    return found


def circles(graph: nx.DiGraph) -> list[list[str]]:
    return [sorted(circle) for circle in nx.strongly_connected_components(graph) if len(circle) > 1]


def test_no_module_imports_itself_by_way_of_others(arrows: list[tuple[str, str, bool]]) -> None:
    assert circles(nx.DiGraph((one, other) for one, other, within in arrows if not within)) == []


def test_rooms_of_the_model_import_in_one_direction(arrows: list[tuple[str, str, bool]]) -> None:
    graph = nx.DiGraph()
    for one, other, _ in arrows:
        here, there = (name.split(".")[1] if "." in name else "" for name in (one, other))
        if {here, there} <= MODEL and here != there:
            graph.add_edge(here, there)
    assert {"workloads", "components", "description"} <= set(graph)
    assert circles(graph) == []
