"""Rates that follow from the datasheets of links, against the figures that they are known by."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from net_bench import Net, host

from simio.description.model import Link, Part, Switch
from simio.loading import catalogue


def net(links: str, adapter: str, *switches: str, kind: str = "network") -> Net:
    """Two hosts with adapters of the catalogue, and its links and switches between them."""
    values = {**dict(catalogue.sheet(f"adapters/{adapter}").sheet), "kind": kind}
    hosts = [host(name, bus={"burst": "64 B"}, io=values) for name in "ab"]
    sheet = catalogue.sheet(f"links/{links}").sheet
    ports = ["a.io", *switches, "b.io"]
    made = [
        Link(
            f"l{number}",
            Part("l", "link", catalogue.sheet(f"links/{links}").kind, links, sheet),
            ends,
            Fraction(10),
        )
        for number, ends in enumerate(zip(ports, ports[1:], strict=False))
    ]
    if sheet.shared:
        made = [Link("lan", made[0].part, ("a.io", "b.io"), Fraction(100))]
    return Net(hosts, made, *(_switch(name) for name in switches))


def _switch(name: str) -> Switch:
    entry = catalogue.sheet(f"switches/{name}")
    return Switch(name, Part(name, "switch", entry.kind, name, entry.sheet))


@pytest.mark.parametrize(
    ("link", "adapter", "kind", "mtu", "mbit"),
    [
        # TCP payload with timestamps at the MTU: 52 bytes of headers.
        ("ethernet-1000", "sun-gigabit-2", "network", 1500, 941.48),
        ("ethernet-1000", "gigabit-pc", "network", 1500, 941.48),
        ("ethernet-1000-jumbo", "gigabit-pc", "network", 9000, 990.04),
        ("ethernet-100", "gigabit-pc", "network", 1500, 94.15),
        ("ethernet-10-shared", "ethernet-10-sgi", "network", 1500, 9.489),
        ("atm-oc3", "fore-200", "network", 9188, 134.46),
        ("atm-oc12", "fore-200", "network", 9188, 537.8),
        ("fddi", "fddi-1994", "network", 4352, 97.99),
        ("hippi-800", "iris-hippi", "hippi", 65280, 792.66),
        ("fc-266", "ancor-mca-266", "fibre-channel-network", 65280, 206.19),
    ],
)  # fmt: skip
def test_a_link_carries_what_its_framing_leaves(link: str, adapter: str, kind: str, mtu: int, mbit: float) -> None:
    path = net(link, adapter, kind=kind).path("a", "b")
    assert path.mtu == mtu
    assert (mtu - 52) * 8e6 / path.wires[0].time(mtu) == pytest.approx(mbit, rel=1e-4)


@pytest.mark.parametrize(
    ("link", "adapter", "switch", "kind"),
    [
        ("ethernet-1000", "sun-gigabit-2", "catalyst-6509", "network"),
        ("atm-oc3", "fore-200", "asx-200", "network"),
        ("hippi-800", "iris-hippi", "hippi-ps32", "hippi"),
        ("fc-266", "ancor-mca-266", "fc-266", "fibre-channel-network"),
    ],
)
def test_a_switch_passes_a_thousand_packets(link: str, adapter: str, switch: str, kind: str) -> None:
    from simio.engines import compiled

    found: Any = net(link, adapter, switch, kind=kind)
    found.stream(found.path("a", "b"), 1500, 1000, 2_000_000_000)
    assert len(found.marks(compiled)) == 1000
