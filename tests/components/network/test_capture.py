"""Packet traces: what is seen where and when, and that looking changes nothing."""

from __future__ import annotations

from dataclasses import fields
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from tcp_net import station, system

from simio.components.network.capture import PacketTrace, Point
from simio.description.model import System
from simio.engines.outcome import Options, Outcome
from simio.errors import RunError
from simio.lower import lower
from simio.program.steps import Program
from simio.report.decoded import Fragment, TcpSegment
from simio.result.packets import LostPacket, Packets, SeenPacket

EXTENDED: dict[str, Any] = {"rfc1323": "always", "recovery": "sack"}


def talk(kind: str = "ttcp", stack: dict[str, Any] | None = None, wire: dict[str, Any] | None = None, **params: Any
) -> System:  # fmt: skip
    """Hosts a and b with two CPUs each; a sends to b."""
    size = {"size": "8 KiB", "writes": 4} if kind == "ttcp" else {}
    workload = {kind: {"from": "a", "to": "b", **size, **params}}
    return system(station("a", stack, cpus=2), station("b", stack, cpus=2), workload=workload, **(wire or {}))


def run(engine: ModuleType, described: System, *at: str, limit: int = 1000) -> tuple[Program, Outcome]:
    """A traced run, which must end by itself."""
    program = lower(described, PacketTrace(limit, at))
    outcome: Outcome = engine.run(program, Options())
    assert outcome.status == 0
    return program, outcome


def seen(engine: ModuleType, described: System, *at: str, limit: int = 1000) -> list[SeenPacket]:
    """The packets of a traced run, without those that were lost."""
    found = Packets(*run(engine, described, *at, limit=limit))
    return [packet for packet in found if isinstance(packet, SeenPacket)]


@pytest.mark.parametrize("at", [(), ("a", "b")])
def test_a_traced_run_does_what_it_does_without(engine: ModuleType, at: tuple[str, ...]) -> None:
    described = talk(stack=EXTENDED, wire={"loss": 0.05}, writes=10)
    plain = lower(described)
    alone = engine.run(plain, Options())
    program, traced = run(engine, described, *at)
    for item in fields(Outcome):
        # Only records differ, and the steps and the state that this takes.
        if item.name not in ("steps", "marks", "samples", "state", "alive"):
            assert np.array_equal(getattr(alone, item.name), getattr(traced, item.name)), item.name
    names = [mark.name for mark in plain.marks]
    others = [row for row in traced.marks.tolist() if program.marks[row[1]].role != "packet"]
    assert [(time, names[mark], value) for time, mark, value in alone.marks.tolist()] == [
        (time, program.marks[mark].name, value) for time, mark, value in others
    ]


def test_engines_see_the_same(compiled_and_simpy: tuple[ModuleType, ModuleType]) -> None:
    described = talk(stack=EXTENDED, wire={"loss": 0.05}, writes=10)
    first, second = (run(each, described, "a", "b")[1] for each in compiled_and_simpy)
    # Sums of packets' words leave 64 bits, in both alike.
    assert first.differences(second) == []


def test_a_packet_is_seen_when_the_driver_has_it_and_when_the_handler_passes_it_on(
    engine: ModuleType,
) -> None:
    syn = seen(engine, talk(), "a", "b")[:2]
    # Call 10 us, TCP 20 us, IP 1 us, driver 5 us; DMA of 10 words of 10 ns, 64 bytes of frame and 8 of preamble at
    # 8 ns, DMA again; interrupt 3 us and driver 4 us.
    assert [(packet.time, packet.sent, packet.length) for packet in syn] == [
        (36_000_000, True, 40),
        (36_000_000 + 100_000 + 576_000 + 100_000 + 7_000_000, False, 40),
    ]
    assert syn[0].point == Point("a.eth", "tcp", "a", 1025, "b", 5001, {"mss": 1460})


def test_with_no_host_given_each_packet_is_seen_once_where_it_is_sent(engine: ModuleType) -> None:
    both, once = seen(engine, talk(), "a", "b"), seen(engine, talk())
    assert [packet for packet in both if packet.sent] == once
    assert {packet.point.interface for packet in once} == {"a.eth", "b.eth"}


def test_a_host_sees_what_it_sends_and_receives(engine: ModuleType) -> None:
    at_a = seen(engine, talk(), "a")
    assert {(packet.point.interface, packet.sent) for packet in at_a} == {("a.eth", True), ("a.eth", False)}
    sent = sum(TcpSegment.of(packet).fields.length for packet in at_a if packet.sent)
    assert sent == 4 * 8192


