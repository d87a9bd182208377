"""What a long run costs that repeats itself, and what looking for periods costs one that does not.

    python benchmarks/jump.py [--full-up-to GIB] [--rounds N]

Two processes send packets of 2 MiB over HIPPI (`sgi-hippi-raw`, the last case), 1 GiB to 1 TiB, with and without
skipping periods. Then TCP whose timers are exact sends 100 MiB and 1 GiB over links and a switch alone
(`tcp-wire.yaml` with `stacks/ideal-tcp`). Last, 1 GiB goes by TCP over Gigabit Ethernet (`peers/transfer.yaml`,
`slac-datamove8`), where no period can be skipped. Seconds are of CPU time, the least of several rounds: for lowering,
running and measuring together, and for the whole command `simio run`; in the second table, for lowering, for running
with and without skipping, and for all. Results with and without skipping are compared. The status is 1 where they
differ, where the command for 1 TiB takes more than twice as long as that for 1 GiB, or where looking for periods
takes more than 3% of TCP.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

from simio.description.model import Case
from simio.engines import compiled
from simio.engines.jump import Watch
from simio.engines.outcome import Options
from simio.loading import load
from simio.lower import lower
from simio.running import run_case

ROOT = Path(__file__).parents[1]
HIPPI = ROOT / "scenarios" / "sgi-hippi-raw.yaml"
WIRE = ROOT / "benchmarks" / "tcp-wire.yaml"
ETHERNET = ROOT / "benchmarks" / "peers" / "transfer.yaml"
HOSTS = ROOT / "scenarios" / "slac-datamove8.yaml"
MIB, GIB = 2**20, 2**30
PACKET = 2 * 2**20
EXACT = (("60 KiB", 2920, 1), ("16 KiB", 2920, 1), ("60 KiB", 8192, 1), ("60 KiB", 2920, 2))
"""Windows, bytes of a write, and streams of TCP with exact timers."""
BUDGET = "run.step_budget=1000000000000"


def packets(gib: int) -> tuple[str, ...]:
    """Settings that send so many GiB over HIPPI."""
    return (f"workload.blast.packets={gib * GIB // PACKET // 2}", BUDGET)


def cpu(work: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds of CPU time, and the result."""
    begin = time.process_time()
    result = work()
    return time.process_time() - begin, result


def command(gib: int, case: int) -> float:
    """Seconds of CPU time that `simio run` takes for so many GiB over HIPPI."""
    words = [sys.executable, "-m", "simio", "run", str(HIPPI), "--case", str(case)]
    words += [word for text in packets(gib) for word in ("--set", text)]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def repeating(most: int, rounds: int) -> bool:
    """Print a line for each size, all periods being run up to `most` GiB; whether 1 TiB is cheap enough."""
    run_case(load(str(HIPPI), packets(1)).cases[-1])
    print(f"{'GiB':>6}{'steps':>18}{'skipping s':>12}{'all periods s':>15}{'command s':>11}")
    commands: dict[int, float] = {}
    for size in (1, 4, 32, 1024):
        case = load(str(HIPPI), packets(size)).cases[-1]
        taken, result = least(partial(run_case, case), rounds)
        commands[size] = min(command(size, case.index) for _ in range(rounds))
        other = ""
        if size <= most:
            full, whole = cpu(partial(run_case, case, jump=False))
            if whole != result:
                print("the results differ")
                return False
            other = f"{full:.2f}"
        print(f"{size:6}{result.steps:18,}{taken:12.2f}{other:>15}{commands[size]:11.2f}", flush=True)
    print(f"the command for 1 TiB takes {commands[1024] / commands[1]:.2f} of that for 1 GiB")
    return commands[1024] <= 2 * commands[1]


def least(work: Callable[[], Any], rounds: int) -> tuple[float, Any]:
    """The least seconds of several rounds, and the result."""
    found: list[Any] = [cpu(work) for _ in range(rounds)]
    return min(seconds for seconds, _ in found), found[0][1]


def exact(rounds: int) -> bool:
    """Print a line for each transfer by TCP with exact timers; whether results are those of all periods."""
    print(f"\n{'TCP, exact timers':26}{'steps':>15}{'lower s':>9}{'run s':>8}{'all periods s':>15}{'all s':>8}")
    for window, write, streams in EXACT:
        for size in (100 * MIB, GIB):
            keys = {
                "window": window,
                "size": f"{write} B",
                "streams": streams,
                "writes": size // write // streams,
            }
            sets = (f"workload.ttcp.{key}={value}" for key, value in keys.items())
            case = load(str(WIRE), ("hosts.one.stack.model=stacks/ideal-tcp", BUDGET, *sets)).cases[0]
            lowering, program = least(partial(lower, case.system), rounds)
            some, skipping = least(partial(compiled.run, program, Options(budget=10**12)), rounds)
            every, full = least(partial(compiled.run, program, Options(budget=10**12, jump=False)), rounds)
            if skipping.differences(full):
                print("the results differ")
                return False
            whole, _ = least(partial(run_case, case), rounds)
            name = f"{size // MIB} MiB, {window}, {write} B, {streams}"
            print(f"{name:26}{full.steps:15,}{lowering:9.3f}{some:8.3f}{every:15.3f}{whole:8.3f}", flush=True)
    return True


def transfers() -> dict[str, Case]:
    """Transfers of 1 GiB by TCP over Gigabit Ethernet."""
    found: dict[str, Case] = {}
    sets: tuple[str, ...]
    for window in ("64 KiB", "512 KiB"):
        sets = (f"workload.ttcp.window={window}", f"workload.ttcp.writes={GIB // 8192}", BUDGET)
        found[f"Linux 2.4, {window}"] = load(str(ETHERNET), sets).cases[0]
    sets = (f"workload.ttcp.writes={GIB // 8192}", "run.until=none", "run.warm_up=0 s", BUDGET)
    found["Solaris 7, 64 KiB"] = next(
        case for case in load(str(HOSTS), sets).cases
        if (case.system.workloads["ttcp"].params.window, case.system.workloads["ttcp"].params.streams) == (65536, 1)
    )  # fmt: skip
    return found


def looking() -> bool:
    """Print what looking for periods costs of a run in which none is skipped; whether that is little."""
    spent = 0.0
    stop = Watch.stop

    def timed(watch: Watch) -> int:
        nonlocal spent
        begin = time.process_time()
        marks = stop(watch)
        spent += time.process_time() - begin
        return marks

    print(f"\n{'1 GiB by TCP':20}{'steps':>14}{'all s':>8}{'looking s':>11}{'share':>8}")
    little = True
    for name, case in transfers().items():
        spent = 0.0
        with patch.object(Watch, "stop", timed):
            taken, result = cpu(partial(run_case, case))
        if run_case(case, jump=False) != result:
            print("the results differ")
            return False
        print(f"{name:20}{result.steps:14,}{taken:8.2f}{spent:11.3f}{spent / taken:8.1%}", flush=True)
        little &= spent <= 0.03 * taken
    return little


def main() -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--full-up-to", type=int, default=32, metavar="GIB", help="run all periods up to here")
    parser.add_argument("--rounds", type=int, default=3, metavar="N", help="the best of so many counts")
    options = parser.parse_args()
    cheap = repeating(options.full_up_to, options.rounds)
    same = exact(options.rounds)
    return int(not (looking() and cheap and same))


if __name__ == "__main__":
    sys.exit(main())
