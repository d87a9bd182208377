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

BUS = """
title: Two hosts and their disks on one bus
hosts:
  a: {model: hosts/server, adapters: {bus: {model: adapters/bus-card, bus: io}}}
  b: {like: a}
disks:
  d: {model: disks/bus, count: 2}
  e: disks/large-sectors
links:
  - {name: scsi, model: links/bus, between: [a.bus, d, e, b.bus], length: 3 m}
workload:
  reader: {host: b, from: d, block: 64 KiB, size: 1 MiB}
"""

VOLUMES = """
title: Volumes of four disks
hosts:
  s: {model: hosts/server}
disks:
  d: {model: disks/plain, count: 4}
volumes:
  left: {kind: mirror, of: [d1, d3]}
  right: {kind: mirror, of: [d2, d4]}
  data: {kind: stripe, of: [left, right], unit: 64 KiB, file_system: filesystems/extents}
switches:
  f: {model: switches/four-port, ports: 5}
links:
  - {model: links/fibre, between: [s.fc, f]}
  - {model: links/fibre, between: [f, d], length: 3 m}
workload:
  reader: {host: s, from: data, block: 64 KiB, size: 1 MiB}
"""
