"""Values of queues and classes of traffic that a scenario gives, and that nothing on the way uses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from simio.description.model import Part, System
from simio.program.builder import Builder
from simio.wording import and_others, listed

_CODEL = ("codel", "fq_codel")
USED_BY = {
    "mark": ("red", *_CODEL),
    "red_least": ("red",),
    "red_most": ("red",),
    "red_chance": ("red",),
    "red_weight": ("red",),
    "target": _CODEL,
    "interval": _CODEL,
    "quantum": (*_CODEL, "priority"),
    "flows": ("fq_codel",),
}
"""Disciplines that use a value of a queue, where not all do."""


def tell_of_unused(p: Builder, system: System) -> None:
    """Tell of values that a scenario gives to queues and receivers, and of classes of traffic, that do nothing."""
    adapters = [adapter.part for host in system.hosts.values() for adapter in host.adapters.values()]
    queues = [*(switch.part for switch in system.switches.values()), *(link.part for link in system.links)]
    found: dict[str, list[str]] = {}
    for part in (*queues, *adapters):
        for why in _unused(part):
            found.setdefault(why, []).append(part.name)
    for why, names in found.items():
        p.tell(f"{and_others(names)}: {why}")
    by_class = any(getattr(part.sheet, "discipline", "") == "priority" for part in queues) or any(
        getattr(part.sheet, "pause_classes", ()) for part in (*queues, *adapters)
    )
    asking = [name for name, each in system.workloads.items() if getattr(each.params, "traffic_class", 0)]
    if asking and not by_class:
        p.tell(
            f"{and_others(asking)}: traffic_class does nothing, as no queue has classes of traffic (discipline: "
            "priority) and nothing stops one by itself (pause_classes)"
        )


def _unused(part: Part[Any]) -> Iterator[str]:
    """Sentences on the values that the scenario gives to a part and that do nothing there."""
    given = {key for key, origin in part.origins.items() if origin.where == "scenario"}
    discipline = getattr(part.sheet, "discipline", None)
    groups: dict[tuple[str, ...], list[str]] = {}
    for key, users in USED_BY.items():
        if discipline and discipline not in users and key in given and getattr(part.sheet, key):
            groups.setdefault(users, []).append(key)
    for users, keys in groups.items():
        verb = "does" if len(keys) == 1 else "do"
        yield f"{listed(keys)} {verb} nothing with discipline {discipline}, only with {listed(users, 'or')}"
    if "pause_buffer" in given and getattr(part.sheet, "pause_buffer", None) and not part.sheet.pause_classes:
        yield "pause_buffer does nothing without pause_classes, the classes of traffic that have such a part each"
