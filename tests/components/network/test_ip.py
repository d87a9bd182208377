"""Datagrams in fragments and sockets that drop: traces by hand, loss amplification, checksums."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest
from net_bench import NS, US
from tcp_net import FREE, QUICK, busy, marks, run, station, system

from simio.components.network.ip import IpDatagrams
from simio.engines import compiled
from simio.errors import RunError

SILENT: dict[str, Any] = {**FREE, "udp_send": "0 s", "udp_receive": "0 s", "copies": False}


def datagrams(size: str, count: int = 1, stack: dict[str, Any] | None = None, **more: Any) -> Any:
    """Hosts whose stacks and adapters cost nothing, and datagrams between them."""
    params = {"from": "a", "to": "b", "size": size, "count": count, **more.pop("params", {})}
    costs = {**SILENT, **(stack or {})}
    adapter = {**QUICK, **more.pop("adapter", {})}
    reader = {**costs, **more.pop("reader", {})}
    cpus = more.pop("cpus", 1)
    ends = [station("a", costs, cpus, 0, **adapter), station("b", reader, cpus, 0, **adapter)]
    return system(*ends, workload={"datagrams": params}, **more)


class Way:
    """The part of a path that `IpDatagrams.fragments` needs: no packet goes over it."""

    def __init__(self, mtu: int) -> None:
        self.payload, self.whole = (mtu - 20) // 8 * 8, mtu - 20


@pytest.mark.parametrize(
    ("mtu", "length", "packets"),
    [
        # 8192 bytes and the UDP header over Ethernet: five fragments of 1480 bytes and one of 800.
        (1500, 8200, [1500] * 5 + [820]),
        (1500, 1480, [1500]),
        (1500, 1481, [1500, 21]),
        # Over FDDI and ATM, whose MTUs are no multiples of 8 with the header: 4328 and 9160 bytes a fragment.
        (4352, 8200, [4348, 3892]),
        (4352, 4332, [4352]),
        (9180, 57352, [9180] * 6 + [2412]),
        (65280, 61448, [61468]),
    ],
)
def test_a_datagram_is_cut_into_multiples_of_eight_bytes(mtu: int, length: int, packets: list[int]) -> None:
    assert IpDatagrams.fragments(Way(mtu), length) == packets  # type: ignore[arg-type]
    assert sum(packet - 20 for packet in packets) == length


def test_fragments_cross_the_wire_with_all_their_headers(engine: ModuleType) -> None:
    program, outcome = run(engine, datagrams("8 KiB"))
    # Six frames of 38 bytes beside the packets, at 8 ns a byte, the first of which waits for no gap of 12.
    assert busy(program, outcome, "a.eth>b.eth") == (5 * 1538 + 858 - 12) * 8 * NS
    # DMA at 400 MB/s: the first packet before the wire has anything, the last after all of it.
    sent = 3750 + (5 * 1538 + 858 - 12) * 8 + 2050
    assert marks(program, outcome, "delivered") == [(sent * NS, 8192)]


@pytest.mark.parametrize(("costs", "time"), [({"ip_send": "5 us"}, 30), ({"udp_send": "5 us"}, 5)])
def test_ip_works_a_fragment_and_udp_a_datagram(costs: dict[str, Any], time: int) -> None:
    free = run(compiled, datagrams("8 KiB"))
    costly = run(compiled, datagrams("8 KiB", stack=costs))
    assert busy(*costly, "a.cpu") - busy(*free, "a.cpu") == time * US


@pytest.mark.parametrize(
    ("size", "checksum", "summed"), [("8 KiB", True, 8192), ("8 KiB", False, 8192), ("1 KiB", True, 0)]
)
def test_an_adapter_cannot_sum_over_fragments(size: str, checksum: bool, summed: int) -> None:
    free = run(compiled, datagrams(size))
    costly = run(compiled, datagrams(size, stack={"checksum": "100 MB/s"}, adapter={"checksum": checksum}))
    for cpu in ("a.cpu", "b.cpu"):
        assert busy(*costly, cpu) - busy(*free, cpu) == summed * 10 * NS


def test_a_lost_fragment_loses_the_datagram() -> None:
    # Of 3000 datagrams in 6 fragments each, (1 - 0.02)^6 = 88.6% arrive: 2657, with a standard deviation of 17.
    program, outcome = run(compiled, datagrams("8 KiB", 3000, loss=0.02, params={"period": "1 ms"}), seed=3)
    arrived = marks(program, outcome, "delivered")
    assert all(size == 8192 for _, size in arrived)
    assert 2600 < len(arrived) < 2715
    lost = len(marks(program, outcome, "a.eth>b.eth lost"))
    assert 3000 - len(arrived) <= lost < 450


def test_a_socket_drops_what_a_slow_reader_leaves(engine: ModuleType) -> None:
    # One comes each 20 us, and the reader takes 100 us for each. Four fit the buffer with their addresses. Once
    # it is full, one in five finds room.
    slow = {"socket_call": "100 us", "datagram_receive_space": "4064 B"}
    described = datagrams("1000 B", 100, reader=slow, params={"period": "20 us"}, cpus=2)
    program, outcome = run(engine, described)
    read = len(marks(program, outcome, "delivered"))
    dropped = len(marks(program, outcome, "datagrams at b dropped"))
    assert read + dropped == 100
    assert 22 <= read <= 26


def test_every_datagram_arrives_where_nothing_is_lost(engine: ModuleType) -> None:
    program, outcome = run(engine, datagrams("20 kB", 50, stack={"ip_send": "20 us"}))
    assert [size for _, size in marks(program, outcome, "delivered")] == [20000] * 50


def test_datagrams_at_a_rate_keep_it() -> None:
    program, outcome = run(compiled, datagrams("1 KiB", 11, params={"period": "250 us"}))
    times = [time for time, _ in marks(program, outcome, "delivered")]
    assert times[-1] - times[0] == 10 * 250 * US


@pytest.mark.parametrize(("size", "space"), [("9 KiB", "8 KiB"), ("65508 B", "128 KiB")])
def test_a_datagram_beyond_what_a_stack_sends_is_refused(size: str, space: str) -> None:
    most = {"8 KiB": 8192, "128 KiB": 65507}[space]
    with pytest.raises(RunError, match=rf"workload 'datagrams': 'a' sends datagrams of at most {most} bytes"):
        run(compiled, datagrams(size, stack={"datagram_send_space": space}))
