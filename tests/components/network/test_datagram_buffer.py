"""A program's datagrams wait in its socket's send buffer, whose room it waits for."""

from __future__ import annotations

from pathlib import Path

import pytest

import simio

SCENARIO = """
title: Datagrams as fast as the link takes them
hosts:
  a: {{model: hosts/linux-namespace, stack: {{datagram_buffer: {space}}}}}
  b: {{model: hosts/linux-namespace}}
links: [{{model: links/ethernet-10g, between: [a.eth, b.eth]}}]
workload: {{{workload}}}
"""


def most_waiting(tmp_path: Path, engine: str, space: str, workload: str) -> int:
    """Packets that wait for the link at most."""
    path = tmp_path / "scenario.yaml"
    path.write_text(SCENARIO.format(space=space, workload=workload))
    (case,) = simio.load(path).run(engine).cases
    (wire,) = (each for each in case.resources if each.name == "a.eth>b.eth")
    return wire.longest_line


@pytest.mark.parametrize("engine", ["compiled", "simpy"])
@pytest.mark.parametrize(
    ("workload", "packets"),
    [
        # 212992 bytes hold 151 datagrams of 1400 bytes with their headers of 8; one of them is on the wire.
        ("datagrams: {from: a, to: b, size: 1400 B, count: 1000}", 150),
        ("iperf3: {from: a, to: b, protocol: udp, length: 1400 B, total: 1400 kB}", 150),
        # The window is SO_SNDBUF, too; a datagram of the largest size fits into the least buffer: 46 of 1408 bytes.
        ("iperf3: {from: a, to: b, protocol: udp, length: 1400 B, total: 1400 kB, window: 10 kB}", 45),
        # 25 of 8208 bytes, in 6 fragments, the last of them shorter; room comes back as each fragment leaves.
        ("datagrams: {from: a, to: b, size: 8200 B, count: 100}", 154),
    ],
)
def test_a_sender_waits_for_room_in_its_buffer(tmp_path: Path, engine: str, workload: str, packets: int) -> None:
    assert most_waiting(tmp_path, engine, "208 KiB", workload) == packets


def test_without_a_buffer_all_datagrams_wait_at_once(tmp_path: Path) -> None:
    workload = "datagrams: {from: a, to: b, size: 1400 B, count: 1000}"
    assert most_waiting(tmp_path, "compiled", "none", workload) == 999


@pytest.mark.parametrize("engine", ["compiled", "simpy"])
@pytest.mark.parametrize("count", [1, 3, 1000])
def test_datagrams_back_to_back_over_a_link_without_length_keep_their_bound(
    tmp_path: Path, engine: str, count: int
) -> None:
    # The last has arrived before the gap behind it: 1466 bytes of each on the line, less 12.
    path = tmp_path / "scenario.yaml"
    workload = f"datagrams: {{from: a, to: b, size: 1400 B, count: {count}}}"
    path.write_text(SCENARIO.format(space="208 KiB", workload=workload))
    (case,) = simio.load(path).run(engine).cases
    assert case.end == (1466 * count - 12) * 800


@pytest.mark.parametrize("engine", ["compiled", "simpy"])
@pytest.mark.parametrize("batch", [1, 4])
def test_a_sender_on_a_core_waits_for_room_as_well(tmp_path: Path, engine: str, batch: int) -> None:
    path = tmp_path / "scenario.yaml"
    path.write_text(f"""
title: Datagrams of servers with queues, faster than the link
hosts: {{a: {{model: hosts/server-2023-2s}}, b: {{like: a}}}}
links: [{{model: links/ethernet-10g-jumbo, between: [a.eth, b.eth]}}]
workload: {{datagrams: {{from: a, to: b, size: 8000 B, count: 2000, batch: {batch}, streams: 2}}}}
run: {{until: 1 ms, warm_up: 0 s}}
""")
    (case,) = simio.load(path).run(engine).cases
    (sent,) = (float(stream.rate) for stream in case.streams if stream.sent)
    # Two buffers of 208 KiB fill once, and from then on what leaves makes room.
    assert sent * 1e-3 < 10e9 / 8 * 1e-3 + 2 * 208 * 1024
    (core,) = {use.utilisation for use in case.resources if use.name == "a.core 0"}
    assert core < 0.6
