"""How fast the block layer is simulated: millions of requests of a host with NVMe drives.

    python benchmarks/requests.py [--requests N] [--drives N] [--processes N] [--interface NAME]

Processes with io_uring read 4 KiB at random from eight drives, which gives more than a million requests a second.
Prints the time of the engine and of the result, for a request and in all, on one core.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

from simio.engines import compiled
from simio.loading import load
from simio.lower import lower
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
        program = lower(case.system)
        begun = time.process_time()
        outcome = compiled.run(program, budget=case.system.run.step_budget)
        engine = time.process_time() - begun
        begun = time.process_time()
        result = run_case(case)
        whole = time.process_time() - begun
    served = next(seen.count for seen in result.observations if seen.name == "direct: request")
    rate = served / (outcome.end / 1e12) / 1e6
    print(f"{served:,} requests at {rate:.2f} million a second, {outcome.steps / served:.1f} steps each")
    print(f"engine {engine:.1f} s, {engine / served * 1e6:.2f} us a request; with lowering and result {whole:.1f} s")


if __name__ == "__main__":
    main()
