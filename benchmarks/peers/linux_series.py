"""Measure what `linux_figure.py` draws: congestion windows and rates of Linux's flows over time, kept as JSON.

    sudo python benchmarks/peers/linux_series.py

Flows run over 50 Mbit/s and 40 ms of round trip with a queue of one bandwidth-delay product, in the namespaces of
`namespaces.py`. The machine has to be idle: where the relay gets its CPU late, Linux measures the machine, not TCP.
"""

from __future__ import annotations

import datetime
import json
import os
import platform
import subprocess
from pathlib import Path

import namespaces

KEPT = Path(__file__).parent / "linux-series.json"
RATE, TRIP, QUEUE = 50, 40, 250_000
"""Mbit/s, ms, and the bytes of one bandwidth-delay product."""
SECONDS, WARM = 20, 5
FLOWS = (["cubic"], ["bbr"], ["bbr", "cubic"], ["cubic", "cubic"], ["reno"], ["reno", "cubic"])
"""Congestion controls of flows at once."""
REPEATS = 2


def main() -> None:
    """Run all several times, and keep all of them."""
    runs = []
    for controls in FLOWS:
        for repeat in range(REPEATS):
            before = os.getloadavg()[0]
            try:
                with namespaces.path(RATE, TRIP, QUEUE):
                    flows = namespaces.flows(controls, SECONDS, WARM)
            except json.JSONDecodeError:
                print("+".join(controls), "iperf3 gave no result", flush=True)
                continue
            print("+".join(controls), *(f"{flow.goodput:.2f}" for flow in flows), *(flow.resent for flow in flows),
                  f"load {before:.1f}", flush=True)  # fmt: skip
            runs.append({"repeat": repeat + 1, "load": before, "flows": [_rounded(flow) for flow in flows]})
    said = subprocess.run(["iperf3", "--version"], check=True, capture_output=True, text=True).stdout
    kept = {
        "basis": "measured",
        "command": "python benchmarks/peers/linux_series.py",
        "kernel": platform.release(),
        "iperf3": said.split()[1],
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "units": "rate Mbit/s, trip ms, queue bytes; times s, rates and goodput Mbit/s, windows segments",
        "rate": RATE, "trip": TRIP, "queue": QUEUE, "seconds": SECONDS, "warm_up": WARM, "runs": runs,
    }  # fmt: skip
    text = json.dumps(kept)
    KEPT.write_text(text + "\n", encoding="utf-8")


def _rounded(flow: namespaces.Flow) -> dict[str, object]:
    lists = {key: [round(value, 2) for value in getattr(flow, key)] for key in ("times", "rates", "windows")}
    return {"control": flow.control, "goodput": round(flow.goodput, 3), "resent": flow.resent} | lists


if __name__ == "__main__":
    main()
