"""Differences between two systems, as changes that can be made one at a time."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from simio.description.model import System, Workload
from simio.explaining.model import Change, Difference
from simio.explaining.parts import placed, with_values
from simio.loading import resolved

SIX = 6
"""Changes that are separated exactly; more are taken together by their owners."""
WIRED = ("hosts", "disks", "volumes", "switches", "links", "faults")
"""Parts of a system that make up the path of the data."""
_OF_VOLUMES = ("unit", "record", "sector", "quorum", "nearest", "cache")
"""Values of a volume that leave its members and their order as they are."""
_SINGLE: dict[str, Any] = dict.fromkeys(("file_system", "controller", *_OF_VOLUMES))
"""Fields that are compared apart from a volume's shape."""
_ASIDE = frozenset({"basis", "source", "interval", "title", "group", "model", "kind"})
Apply = Callable[[System], System]


@dataclass(frozen=True)
class Step:
    """A change and how it is made in a system that lacks it."""

    change: Change
    apply: Apply


def given_between(a: Mapping[str, str], b: Mapping[str, str], systems: tuple[System, System]) -> list[Difference]:
    """The settings of a user in which two cases differ; one that only one of them has is looked up in the other."""
    found = []
    flat = [flat_values(resolved(system)) for system in systems]
    for key in dict.fromkeys([*a, *b]):
        # Of disks that are alike, the first stands for its group.
        first = re.sub(r"^disks\.([^.]+)\.", r"disks.\g<1>1.", key)
        one, other = (
            own.get(key) or values.get(key) or values.get(first, "") for own, values in zip((a, b), flat, strict=True)
        )
        if one != other:
            found.append(Difference(key, one, other))
    return found


def steps_between(a: System, b: System, given: Sequence[Difference] = ()) -> tuple[list[Step], bool]:
    """The changes that make one system of the other, one after another in any order; and whether some of them were
    taken together because they are many. The settings `given` name other parts and wiring, if they are of such."""
    steps = list(_steps(a, b, resolved(a), resolved(b), given))
    if len(steps) <= SIX:
        return steps, False
    merged: dict[str, list[Step]] = {}
    for step in steps:
        merged.setdefault(_owner(step.change.values[0].path), []).append(step)
    if len(merged) > SIX:
        by_section: dict[str, list[Step]] = {}
        for owner, group in merged.items():
            by_section.setdefault(owner.split(".")[0], []).extend(group)
        merged = by_section
    return [_together(owner, group) for owner, group in merged.items()], True


def _owner(path: str) -> str:
    """The owner of a value: a host, a group of disks, a workload."""
    return ".".join(path.split(".")[:2])


def _together(owner: str, group: list[Step]) -> Step:
    if len(group) == 1:
        return group[0]

    values = tuple(value for step in group for value in step.change.values)
    return Step(Change(f"{owner} ({len(group)} changes)", values), partial(_all_made, group))


def _steps(
    a: System, b: System, told_a: Mapping[str, Any], told_b: Mapping[str, Any], given: Sequence[Difference]
) -> Iterator[Step]:
    flat = flat_values(told_a), flat_values(told_b)
    if _shape(a) == _shape(b):
        yield from _of_parts(a, b, flat)
        yield from _of_wiring(a, b, flat)
    else:
        # Parts of one system only change as a whole.
        values = tuple(_differences(*flat, lambda path: path.split(".")[0] in WIRED))
        own = tuple(each for each in given if each.path.split(".")[0] in WIRED)
        failing = values and all(each.path.startswith("faults.") for each in values)
        name = ", ".join(_name((each,)) for each in own) or (_name(values) if failing else "hosts, disks and links")
        yield Step(
            Change(name, (*own, *(each for each in values if each not in own)), len(own)),
            lambda system: replace(system, **{name: getattr(b, name) for name in WIRED}),
        )
    yield from _of_workloads(a, b, flat)
    if values := tuple(_differences(*flat, lambda path: path.startswith("run."))):
        yield Step(Change(_name(values), values), lambda system: replace(system, run=b.run))


def _all_made(steps: Sequence[Step], system: System) -> System:
    """A system with all of some changes."""
    for step in steps:
        system = step.apply(system)
    return system


def _shape(system: System) -> object:
    """The parts of a system, how they are joined and what fails, without the values that change by themselves."""
    return (
        {item.path: (item.part.category, item.part.kind) for item in placed(system)},
        [(link.name, link.ends, link.member) for link in system.links],
        {name: replace(volume, **_SINGLE) for name, volume in system.volumes.items()},
        system.faults,
        [{key: adapter.bus for key, adapter in host.adapters.items()} for host in system.hosts.values()],
    )


