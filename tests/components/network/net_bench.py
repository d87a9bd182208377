"""Two hosts or more with round costs, what joins them, and packets that are marked where they arrive."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from types import ModuleType
from typing import Any

from part_samples import NS, US, part

from simio.components.network.packet import Packet
from simio.components.network.path import NetworkPath
from simio.components.site import Site
from simio.description.model import Adapter, Host, Link, Part, Report, Run, Switch, System
from simio.engines.outcome import Options, Outcome

KERNEL: dict[str, Any] = {
    "page": "4 KiB", "reference_clock": "100 MHz", "system_call": "0 s", "context_switch": "0 s", "interrupt": "3 us",
    "page_pin": "0 s", "block_request": "0 s", "buffer_cost": "0 s", "page_fault": "0 s", "map_call": "0 s",
    "fault_cluster": "4 KiB",
}  # fmt: skip
BUS: dict[str, Any] = {"clock": "100 MHz", "width": "4 B", "burst": "64 B", "overhead_cycles": 0}
ADAPTER: dict[str, Any] = {
    "medium": "ethernet", "transmit_ring": 16, "receive_ring": 16, "transmit_buffer": "128 KiB",
    "receive_buffer": "128 KiB", "transmit_cost": "5 us", "receive_cost": "4 us",
}  # fmt: skip
ETHERNET: dict[str, Any] = {
    "rate": "1 Gbit/s", "preamble": "8 B", "header": "14 B", "check": "4 B", "minimum": "64 B", "gap": "12 B",
    "mtu": "1500 B", "propagation": "5 ns/m",
}  # fmt: skip
HIPPI_CARD: dict[str, Any] = {
    "buffer": "2 MiB", "store_limit": "64 KiB", "transmit_dma": "100 MB/s", "receive_dma": "100 MB/s",
    "transmit_cost": "100 us", "receive_cost": "50 us", "ready_window": 8,
}  # fmt: skip
HIPPI: dict[str, Any] = {
    "clock": "25 MHz", "word": "4 B", "burst_words": 256, "gap_words": 2, "connect_words": 16,
    "propagation": "5 ns/m",
}  # fmt: skip
ATM: dict[str, Any] = {
    "rate": "149.76 Mbit/s", "cell": "53 B", "cell_payload": "48 B", "trailer": "8 B", "encapsulation": "8 B",
    "mtu": "9180 B", "propagation": "5 ns/m",
}  # fmt: skip
FDDI: dict[str, Any] = {
    "devices": 500, "rate": "100 Mbit/s", "target_rotation": "8 ms", "preamble": "8 B", "token": "3 B",
    "header": "20 B", "encapsulation": "8 B", "mtu": "4352 B", "station_delay": "1 us", "propagation": "5 ns/m",
}  # fmt: skip
SHARED: dict[str, Any] = {
    **ETHERNET, "rate": "10 Mbit/s", "devices": 100, "jam": "4 B", "slot": "64 B", "attempts": 16,
    "backoff_limit": 10, "transceivers": "0 s",
}  # fmt: skip
EMULATED: dict[str, Any] = {"mtu": "1500 B", "header": "14 B", "burst": "3200 B", "propagation": "5 ns/m"}
FC: dict[str, Any] = {
    "signalling": "1 Gbaud", "frame_overhead": "36 B", "gap": "24 B", "max_payload": "2112 B",
    "propagation": "5 ns/m",
}  # fmt: skip
LINKS = {
    "ethernet": ETHERNET,
    "hippi": HIPPI,
    "atm": ATM,
    "fddi": FDDI,
    "ethernet-shared": SHARED,
    "fibre-channel": FC,
    "emulated": EMULATED,
}
FC_CARD = {key: value for key, value in ADAPTER.items() if key != "medium"} | {
    "frame_payload": "2048 B",
    "credit": 4,
}
ADAPTERS = {"network": ADAPTER, "hippi": HIPPI_CARD, "fibre-channel-network": FC_CARD}
SWITCH: dict[str, Any] = {"ports": 16, "latency": "2 us", "buffering": "output", "buffer": "64 KiB"}


def host(name: str, cpus: int = 1, bus: dict[str, Any] | None = None, **adapters: dict[str, Any]) -> Host:
    """A host of CPUs at 100 MHz and memory of 1 GB/s, its bus moving 400 MB/s, with adapters on it."""
    memory = {"size": "64 MiB", "rate": "1 GB/s", "copy_rate": "100 MB/s", "xor_rate": "100 MB/s"}
    return Host(
        name, "sample", name, cpus,
        part("cpu", "cpu", f"{name}.cpu", clock="100 MHz", cache="1 MiB"),
        part("memory", "memory", f"{name}.memory", **memory),
        part("kernel", "unix", f"{name}.kernel", **KERNEL),
        {"bus": part("bus", "parallel", f"{name}.bus", **{**BUS, **(bus or {})})},
        {key: Adapter(_adapter(f"{name}.{key}", **values), "bus") for key, values in adapters.items()},
        part("host", "host", name, cpus=cpus),
    )  # fmt: skip


def _adapter(name: str, kind: str = "network", **values: Any) -> Part:
    return part("adapter", kind, name, **{**ADAPTERS.get(kind, {}), **values})


def link(first: str, second: str, kind: str = "ethernet", length: int = 0, **values: Any) -> Link:
    """A link between two ports; Ethernet of 1 Gbit/s unless said otherwise."""
    sheet = part("link", kind, "link", **{**LINKS[kind], **values})
    return Link(f"{first}-{second}", sheet, (first, second), Fraction(length))


def shared(kind: str, *ends: str, length: int = 0, **values: Any) -> Link:
    """A link called "lan" that all these ports share."""
    return Link("lan", part("link", kind, "lan", **{**LINKS[kind], **values}), ends, Fraction(length))


def switch(name: str, kind: str = "ethernet", **values: Any) -> Switch:
    """A switch with 2 us of latency; of packets, it queues at its outputs."""
    sample = SWITCH if kind == "ethernet" else {"ports": 8, "latency": "2 us"}
    if kind == "fibre-channel":
        sample = {**sample, "credit": 16}
    return Switch(name, part("switch", kind, name, **{**sample, **values}))


class Net:
    """A site of these hosts, links and switches, and packets over it."""

    def __init__(self, hosts: list[Host], links: list[Link], *switches: Switch) -> None:
        system = System(
            "sample", {one.name: one for one in hosts}, {}, {one.name: one for one in switches}, tuple(links), {},
            Run.model_validate({}), Report.model_validate({}),
        )  # fmt: skip
        self.site = Site(system)
        self.p = self.site.p
        self.network = self.site.network

    def path(self, source: str, target: str) -> NetworkPath:
        return self.network.path(source, target)

    def packets(
        self, path: NetworkPath, lengths: list[int], start: int = 0, every: int = 0, name: str = "arrived",
        after: Callable[[], None] = lambda: None,
    ) -> None:  # fmt: skip
        """One packet after another, each marked as `name` with its length where it is delivered."""
        p = self.p
        seen = p.observation(name)
        with p.thread(f"source of {name}", start=start):
            for length in lengths:
                with p.fork("packet"), p.loop(1):
                    size = p.register(length)

                    def deliver(size: Any = size) -> None:
                        p.mark(seen, size)
                        after()

                    path.send(Packet(size), deliver)
                p.advance(every)

    def stream(self, path: NetworkPath, length: int, count: int, every: int, name: str = "arrived") -> None:
        """`count` packets of one length, one every so many ps."""
        p = self.p
        seen = p.observation(name)
        with p.thread(f"source of {name}"), p.loop(count):
            with p.fork("packet"), p.loop(1):
                size = p.register(length)
                path.send(Packet(size), lambda: p.mark(seen, size))
            p.advance(every)

    def run(self, engine: ModuleType, **options: int) -> Outcome:
        """The outcome; it must end by itself."""
        outcome: Outcome = engine.run(self.p.build(), Options(**options))
        assert outcome.status == 0, outcome
        return outcome

    def marks(self, engine: ModuleType, name: str = "arrived") -> list[tuple[int, int]]:
        """(time in ns, value) of the marks of this name."""
        outcome = self.run(engine)
        names = [mark.name for mark in self.p.build().marks]
        if name not in names:
            return []
        number = names.index(name)
        return [(time // NS, value) for time, mark, value in outcome.marks.tolist() if mark == number]

    def busy(self, outcome: Outcome, name: str) -> int:
        """Time in ps for which a resource was busy."""
        names = [resource.name for resource in self.p.build().resources]
        return int(outcome.resources[names.index(name)][0])


def pair(
    length: int = 0, first: dict[str, Any] | None = None, second: dict[str, Any] | None = None, **values: Any
) -> Net:
    """Hosts a and b with an Ethernet link between them."""
    hosts = [host("a", eth=first or {}), host("b", eth=second or {})]
    return Net(hosts, [link("a.eth", "b.eth", length=length, **values)])


__all__ = ["NS", "US", "Net", "host", "link", "pair", "shared", "switch"]
