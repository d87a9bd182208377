"""Workloads of a scenario: parameters, references to hosts and disks, and links between these."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import replace

from simio import units
from simio.description.messages import ADDRESS
from simio.description.model import Volume, Workload
from simio.description.workloads import WorkloadParams, references, yaml_key
from simio.errors import Place, Problem, ScenarioError, quote
from simio.loading.context import Context
from simio.loading.joining import Inventory
from simio.loading.keypaths import empty, mapping
from simio.loading.parts import beside
from simio.loading.problems import join, place_of
from simio.loading.ready import file_beside
from simio.loading.yamltree import Node
from simio.topology import Reachability
from simio.workloads import workload_kinds


def build_workloads(ctx: Context, section: Node) -> dict[str, Workload | None]:
    """The workloads by name; None stands for one with a problem."""
    alone = section.entries.get("kind") if section.kind == "map" else None
    if alone and alone.kind == "scalar" and str(alone.value) in workload_kinds():
        hint = f"write workload: {{mine: {{kind: {alone.value}, …}}}}"
        ctx.problems.add("workload", f"kind: {alone.value}", "workloads, each under its name", hint, alone.place)
        return {}
    return ctx.items(section, "workload", _workload, "a mapping of workloads")


def _workload(ctx: Context, name: str, node: Node, place: Place) -> Workload | None:
    path, kinds = f"workload.{name}", workload_kinds()
    if node.kind == "scalar" and node.value is None:
        node = empty(place)
    if node.kind != "map":
        ctx.problems.mapping(node, path, "a mapping with the parameters of the workload")
        return None
    chosen = node.entries.get("kind")
    kind = ctx.problems.text(chosen, f"{path}.kind", "a kind of workload") if chosen is not None else name
    if kind is None:
        return None
    if kind not in kinds:
        where = (f"{path}.kind", chosen.place) if chosen is not None else (path, place)
        ctx.problems.unknown(where[0], kind, kinds, where[1], "kind of workload")
        return None
    own = mapping({k: n for k, n in node.entries.items() if k != "kind"}, node.place, dict(node.key_places))
    params = ctx.problems.read(kinds[kind], own, path, place)
    if params is None:
        return None
    try:
        return Workload(name, kind, params.with_files(lambda file: file_beside(beside(ctx, place), file)))
    except ScenarioError as error:
        ctx.problems.extend(_placed(problem, path, own) for problem in error.problems)
        return None


def _placed(problem: Problem, path: str, node: Node) -> Problem:
    """A problem with the place of the key of the workload, or of its value; as it is if that is of none."""
    keys = tuple(problem.path.split("."))
    if problem.place is not None or keys[0] not in node.entries:
        return problem
    named = problem.found.startswith("the unknown ")
    place = place_of(node.at(keys[:-1]), keys[-1]) if named else node.at(keys).place
    return replace(problem, path=join(path, *keys), place=place)


def check_references(ctx: Context, section: Node, inventory: Inventory) -> None:
    """Note unknown names of hosts and disks, also in workloads that have other problems."""
    for name, node in section.entries.items() if section.kind == "map" else ():
        if node.kind != "map":
            continue
        chosen = node.entries.get("kind")
        model = workload_kinds().get(str(chosen.value) if chosen is not None else name)
        for field, kind in references(model).items() if model else ():
            key = yaml_key(model, field) if model else field
            given = node.entries.get(key)
            known, listed, noun = _known(kind, inventory)
            for below, name_node in _named(given):
                if name_node.value not in known:
                    path = join(f"workload.{name}.{key}", *below)
                    ctx.problems.unknown(path, str(name_node.value), listed, name_node.place, noun)


def _named(given: Node | None) -> Iterator[tuple[tuple[str, ...], Node]]:
    """The names in a node, a list or the values of a mapping, where `none` is no name; with the keys to them."""
    pairs: list[tuple[tuple[str, ...], Node]] = [((), given)] if given else []
    if given and given.kind == "list":
        pairs = [((), each) for each in given.elements]
    elif given and given.kind == "map":
        pairs = [((key,), each) for key, each in given.entries.items() if each.value != "none"]
    return ((below, each) for below, each in pairs if each.kind == "scalar" and isinstance(each.value, str))


def _known(kind: str, inventory: Inventory) -> tuple[Container[str], Iterable[str], str]:
    """Names that a reference of one kind may have, those that a message lists, and the noun for them."""
    if kind == "host":
        return inventory.hosts, inventory.hosts, "host"
    disks = {*inventory.disks, *inventory.disk_names}
    if kind == "disks":
        return disks, inventory.disks, "disk or group of disks"
    return (
        disks | {*inventory.volumes},
        [*inventory.disks, *inventory.volumes],
        "disk, group of disks or volume",
    )


def check_routes(
    ctx: Context,
    section: Node,
    workloads: Mapping[str, Workload | None],
    reachability: Reachability,
    inventory: Inventory,
) -> None:
    """Note workloads between whose ends there are no links."""
    for name, workload in workloads.items():
        params = workload.params if workload else WorkloadParams()
        kinds = references(type(params))
        for first, second in params.ways:
            key = yaml_key(type(params), second)
            same = kinds.get(first) == kinds.get(second)
            for ends in _in_turn(params.named(first), params.named(second)):
                if ends[0] == ends[1] and not same:
                    # One of the two is no such thing, which is said already.
                    continue
                place = section.at((name, key)).place
                _check_route(ctx, f"workload.{name}.{key}", place, ends, reachability, inventory)


def check_calls(ctx: Context, section: Node, workloads: Mapping[str, Workload | None], inventory: Inventory) -> None:
    """Note calls that are larger than the room for calls in the server's kernel: it would drop each of them."""
    for name, workload in workloads.items():
        call, servers = workload.params.largest_call if workload else (0, ())
        size = call + ADDRESS
        for server in servers:
            site = inventory.hosts.get(server)
            stack = site.host.stack if site and site.host else None
            if stack is not None and stack.sheet.call_space < size:
                room, need = (units.format_quantity(n, "size") for n in (stack.sheet.call_space, size))
                found = f"calls of {need} to {quote(server)}, which keeps {room} of them"
                hint = f"set hosts.{server}.stack.rpc_receive_space, or a smaller transfer"
                node = section.at((name,))
                place = place_of(node, "transfer") if node.kind == "map" else node.place
                ctx.problems.add(f"workload.{name}.transfer", found, f"at most {room}", hint, place)
                break


