"""Graphs to draw: those of scenarios, and made-up ones that are awkward."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import networkx as nx

from simio.description.model import System
from simio.loading import load
from simio.loading.catalogue import data_root
from simio.topology import VolumeFrame, wire

HOSTILE = 'a"]<script>&`#x; ---\n'


def scenario_graph(name: str) -> nx.Graph:
    """The wiring of a scenario's first case."""
    return wire(load(data_root("simio.scenarios") / f"{name}.yaml").cases[0].system)


def made_up(
    adapters: Sequence[int],
    switches: int,
    disks: int,
    cables: Sequence[tuple[str, str]],
    title: str = "made up",
    volumes: Mapping[str, Sequence[str]] | None = None,
) -> nx.Graph:
    """Hosts h0, h1 … with so many adapters each, switches s0 …, disks d0 …, and cables between named ports.

    `volumes` has the members of each volume.
    """
    frames = {name: VolumeFrame(name, "stripe 64 KiB", tuple(of)) for name, of in (volumes or {}).items()}
    owners = {member: name for name, frame in frames.items() for member in frame.members}
    graph = nx.Graph(title=title, volumes=frames, owners=owners)
    for number, count in enumerate(adapters):
        host = f"h{number}"
        for part in ("cpu", "memory", "bus"):
            graph.add_node(f"{host}.{part}", category=part, title=f"{part}s/x", host=host)
        graph.add_edge(f"{host}.cpu", f"{host}.memory")
        graph.add_edge(f"{host}.memory", f"{host}.bus")
        for port in range(count):
            graph.add_node(f"{host}.a{port}", category="adapter", title="adapters/x", host=host)
            graph.add_edge(f"{host}.bus", f"{host}.a{port}")
    for category, count in (("switch", switches), ("disk", disks)):
        for number in range(count):
            graph.add_node(f"{category[0]}{number}", category=category, title=f"{category}/x", host="")
    for number, (one, other) in enumerate(cables):
        graph.add_node(f"link{number}", category="link", title="links/x", host="")
        graph.add_edge(f"link{number}", one)
        graph.add_edge(f"link{number}", other)
    return graph


def hostile() -> nx.Graph:
    """Names and models that would be markup if they were not escaped."""
    graph = nx.Graph(title=HOSTILE)
    graph.add_node(f"{HOSTILE}.cpu", category="cpu", title=f"2 x {HOSTILE}", host=HOSTILE)
    graph.add_node(HOSTILE * 3, category="link", title=HOSTILE, host="")
    graph.add_edge(*graph.nodes)
    return graph


def on_a_bus() -> System:
    """A server with three disks on one shared link."""
    system = load(data_root("simio.scenarios") / "linux-fc-raw.yaml").cases[0].system
    disks = {name: system.disks[name] for name in ("d1", "d2", "d3")}
    bus = replace(system.links[0], name="bus", ends=("server.fc", *disks))
    return replace(system, disks=disks, switches={}, links=(bus,))
