"""Duration of a sweep of 1000 configurations: in one process, in a process for each CPU, and on Dask clusters.

`python benchmarks/sweep.py [--rows N] [--writes N] [--workers N ...] [--rounds N]`; each way has to give the same
table. A cluster is a scheduler and workers of this machine, which listen on 127.0.0.1 only; of the workers there are
as many as are asked for, by default one and one for each CPU. More workers than CPUs tell nothing. The sweep is told
that a cluster takes for the second time, and for the first time what starts there as well. `--rounds` repeats all but
the kill, in turns, and tells the least.
"""

from __future__ import annotations

import argparse
import logging
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from distributed import LocalCluster

from simio.sweeps.work import work

SCENARIO = str(Path(__file__).parents[1] / "scenarios" / "sgi-hippi-ttcp.yaml")


class Took(NamedTuple):
    """Seconds on the clock of a sweep, of CPU of the command and a scheduler, and of work in its workers."""

    clock: float
    beside: float = 0.0
    worked: float = 0.0


def main() -> None:
    """Sweep in each way, and then once with a kill on the way."""
    cpus = len(os.sched_getaffinity(0))
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1000)
    parser.add_argument("--writes", type=int, default=1000)
    parser.add_argument("--workers", type=int, nargs="*", default=sorted({1, cpus}), help="of each Dask cluster")
    parser.add_argument("--rounds", type=int, default=1)
    given = parser.parse_args()
    sets = [
        f"workload.ttcp.size=256 B..{256 * (given.rows // 2)} B:+256 B",
        "workload.ttcp.nodelay=true,false",
        f"workload.ttcp.writes={given.writes}",
        "run.warm_up=0 s",
    ]
    command = [sys.executable, "-m", "simio", "sweep", SCENARIO, "--case", "1", "--no-cache"]
    command += [word for text in sets for word in ("--set", text)]
    parallel = [*command, "--processes", str(cpus)]
    least: dict[str, Took] = {}
    with tempfile.TemporaryDirectory() as folder:
        tables = []
        for _ in range(given.rounds):
            found = {
                "one process": _timed([*command, "--processes", "1"], Path(folder, "one.csv")),
                "a process for each CPU": _timed(parallel, Path(folder, "each.csv")),
            }
            tables += [Path(folder, name) for name in ("one.csv", "each.csv")]
            for workers in given.workers:
                tables.append(Path(folder, f"dask-{workers}.csv"))
                first, second = _on_a_cluster(command, tables[-1], workers)
                found |= {f"Dask, {workers} workers, first": first, f"Dask, {workers} workers": second}
            least = {name: min(took, least.get(name, took)) for name, took in found.items()}
        for name, took in least.items():
            _tell(name, took.clock, given.rows)
        _tell_clusters(least, given.workers, given.rows)
        tables.append(_killed(parallel, Path(folder, "killed.csv"), given.rows))
        same = all(table.read_bytes() == tables[0].read_bytes() for table in tables)
        rows = tables[0].read_text().splitlines()
        twice = len(rows) - len({row.split(",")[0] for row in rows})
    print(f"{len(rows) - 1} rows, {twice} of them twice; the tables are {'the same' if same else 'NOT the same'}")
    sys.exit(0 if same and not twice and len(rows) == given.rows + 1 else 1)


def _timed(command: list[str], path: Path) -> Took:
    path.unlink(missing_ok=True)
    begun, spent = time.perf_counter(), _spent()
    subprocess.run([*command, "-o", str(path)], check=True, stdout=subprocess.DEVNULL)
    return Took(time.perf_counter() - begun, _spent() - spent)


def _spent() -> float:
    """Seconds of CPU of this process, in which a cluster's scheduler is, and of the commands that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def _tell(name: str, took: float, rows: int) -> None:
    print(f"{name:32} {took:6.1f} s {rows / took:6.0f} runs/s", flush=True)


def _on_a_cluster(command: list[str], path: Path, workers: int) -> tuple[Took, Took]:
    """A sweep on a new cluster, and the same again."""
    cluster = LocalCluster(
        n_workers=workers,
        threads_per_worker=1,
        host="127.0.0.1",
        dashboard_address=None,
        silence_logs=logging.CRITICAL,
    )
    given = [*command, "--cluster", cluster.scheduler_address]
    with cluster:
        first = _timed(given, path)
        begun = _worked(cluster)
        return first, _timed(given, path)._replace(worked=_worked(cluster) - begun)


def _worked(cluster: LocalCluster) -> float:
    """Seconds on the clock that workers spent on chunks of a sweep, of all workers together."""
    return float(cluster.scheduler.task_prefixes[work.__name__].all_durations["compute"])


def _tell_clusters(least: dict[str, Took], numbers: list[int], rows: int) -> None:
    """The speed beside that of one worker, how long workers were at work, and CPU time of what they do not do."""
    alone = least.get("Dask, 1 workers")
    for workers in numbers:
        took = least[f"Dask, {workers} workers"]
        print(
            f"Dask, {workers} workers:",
            f"{alone.clock / workers / took.clock:.0%} of {workers} times one worker's speed;" if alone else "",
            f"{took.worked / workers:.1f} s at work each, {took.clock - took.worked / workers:.1f} s not;",
            f"{1e3 * took.beside / rows:.2f} ms of CPU a run in the command and the scheduler",
        )


def _killed(command: list[str], path: Path, rows: int) -> Path:
    """A sweep that is killed with SIGKILL when some of its rows are on the disk, and then goes on."""
    begun = time.perf_counter()
    running = subprocess.Popen([*command, "-o", str(path)], stdout=subprocess.DEVNULL, start_new_session=True)
    journal = Path(f"{path}.partial")
    while running.poll() is None and (not journal.exists() or _lines(journal) < 2):
        time.sleep(0.02)
    if running.poll() is not None:
        sys.exit("the sweep ended before it could be killed: it takes more --rows or --writes")
    os.killpg(running.pid, signal.SIGKILL)
    running.wait()
    print(f"killed with {_lines(journal) - 1} rows on the disk")
    subprocess.run([*command, "-o", str(path)], check=True, stdout=subprocess.DEVNULL)
    _tell("killed on the way, and again", time.perf_counter() - begun, rows)
    return path


def _lines(path: Path) -> int:
    return path.read_bytes().count(b"\n")


if __name__ == "__main__":
    main()
