"""simio beside this machine's own Linux: goodput of a flow by its window, and shares of flows in a queue.

    sudo python benchmarks/peers/linux_tcp.py

Linux runs in network namespaces (`namespaces.py`), simio `scenarios/linux-tcp-flows.yaml` and a scenario of the same
path. The machine has to be idle: where the relay gets its CPU late, Linux measures the machine, and not TCP.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import tempfile
import threading
import time
from pathlib import Path

import namespaces

from simio.loading import load
from simio.running import run_scenario

SCENARIOS = Path(__file__).parents[2] / "scenarios"
RATE = 100
"""Mbit/s of the token bucket where windows are varied."""
WINDOWS = [(trip, asked) for trip in (6, 20) for asked in (15_000, 30_000, 60_000)]
"""ms of the round trip, and the socket buffer that iperf3 asks for."""
FLOWS = [(["reno"], 150_000), (["cubic"], 150_000), (["bbr"], 150_000), (["bbr", "cubic"], 600_000)]
"""Congestion controls of flows at once over 50 Mbit/s and 30 ms, and the bytes of the queue."""


def main() -> None:
    """Print a table of windows, and one of flows."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=3, help="of a flow that its window limits")
    asked = parser.parse_args()
    print(f"load before: {os.getloadavg()[0]:.1f}\n\nround trip ms  window bytes  Linux Mbit/s  simio  difference")
    for trip, window in WINDOWS:
        goodput, offered, least = _measured(trip, window, asked.seconds)
        simulated = _simulated(least, offered, asked.seconds)
        print(f"{least:13.2f}  {offered:12}  {goodput:12.2f}  {simulated:5.2f}  {simulated / goodput - 1:10.1%}")
    print("\nflows         queue kB  Linux Mbit/s")
    for controls, queue in FLOWS:
        with namespaces.path(50, 30, queue):
            rates = [flow.goodput for flow in namespaces.flows(controls, 20, 5)]
        print(f"{'+'.join(controls):12} {queue // 1000:9}  {'  '.join(f'{rate:.2f}' for rate in rates)}")
    print(f"\nload after: {os.getloadavg()[0]:.1f}")


def _measured(trip: float, window: int, seconds: float) -> tuple[float, int, float]:
    """Goodput in Mbit/s, the window that the receiver offers in bytes, and the shortest round trip in ms."""
    seen: list[str] = []

    def look() -> None:
        time.sleep(namespaces.READY + seconds * 2 / 3)
        words = ["ip", "netns", "exec", "simio-client", "ss", "-tin", "state", "established", "( dport = 5201 )"]
        seen.append(subprocess.run(words, check=True, capture_output=True, text=True).stdout)

    with namespaces.path(RATE, trip, 4_000_000):
        looking = threading.Thread(target=look)
        looking.start()
        flow = namespaces.flows(["reno"], seconds, 1, window)[0]
        looking.join()
    offered, least = (re.findall(rf"{word}:([\d.]+)", seen[0])[-1] for word in ("snd_wnd", "minrtt"))
    return flow.goodput, int(offered), float(least)


def _simulated(trip: float, window: int, seconds: float) -> float:
    """Goodput in Mbit/s of the same in simio."""
    text = f"""
title: A window over a token bucket
hosts:
  client: {{model: hosts/linux-namespace}}
  server: {{model: hosts/linux-namespace, stack: {{advertised_window: {window} B}}}}
switches: {{router: {{model: switches/ideal-ethernet}}}}
links:
  - {{model: links/emulated, between: [client.eth, router], delay: {trip / 2} ms}}
  - {{model: links/emulated, between: [router, server.eth], rate: {RATE} Mbit/s, burst: 3200 B, queue: 4 MB}}
workload: {{ttcp: {{from: client, to: server, size: 128 KiB}}}}
run: {{until: {seconds} s, warm_up: 1 s}}
"""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "window.yaml"
        file.write_text(text)
        case = run_scenario(load(str(file))).cases[0]
    return float(case.throughput.rate) * 8e-6


if __name__ == "__main__":
    main()
