"""LRO: an adapter joins packets until a buffer is full, ends or its time is over. Times worked by hand."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from simio.components.network.capture import PacketTrace
from simio.engines import compiled, reference
from simio.engines.outcome import Options
from simio.errors import SimioError
from simio.loading import load
from simio.lower import lower
from simio.machines.network import napi
from simio.result.packets import Packets, SeenPacket
from simio.running import run_scenario

LINE = """
title: One write of 32 KiB, in flights of 10 segments, 12 segments and a half
hosts:
  sender:
    {model: hosts/workstation, kernel: kernels/ideal, stack: {model: stacks/ideal-tcp, initial_window: 10},
    adapters: {eth: {model: adapters/ideal-ethernet, bus: slot}}}
  receiver:
    model: hosts/xeon-gold-6128-4s
    stack: {gro: none}
    adapters:
      nic: {model: adapters/connectx-5, bus: pcie, steering: flow, adaptive: false, coalesce_count: 1, lro: 64 KiB}
links: [{model: links/ethernet-100g, between: [sender.eth, receiver.nic], length: 2 m}]
workload:
  ttcp: {from: sender, to: receiver, size: 32 KiB, writes: 1}
run: {}
"""
US = 1_000_000
NIC = "hosts.receiver.adapters.nic"


@pytest.fixture
def line(tmp_path: Path) -> Path:
    path = tmp_path / "line.yaml"
    path.write_text(LINE)
    return path


@cache
def came(path: Path, *sets: str, engine: str = "compiled") -> list[tuple[int, int]]:
    """When data come to the receiver's stack, in ps, and how many bytes a buffer has."""
    program = lower(load(path, list(sets)).cases[0].system, PacketTrace(1000, ("receiver",)))
    outcome = {"compiled": compiled, "simpy": reference}[engine].run(program, Options())
    assert outcome.status == 0
    seen = [each for each in Packets(program, outcome) if isinstance(each, SeenPacket)]
    return [(each.time, each.length - 40) for each in seen if each.point.target == "receiver" and each.length > 40]


def sizes(path: Path, *sets: str) -> list[int]:
    return [size for _, size in came(path, *sets)]


def test_a_flight_waits_for_its_time_and_the_end_of_the_data_does_not(line: Path) -> None:
    # Two flights have no PUSH, and the sender waits for their acknowledgements; the third ends with one.
    assert sizes(line) == [10 * 1460, 11 * 1460, 1460 + 648]
    (first, _), (second, _), (third, _) = came(line)
    (later, _), (latest, _), (end, _) = came(line, f"{NIC}.lro_timeout=40 us")
    assert (later - first, latest - second, end - third) == (8 * US, 16 * US, 16 * US)


def test_the_time_counts_from_the_first_packet(line: Path) -> None:
    # Packets come 1538 bytes apart, 123.04 ns: the fifth 492.16 ns after the first, the sixth 615.2 ns.
    assert sizes(line, f"{NIC}.lro_timeout=500 ns")[:2] == [5 * 1460, 5 * 1460]


def test_a_full_buffer_goes_up_when_the_next_packet_comes(line: Path) -> None:
    assert sizes(line, f"{NIC}.lro=3000 B")[:5] == [2920] * 5
    assert sizes(line, f"{NIC}.lro=1460 B") == [1460] * 22 + [648]


def test_gro_merges_what_the_adapter_has_left_alone(line: Path) -> None:
    # The adapter is set up to join nothing of this size, and all comes by itself.
    case = run_scenario(load(line, [f"{NIC}.lro=1000 B", "hosts.receiver.stack.gro=64 KiB"])).cases[0]
    counts = {each.name: each.value for each in case.tallies}
    assert counts.get("ttcp at receiver joined by the adapter", 0) == 0
    assert counts["ttcp at receiver merged"] > 0


def test_both_engines_agree(line: Path) -> None:
    for sets in ((), (f"{NIC}.lro_timeout=500 ns",), (f"{NIC}.lro=3000 B", f"{NIC}.lro_timeout=2 us")):
        assert came(line, *sets) == came(line, *sets, engine="simpy")


def test_a_joined_packet_keeps_its_place_in_the_ring_until_the_driver_has_the_buffer(line: Path) -> None:
    # The first flight has ten packets, which come within 1.1 us and wait 32 us: a ring of eight drops two.
    assert sizes(line, f"{NIC}.receive_ring=8", f"{NIC}.fetch=1")[0] == 8 * 1460
    # The second has eleven.
    assert came(line, f"{NIC}.receive_ring=11", f"{NIC}.fetch=1") == came(line)


def test_the_driver_counts_packets_in_a_buffer_and_interrupts_for_buffers(line: Path) -> None:
    # SYN, the acknowledgement of the other's SYN, 22 whole segments and the rest: 25. Five buffers, two without data.
    assert counted(line) == {"packets": 25, "interrupts": 5}
    assert counted(line, f"{NIC}.lro=none")["packets"] == 25


def counted(path: Path, *sets: str) -> dict[str, int]:
    program = lower(load(path, list(sets)).cases[0].system)
    state = compiled.run(program, Options()).state
    (at,) = (each.at for each in program.tallies if each.owner.startswith("receiver") and each.what == "interrupts")
    words = {"packets": napi.PACKETS, "interrupts": napi.INTERRUPTS}
    return {name: int(state[at - napi.INTERRUPTS + word]) for name, word in words.items()}


def test_packets_of_a_host_without_cores_come_by_the_queue_of_their_connection(line: Path) -> None:
    case = run_scenario(
        load(line, ["workload.ttcp.core=1", "hosts.receiver.stack.gro=64 KiB", f"{NIC}.lro=none"])
    ).cases[0]
    used = {each.name: each.utilisation for each in case.resources if "core" in each.name and each.utilisation}
    assert list(used) == ["receiver.core 1"]


def test_an_adapter_that_joins_packets_needs_a_time(line: Path) -> None:
    with pytest.raises(SimioError) as found:
        load(line, [f"{NIC}.lro_timeout=0 s"])
    expected = "lro_timeout: found 0 s; expected a time above zero, after which the adapter gives a buffer up"
    assert expected in str(found.value)
