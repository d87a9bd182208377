"""One TCP transfer in simio and in ns-3: CPU time and resulting throughput, round by round.

ns-3's is `transfer.cc`, linked to the libraries of its wheel; simio's is `transfer.yaml`, which has hosts, too.
"""

from __future__ import annotations

import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from common import HERE, SCENARIO, UNLIMITED, WRITE, finish, ratios, spread, table

from simio.engines import compiled
from simio.engines.outcome import Options
from simio.loading import load
from simio.lower import lower
from simio.running import run_case

LIBRARIES = ("applications", "internet", "point-to-point", "traffic-control", "network", "core")


@dataclass
class Way:
    """Times and results of one simulator: a number a round; empty where it is missing."""

    run: list[float] = field(default_factory=list)
    """CPU seconds of the simulation alone."""
    whole: list[float] = field(default_factory=list)
    """CPU seconds of the whole command."""
    rate: float = 0.0
    """Throughput, Mbit/s."""


def ns3_program(peers: Path) -> tuple[str | None, str]:
    """The compiled program, or None and why there is none."""
    wheels = list(peers.glob("lib/python3*/site-packages/ns3"))
    if not wheels:
        return None, "its wheel is not installed"
    folder = wheels[0].resolve()
    names = [next(folder.glob(f"lib64/libns3*-{name}.so")).name for name in LIBRARIES]
    program = peers / "ns3-transfer"
    command = ["g++", "-std=c++20", "-O2", f"-I{folder}/include", str(HERE / "transfer.cc"), "-o", str(program),
               f"-L{folder}/lib64", f"-Wl,-rpath,{folder}/lib64", *(f"-l:{name}" for name in names)]  # fmt: skip
    try:
        subprocess.run(command, check=True, stderr=subprocess.PIPE, text=True)
    except FileNotFoundError:
        return None, "there is no g++ to link a program to its libraries"
    except subprocess.CalledProcessError as error:
        return None, f"its libraries cannot be linked to: {error.stderr.strip().splitlines()[-1]}"
    return str(program), ""


def compare(sizes: list[int], windows: list[int], rounds: int, program: str | None) -> str:
    """The table of all sizes (MiB) and windows (KiB)."""
    compiled.run(
        lower(load(SCENARIO, ("workload.ttcp.writes=1",)).cases[0].system)
    )  # not counted: it loads the engine
    rows = []
    for size in sizes:
        for window in windows:
            rows += _rows(size, window, _measure(size, window, rounds, program))
            print(f"  {size} MiB, {window} KiB done", file=sys.stderr, flush=True)
    heads = [
        "transfer",
        "simulator",
        "Mbit/s",
        "run, CPU s",
        "ns-3's to it",
        "command, CPU s",
        "ns-3's to it",
    ]
    return table(heads, rows)


def _measure(size: int, window: int, rounds: int, program: str | None) -> dict[str, Way]:
    """The simulators take turns, so that each round is one of the same machine."""
    ways = {"ns-3": Way(), "simio": Way()}
    for _ in range(rounds):
        if program is not None:
            _ns3(ways["ns-3"], program, size * 2**20, window * 1024)
        _simio(ways["simio"], (f"workload.ttcp.writes={size * 2**20 // WRITE}", f"workload.ttcp.window={window} KiB"))
    return ways


def _ns3(way: Way, program: str, size: int, window: int) -> None:
    done = finish([program, str(size), str(window)])
    seconds, received, _, cpu = done.printed.split()
    way.run.append(float(cpu))
    way.whole.append(done.cpu)
    way.rate = int(received) * 8 / float(seconds) / 1e6


def _simio(way: Way, sets: tuple[str, ...]) -> None:
    case = load(SCENARIO, (*sets, f"run.step_budget={UNLIMITED}")).cases[0]
    program, options = lower(case.system), Options(budget=UNLIMITED)
    begin = time.process_time()
    compiled.run(program, options)
    way.run.append(time.process_time() - begin)
    command = [sys.executable, "-m", "simio", "run", SCENARIO, f"--set=run.step_budget={UNLIMITED}"]
    command += [f"--set={text}" for text in sets]
    way.whole.append(finish(command).cpu)
    if not way.rate:
        way.rate = float(run_case(case).rate) * 8 / 1e6


def _rows(size: int, window: int, ways: dict[str, Way]) -> list[list[str]]:
    ns3 = ways["ns-3"]
    rows = []
    for name, way in ways.items():
        runs, wholes = (ratios(ns3.run, way.run), ratios(ns3.whole, way.whole)) if way is not ns3 else ([1.0], [1.0])
        rate = f"{way.rate:.1f}" if way.rate else "missing"
        rows.append([f"{size} MiB, {window} KiB", name, rate, spread(way.run),
                     "1" if way is ns3 and ns3.run else spread(runs if ns3.run else []), spread(way.whole),
                     "1" if way is ns3 and ns3.run else spread(wholes if ns3.run else [])])  # fmt: skip
    return rows
