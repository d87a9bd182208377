"""Speed and memory of replays of traces.

    python benchmarks/traces.py [COUNT ...] [--json]
    python benchmarks/traces.py --make FILE COUNT [SECONDS]

Each COUNT (1 million and 10 million by default) of requests is written to a file for the time being, in DiskSim's own
format, and replayed at recorded times on one disk (`drives/rig.yaml`): a process of its own reads it, runs it and
shows its time and the most memory that it had. Beside it stands what DiskSim 4.0 needs for the requests of such a
trace, 58,000 a second, reading included.

--make writes a trace of two devices, in the format of the Storage Performance Council: ASU 0 is a database (blocks of
8 KiB at random, two thirds of them reads, in bursts), ASU 1 its log (written in sequence).
`scenarios/trace-server.spc` was made with 3000 requests in 30 seconds.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
DISKSIM = 58_000
"""Requests a second of DiskSim 4.0."""
PART = 250_000
"""Requests that are made at a time."""
APART = 50.0
"""Mean ms between the requests of a benchmark, which a disk of 1998 keeps up with."""
PAGE = 8192
DATABASE = 4 * 10**9
"""Bytes of the database."""
LOG = 10**9
"""Bytes of the log."""


def disksim_lines(count: int) -> Iterator[str]:
    """Reads and writes of 4 to 64 KiB all over a disk of 8 GB, at random times."""
    draws = np.random.default_rng(1)
    now = 0.0
    for first in range(0, count, PART):
        number = min(PART, count - first)
        times = now + np.cumsum(draws.exponential(APART, number))
        now = float(times[-1])
        places, sizes = draws.integers(0, 2 * 10**6, number) * 8, draws.choice([8, 16, 8, 128], number)
        rows = zip(
            times.tolist(), places.tolist(), sizes.tolist(), draws.integers(0, 2, number).tolist(), strict=True
        )
        yield "".join(f"{at:.6f} 0 {place} {size} {reads}\n" for at, place, size, reads in rows)


def spc_lines(count: int, seconds: float) -> Iterator[str]:
    """A database and its log: bursts of a tenth of a second with eight times the requests of a pause."""
    draws = np.random.default_rng(7)
    gaps = draws.exponential(1.0, count)
    gaps[np.cumsum(draws.exponential(1.0, count)) // 40 % 2 == 0] *= 8
    times = np.cumsum(gaps) * seconds / gaps.sum()
    log = 0
    for at, kind, page in zip(
        times.tolist(), draws.random(count).tolist(), draws.random(count).tolist(), strict=True
    ):
        if kind < 0.2:
            size = 4096 * (1 + int(page * 8))
            yield f"1,{log // 512},{size},W,{at:.6f}\n"
            log = (log + size) % LOG
        else:
            # Half of the requests go to a tenth of the pages.
            share = page * 0.2 if page < 0.5 else 0.1 + (page - 0.5) * 1.8
            yield f"0,{int(share * DATABASE) // PAGE * PAGE // 512},{PAGE},{'r' if kind < 0.73 else 'W'},{at:.6f}\n"


def replay(trace: str) -> dict[str, float]:
    """Replay a trace, and what that took of time and memory."""
    from simio.loading import load
    from simio.running import run_case

    sets = [f"workload.replay.{each}" for each in (f"trace={trace}", "format=disksim-ascii", "mode=recorded")]
    begun, used = time.perf_counter(), time.process_time()
    scenario = load(str(HERE / "drives" / "rig.yaml"), [*sets, "run.step_budget=1000000000000"])
    loaded = time.perf_counter() - begun
    (observed,) = run_case(scenario.cases[0]).observations
    return {
        "requests": observed.count,
        "wall": time.perf_counter() - begun,
        "read": loaded,
        "cpu": time.process_time() - used,
        "megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def measured(count: int) -> dict[str, float]:
    """The same of a trace of so many requests, in a process of its own."""
    with tempfile.NamedTemporaryFile("w", suffix=".trace") as file:
        file.writelines(disksim_lines(count))
        file.flush()
        found = subprocess.run(
            [sys.executable, __file__, "--replay", file.name], check=True, stdout=subprocess.PIPE, text=True
        )
    result: dict[str, float] = json.loads(found.stdout)
    return result


def main() -> int:
    """Do what the command line says."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("counts", nargs="*", type=int, metavar="COUNT", help="requests of a trace")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument(
        "--make", nargs="+", metavar="FILE", help="write a trace of two devices: FILE COUNT [SECONDS]"
    )
    parser.add_argument("--replay", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.replay:
        print(json.dumps(replay(args.replay)))
        return 0
    if args.make:
        file, count, seconds = (*args.make, "100", "30")[:3] if len(args.make) < 3 else args.make[:3]
        Path(file).write_text("".join(spc_lines(int(count), float(seconds))), encoding="ascii")
        return 0
    found = [measured(count) for count in args.counts or (10**6, 10**7)]
    if args.json:
        print(json.dumps(found, indent=1))
        return 0
    print(f"{'requests':>12}{'wall s':>9}{'CPU s':>9}{'requests/s (CPU)':>18}{'DiskSim':>10}{'memory MB':>11}")
    for row in found:
        rate = row["requests"] / row["cpu"]
        print(
            f"{row['requests']:>12,.0f}{row['wall']:>9.1f}{row['cpu']:>9.1f}{rate:>18,.0f}{DISKSIM:>10,}"
            f"{row['megabytes']:>11.0f}"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
