"""Speed of simulating the block layer: millions of requests of a host with NVMe drives.

    python benchmarks/requests.py [--requests N] [--drives N] [--processes N] [--interface NAME]

Processes with io_uring read 4 KiB at random from eight drives, which gives more than a million requests a second.
Prints the CPU time, for a request and in all, on one core.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

from simio.loading import load
from simio.running import run_case

SCENARIO = """
title: Millions of requests
hosts:
  server: {{model: hosts/nvme-icpe24}}
disks:
  d: {{model: disks/samsung-980-pro-1tb, count: {drives}}}
links:
  - {{model: links/nvme, between: [server.nvme, d], length: 0 m}}
workload:
  direct:
    host: server
    to: d
    interface: {interface}
    registered: true
    depth: 128
    processes: {processes}
    requests: {requests}
run: {{replications: 1, warm_up: 0 s, step_budget: 5000000000}}
"""


def main() -> None:
    """Run it twice, few requests first, so that the engine is compiled."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=10_000_000)
    parser.add_argument("--drives", type=int, default=8)
    parser.add_argument("--processes", type=int, default=4)
    parser.add_argument("--interface", default="io_uring")
    options = vars(parser.parse_args())
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "requests.yaml"
        path.write_text(SCENARIO.format(**options | {"requests": 10_000}))
        run_case(load(str(path)).cases[0])
        path.write_text(SCENARIO.format(**options))
        case = load(str(path)).cases[0]
        begun = time.process_time()
        result = run_case(case)
        spent = time.process_time() - begun
    served = next(seen.count for seen in result.observations if seen.name == "direct: request")
    rate = served / (result.end / 1e12) / 1e6
    print(f"{served:,} requests at {rate:.2f} million a second, {result.steps / served:.1f} steps each")
    print(f"{spent:.1f} s of CPU time, {spent / served * 1e6:.2f} us a request, with lowering and result")


if __name__ == "__main__":
    main()
