"""The measures of `turns.py`: commands, and scripts that print the seconds of one part of simio.

A script runs with the packages of one version, and may name a file of that version after `FILE`. So the scripts keep
to what simio's first stage had as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

FILE = "file:"
BLOCK = 0.4
"""Seconds of CPU for runs that are measured together: a clock may count in steps of 10 ms."""
FOLDERS = ("simio", "models", "scenarios", "validation", "benchmarks")
"""Folders of a version that are taken from git."""

ENGINE = """
import sys, time
from simio.engines import compiled
from simio.loading import load
from simio.lower import lower
def lowered():
    return lower(load(sys.argv[1], {sets!r}).cases[{case}].system)
program = lowered()
def run():
    compiled.run(program)
run()
def block():
    begin, count = time.process_time(), 0
    while time.process_time() < begin + {block}:
        {what}()
        count += 1
    return (time.process_time() - begin) / count
print(min(block() for _ in range({blocks})))
"""
PLAIN = """
import sys, time
sys.path.insert(0, sys.argv[1])
import engines
from simio.engines import compiled
from simio.engines.outcome import Options
program = engines.{load}(1_000_000)
try:
    options = Options(budget=2**60, jump=False)  # it skipped periods once
except TypeError:
    options = Options(budget=2**60)
def run():
    begin = time.process_time()
    compiled.run(program, options)
    return time.process_time() - begin
print(min(run() for _ in range(5)))
"""
SCALE = """
import sys, tempfile, time
sys.path.insert(0, sys.argv[1])
import scale
from pathlib import Path
from simio.bound import bound
from simio.engines import compiled
from simio.engines.outcome import Options
from simio.loading import load
from simio.lower import lower
compiled.run(lower(load(str(scale.SMALL)).cases[0].system), Options(until=1))
with tempfile.TemporaryDirectory() as folder:
    path = Path(folder, "scale.yaml")
    path.write_text(scale.{text})
    begin = time.process_time()
    program = lower(load(str(path)).cases[0].system)
    bound(program)
    lowered = time.process_time()
    compiled.run(program, Options(budget=scale.BUDGET))
    print({{"lower": lowered - begin, "run": time.process_time() - lowered}}["{part}"])
"""
SWEEP = """
import sys, time
try:
    from simio.sweeps import Task, run_many
except ImportError:  # its name before
    from simio.many import Task, run_many
sets = [("workload.ttcp.writes=128", f"workload.ttcp.window={window} KiB") for window in range(8, 48)]
tasks = [Task(sys.argv[1], each) for each in sets]
def run(some):
    begin = time.process_time()
    outcomes = [outcome for _, outcome in run_many(some, 1)]
    taken = time.process_time() - begin
    for outcome in outcomes:
        if isinstance(outcome, Exception):
            raise outcome
    return taken / len(some)
run(tasks[:8])
print(run(tasks[8:] * 8))
"""


@dataclass(frozen=True)
class Measure:
    """One thing to measure: a command, or a script that prints its seconds; `cold` empties the cache before.

    The words of either may name a file of the version that is measured, after `FILE`.
    """

    name: str
    words: tuple[str, ...] = ()
    script: str = ""
    long: bool = False
    cold: bool = False


def _engine(case: int = 0, blocks: int = 3, sets: Sequence[str] = (), what: str = "run") -> str:
    return ENGINE.format(sets=tuple(sets), case=case, blocks=blocks, block=BLOCK, what=what)


def _scale(name: str, text: str, part: str) -> Measure:
    return Measure(name, (BENCHMARKS,), SCALE.format(text=text, part=part), long=True)


BENCHMARKS = FILE + "benchmarks"
WIRE = FILE + "benchmarks/tcp-wire.yaml"
HIPPI, FC, RAID, HOSTS, COPIES, VIDEO = (
    f"{FILE}scenarios/{name}.yaml"
    for name in ("sgi-hippi-raw", "linux-fc-raw", "raid5-writes", "slac-datamove8", "sgi-hippi-ftp-60k", "d1-video")
)
READ_ONCE = ("workload.reader.size=512 MiB", "workload.reader.passes=1")
SENT_ONCE = ("workload.ttcp.writes=12800", "run.until=none", "run.warm_up=0 s")
WINDOWS = ",".join(f"{window} B" for window in range(4990, 64990, 60))
MEASURES = (
    Measure("run sgi-hippi-raw", ("run", HIPPI)),
    Measure("run linux-fc-raw", ("run", FC)),
    Measure("tandem: engine", (BENCHMARKS,), PLAIN.format(load="tandem")),
    Measure("crowded: engine", (BENCHMARKS,), PLAIN.format(load="crowded")),
    Measure("TCP over links, 100 MiB: engine", (WIRE,), _engine(sets=("workload.ttcp.writes=1707",))),
    Measure("TCP between hosts, 100 MiB: engine", (HOSTS,), _engine(2, sets=SENT_ONCE)),
    Measure("Fibre Channel disks: engine", (FC,), _engine(sets=READ_ONCE)),
    Measure("Fibre Channel disks: lowering", (FC,), _engine(sets=READ_ONCE, what="lowered")),
    Measure("sweep of TCP over links, 8 MiB: a run", (WIRE,), SWEEP),
    Measure("RAID 5, writes: engine", (RAID,), _engine(3, 1), long=True),
    _scale("1000 hosts: lowering and bound", "scenario(500, 1, 128)", "lower"),
    _scale("1000 hosts: engine", "scenario(500, 1, 128)", "run"),
    _scale("10,000 disks: lowering and bound", "disks(10_000)", "lower"),
    _scale("10,000 disks: engine", "disks(10_000)", "run"),
    Measure(
        "sweep of TCP over links, 1000 of 10 MiB",
        ("sweep", WIRE, "--set", "workload.ttcp.writes=171", "--set", f"workload.ttcp.window={WINDOWS}",
         "--no-cache", "--csv"),
        long=True,
    ),
    Measure("first run, empty cache", ("run", HIPPI), long=True, cold=True),
    Measure("explain linux-fc-raw", ("explain", FC), long=True),
    Measure("explain d1-video", ("explain", VIDEO), long=True),
    Measure("trace linux-fc-raw", ("trace", FC, "--output", "trace.json", "--force"), long=True),
    Measure("run sgi-hippi-ftp-60k --interval", ("run", COPIES, "--interval"), long=True),
    Measure("sensitivity linux-fc-raw", ("sensitivity", FC), long=True),
    Measure("validate sgi-hippi", ("validate", "sgi-hippi"), long=True),
)  # fmt: skip
