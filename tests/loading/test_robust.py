"""Whatever stands anywhere in a scenario, it is read or its problems are told; nothing else happens."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from load_samples import BUS, DISKS, HIPPI, VOLUMES, Loader

from simio.errors import Problem, ScenarioError

ODD: list[Any] = [None, True, -1.5, "x", [], ["a.hippi", "f"], {"x": 1}, {"model": "x"}]
MORE = "run: {until: 1 s}\nreport: {unit: MB/s}\nmeasured: study/table\n"
SAMPLES = {
    "hippi": HIPPI + "vary: {workload.blast.size: [1 KiB, 64 KiB]}\n" + MORE,
    "disks": DISKS + "vary: [{disks.d.count: [1, 2]}, {hosts.s.adapters.fc.credit: [3]}]\n" + MORE,
    "bus": BUS,
    "volumes": VOLUMES.replace("block: 64 KiB", "block: {4 KiB: 1, 8 KiB: 2}"),
}


def places(tree: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place of a tree."""
    yield path
    items = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, value in items:
        yield from places(value, (*path, key))


def changed(tree: Any, path: tuple[Any, ...], value: Any) -> Any:
    """The tree with another value at a place."""
    if not path:
        return value
    copy = dict(tree) if isinstance(tree, dict) else list(tree)
    copy[path[0]] = changed(tree[path[0]], path[1:], value)
    return copy


def problems(read: Loader, tree: Any) -> tuple[Problem, ...]:
    """The problems of a tree, none if it can be read."""
    try:
        assert read(json.dumps(tree)).cases
    except ScenarioError as error:
        return error.problems
    return ()


@pytest.mark.parametrize("sample", SAMPLES)
@pytest.mark.slow
def test_odd_values_anywhere(sample: str, read: Loader) -> None:
    tree = yaml.safe_load(SAMPLES[sample])
    for path in places(tree):
        for odd in ODD:
            for problem in problems(read, changed(tree, path, odd)):
                assert problem.found
                assert problem.expected or problem.hint
                assert problem.place is not None


@pytest.mark.parametrize("sample", SAMPLES)
def test_keys_too_many_or_left_out_anywhere(sample: str, read: Loader) -> None:
    tree = yaml.safe_load(SAMPLES[sample])
    for path in places(tree):
        held = tree
        for key in path:
            held = held[key]
        if isinstance(held, dict):
            less = [{key: value for key, value in held.items() if key != out} for out in held]
            for odd in ({**held, "surprise": 1}, {**held, "a.b": {}}, *less):
                assert all(problem.place is not None for problem in problems(read, changed(tree, path, odd)))


def test_of_very_many_faults_the_first_are_told(read: Loader) -> None:
    tree = {**yaml.safe_load(HIPPI), **{f"surprise{number}": 1 for number in range(500)}}
    found = problems(read, tree)
    assert len(found) == 101
    assert found[0].found == "500 problems"


def test_a_fleet_of_disks_is_read(read: Loader) -> None:
    many = DISKS.replace("count: 3", "count: 10000").replace(
        "switches/four-port", "{model: switches/four-port, ports: 10001}"
    )
    assert len(read(many).cases[0].system.links) == 10_001


def test_a_key_path_has_few_steps(read: Loader) -> None:
    with pytest.raises(ScenarioError) as caught:
        read(HIPPI, ["hosts" + ".a" * 50_000 + "=1"])
    assert len(str(caught.value)) < 500
