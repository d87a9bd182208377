"""A scenario with packets, of parts with round values beside it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

STACK: dict[str, Any] = {
    "send_space": "64 KiB", "receive_space": "64 KiB", "max_space": "4 MiB", "datagram_send_space": "64 KiB",
    "datagram_receive_space": "64 KiB", "mbuf_size": "0 B", "mbuf_data": "0 B", "mbuf_first": "0 B",
    "cluster": "0 B", "cluster_threshold": "0 B", "cluster_needs_room": False, "hand_over": "write",
    "page_flip": False, "mss_multiple": "0 B", "rfc1323": "never", "initial_window": 2, "restart": True,
    "max_cwnd": "none", "recovery": "newreno", "ack_every": 2, "ack_small": False, "delayed_ack": "50 ms",
    "delayed_ack_clock": "timer", "rto_tick": "10 ms", "rto_min": "200 ms", "rto_initial": "3 s", "rto_max": "60 s",
    "input": "interrupt", "socket_call": "10 us", "buffer_cost": "0 s", "tcp_send": "20 us", "tcp_receive": "30 us",
    "udp_send": "0 s", "udp_receive": "0 s", "ip_send": "1 us", "ip_receive": "2 us", "checksum": "none",
}  # fmt: skip
CARD: dict[str, Any] = {
    "medium": "ethernet", "transmit_ring": 16, "receive_ring": 16, "transmit_buffer": "128 KiB",
    "receive_buffer": "128 KiB", "transmit_cost": "5 us", "receive_cost": "4 us",
}  # fmt: skip
SCENARIO = """
title: Two hosts and their packets
hosts:
  left:
    model: hosts/linux-2002-dual-p3
    stack: ./stack.yaml
    adapters: {eth: {model: ./card.yaml, bus: pci}}
  right: {like: left}
links:
  - {model: links/ethernet-1000, between: [left.eth, right.eth], length: 10 m}
workload:
  ttcp: {from: left, to: right, size: 8 KiB, writes: 2}
"""


def scenario(folder: Path, more: str = "") -> str:
    """Write the scenario and its parts; returns its path."""
    for name, kind, values in (("stack", "tcp-ip", STACK), ("card", "network", CARD)):
        sheet = {key: {"value": value, "basis": "assumed", "source": "a test"} for key, value in values.items()}
        (folder / f"{name}.yaml").write_text(yaml.safe_dump({"kind": kind, "title": name, "values": sheet}))
    path = folder / "talk.yaml"
    path.write_text(SCENARIO + more)
    return str(path)
