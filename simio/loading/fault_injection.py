"""The section ``faults`` of a scenario: failures of the modelled world, each checked against the rest of the file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from simio.description.faults import InjectedFault, Surroundings, fault_kinds
from simio.description.model import Link, Part, System, Workload
from simio.errors import quote
from simio.loading.context import Context
from simio.loading.joining import Inventory
from simio.loading.keypaths import item_name, mapping
from simio.loading.problems import a, node_text, place_of
from simio.loading.yamltree import Node
from simio.wording import listed

_OWN = ("name", "kind")


def build_faults(
    ctx: Context,
    section: Node,
    inventory: Inventory,
    links: Sequence[Link],
    complete: bool,
    workloads: Mapping[str, Workload | None],
) -> tuple[InjectedFault, ...]:
    """The faults as written, in their order.

    Notes what has no such component, or one that cannot have it. Unless the links are `complete`, a name may be that
    of one with a problem, which is noted already.
    """
    if section.kind != "list":
        ctx.problems.add("faults", node_text(section), "a list of faults", place=section.place)
        return ()
    parts = _parts(inventory, links)
    there = [workload for workload in workloads.values() if workload]
    found: dict[str, InjectedFault] = {}
    for index, node in enumerate(section.elements):
        name = item_name(node, index, "faults")
        path = f"faults.{name}"
        if name in found:
            ctx.problems.add(path, quote(name), "a name that no other fault has", place=node.place)
        fault = _fault(ctx, name, path, node)
        if fault is not None:
            notes = _Notes(ctx, path, node)
            known = Surroundings(
                parts, links, inventory.volumes, there, [*found.values()], notes.refuse, notes.unknown
            )
            if _is_there(notes, fault, known, complete):
                fault.params.check(known)
            found[name] = fault
    return tuple(found.values())


def with_faults(system: System) -> System:
    """The system whose components know of their faults."""
    for fault in system.faults:
        system = fault.params.applied(system)
    return system


@dataclass(frozen=True)
class _Notes:
    """Notes the problems of one fault."""

    ctx: Context
    path: str
    node: Node

    def refuse(self, key: str, found: str, expected: str) -> None:
        self.ctx.problems.add(f"{self.path}.{key}", found, expected, place=place_of(self.node, key))

    def unknown(self, key: str, name: str, names: Iterable[str], what: str) -> None:
        self.ctx.problems.unknown(f"{self.path}.{key}", name, names, place_of(self.node, key), what)


def _parts(inventory: Inventory, links: Sequence[Link]) -> Mapping[str, Mapping[str, Part | None]]:
    """Targets that a fault can have, by class and name."""
    return {
        "link": {
            name: link.part for link in links for name in (link.name, *([link.member.of] if link.member else []))
        },
        "switch": {name: item.part if item else None for name, item in inventory.switches.items()},
        "adapter": {
            f"{host}.{key}": part
            for host, site in inventory.hosts.items()
            for key, part in (site.adapters or {}).items()
        },
        "host": dict.fromkeys(inventory.hosts),
        "disk": {name: group.part for name, group in inventory.disk_names.items()},
    }


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


def _is_there(notes: _Notes, fault: InjectedFault, known: Surroundings, complete: bool) -> bool:
    """True if the fault's target exists; notes a problem if it does not, or cannot have the fault."""
    params = fault.params
    of, targets = params.of, params.targets
    target = next((target for target in targets if of in known.parts[target]), None)
    if target is None:
        other = next((category for category, parts in known.parts.items() if of in parts), None)
        wanted = a(listed(targets, "or"))
        if other is not None:
            notes.refuse("of", f"the {other} {quote(of)}", wanted)
        elif complete or "link" not in targets:
            names = [name for target in targets for name in known.parts[target]]
            notes.unknown("of", of, names, wanted.partition(" ")[2])
        return False
    for part in params.parts(known, target):
        if part is not None and (params.effect or fault.kind) not in part.sheet.faults:
            found = f"{quote(of)} with {a(part.kind)} {part.category} ({part.model})"
            notes.refuse("of", found, f"{a(part.category)} of a kind that can be {params.state}")
            break
    return True
