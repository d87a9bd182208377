"""Sound scenarios that tests change in one place."""

from __future__ import annotations

from collections.abc import Callable

from simio.description.model import Scenario

Loader = Callable[..., Scenario]

HIPPI = """
title: Two stations
hosts:
  a: {model: hosts/station}
  b: {like: a}
links:
  - {model: links/hippi, between: [a.hippi, b.hippi], length: 10 m}
workload:
  blast: {from: a, to: b, size: 64 KiB, packets: 10}
"""

DISKS = """
title: A server and its disks
hosts:
  s: {model: hosts/server}
disks:
  d: {model: disks/plain, count: 3}
switches:
  f: switches/four-port
links:
  - {model: links/fibre, between: [s.fc, f]}
  - {model: links/fibre, between: [f, d], length: 3 m}
workload:
  reader: {host: s, from: d, block: 64 KiB, size: 1 MiB}
"""