def test_packets_arrive_in_order_as_they_were_sent(engine: ModuleType) -> None:
    packets = seen(engine, talk(writes=20), "a", "b")
    for source in "ab":
        there = [packet for packet in packets if packet.point.source == source and packet.sent]
        back = [packet for packet in packets if packet.point.source == source and not packet.sent]
        assert [(packet.length, packet.words) for packet in there[: len(back)]] == [
            (packet.length, packet.words) for packet in back
        ]
        assert all(late.time > early.time for early, late in zip(there, back, strict=False))


def test_options_are_told_as_the_ends_agreed_on_them(engine: ModuleType) -> None:
    packets = seen(engine, talk(stack=EXTENDED, window="256 KiB"))
    # 256 KiB need a shift of 3; the option leaves out the 12 bytes of timestamps that each segment has.
    assert {tuple(packet.point.agreed.items()) for packet in packets} == {
        (("mss", 1460), ("timestamps", 1), ("shift", 3), ("sack", 1))
    }


def test_what_is_lost_is_told_where(engine: ModuleType) -> None:
    packets = list(Packets(*run(engine, talk(wire={"loss": 0.2}, writes=10))))
    lost = [packet for packet in packets if isinstance(packet, LostPacket)]
    assert lost
    assert {(packet.by, packet.how) for packet in lost} <= {("a.eth>b.eth", "lost"), ("b.eth>a.eth", "lost")}
    arrived = seen(engine, talk(wire={"loss": 0.2}, writes=10), "a", "b")
    sent = [packet for packet in arrived if packet.sent]
    assert len(sent) - len(lost) == len(arrived) - len(sent)
    assert [packet.time for packet in packets] == sorted(packet.time for packet in packets)


def test_a_full_trace_ends_and_the_run_does_not(engine: ModuleType) -> None:
    whole = Packets(*run(engine, talk()))
    part = Packets(*run(engine, talk(), limit=5))
    assert list(part) == list(whole)[:5]
    assert (whole.missing, part.count, part.missing) == (0, 5, whole.count - 5)
    assert part.outcome.end == whole.outcome.end


def test_connections_have_ports_of_their_own(engine: ModuleType) -> None:
    packets = seen(engine, talk(streams=3))
    ports = {(packet.point.source_port, packet.point.target_port) for packet in packets}
    assert ports == {(1025, 5001), (1026, 5001), (1027, 5001), (5001, 1025), (5001, 1026), (5001, 1027)}


def test_echo_is_seen_as_request_and_reply(engine: ModuleType) -> None:
    packets = seen(engine, talk("ping", count=2, size=56))
    told = [(packet.point.source, packet.point.agreed["reply"], packet.number, packet.length) for packet in packets]
    assert told == [("a", 0, 1, 84), ("b", 1, 1, 84), ("a", 0, 2, 84), ("b", 1, 2, 84)]
    assert {packet.point.source_port for packet in packets} == {1}


def test_a_datagram_is_seen_in_fragments(engine: ModuleType) -> None:
    packets = seen(engine, talk("datagrams", size="4000 B", count=2), "a", "b")
    # 4008 bytes with the header of UDP over an MTU of 1500: 1480, 1480 and 1048 bytes.
    told = [(one.point.source_port, one.point.target_port, Fragment.of(one)) for one in packets if not one.sent]
    assert told == [
        (1025, 5001, Fragment(number, offset, data, 4008))
        for number in (0, 1)
        for offset, data in ((0, 1480), (1480, 1480), (2960, 1048))
    ]


def test_calls_go_to_the_port_of_nfs(engine: ModuleType) -> None:
    packets = seen(engine, talk("nfs", size="16 KiB", transfer="8 KiB", access="read", version=3))
    ports = {(one.point.source, one.point.source_port, one.point.target_port) for one in packets}
    assert ports == {("a", 1023, 2049), ("b", 2049, 1023)}


def test_a_host_that_is_not_there() -> None:
    with pytest.raises(RunError, match=r"no host 'c' to trace packets at; there are a, b"):
        lower(talk(), PacketTrace(at=("c",)))


def test_a_point_is_known_by_its_name_and_unit() -> None:
    point = Point("big.host-1.eth", "tcp", "big", 1025, "other one", 5001, {"mss": 1460, "shift": 0})
    assert Point.of(point.name, point.unit) == point
    assert Point.of("a.eth: icmp a.1 > b.1", "").agreed == {}
    with pytest.raises(ValueError, match="'delivered' is not the name"):
        Point.of("delivered", "bytes")


@pytest.fixture
def compiled_and_simpy() -> tuple[ModuleType, ModuleType]:
    """Both engines."""
    from simio.engines import compiled, reference

    return compiled, reference
