"""TCP over each kind of link, with stacks and adapters that cost nothing: what framing leaves is what arrives."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from net_bench import Net, host, link, shared, switch
from part_samples import part
from tcp_net import FREE, STACK

from simio.description.model import Report, Run, System, Workload
from simio.engines import compiled, reference
from simio.engines.outcome import Options
from simio.lower import lower
from simio.workloads import workload_kinds

FAST: dict[str, Any] = {"transmit_cost": "0 s", "receive_cost": "0 s"}
ROOM: dict[str, Any] = {"queue": 1000, "transmit_buffer": "1 MiB", "receive_buffer": "1 MiB"}
CARDS: dict[str, dict[str, Any]] = {
    "ethernet": {**FAST, **ROOM},
    "ethernet-shared": {**FAST, **ROOM},
    "atm": {**FAST, **ROOM, "medium": "atm"},
    "fddi": {**FAST, **ROOM, "medium": "fddi"},
    "fibre-channel": {**FAST, **ROOM, "kind": "fibre-channel-network"},
    "hippi": {**FAST, "kind": "hippi", "transmit_dma": "10 GB/s", "receive_dma": "10 GB/s"},
}
SWITCHES: dict[str, dict[str, Any]] = {
    "ethernet": {"buffer": "1 MiB"}, "atm": {"buffer": "1 MiB"}, "hippi": {}, "fibre-channel": {},
}  # fmt: skip


def transfer(kind: str, switched: bool, writes: int, **values: Any) -> tuple[Any, Net]:
    """A program of ttcp from a to b, and the path that it takes."""
    stack = {**STACK, **FREE, "rfc1323": "always", "send_space": "1 MiB", "receive_space": "1 MiB"}
    hosts = []
    for name in "ab":
        made = host(name, bus={"clock": "1 GHz", "width": "8 B"}, io=CARDS[kind])
        copy = {"size": "64 MiB", "rate": "100 GB/s", "copy_rate": "50 GB/s", "xor_rate": "1 GB/s"}
        memory = part("memory", "memory", f"{name}.memory", **copy)
        hosts.append(replace(made, memory=memory, stack=part("stack", "tcp-ip", f"{name}.stack", **stack)))
    if kind in ("fddi", "ethernet-shared"):
        links, switches = [shared(kind, "a.io", "b.io", **values)], {}
    elif switched:
        links = [link("a.io", "s", kind, **values), link("s", "b.io", kind, **values)]
        switches = {"s": switch("s", kind, **SWITCHES[kind])}
    else:
        links, switches = [link("a.io", "b.io", kind, **values)], {}
    params = {"from": "a", "to": "b", "size": "64 KiB", "writes": writes}
    work = Workload("ttcp", "ttcp", workload_kinds()["ttcp"].model_validate(params))
    system = System(
        "sample", {one.name: one for one in hosts}, {}, switches, tuple(links), {"ttcp": work},
        Run.model_validate({}), Report.model_validate({}),
    )  # fmt: skip
    return lower(system), Net(hosts, links, *switches.values())


CASES = [(kind, False) for kind in CARDS] + [(kind, True) for kind in SWITCHES]


@pytest.mark.parametrize(("kind", "switched"), CASES)
def test_tcp_fills_the_link(kind: str, switched: bool) -> None:
    program, net = transfer(kind, switched, 400)
    outcome = compiled.run(program, Options())
    assert outcome.status == 0
    delivered = [mark.name for mark in program.marks].index("delivered")
    found = [(time, size) for time, mark, size in outcome.marks.tolist() if mark == delivered]
    assert sum(size for _, size in found) == 400 * 65536
    found = found[len(found) // 3 :]
    rate = Fraction(sum(size for _, size in found[1:]) * 10**12, found[-1][0] - found[0][0])
    path = net.path("a", "b")
    data = path.mtu - 52
    line = Fraction(data * 10**12, path.wires[0].time(path.mtu))
    # Acknowledgements share a ring or cable with the data; a HIPPI card sends one packet at a time, with a connection
    # of its own, and takes 64 KiB in two.
    least = {"fddi": 0.9, "ethernet-shared": 0.8, "hippi": 0.75, "fibre-channel": 0.9}.get(kind, 0.97)
    assert least < float(rate / line) <= 1.001


@pytest.mark.parametrize(("kind", "switched"), CASES)
def test_both_engines_agree_on_tcp(kind: str, switched: bool) -> None:
    lossy = {} if kind in ("hippi", "fibre-channel") else {"loss": 0.02}
    program, _ = transfer(kind, switched, 6, **lossy)
    slow, fast = reference.run(program, Options()), compiled.run(program, Options())
    assert slow.status == fast.status == 0
    assert slow.marks.tolist() == fast.marks.tolist()
    assert slow.resources.tolist() == fast.resources.tolist()
    assert slow.state.tolist() == fast.state.tolist()
