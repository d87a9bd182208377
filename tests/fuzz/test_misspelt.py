"""A key that is misspelt is never lost: it is told, or it is a name, and what is read has it.

What is read of a file with a misspelt key is compared with what is read of it without the key. If they are the same,
somebody's value was ignored without a word.
"""

from __future__ import annotations

import copy
import os
import random
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from fuzz_bench import ROOT, datasheets, put, scenarios, told
from mutations import places

from simio.errors import ScenarioError
from simio.loading import load
from simio.loading.catalogue import Catalogue
from simio.loading.tables import read_table, table_names

pytestmark = pytest.mark.slow

EXAMPLES = int(os.environ.get("SIMIO_EXAMPLES", "150"))
FIRST = int(os.environ.get("SIMIO_FIRST", "0"))
Read = Callable[[Path, str], object]
"""What there is in a file that stands for the one of a name."""


def scenario(path: Path, _name: str) -> object:
    read = load(path)
    return read.title, read.about, read.cases, read.tables, read.pooled


def datasheet(path: Path, name: str) -> object:
    category = Catalogue(ROOT / "models").sheet(name).category
    return Catalogue(path.parent).find(f"./{path.name}", category, path.parent)


def table(path: Path, name: str) -> object:
    return read_table(path, name)


@cache
def tables() -> dict[str, Any]:
    """The measured tables as trees, by name."""
    root = ROOT / "validation"
    return {name: yaml.safe_load((root / f"{name}.yaml").read_text()) for name in table_names(root)}


def misspelt(rng: random.Random, key: str) -> str:
    """A key with a letter that is missing, twice there, swapped, or another."""
    at = rng.randrange(len(key))
    before, letter, after = key[:at], key[at], key[at + 1 :]
    kinds = (before + after, before + 2 * letter + after, before + after[:1] + letter + after[1:],
             before + rng.choice("aeinrst_") + after, key.upper(), key + "s")  # fmt: skip
    return rng.choice([text for text in kinds if text and text != key])


def found(read: Read, file: Path, name: str, tree: object) -> object:
    """The scenario read from a tree, or None if faults are told."""
    try:
        return read(put(file, yaml.safe_dump(tree, sort_keys=False)), name)
    except ScenarioError as error:
        told(error)
        return None


@pytest.mark.parametrize(
    ("read", "trees"),
    [(scenario, scenarios), (datasheet, datasheets), (table, tables)],
    ids=["scenarios", "datasheets", "tables"],
)
def test_a_misspelt_key_is_told_or_makes_a_difference(
    read: Read, trees: Callable[[], dict[str, Any]], tmp_path: Path
) -> None:
    ends: Counter[str] = Counter()
    file = tmp_path / "file.yaml"
    name, tree = next(iter(trees().items()))
    assert found(read, file, name, tree) == found(read, file, name, copy.deepcopy(tree)) is not None
    for seed in range(FIRST, FIRST + EXAMPLES):
        rng = random.Random(seed)
        name = rng.choice(list(trees()))
        wrong = copy.deepcopy(trees()[name])
        holder, key = rng.choice([each for each in places(wrong) if isinstance(each[1], str)])
        other = misspelt(rng, key)
        if other in holder:
            continue
        value = holder.pop(key)
        without = copy.deepcopy(wrong)
        holder[other] = value
        accepted = found(read, file, name, wrong)
        lost = accepted is not None and accepted == found(read, file, name, without)
        assert not lost, f"seed {seed}: {name}: {other!r} for {key!r} is ignored"
        ends["told" if accepted is None else "a name"] += 1
    print(dict(ends))
    assert ends["told"] > EXAMPLES / 2
