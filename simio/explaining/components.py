"""The components of a system: times and rates that are made faster together, found from what sheets say of them.

A component is not a kind of part. Every value with the dimension of a time or a rate belongs to one: to the work that
its sheet names (`Sheet.work`), at the place where the part is, or else to the part itself. So a part of a kind
that simio does not know has its components like any other.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable
from fractions import Fraction
from typing import Any

from simio.description.model import Link, System
from simio.description.quantities import quantity_of
from simio.description.sheets.base import LINE, TIMER, Sheet
from simio.description.workloads import references
from simio.explaining.model import Component
from simio.explaining.parts import Placed, placed, with_values

PACE = ("rate", "frequency", "rotation", "signalling")
"""Dimensions of what is faster when it is larger."""
COST = ("time", "delay_per_length")
"""Dimensions of what is faster when it is smaller."""
CURVES = ("seek_curve",)
"""Fields of sheets with several times, of points that can be made `faster`."""


def work_of(sheet: type[Sheet], field: str) -> str:
    """The work that a field of a sheet is the cost of, as the nearest class that says anything has it; '' if none."""
    for cls in sheet.__mro__:
        said = cls.__dict__.get("work", {})
        if field in said:
            return str(said[field])
    return ""


def components(system: System) -> list[Component]:
    """Things that can be made faster, in the order of the scenario; parts alike but for a number are one."""
    values: dict[Hashable, list[str]] = {}
    names: dict[Hashable, list[str]] = {}
    alike = alike_of(system)
    for item in placed(system):
        for field in _quantities(item):
            work = work_of(type(item.part.sheet), field)
            if work == TIMER:
                continue
            for name in _names(system, item, work):
                values.setdefault(alike(name), []).append(f"{item.path}.{field}")
                names.setdefault(alike(name), []).append(name)
    return [Component(together(list(dict.fromkeys(names[key]))), tuple(found)) for key, found in values.items()]


def alike_of(system: System) -> Callable[[str], Hashable]:
    """A function that is equal for names that differ in numbers only, and name hosts of one role to the workloads."""
    roles = _roles(system)
    return lambda name: (re.sub(r"\d+", "#", name), *(roles[host] for host in roles if host in name))


def _roles(system: System) -> dict[str, Hashable]:
    """The role of each host to the workloads: hosts of one role that differ in a number are alike."""
    found: dict[str, set[tuple[str, str]]] = {name: set() for name in system.hosts}
    for workload in system.workloads.values():
        for field, to in references(type(workload.params)).items():
            for host in workload.params.named(field):
                if to == "host" and host in found:
                    found[host].add((workload.name, field))
    return {name: frozenset(role) for name, role in found.items()}


def together(names: list[str]) -> str:
    """The common name of alike things."""
    return names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} alike"


def _quantities(item: Placed) -> Iterable[str]:
    """Fields of a part's sheet that hold a time or rate other than zero."""
    for field, described in type(item.part.sheet).model_fields.items():
        quantity = quantity_of(described)
        value = getattr(item.part.sheet, field)
        if value and (field in CURVES or (quantity and quantity.dimension in PACE + COST)):
            yield field


def _names(system: System, item: Placed, work: str) -> list[str]:
    """The name of the component that a value belongs to; the pace of a line belongs to each link there."""
    place, _, rest = item.path.partition(".")
    owner = rest.split(".")[0]
    if work == LINE:
        ends = (item.part.name, owner)
        return [_link(system, link) for link in system.links if set(ends) & set(link.ends)]
    if place == "links":
        link = next(link for link in system.links if link.name == rest)
        return [f"{work} on {_link(system, link)}" if work else _link(system, link)]
    if place == "hosts":
        return [f"{work} on {owner}" if work else item.part.name]
    if place == "disks":
        return [f"{work or 'disk'} of {storage_of(system, owner)}"]
    return [f"{work} of {owner}" if work else owner]


def storage_of(system: System, disk: str) -> str:
    """The whole that a disk is a part of to its users: the outermost volume, its group, or itself."""
    of = disk
    if disk in system.disks and len(system.disks_of(system.disks[disk].group)) > 1:
        of = f"disks {system.disks[disk].group}"
    around = [name for name, volume in system.volumes.items() if disk in system.disks_of(name)]
    outermost = [name for name in around if not any(name in system.volumes[v].members for v in around)]
    return f"volume {outermost[0]}" if outermost else of


def _link(system: System, link: Link) -> str:
    """A link by what it is and joins: hosts by name, disks by what they are a part of."""
    ends = dict.fromkeys(_end(system, end) for end in link.ends)
    return f"{link.part.model.rpartition('/')[2]} {' - '.join(ends)}"


def _end(system: System, end: str) -> str:
    owner = end.split(".")[0]
    return storage_of(system, owner) if owner in system.disks else end


def faster(system: System, component: Component, factor: int | Fraction) -> System:
    """The system with every time of a component divided by `factor`, every rate multiplied by it."""
    parts = {item.path: item.part for item in placed(system)}
    updates: dict[str, Any] = {}
    for path in component.values:
        owner, _, field = path.rpartition(".")
        sheet = parts[owner].sheet
        updates[path] = _scaled(sheet, field, Fraction(factor))
    return with_values(system, updates)


def _scaled(sheet: Any, field: str, factor: Fraction) -> Any:
    value = getattr(sheet, field)
    if field in CURVES:
        return tuple(point.faster(factor) for point in value)
    quantity = quantity_of(type(sheet).model_fields[field])
    assert quantity is not None
    if quantity.dimension in PACE:
        return value * factor
    if quantity.dimension != "time":
        return value / factor
    # A positive time stays so: mechanisms divide by it.
    return max(round(value / factor), int(quantity.positive)) if value > 0 else round(value / factor)
