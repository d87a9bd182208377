"""Run generated scenarios and count what must not be: a rate above its bound, run and explain apart, a failure.

python tests/generated/agree.py [--today] [--first N] [--count N] [--explain N]
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import generator
import today

from simio.errors import SimioError
from simio.explaining.causal import profile
from simio.loading import load
from simio.result.model import CaseResult
from simio.running import RunOptions, run_scenario

CLOSE = 1e-6
"""Relative difference up to which rates are equal: streams count whole bytes."""

DEFECTS = "a defect in simio", "a machine refused a request"
"""Words of refusals of which the scenario is not the reason."""


def broken(case: CaseResult) -> Iterator[str]:
    """Laws that a result breaks, whatever the scenario."""
    if case.bound is not None and case.rate > case.bound:
        yield f"{float(case.rate):.6g} B/s is above the bound of {float(case.bound):.6g}"
    streams = sum(stream.rate for stream in case.streams if not stream.sent)
    if float(case.rate) > float(streams) * (1 + CLOSE):
        yield f"{float(case.rate):.6g} B/s is more than its streams' {float(streams):.6g}"
    if case.rate == 0 and not case.notes and not case.cut_off:
        yield "nothing was delivered, and no word of it"
    if case.throughput.until > case.end or case.throughput.since > case.throughput.until:
        yield "the measured span is not within the run"
    if case.limiter.kind != "none" and case.limiter.busy <= 0:
        yield f"the limit {case.limiter.name} is idle"


Maker = Callable[[random.Random], str]


def tried(seed: int, folder: Path, explains: bool = False, make: Maker = generator.scenario) -> tuple[str, str]:
    """'result' or 'refused' for the scenario of a seed, and what is wrong, or an empty text."""
    path = folder / f"{seed}.yaml"
    path.write_text(make(random.Random(seed)))
    try:
        loaded = load(str(path))
        (case,) = run_scenario(loaded, options=RunOptions(partial=True)).cases
        wrong = list(broken(case))
        if explains and case.rate and not case.cut_off:
            found = profile(loaded.cases[0])
            if found.limiter.name != case.limiter.name:
                wrong.append(f"run names {case.limiter.name!r}, explain {found.limiter.name!r}")
    except SimioError as error:
        return "refused", f"{error}" if any(word in str(error) for word in DEFECTS) else ""
    return "result", "; ".join(wrong)


def main() -> int:
    """Print what is wrong, a line a scenario, and the counts; the status is 1 if anything is."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--first", type=int, default=0, help="first seed")
    parser.add_argument("--count", type=int, default=5000, help="scenarios")
    parser.add_argument("--explain", type=int, default=0, metavar="N", help="explain every N-th, too")
    parser.add_argument("--today", action="store_true", help="scenarios of today's parts")
    chosen = parser.parse_args()
    make = today.scenario if chosen.today else generator.scenario
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(chosen.first, chosen.first + chosen.count):
            explains = bool(chosen.explain) and seed % chosen.explain == 0
            try:
                kind, wrong = tried(seed, Path(folder), explains, make)
            except Exception as error:
                kind, wrong = "internal error", f"{type(error).__name__}: {error}"
            counts[kind] += 1
            counts["explained"] += explains
            if wrong:
                counts["wrong"] += 1
                print(f"{seed}: {wrong}", flush=True)
    print(", ".join(f"{count} {kind}" for kind, count in sorted(counts.items())))
    return int(counts["wrong"] > 0)


if __name__ == "__main__":
    sys.exit(main())
