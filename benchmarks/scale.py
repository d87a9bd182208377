"""Cost of a simulation by the size of a transfer, by hosts, connections and disks: CPU time and memory.

    python benchmarks/scale.py [--sizes MIB ...] [--hosts N ...] [--streams N ...] [--disks N ...] [--limit SECONDS]

Transfers are by TCP over Gigabit Ethernet through one switch: 1 MiB a pair of hosts and 64 KiB a connection. Disks
are behind one Fibre Channel switch, and 64 KiB are read from each.
Each row is a process of its own, whose peak memory it tells, Python and all that simio imports among it.
No periods are skipped. A row that takes longer than the limit, or fails, says so and where it was.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

WRITE = 8192
SMALL = Path(__file__).parents[1] / "scenarios" / "sgi-hippi-raw.yaml"
"""A scenario that loads the compiled engine, which is not counted."""
HEADS = ("load s", "lower s", "bound s", "run s", "steps", "simulated s", "peak MB")
WIDTH = 14
BUDGET = 10**15

HOST = """
  {name}:
    model: hosts/linux-2002-dual-p3
    cpu: {{clock: 7 GHz}}
    memory: {{rate: 10 GB/s, copy_rate: 3 GB/s}}
    stack: stacks/linux-2.4
    adapters: {{ge: {{model: adapters/gigabit-pc, bus: pci}}}}"""


def scenario(pairs: int, streams: int, writes: int) -> str:
    """So many pairs of hosts on one switch, with so many connections each and so many writes a connection."""
    names = [f"{side}{number}" for number in range(pairs) for side in ("a", "b")]
    hosts = HOST.format(name=names[0]) + "".join(f"\n  {name}: {{like: {names[0]}}}" for name in names[1:])
    links = "".join(
        f"\n  - {{model: links/ethernet-1000, between: [{name}.ge, switch], length: 20 m}}" for name in names
    )
    workload = "".join(
        f"\n  t{number}: {{kind: ttcp, from: a{number}, to: b{number}, size: {WRITE} B, window: 64 KiB,"
        f" streams: {streams}, writes: {writes}}}"
        for number in range(pairs)
    )
    return (
        f"title: Scale\nhosts:{hosts}\n"
        f"switches:\n  switch: {{model: switches/catalyst-6509, ports: {2 * pairs}, backplane: none}}\n"
        f"links:{links}\nworkload:{workload}\n"
        f"run: {{warm_up: 0 s, step_budget: {BUDGET}}}\nreport: {{unit: Mbit/s}}\n"
    )


def disks(number: int) -> str:
    """A host that reads from so many disks at once."""
    return (
        "title: Scale\nhosts:\n  server: {model: hosts/linux-2002-dual-p3}\n"
        f"disks:\n  d: {{model: disks/fc-15k-2002, count: {number}}}\n"
        f"switches:\n  fabric: {{model: switches/fc-2g, ports: {number + 1}}}\n"
        "links:\n  - {model: links/fc-2g, between: [server.fc, fabric], length: 10 m}\n"
        "  - {model: links/fc-2g, between: [fabric, d], length: 10 m}\n"
        "workload:\n"
        "  reader: {host: server, from: d, access: raw, block: 64 KiB, size: 64 KiB, pattern: sequential}\n"
        f"run: {{warm_up: 0 s, step_budget: {BUDGET}}}\n"
    )


def measure(path: str) -> None:
    """Load, lower, bound and run a scenario, and print each figure as soon as it is known."""
    from simio.bound import bound
    from simio.engines import compiled
    from simio.engines.outcome import Options
    from simio.loading import load
    from simio.lower import lower

    compiled.run(lower(load(str(SMALL)).cases[0].system), Options(until=1))
    watch = Watch()
    case = load(path).cases[0]
    watch.tell()
    program = lower(case.system)
    watch.tell()
    bound(program)
    watch.tell()
    outcome = compiled.run(program, Options(budget=BUDGET))
    watch.tell()
    print(f"{outcome.steps:,}", f"{outcome.end / 1e12:.4g}", sep="\n", flush=True)
    if outcome.status:
        raise SystemExit(f"the run ended with {outcome.status.name}")


class Watch:
    """Prints the CPU seconds of each stage."""

    def __init__(self) -> None:
        self._last = time.process_time()

    def tell(self) -> None:
        """Print the seconds since the last one."""
        now = time.process_time()
        print(f"{now - self._last:.2f}", flush=True)
        self._last = now


def row(name: str, text: str, limit: float) -> None:
    """Measure one scenario in a process of its own and print its line."""
    with tempfile.TemporaryDirectory() as folder:
        path, figures = Path(folder, "scale.yaml"), Path(folder, "figures")
        path.write_text(text)
        with open(figures, "w") as out:
            running = subprocess.Popen(
                [sys.executable, __file__, "--measure", str(path)],
                stdout=out,
                stderr=subprocess.PIPE,
                text=True,
            )
            try:
                _, said = running.communicate(timeout=limit)
            except subprocess.TimeoutExpired:
                running.kill()
                _, said = running.communicate()[0], f"stopped after {limit:.0f} s"
        told = figures.read_text().split()
    last = said.strip().splitlines()[-1] if running.returncode and said.strip() else ""
    if running.returncode and not last:
        last = f"ended with status {running.returncode}"
    cells = told + ["-"] * (len(HEADS) - len(told))
    print(
        f"{name:22}" + "".join(f"{cell:>{WIDTH}}" for cell in cells) + (f"  {last}" if last else ""),
        flush=True,
    )


def main() -> None:
    """Print a line for each size, and for each number of hosts, connections and disks."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="*", default=[10, 100, 1000], help="MiB of one transfer")
    parser.add_argument("--hosts", type=int, nargs="*", default=[2, 10, 100, 1000], help="in pairs, 1 MiB each")
    parser.add_argument("--streams", type=int, nargs="*", default=[1, 10, 100, 1000, 10000], help="64 KiB each")
    parser.add_argument("--disks", type=int, nargs="*", default=[1000, 10000], help="64 KiB each")
    parser.add_argument("--limit", type=float, default=600, help="wall-clock seconds of a row")
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.measure:
        measure(asked.measure)
        print(f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f}")
        return
    print(f"{'':22}" + "".join(f"{head:>{WIDTH}}" for head in HEADS))
    for size in asked.sizes:
        row(f"{size} MiB", scenario(1, 1, size * 2**20 // WRITE), asked.limit)
    for hosts in asked.hosts:
        row(f"{hosts} hosts", scenario(hosts // 2, 1, 2**20 // WRITE), asked.limit)
    for streams in asked.streams:
        row(f"{streams} connections", scenario(1, streams, 2**16 // WRITE), asked.limit)
    for number in asked.disks:
        row(f"{number} disks", disks(number), asked.limit)


if __name__ == "__main__":
    main()
