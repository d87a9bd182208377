"""A scenario in words: hosts with their parts as a tree, disks, switches, links, workloads and cases."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, TypeVar

from simio import units
from simio.loading.parts import default_text
from simio.loading.problems import keys_of

if TYPE_CHECKING:
    from simio.description.model import Case, Disk, Host, Link, Part, Scenario, System, Volume, Workload
    from simio.description.quantities import Values

_WIDTH = 100
_INDENT = "  "
T = TypeVar("T")


def overview(scenario: Scenario, case: Case) -> str:
    """The parts of one case, and all cases with their settings."""
    lines = [scenario.title]
    lines += textwrap.wrap(" ".join(scenario.about.split()), _WIDTH)
    for title, rows in _sections(case.system):
        lines += ["", title, *(f"{_INDENT}{row}" for row in rows)] if rows else []
    lines += ["", "cases", *(f"{_INDENT}{row}" for row in _cases(scenario, case))]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _sections(system: System) -> Iterator[tuple[str, list[str]]]:
    yield "hosts", [line for host in system.hosts.values() for line in _host(host)]
    yield "disks", _aligned(_disks(group) for group in _alike(system.disks.values(), lambda d: d.group))
    yield "volumes", _aligned(_volume(volume, system) for volume in system.volumes.values())
    yield "switches", _aligned((s.name, s.part.model, _given(s.part)) for s in system.switches.values())
    groups = {disk.name: disk.group for disk in system.disks.values()}
    links = _alike(system.links, lambda link: _joins(link, groups))
    yield "links", _aligned(_links(group, groups) for group in links)
    yield "workloads", _aligned((w.name, _kind(w), _parameters(w.params)) for w in system.workloads.values())
    yield "faults", _aligned((f.name, f.kind, _parameters(f.params)) for f in system.faults)


def _alike(items: Iterable[T], key: Callable[[T], object]) -> list[list[T]]:
    """Neighbours with the same key."""
    return [list(group) for _, group in groupby(items, key)]


# --- hosts -------------------------------------------------------------------------------------------------


def _host(host: Host) -> Iterator[str]:
    yield f"{host.name}: {host.model}, {host.title}"
    rows = [
        ("", "cpu", f"{host.cpus} x {host.cpu.model}", _given(host.cpu, host.part)),
        ("", "memory", host.memory.model, _given(host.memory)),
        ("", "kernel", host.kernel.model, _given(host.kernel)),
    ]
    if host.stack is not None:
        rows.append(("", "stack", host.stack.model, _given(host.stack)))
    if host.root is not None:
        rows.append(("", "root", host.root.model, _given(host.root)))
    for name, bus in host.buses.items():
        rows.append(("", f"bus {name}", bus.model, _given(bus)))
        on_bus = [(key, adapter.part) for key, adapter in host.adapters.items() if adapter.bus == name]
        rows += [(name, f"adapter {key}", part.model, _given(part)) for key, part in on_bus]
    yield from _aligned((branch + name, model, given) for branch, (_, name, model, given) in _branches(rows))


def _branches(rows: Sequence[tuple[str, str, str, str]]) -> Iterator[tuple[str, tuple[str, str, str, str]]]:
    """Each row with the lines of the tree before it; a row's first item names the bus it hangs on."""
    for number, row in enumerate(rows):
        later = rows[number + 1 :]
        trunk = any(not other[0] for other in later)
        if not row[0]:
            yield ("├─ " if trunk else "└─ "), row
        else:
            following = bool(later) and later[0][0] == row[0]
            yield ("│  " if trunk else "   ") + ("├─ " if following else "└─ "), row


def _given(*parts: Part) -> str:
    """The values of parts that the scenario overrides."""
    origins = [item for part in parts for item in part.origins.items()]
    given = [f"{key} {origin.text}" for key, origin in origins if origin.where == "scenario"]
    return f"with {', '.join(given)}" if given else ""


# --- devices and workloads ---------------------------------------------------------------------------------


def _disks(group: list[Disk]) -> tuple[str, str, str]:
    return _span([disk.name for disk in group]), group[0].part.model, _given(group[0].part)


def _volume(volume: Volume, system: System) -> tuple[str, str, str]:
    groups = {disk.name: disk.group for disk in system.disks.values()}
    unit = f", unit {units.format_quantity(volume.unit, 'size')}" if volume.unit is not None else ""
    parts = [part for part in (volume.file_system, volume.controller) if part]
    models = [f"{part.model} {_given(part)}".rstrip() for part in parts]
    return volume.name, f"{volume.kind} of {_spans(volume.members, groups)}{unit}", ", ".join(models)


def _joins(link: Link, groups: Mapping[str, str]) -> tuple[str, ...]:
    """A key that is equal for links shown on one line: those between the same groups; a shared link has its own."""
    if link.part.sheet.shared:
        return (link.name,)
    bond = (f"bond {link.member.of}",) if link.member else ()
    return *(groups.get(end, end) for end in link.ends), *bond


def _links(group: list[Link], groups: Mapping[str, str]) -> tuple[str, str, str]:
    first = group[0]
    ends = " to ".join(_span(list(dict.fromkeys(names))) for names in zip(*(x.ends for x in group), strict=True))
    if first.part.sheet.shared:
        ends = _spans(first.ends, groups)
    length = f"{units.format_quantity(first.length, 'length')}{' each' if len(group) > 1 else ''}"
    given = _given(first.part)
    bond = f", bond {first.member.bond.way}" if first.member else ""
    return (
        _span([link.name for link in group]),
        first.part.model,
        f"{ends}, {length}{bond}{f', {given}' if given else ''}",
    )


def _span(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{names[0]} … {names[-1]} ({len(names)})"


def _spans(names: Iterable[str], groups: Mapping[str, str]) -> str:
    """Names, with successive disks of a group as one span."""
    index = {name: number for number, name in enumerate(groups)}
    numbered = [(name, number) for number, name in enumerate(names)]
    runs = _alike(numbered, lambda item: (groups.get(item[0], item[0]), index.get(item[0], 0) - item[1]))
    return ", ".join(_span([name for name, _ in run]) for run in runs)


def _kind(workload: Workload) -> str:
    return "" if workload.kind == workload.name else workload.kind


def _parameters(params: Values) -> str:
    """The parameters that have no default or differ from it."""
    texts = {
        key: default_text(params, key)
        for key, (name, field) in zip(keys_of(type(params)), type(params).model_fields.items(), strict=True)
        if field.is_required() or getattr(params, name) != field.default
    }
    return ", ".join(f"{key} {text}" for key, text in texts.items())


def _cases(scenario: Scenario, shown: Case) -> list[str]:
    cases = scenario.cases
    keys = list(dict.fromkeys(key for case in cases for key in case.settings))
    if not keys:
        return [f"{len(cases)}, as above"]
    rows = [("", *keys)]
    for number, case in enumerate(cases, start=1):
        mark = "  (above)" if case is shown and len(cases) > 1 else ""
        values = [case.settings.get(key, "") for key in keys]
        rows.append((str(number), *values[:-1], values[-1] + mark))
    return _aligned(rows)


def _aligned(rows: Iterable[Sequence[str]]) -> list[str]:
    """Rows in columns; a column that is empty throughout is left out."""
    kept = [list(row) for row in rows]
    used = [column for column in range(len(kept[0]) if kept else 0) if any(row[column] for row in kept)]
    widths = {column: max(len(row[column]) for row in kept) for column in used}
    return ["  ".join(row[column].ljust(widths[column]) for column in used).rstrip() for row in kept]
