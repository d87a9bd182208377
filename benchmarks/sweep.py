"""Duration of a sweep of 1000 configurations: in one process, in a process for each CPU, and on a Dask cluster.

`python benchmarks/sweep.py [--rows N] [--writes N]`; each way has to give the same table. The cluster is a scheduler
and two workers of this machine, which listen on 127.0.0.1 only.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SCENARIO = str(Path(__file__).parents[1] / "scenarios" / "sgi-hippi-ttcp.yaml")


def main() -> None:
    """Sweep in each way, and then once with a kill in the middle."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1000)
    parser.add_argument("--writes", type=int, default=100)
    given = parser.parse_args()
    sets = [
        f"workload.ttcp.size=256 B..{256 * (given.rows // 2)} B:+256 B",
        "workload.ttcp.nodelay=true,false",
        f"workload.ttcp.writes={given.writes}",
        "run.warm_up=0 s",
    ]
    command = [sys.executable, "-m", "simio", "sweep", SCENARIO, "--no-cache"]
    command += [word for text in sets for word in ("--set", text)]
    with tempfile.TemporaryDirectory() as folder:
        tables = [
            _timed("one process", [*command, "--processes", "1"], folder, given.rows),
            _timed("a process for each CPU", [*command, "--processes", str(os.cpu_count())], folder, given.rows),
            _on_a_cluster(command, folder, given.rows),
            _killed([*command, "--processes", str(os.cpu_count())], folder, given.rows),
        ]
        same = all(Path(table).read_bytes() == Path(tables[0]).read_bytes() for table in tables)
        rows = Path(tables[0]).read_text().splitlines()
        twice = len(rows) - len({row.split(",")[0] for row in rows})
    print(f"{len(rows) - 1} rows, {twice} of them twice; the tables are {'the same' if same else 'NOT the same'}")
    sys.exit(0 if same and not twice and len(rows) == given.rows + 1 else 1)


def _timed(name: str, command: list[str], folder: str, rows: int) -> str:
    path = str(Path(folder, f"{name}.csv"))
    begun = time.perf_counter()
    subprocess.run([*command, "-o", path], check=True, stdout=subprocess.DEVNULL)
    _tell(name, time.perf_counter() - begun, rows)
    return path


def _tell(name: str, took: float, rows: int) -> None:
    print(f"{name:32} {took:6.1f} s {rows / took:6.0f} runs/s", flush=True)


def _on_a_cluster(command: list[str], folder: str, rows: int) -> str:
    from distributed import LocalCluster

    cluster = LocalCluster(n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None)
    with cluster:
        return _timed("Dask, two workers", [*command, "--cluster", cluster.scheduler_address], folder, rows)


def _killed(command: list[str], folder: str, rows: int) -> str:
    """A sweep that is killed with SIGKILL when half of its rows are on the disk, and then goes on."""
    path = Path(folder, "killed.csv")
    begun = time.perf_counter()
    running = subprocess.Popen([*command, "-o", str(path)], stdout=subprocess.DEVNULL, start_new_session=True)
    journal = Path(f"{path}.partial")
    while running.poll() is None and (not journal.exists() or _lines(journal) < rows // 2):
        time.sleep(0.05)
    os.killpg(running.pid, signal.SIGKILL)
    running.wait()
    print(f"killed with {_lines(journal) - 1} rows on the disk")
    subprocess.run([*command, "-o", str(path)], check=True, stdout=subprocess.DEVNULL)
    _tell("killed half-way, and again", time.perf_counter() - begun, rows)
    return str(path)


def _lines(path: Path) -> int:
    return path.read_bytes().count(b"\n")


if __name__ == "__main__":
    main()
