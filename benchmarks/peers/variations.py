"""A sweep of 10 MiB by TCP, windows by streams, in simio and in SimGrid: CPU time, and how far apart they are.

simio has it twice: between hosts, which is what SimGrid's throughputs are put beside, and over links and a switch
alone, as network simulators of packets have it. `python benchmarks/peers/variations.py N [wire]` runs simio's part,
each Nth variation, and prints its throughputs.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from common import AMOUNT, HERE, SCENARIO, WRITE, Done, finish, ratios, spread, table, variations

from simio.errors import SimioError
from simio.sweeps import Task, run_many

LENGTH = "200 km"
"""Of the second link: a millisecond one way, so that 244 KiB are on their way at most."""


def compare(peers: Path, rounds: int, every: int) -> str:
    """The table, and what the throughputs are beside each other."""
    todo = variations(every)
    program, why = _simgrid(peers)
    ours: list[Done] = []
    wire: list[Done] = []
    theirs: list[Done] = []
    for _ in range(rounds):
        ours.append(finish([sys.executable, __file__, str(every)]))
        wire.append(finish([sys.executable, __file__, str(every), "wire"]))
        if program is not None:
            theirs.append(finish([*program, str(every)]))
        print("  a round of the sweep done", file=sys.stderr, flush=True)
    rows = [
        ["simio", spread([done.cpu for done in ours]), "1"],
        [
            "simio, links and switch alone", spread([done.cpu for done in wire]),
            spread(ratios([done.cpu for done in ours], [done.cpu for done in wire])),
        ],
        [
            "SimGrid", spread([done.cpu for done in theirs]),
            spread(ratios([done.cpu for done in ours], [done.cpu for done in theirs])),
        ],
    ]  # fmt: skip
    text = table(["simulator", f"{len(todo)} variations, CPU s", "simio's to it"], rows)
    if program is None:
        return f"{text}\n\nSimGrid is missing: {why}"
    return f"{text}\n\n{_beside(todo, _numbers(ours[0]), _numbers(theirs[0]))}"


def rates(every: int, wire: bool) -> Iterator[float]:
    """Throughput of each variation in simio, Mbit/s, in one process."""
    tasks = [_wire(*each) if wire else _hosts(*each) for each in variations(every)]
    for _, outcome in sorted(run_many(tasks, processes=1), key=lambda pair: pair[0]):
        if isinstance(outcome, SimioError):
            raise SystemExit(str(outcome))
        yield float(outcome.rate) * 8 / 1e6


def _hosts(window: int, streams: int) -> Task:
    return Task(SCENARIO, _sets(window=f"{window} B", streams=streams, writes=AMOUNT // WRITE // streams))


def _wire(window: int, streams: int) -> Task:
    """Programs write 64 KiB at a time; TCP has its option for windows that are larger than that."""
    writes = AMOUNT // 2**16 // streams
    sets = _sets(window=f"{window} B", streams=streams, size="64 KiB", writes=writes)
    return Task(str(HERE.parent / "tcp-wire.yaml"), (*sets, "hosts.one.stack.rfc1323=always"))


def _sets(**keys: object) -> tuple[str, ...]:
    return (*(f"workload.ttcp.{key}={value}" for key, value in keys.items()), f"links.link2.length={LENGTH}")


def _simgrid(peers: Path) -> tuple[list[str] | None, str]:
    """The command that runs SimGrid's part, or None and why there is none."""
    # The module that pip builds does not find its own library, which lies beside it.
    beside = ":".join(str(folder.resolve()) for folder in peers.glob("lib/python3*/site-packages"))
    python = ["env", f"LD_LIBRARY_PATH={beside}", str(peers / "bin" / "python")]
    if not Path(python[-1]).exists():
        return None, "there is no environment of the peers"
    try:
        subprocess.run([*python, "-c", "import simgrid"], check=True, capture_output=True)
    except subprocess.CalledProcessError as error:
        return None, error.stderr.decode().strip().splitlines()[-1]
    return [*python, str(HERE / "flows.py")], ""


def _numbers(done: Done) -> list[float]:
    return [float(line) for line in done.printed.split()]


def _beside(todo: list[tuple[int, int]], ours: list[float], theirs: list[float]) -> str:
    apart = [(b - a) / a for a, b in zip(ours, theirs, strict=True)]
    sizes = [abs(value) for value in apart]
    widest = max(range(len(todo)), key=lambda number: sizes[number])
    window, streams = todo[widest]
    return (
        f"SimGrid's throughput is {statistics.median(apart):+.1%} of simio's beside it at the median, "
        f"{statistics.median(sizes):.1%} apart at the median and {sizes[widest]:.0%} at most "
        f"({window // 1024} KiB, {streams} streams: {theirs[widest]:.0f} against {ours[widest]:.0f} Mbit/s)."
    )


if __name__ == "__main__":
    for rate in rates(int(sys.argv[1]), wire="wire" in sys.argv[2:]):
        print(rate)