def _of_parts(a: System, b: System, flat: tuple[dict[str, str], dict[str, str]]) -> Iterator[Step]:
    """Values of parts; the same change of the same value in parts of a class is one."""
    others = {item.path: item.part for item in placed(b)}
    groups: dict[tuple[object, ...], dict[str, Any]] = {}
    for item in placed(a):
        for field in type(item.part.sheet).model_fields:
            old, new = getattr(item.part.sheet, field), getattr(others[item.path].sheet, field)
            if old != new:
                groups.setdefault((item.part.category, field, repr(old), repr(new)), {})[f"{item.path}.{field}"] = new
    for updates in groups.values():
        values = tuple(Difference(path, _text(flat[0], path, a), _text(flat[1], path, b)) for path in updates)
        yield Step(Change(_name(values), values), partial(with_values, values=updates))


def _text(flat: Mapping[str, str], path: str, system: System) -> str:
    """A value as the scenario would write it, or as it is."""
    if path in flat:
        return flat[path]
    owner, _, field = path.rpartition(".")
    return str(next(getattr(item.part.sheet, field) for item in placed(system) if item.path == owner))


def _of_wiring(a: System, b: System, flat: tuple[dict[str, str], dict[str, str]]) -> Iterator[Step]:
    """Lengths of links, and units of volumes."""
    lengths = {two.name: two.length for one, two in zip(a.links, b.links, strict=True) if one.length != two.length}
    if lengths:
        yield Step(
            _change(flat, [f"links.{name}.length" for name in lengths]),
            lambda system: replace(
                system,
                links=tuple(replace(link, length=lengths.get(link.name, link.length)) for link in system.links),
            ),
        )
    for field in _OF_VOLUMES:
        changed = {
            name: getattr(b.volumes[name], field)
            for name in a.volumes
            if getattr(a.volumes[name], field) != getattr(b.volumes[name], field)
        }
        if changed:
            paths = [f"volumes.{name}.{field}" for name in changed]
            yield Step(_change(flat, paths), partial(_with_volumes, field=field, changed=changed))


def _with_volumes(system: System, field: str, changed: Mapping[str, Any]) -> System:
    """A system in which volumes have other values of a field."""
    return replace(
        system,
        volumes={
            name: replace(volume, **{field: changed[name]}) if name in changed else volume
            for name, volume in system.volumes.items()
        },
    )


def _below(path: str, flat: tuple[dict[str, str], dict[str, str]]) -> tuple[Difference, ...]:
    """The difference of a value, or those of each key of one that is a mapping, such as arrivals."""
    own = tuple(_differences(*flat, lambda each: each == path or each.startswith(f"{path}.")))
    return own or (Difference(path, flat[0].get(path, ""), flat[1].get(path, "")),)


def _of_workloads(a: System, b: System, flat: tuple[dict[str, str], dict[str, str]]) -> Iterator[Step]:
    """Parameters of workloads; workloads of other kinds or names change as a whole."""
    kinds = [{name: each.kind for name, each in system.workloads.items()} for system in (a, b)]
    if kinds[0] != kinds[1]:
        values = tuple(_differences(*flat, lambda path: path.startswith("workload.")))
        yield Step(Change("workload", values), lambda system: replace(system, workloads=b.workloads))
        return
    for name, workload in a.workloads.items():
        for field in type(workload.params).model_fields:
            new = getattr(b.workloads[name].params, field)
            if getattr(workload.params, field) == new:
                continue
            path = f"workload.{name}.{_key(workload, field)}"
            update = {f"workload.{name}.{field}": new}
            yield Step(_change(flat, [path]), partial(with_values, values=update))


def _key(workload: Workload, field: str) -> str:
    from simio.description.workloads import yaml_key

    return yaml_key(type(workload.params), field)


def _change(flat: tuple[dict[str, str], dict[str, str]], paths: Sequence[str]) -> Change:
    """The change of the values at these paths of a scenario."""
    values = tuple(each for path in paths for each in _below(path, flat))
    return Change(_name(values), values)


def _name(values: tuple[Difference, ...]) -> str:
    """A change in words: the path of its value, how many more there are, and from what to what."""
    first, rest = values[0], values[1:]
    alike = all((each.a, each.b) == (first.a, first.b) for each in rest)
    more = f" and {len(rest)} {'alike' if alike else 'more'}" if rest else ""
    return f"{first.path}{more}: {first.a or 'none'} -> {first.b or 'none'}"


def flat_values(told: Mapping[str, Any]) -> dict[str, str]:
    """A resolved system as key paths and values in words, as overrides have them."""
    found: dict[str, str] = {}

    def walk(path: tuple[str, ...], value: Any) -> None:
        if isinstance(value, Mapping):
            if "value" in value and "basis" in value:
                found[".".join(path)] = str(value["value"])
                return
            for key, item in value.items():
                if key not in _ASIDE:
                    walk(path if key == "values" else (*path, str(key)), item)
        elif isinstance(value, list):
            found[".".join(path)] = ", ".join(map(str, value))
        elif value is not None:
            found[".".join(path)] = str(value)

    walk((), told)
    return found


def _differences(a: Mapping[str, str], b: Mapping[str, str], chosen: Callable[[str], bool]) -> Iterator[Difference]:
    for path in dict.fromkeys([*a, *b]):
        if chosen(path) and a.get(path) != b.get(path):
            yield Difference(path, a.get(path, ""), b.get(path, ""))
