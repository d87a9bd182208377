"""simio beside this machine's own Linux: goodput, congestion windows over time, and shares between flows.

    sudo python benchmarks/peers/linux_tcp.py --measure measured.json
    python benchmarks/peers/linux_tcp.py --draw docs/linux-tcp.png measured.json

The first runs Linux in network namespaces (`namespaces.py`), the second simulates the same (`scenarios/linux-tcp-flows.yaml`),
prints a table and draws both.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

SCENARIO = Path(__file__).parents[2] / "scenarios" / "linux-tcp-flows.yaml"
RATE, TRIP, SECONDS, WARM_UP = 50, 30, 20, 5
"""Mbit/s, ms of round trip, and seconds of each case."""
CASES: list[tuple[list[str], int]] = [
    (["reno"], 150_000),
    (["cubic"], 150_000),
    (["bbr"], 150_000),
    (["reno", "cubic"], 150_000),
    (["bbr", "cubic"], 150_000),
    (["bbr", "cubic"], 600_000),
]
"""Congestion controls of flows at once, and the bytes of the queue: 0.8 or 3.2 times what the path holds."""


def main() -> None:
    """Measure, or simulate and draw."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path, help="measurements, as JSON")
    parser.add_argument("--measure", action="store_true", help="run Linux and write the file")
    parser.add_argument("--draw", type=Path, help="write a picture")
    asked = parser.parse_args()
    if asked.measure:
        asked.file.write_text(json.dumps([_measured(*case) for case in CASES]))
        return
    measured = json.loads(asked.file.read_text())
    simulated = [_simulated(*case) for case in CASES]
    print("flows; queue kB; Linux Mbit/s; simio Mbit/s; share of the first: Linux, simio")
    for (controls, queue), here, there in zip(CASES, measured, simulated, strict=True):
        rates = [[flow["goodput"] for flow in flows] for flows in (here, there)]
        shares = [rate[0] / sum(rate) for rate in rates]
        told = ["  ".join(f"{value:6.2f}" for value in rate) for rate in rates]
        print(f"{'+'.join(controls):12} {queue // 1000:4}   {told[0]:16} {told[1]:16} {shares[0]:5.1%} {shares[1]:5.1%}")
    if asked.draw:
        _draw(asked.draw, measured, simulated)


def _measured(controls: list[str], queue: int) -> list[dict[str, Any]]:
    import namespaces

    with namespaces.path(RATE, TRIP, queue):
        return [asdict(flow) for flow in namespaces.flows(controls, SECONDS, WARM_UP)]


def _simulated(controls: list[str], queue: int) -> list[dict[str, Any]]:
    from simio.loading import load
    from simio.running import RunOptions, run_scenario

    pair = (controls * 2)[:2]
    sets = [f"links.last.queue={queue} B", f"links.path.delay={TRIP / 2} ms", f"links.last.rate={RATE} Mbit/s"]
    sets += [f"hosts.{host}.stack.congestion_control={control}" for host, control in zip(("one", "two"), pair, strict=True)]
    sets += [f"run.until={SECONDS} s", f"run.warm_up={WARM_UP} s", "run.replications=1"]
    if len(controls) == 1:
        sets.append("workload.second.size=1 B")
    result = run_scenario(load(SCENARIO, tuple(sets)), tuple(sets), RunOptions(timeline=0.1))
    return result


def _draw(path: Path, measured: list, simulated: list) -> None:
    raise NotImplementedError


if __name__ == "__main__":
    main()
