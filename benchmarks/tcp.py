"""Time of a TCP transfer over Gigabit Ethernet through a switch, packet by packet: with hosts, and without.

    python benchmarks/tcp.py [--megabytes N] [--rounds N] [--scenario NAME]

`hosts` has CPUs, memory, buses, adapters and stacks (`scenarios/slac-datamove8.yaml`, a window of 64 KiB), `wire`
hosts and adapters that take no time (`benchmarks/tcp-wire.yaml`): links, switch and TCP alone, as network simulators
have them. `cores` has hosts whose adapters have queues, with packets of 1500 bytes over 100 Gbit/s, and `offloads`
the same with TSO and GRO (`scenarios/one-flow-100g.yaml`). Packets are counted from end to end, data and
acknowledgements, and link crossings apart: each packet crosses two links, or the one between those hosts. Segments
are packets of data, whatever offloads make of them. Times are CPU seconds of the run alone, the best of several
rounds; loading and lowering are told beside them. The compiled engine is warm.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from simio.description.model import Case
from simio.engines import compiled
from simio.loading import load
from simio.lower import lower
from simio.program.steps import Program

ROOT = Path(__file__).parents[1]
SCENARIOS: dict[str, tuple[Path, int, dict[str, str]]] = {
    "hosts": (ROOT / "scenarios" / "slac-datamove8.yaml", 8 * 2**10, {}),
    "wire": (ROOT / "benchmarks" / "tcp-wire.yaml", 60 * 2**10, {}),
    "cores": (ROOT / "scenarios" / "one-flow-100g.yaml", 128 * 2**10, {"tso": "none", "gro": "none"}),
    "offloads": (ROOT / "scenarios" / "one-flow-100g.yaml", 128 * 2**10, {"tso": "64 KiB", "gro": "64 KiB"}),
}
"""Files, the bytes of a write in each, and what the case has, where it is not the first with one of WINDOWS."""
WINDOWS = (60 * 2**10, 64 * 2**10)
"""Windows of the cases that are run."""
SEGMENT = 1448
"""Bytes of data of a full segment of 1500 bytes, with timestamps."""


def main() -> None:
    """Print a few lines a scenario: times, counts and rates."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--megabytes", type=int, default=100, help="MiB to transfer")
    parser.add_argument("--rounds", type=int, default=5, help="the best of so many counts")
    parser.add_argument("--scenario", choices=[*SCENARIOS], action="append", help="only this one")
    options = parser.parse_args()
    for name in options.scenario or SCENARIOS:
        _measure(name, options.megabytes, options.rounds)


def _measure(name: str, megabytes: int, rounds: int) -> None:
    path, write, offloads = SCENARIOS[name]
    sets = (f"workload.ttcp.writes={megabytes * 2**20 // write}", "run.until=none", "run.warm_up=0 s")
    scenario, loading = _timed(lambda: load(str(path), sets))
    case = next(case for case in scenario.cases if _is_wanted(case, offloads))
    program, lowering = _timed(lambda: lower(case.system))
    outcome = compiled.run(program)
    best = min(_timed(lambda: compiled.run(program))[1] for _ in range(rounds))
    packets, crossings = _counted(program, outcome.resources[:, 2].tolist())
    print(f"{name}: {megabytes} MiB: load {loading:.3f} s, lower {lowering:.3f} s, run {best:.4f} s")
    print(f"  {outcome.events:,} events and {outcome.steps:,} steps: "
          f"{outcome.events / packets:.1f} and {outcome.steps / packets:.1f} a packet")  # fmt: skip
    for count, what in ((packets, "packets end to end"), (crossings, "link crossings")):
        print(f"  {count:,} {what}, {count / best / 1e6:.2f} million a second")
    if offloads:
        segments = -(-megabytes * 2**20 // SEGMENT)
        print(f"  {segments:,} segments of data, {segments / best / 1e6:.2f} million a second")


def _is_wanted(case: Case, offloads: dict[str, str]) -> bool:
    """True for the case that is measured: by its window, or with these offloads, short packets and one core."""
    if not offloads:
        params: Any = case.system.workloads["ttcp"].params
        return params.window in WINDOWS and params.streams == 1
    wanted = {**offloads, "mtu": "1500 B", "queue": "0"}
    found = {key.rpartition(".")[2]: str(value) for key, value in case.settings.items()}
    return all(found.get(key) == value for key, value in wanted.items())


def _counted(program: Program, seizes: list[int]) -> tuple[int, int]:
    """Packets that hosts have sent, and packets on all wires, by how often wires were taken; none is lost."""
    taken = {
        resource.name: count
        for resource, count in zip(program.resources, seizes, strict=True)
        if ">" in resource.name
    }
    return sum(count for name, count in taken.items() if "." in name.partition(">")[0]), sum(taken.values())


def _timed(work: Callable[[], Any]) -> tuple[Any, float]:
    begin = time.process_time()
    value = work()
    return value, time.process_time() - begin


if __name__ == "__main__":
    main()
