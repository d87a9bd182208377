"""A system as plain data, with every value as text and its origin, to travel with results."""

from __future__ import annotations

from typing import Any

from simio.description.model import Origin, Part, System, Volume
from simio.description.quantities import Values, quantity_of
from simio.loading.parts import default_text, value_as_text
from simio.loading.problems import field_named, keys_of

Alike = dict[tuple[int, int], dict[str, dict[str, Any]]]
"""Values of parts by the sheet and the origins that they are of."""


def resolved(system: System) -> dict[str, Any]:
    """All that a system is made of: each value of each part with its unit, basis and source, as plain data.

    The order is that of the scenario and the sheets, so that equal systems give equal text. Disks of a group that
    differ in nothing share one mapping of values.
    """
    alike: Alike = {}
    return {
        "title": system.title,
        "hosts": {
            name: {
                "model": host.model,
                "title": host.title,
                "values": _values(host.part),
                "cpu": _part(host.cpu),
                "memory": _part(host.memory),
                "kernel": _part(host.kernel),
                "stack": _perhaps(host.stack),
                **({"root": _part(host.root)} if host.root else {}),
                "buses": {key: _part(bus) for key, bus in host.buses.items()},
                "adapters": {key: {"bus": a.bus, **_part(a.part)} for key, a in host.adapters.items()},
            }
            for name, host in system.hosts.items()
        },
        "disks": {
            name: {"group": disk.group, "file_system": _perhaps(disk.file_system), **_part(disk.part, alike)}
            for name, disk in system.disks.items()
        },
        "volumes": {
            volume.name: {
                "kind": volume.kind,
                "of": list(volume.members),
                "unit": value_as_text(volume.unit, "size"),
                **_of_kind(volume),
                "file_system": _perhaps(volume.file_system),
                "controller": _perhaps(volume.controller),
            }
            for volume in system.volumes.values()
        },
        "switches": {name: _part(switch.part) for name, switch in system.switches.items()},
        "links": {
            link.name: {
                "between": list(link.ends),
                "length": value_as_text(link.length, "length"),
                **({"bond": {"of": link.member.of, **_plain(link.member.bond)}} if link.member else {}),
                **_part(link.part),
            }
            for link in system.links
        },
        "workload": {
            name: {"kind": workload.kind, **_plain(workload.params)} for name, workload in system.workloads.items()
        },
        "faults": {fault.name: {"kind": fault.kind, **_plain(fault.params)} for fault in system.faults},
        "run": _plain(system.run),
        "report": _plain(system.report),
    }


def _of_kind(volume: Volume) -> dict[str, Any]:
    """The values that only volumes of some kinds have, where they have them."""
    sizes = {key: value_as_text(getattr(volume, key), "size") for key in ("record", "sector") if getattr(volume, key)}
    others = {key: str(value) for key in ("parity", "quorum") if (value := getattr(volume, key))}
    nearest = {"nearest": "true"} if volume.nearest else {}
    return sizes | others | nearest | ({"cache": _plain(volume.cache)} if volume.cache else {})


def _perhaps(part: Part | None) -> dict[str, Any] | None:
    return None if part is None else _part(part)


def _part(part: Part, alike: Alike | None = None) -> dict[str, Any]:
    known = {} if alike is None else alike
    given = id(part.sheet), id(part.origins)
    if given not in known:
        known[given] = _values(part)
    return {"kind": part.kind, "model": part.model, "values": known[given]}


def _values(part: Part) -> dict[str, dict[str, Any]]:
    unknown = Origin("given", "", "scenario")
    sheet = type(part.sheet)
    keys = [key for key in keys_of(sheet) if key in part.origins or key not in sheet.alternatives]
    return {key: _value(part, key, part.origins.get(key, unknown)) for key in keys}


def _value(part: Part, key: str, origin: Origin) -> dict[str, Any]:
    data: dict[str, Any] = {
        "value": origin.text or default_text(part.sheet, key),
        "basis": origin.basis,
        "source": origin.source,
    }
    if origin.interval is not None:
        quantity = quantity_of(field_named(type(part.sheet), key))
        data["interval"] = [value_as_text(end, quantity.dimension if quantity else None) for end in origin.interval]
    return data


def _plain(values: Values) -> dict[str, Any]:
    """Each value as text; a mapping of values as one of its own, and a list of them as a list."""
    found: dict[str, Any] = {}
    for name, field in type(values).model_fields.items():
        key, value = field.alias or name, getattr(values, name)
        if isinstance(value, Values):
            found[key] = _plain(value)
        elif isinstance(value, tuple) and value and isinstance(value[0], Values):
            found[key] = [_plain(each) for each in value]
        else:
            found[key] = default_text(values, key)
    return found
