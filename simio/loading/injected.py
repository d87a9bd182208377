"""Faults of the modelled world, the section ``faults``: what each is of, and what of the system knows of it then."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from simio.description.faults import InjectedFault, fault_kinds
from simio.description.model import Link, Part, System, Workload
from simio.errors import quote
from simio.loading.context import Context
from simio.loading.crashes import check_crash
from simio.loading.diskfaults import check_disk
from simio.loading.keypaths import item_name, mapping
from simio.loading.links import Inventory
from simio.loading.problems import a, node_text, place_of
from simio.loading.yamltree import Node

_OWN = ("name", "kind")


def build_faults(
    ctx: Context,
    section: Node,
    inventory: Inventory,
    links: Sequence[Link],
    complete: bool,
    workloads: Mapping[str, Workload | None],
) -> tuple[InjectedFault, ...]:
    """The faults as written, in their order; what has no such component, or one that cannot have it, is noted.

    Unless the links are `complete`, a name may be that of one with a fault in the file, which is told already.
    """
    if section.kind != "list":
        ctx.problems.add("faults", node_text(section), "a list of faults", place=section.place)
        return ()
    known = _Known(inventory, links, complete)
    found: dict[str, InjectedFault] = {}
    for index, node in enumerate(section.elements):
        name = item_name(node, index, "faults")
        path = f"faults.{name}"
        if name in found:
            ctx.problems.add(path, quote(name), "a name that no other fault has", place=node.place)
        read = _fault(ctx, name, path, node)
        if read is not None:
            known.check(ctx, read, f"{path}.of", node)
            found[name] = read
            if read.kind == "crash":
                check_crash(ctx, read.params.of, f"{path}.of", place_of(node, "of"), workloads, links, inventory)
            check_disk(ctx, [*found.values()], path, node, inventory)
    return tuple(found.values())


def _fault(ctx: Context, name: str, path: str, node: Node) -> InjectedFault | None:
    """One fault with its parameters, whatever it is of."""
    kinds = fault_kinds()
    if not ctx.problems.mapping(node, path, "a mapping with kind and of"):
        return None
    if "kind" not in node.entries:
        ctx.problems.add(f"{path}.kind", "nothing", "a kind of fault", "this key is required", node.place)
        return None
    kind = ctx.problems.text(node.entries["kind"], f"{path}.kind", "a kind of fault")
    if kind is None:
        return None
    if kind not in kinds:
        ctx.problems.unknown(f"{path}.kind", kind, kinds, node.entries["kind"].place, "kind of fault")
        return None
    entries = {key: item for key, item in node.entries.items() if key not in _OWN}
    own = mapping(entries, node.place, dict(node.key_places))
    params = ctx.problems.read(kinds[kind], own, path, node.place)
    return InjectedFault(name, kind, params) if params is not None else None


class _Known:
    """What a fault can be of."""

    def __init__(self, inventory: Inventory, links: Sequence[Link], complete: bool) -> None:
        self.links = links
        self.complete = complete
        adapters: dict[str, Part | None] = {
            f"{host}.{key}": part
            for host, site in inventory.hosts.items()
            for key, part in (site.adapters or {}).items()
        }
        disks = {name: group.part for name, group in inventory.disk_names.items()}
        switches = {name: item.part if item else None for name, item in inventory.switches.items()}
        self.parts: dict[str, dict[str, Part | None]] = {
            "link": {link.name: link.part for link in links},
            "switch": switches,
            "adapter": adapters,
            "host": dict.fromkeys(inventory.hosts),
            "disk": disks,
        }

    def check(self, ctx: Context, fault: InjectedFault, path: str, node: Node) -> None:
        """Note a fault of what is not there or cannot have it."""
        of, targets = fault.params.of, fault.params.targets
        place = place_of(node, "of")
        category = next((category for category in targets if of in self.parts[category]), None)
        wanted = _either(targets)
        if category is None:
            other = next((category for category, parts in self.parts.items() if of in parts), None)
            if other is not None:
                ctx.problems.add(path, f"the {other} {quote(of)}", wanted, place=place)
                return
            if "link" in targets and not self.complete:
                return
            names = [name for target in targets for name in self.parts[target]]
            ctx.problems.unknown(path, of, names, place, wanted.partition(" ")[2])
            return
        for part in self._hit(fault, category):
            if part is not None and fault.kind not in part.sheet.faults:
                found = f"{quote(of)} with {a(part.kind)} {part.category} ({part.model})"
                expected = f"{a(part.category)} of a kind that can be {fault.params.told}"
                ctx.problems.add(path, found, expected, place=place)
                return

    def _hit(self, fault: InjectedFault, category: str) -> Iterator[Part | None]:
        """The parts that a fault touches: of `down`, the links."""
        if fault.kind == "down":
            yield from (link.part for link in self.links if fault.params.of in (link.name, *link.ends))
        elif category != "host":
            yield self.parts[category][fault.params.of]


def _either(targets: Sequence[str]) -> str:
    """'a link, switch or adapter'."""
    first, last = ", ".join(targets[:-1]), targets[-1]
    return a(f"{first} or {last}" if first else last)


# --- what of the system knows ------------------------------------------------------------------------------


def with_faults(system: System) -> System:
    """The system whose components know of their faults."""
    for fault in system.faults:
        system = _APPLIED[fault.kind](system, fault.params)
    return system


def _down(system: System, params: Any) -> System:
    links = tuple(
        replace(link, down=(*link.down, params.span)) if params.of in (link.name, *link.ends) else link
        for link in system.links
    )
    return replace(system, links=links)


def _stall(system: System, params: Any) -> System:
    host = system.hosts[params.of]
    stalled = replace(host, stalls=(*host.stalls, params.span))
    return replace(system, hosts={**system.hosts, host.name: stalled})


def _crash(system: System, params: Any) -> System:
    host = system.hosts[params.of]
    crashed = replace(host, crashes=(*host.crashes, params.span))
    return replace(system, hosts={**system.hosts, host.name: crashed})


def _reset(system: System, params: Any) -> System:
    name, key = params.of.split(".", 1)
    host = system.hosts[name]
    adapter = host.adapters[key]
    reset = replace(adapter, resets=(*adapter.resets, params.stages))
    return replace(system, hosts={**system.hosts, name: replace(host, adapters={**host.adapters, key: reset})})


def _failed(system: System, params: Any) -> System:
    lost = params.of
    volumes = {
        name: replace(
            volume,
            failed=volume.failed if params.at else (*volume.failed, lost),
            rebuilt={**volume.rebuilt, lost: params} if params.spare else volume.rebuilt,
        )
        if lost in volume.members
        else volume
        for name, volume in system.volumes.items()
    }
    disks = dict(system.disks)
    if params.at:
        disks[lost] = replace(disks[lost], failure=params)
    return replace(system, volumes=volumes, disks=disks)


def _read_errors(system: System, params: Any) -> System:
    disk = replace(system.disks[params.of], read_errors=params)
    return replace(system, disks={**system.disks, disk.name: disk})


_APPLIED: dict[str, Callable[[System, Any], System]] = {
    "crash": _crash,
    "down": _down,
    "failed": _failed,
    "read_errors": _read_errors,
    "reset": _reset,
    "stall": _stall,
}
