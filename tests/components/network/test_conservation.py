"""Whatever is between two hosts: each packet arrives, in order, or is told to be dropped or lost."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from net_bench import US, Net, host, link, shared, switch

from simio.components.network.packet import Packet
from simio.engines import compiled, reference
from simio.engines.outcome import Options

CARDS = st.fixed_dictionaries(
    {
        "queue": st.integers(1, 60),
        "transmit_ring": st.integers(1, 20),
        "receive_ring": st.integers(1, 20),
        "transmit_buffer": st.sampled_from(["9188 B", "20 kB", "128 KiB"]),
        "receive_buffer": st.sampled_from(["9188 B", "20 kB", "128 KiB"]),
        "overlapped": st.booleans(),
        "packet_time": st.sampled_from(["0 s", "3 us"]),
        "coalesce_count": st.integers(1, 5),
        "coalesce_delay": st.sampled_from(["1 ns", "20 us"]),
        "transmit_interrupt": st.integers(0, 3),
    }
)
ETHERNET_SWITCH = st.fixed_dictionaries(
    {
        "buffering": st.sampled_from(["output", "shared", "input"]),
        "forwarding": st.sampled_from(["store", "cut-through"]),
        "buffer": st.sampled_from(["1600 B", "10 kB", "200 kB"]),
        "backplane": st.sampled_from(["none", "2 Gbit/s"]),
    }
)
TRAFFIC = st.lists(st.tuples(st.integers(20, 1500), st.sampled_from([0, 1, 7, 30])), min_size=1, max_size=25)


def made(kind: str, card: dict[str, Any], values: dict[str, Any]) -> Net:
    """Hosts a, b and c, joined by this kind of link."""
    medium = "ethernet" if kind.startswith("ethernet") else kind
    hosts = [host(name, io={"medium": medium, **card}) for name in "abc"]
    if kind in ("fddi", "ethernet-shared"):
        return Net(hosts, [shared(kind, "a.io", "b.io", "c.io", length=300, loss=0.05)])
    links = [link(f"{name}.io", "s", kind, length=20, loss=0.05) for name in "abc"]
    sample = {"latency": "2 us", "buffer": "20 kB", "discard_above": "none"} if kind == "atm" else values
    return Net(hosts, links, switch("s", kind, **sample))


@settings(max_examples=60)
@given(
    kind=st.sampled_from(["ethernet", "atm", "fddi", "ethernet-shared"]),
    card=CARDS, values=ETHERNET_SWITCH, there=TRAFFIC, across=TRAFFIC,
)  # fmt: skip
def test_packets_arrive_in_order_or_are_accounted_for(
    kind: str, card: dict[str, Any], values: dict[str, Any], there: list[tuple[int, int]],
    across: list[tuple[int, int]],
) -> None:  # fmt: skip
    net = made(kind, card, values)
    p = net.p
    flows = {"there": ("a", "c", there), "across": ("b", "c", across)}
    for name, (source, target, traffic) in flows.items():
        path = net.path(source, target)
        seen, order = p.observation(name), p.observation(f"{name} order")
        with p.thread(f"source of {name}"):
            for number, (length, pause) in enumerate(traffic):
                p.advance(pause * US)
                with p.fork("packet"), p.loop(1):
                    size, serial = p.register(length), p.register(number)

                    def deliver(size: Any = size, serial: Any = serial, seen: Any = seen, order: Any = order) -> None:
                        p.mark(seen, size)
                        p.mark(order, serial)

                    path.send(Packet(size), deliver)
    program = p.build()
    slow, fast = reference.run(program, Options()), compiled.run(program, Options())
    assert slow.status == 0
    assert slow.marks.tolist() == fast.marks.tolist()
    assert slow.resources.tolist() == fast.resources.tolist()
    told: dict[str, list[int]] = {}
    for _, mark, value in slow.marks.tolist():
        told.setdefault(program.marks[mark].name, []).append(value)
    gone = sum(sum(values) for name, values in told.items() if name.endswith((" dropped", " lost")))
    arrived = sum(sum(told.get(name, [])) for name in flows)
    assert arrived + gone == sum(length for _, _, traffic in flows.values() for length, _ in traffic)
    for name in flows:
        assert told.get(f"{name} order", []) == sorted(told.get(f"{name} order", []))
