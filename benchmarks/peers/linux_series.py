"""Measure what `linux_figure.py` draws: congestion windows and rates of Linux's flows over time, kept as JSON.

    sudo python benchmarks/peers/linux_series.py

Flows run over 50 Mbit/s and 40 ms of round trip with a queue of one bandwidth-delay product, in the namespaces of
`namespaces.py`, without pacing, as with any queue discipline but fq, and with that which TCP has of its own. The
machine has to be idle: where the relay gets its CPU late, Linux measures the machine, not TCP.
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
SECONDS, WARM, EVERY = 20, 5, 0.1
FLOWS = (
    (["cubic", "cubic"], False, 12), (["reno", "cubic"], False, 24), (["bbr", "cubic"], False, 12),
    (["cubic"], False, 5), (["reno"], False, 5), (["bbr"], False, 3),
    (["cubic", "cubic"], True, 12), (["reno", "cubic"], True, 24), (["cubic"], True, 3), (["reno"], True, 3),
)  # fmt: skip
"""Congestion controls of flows at once, whether they are paced, and how many runs are made."""


def main() -> None:
    """Run all, in turns, and keep all runs."""
    runs: list[dict[str, object]] = []
    for number in range(max(count for _, _, count in FLOWS)):
        for controls, paced, count in FLOWS:
            if number < count:
                runs += measured(controls, paced)
    said = subprocess.run(["iperf3", "--version"], check=True, capture_output=True, text=True).stdout
    kept = {
        "basis": "measured",
        "command": "python benchmarks/peers/linux_series.py",
        "kernel": platform.release(),
        "iperf3": said.split()[1],
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "units": "rate Mbit/s, trip ms, queue bytes; seconds, warm_up, every s; goodput Mbit/s, windows segments",
        "rate": RATE, "trip": TRIP, "queue": QUEUE, "seconds": SECONDS, "warm_up": WARM, "every": EVERY, "runs": runs,
    }  # fmt: skip
    text = json.dumps(kept)
    KEPT.write_text(text + "\n", encoding="utf-8")


def measured(controls: list[str], paced: bool) -> list[dict[str, object]]:
    """A run, or none where iperf3 gives no result."""
    before = os.getloadavg()[0]
    try:
        with namespaces.path(RATE, TRIP, QUEUE, paced):
            flows = namespaces.flows(controls, SECONDS, WARM, every=EVERY)
    except json.JSONDecodeError:
        print("+".join(controls), "iperf3 gave no result", flush=True)
        return []
    print("+".join(controls), "paced" if paced else "", *(f"{flow.goodput:.2f}" for flow in flows),
          *(flow.resent for flow in flows), f"load {before:.1f}", flush=True)  # fmt: skip
    return [{"paced": paced, "load": round(before, 1), "flows": [_rounded(flow) for flow in flows]}]


def _rounded(flow: namespaces.Flow) -> dict[str, object]:
    windows = [round(window) for window in flow.windows]
    return {"control": flow.control, "goodput": round(flow.goodput, 3), "resent": flow.resent, "windows": windows}


if __name__ == "__main__":
    main()
