"""Fuzzed files beside scenarios: datasheets, settings, tables, baselines; each function returns an outcome."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from functools import cache
from pathlib import Path

import yaml
from fuzz_bench import ROOT, datasheets, outcome, put, scenarios, told
from mutations import AMOUNTS, FRAGMENTS, ODD, UNITS, mangled, mutated, scaled

from simio.errors import ScenarioError, SimioError
from simio.loading.catalogue import Catalogue
from simio.loading.tables import read_table, table_names
from simio.studies.baseline import read_baseline

Fuzz = Callable[[random.Random], str]
"""Does one thing with a mutated file, and tells what became of it; anything that should not be, raises."""


@cache
def users() -> dict[str, list[str]]:
    """For each datasheet the scenarios that use it, by name or through a host."""
    texts = {name: (ROOT / "scenarios" / f"{name}.yaml").read_text() for name in scenarios()}
    hosts = {name: str(sheet.get("parts", "")) for name, sheet in datasheets().items() if name.startswith("hosts/")}
    through = {name: [name, *(host for host, parts in hosts.items() if name in parts)] for name in datasheets()}
    found = {
        name: [scenario for scenario, text in texts.items() if any(each in text for each in names)]
        for name, names in through.items()
    }
    return {name: used for name, used in found.items() if used}


def sheets(folder: Path) -> Fuzz:
    """A datasheet of the catalogue that is mutated, in a scenario that uses it."""
    overlay = folder / "models"
    for kind in {path.parent for path in (ROOT / "models").glob("*/*.yaml")}:
        (overlay / kind.name).mkdir(parents=True, exist_ok=True)
        for path in kind.glob("*.yaml"):
            link = overlay / kind.name / path.name
            link.unlink(missing_ok=True)
            link.symlink_to(path)
    parts = Catalogue(overlay)
    stamps = iter(range(1, 10**9))

    def fuzz(rng: random.Random) -> str:
        name = rng.choice(list(users()))
        path, original = overlay / f"{name}.yaml", ROOT / "models" / f"{name}.yaml"
        path.unlink()
        put(path, mutated(rng, datasheets()[name], list(datasheets().values())))
        # The catalogue reads a file again where its time has changed.
        os.utime(path, ns=(0, next(stamps)))
        try:
            tree = scenarios()[rng.choice(users()[name])]
            short = {**tree, "run": {"until": "5 ms"}}
            short.pop("measured", None)
            scenario = put(folder / "scenario.yaml", yaml.safe_dump(short, sort_keys=False))
            return outcome(scenario, parts=parts)
        finally:
            path.unlink()
            path.symlink_to(original)

    return fuzz


def settings(folder: Path) -> Fuzz:
    """`--set` with key paths and values as people mistype them."""

    def fuzz(rng: random.Random) -> str:
        name = rng.choice(list(scenarios()))
        return outcome(ROOT / "scenarios" / f"{name}.yaml", [setting(rng, name), *_SHORT])

    return fuzz


_SHORT = ("run.until=2 ms", "run.warm_up=auto", "run.replications=1")


def setting(rng: random.Random, name: str) -> str:
    """A key path of a scenario, perhaps misspelt, and a value for it."""
    tree = scenarios()[name]
    tree = {key: held for key, held in tree.items() if isinstance(held, dict | list) and key != "vary"}
    path = _path(rng, tree)
    old = _held(tree, path)
    odd = rng.choice((*ODD, f"{rng.choice(AMOUNTS)} {rng.choice(UNITS)}", rng.choice(FRAGMENTS)))
    near = scaled(rng, old)
    new = odd if near is None or rng.random() < 0.3 else near
    steps = [f"link{key + 1}" if isinstance(key, int) else str(key) for key in path]
    if rng.random() < 0.2:
        steps.insert(rng.randrange(len(steps) + 1), rng.choice(("", "x", "model", "kind", ".", "cpu", "values")))
    text = f"{'.'.join(steps)}={new}"
    if rng.random() < 0.9:
        return text
    odd = mangled(rng, text)
    return odd if isinstance(odd, str) else odd.decode("utf-8", "surrogateescape")


def _path(rng: random.Random, tree: object) -> list[str | int]:
    paths = _paths(tree)
    values = [path for path in paths if not isinstance(_held(tree, path), dict | list)]
    return rng.choice(values if rng.random() < 0.8 else paths)


def _paths(tree: object, above: tuple[str | int, ...] = ()) -> list[list[str | int]]:
    keys = tree if isinstance(tree, dict) else range(len(tree)) if isinstance(tree, list) else ()
    return [path for key in keys for path in ([*above, key], *_paths(tree[key], (*above, key)))]


def _held(tree: object, path: list[str | int]) -> object:
    for key in path:
        tree = tree[key]
    return tree


def tables(folder: Path) -> Fuzz:
    """A measured table that is mutated."""
    root = ROOT / "validation"
    known = {name: yaml.safe_load((root / f"{name}.yaml").read_text()) for name in table_names(root)}

    def fuzz(rng: random.Random) -> str:
        name = rng.choice(list(known))
        file = put(folder / "table.yaml", mutated(rng, known[name], list(known.values())))
        try:
            read_table(file, "study/table")
        except ScenarioError as error:
            return told(error)
        return "result"

    return fuzz


def baselines(folder: Path) -> Fuzz:
    """A baseline that is mutated."""
    text = (ROOT / "validation" / "baseline.json").read_text()
    tree = yaml.safe_load(text)
    small = {table: dict(list(rows.items())[:3]) for table, rows in list(tree.items())[:4]}

    def fuzz(rng: random.Random) -> str:
        content = mangled(rng, text) if rng.random() < 0.3 else mutated(rng, small, [small])
        try:
            read_baseline(put(folder / "baseline.json", content))
        except SimioError:
            return "refused"
        return "result"

    return fuzz