def _in_turn(first: tuple[str, ...], second: tuple[str, ...]) -> list[tuple[str, str]]:
    """Each of the longer of two lists with one of the other, in turn."""
    number = max(len(first), len(second)) if first and second else 0
    return [(first[index % len(first)], second[index % len(second)]) for index in range(number)]


def _check_route(
    ctx: Context, path: str, place: Place, ends: tuple[str, str], reachability: Reachability, inventory: Inventory
) -> None:
    start, end = ends
    if start == end:
        ctx.problems.add(path, f"{quote(end)} at both ends", "two different ends", place=place)
        return
    near, wanted = _members(start, inventory), _members(end, inventory)
    if near is None or wanted is None:
        return
    far = []
    for one in near:
        far += [(one, other) for other in wanted if not reachability.joins(one, other)]
    if far:
        from_, to = far[0]
        more = f" (nor to {len(far) - 1} more)" if len(far) > 1 else ""
        found = f"no path of links from {quote(from_)} to {quote(to)}{more}"
        reached = sorted(reachability.reached(from_) - {from_})
        hint = (
            f"links lead from {quote(from_)} to {', '.join(reached)}"
            if reached
            else f"no link ends at {quote(from_)}"
        )
        ctx.problems.add(path, found, "links that join them", hint, place)


def _members(name: str, inventory: Inventory) -> tuple[str, ...] | None:
    if name in inventory.hosts:
        return (name,)
    if name in inventory.disks:
        return inventory.disks[name].members
    if name in inventory.volumes:
        return _disks_of(inventory.volumes[name], inventory)
    return (name,) if name in inventory.disk_names else None


def _disks_of(volume: Volume | None, inventory: Inventory) -> tuple[str, ...] | None:
    """The disks beneath a volume, or None where it has a problem."""
    disks: list[str] = []
    for member in volume.members if volume else ():
        inside = (member,) if member in inventory.disk_names else _disks_of(inventory.volumes[member], inventory)
        disks += inside or ()
    return tuple(disks) or None
