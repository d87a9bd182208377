"""Share of answers that depend on a value without a source, over ready scenarios.

    python benchmarks/unsourced.py FILE [SCENARIO ...] [--middle] [--seconds N]
    python benchmarks/unsourced.py FILE [--keep]

The first form varies each value without a source alone, times 1.5 and divided by 1.5 (a count by one at least), in
the first, middle and last case of each scenario, and appends the changes of throughput to FILE, an answer a line.
Both print the share of the answers in FILE that depend on such a value: by the bases at that time, and by those of
the catalogue now. The latter is without runs: it takes the values to be the same, and only their origin to differ.

With --keep, what answers depend on goes into `validation/depends.json`; `simio run` says from it on which value
without a source an answer rests most.
"""

from __future__ import annotations

import argparse
import json
import math
import signal
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

from simio.calibration.probe import Length, Probe, Source, change
from simio.calibration.usage import values_of
from simio.calibration.values import CatalogueValue
from simio.errors import SimioError
from simio.loading import ScenarioFile
from simio.loading.catalogue import catalogue
from simio.loading.guesses import depends_file, text_hash
from simio.running import run_case
from simio.studies.summary import UNSOURCED
from simio.sweeps import Task

SCENARIOS = Path(__file__).parents[1] / "scenarios"
FACTOR = 1.5
DEPENDS = 0.05
"""A change of the answer from which it depends on a value."""


class TooLongError(Exception):
    """An answer took more CPU time than it may."""


def moved(value: CatalogueValue, factor: float) -> float:
    """The value times a factor; a share is at most 1, a count changes by one at least and stays at least 1."""
    number = value.number * factor
    if value.dimension is None:
        rounded = max(round(number), 1)
        return rounded if rounded != value.number else max(value.number + (1 if factor > 1 else -1), 1)
    return min(number, 1.0) if value.dimension == "share" and value.number <= 1 else number


def effects(path: Path, index: int) -> dict[str, Any]:
    """The throughput of a case, and its changes with each value without a source, larger and smaller."""
    file = ScenarioFile(str(path))
    case = file.scenario((), only=index).cases[0]
    probe = Probe(Source(Task(str(path), (), index)), index, Length.of(run_case(case)))
    values = [each for each in values_of(case.system, catalogue(), path.parent) if each.basis in UNSOURCED]
    probe.prepare([probe.compatible({each.at: each.text(moved(each, 1.2)) for each in values})])
    return {
        "scenario": path.stem,
        "case": index,
        "text": text_hash(path.read_text()),
        "rate": probe.base.rate,
        "effects": {
            each.name: [each.basis, each.written, *(effect(probe, each, factor) for factor in (FACTOR, 1 / FACTOR))]
            for each in values
        },
    }


def effect(probe: Probe, value: CatalogueValue, factor: float) -> float | None:
    """The change of throughput as a share; of half the way where the parts refuse it; None if they refuse both."""
    for each in (factor, math.sqrt(factor)):
        number = moved(value, each)
        if number == value.number:
            return 0.0
        found = probe.answer({value.at: value.text(number)})
        if found is not None:
            moved_by = change(probe.base.rate, found.rate)
            return None if math.isnan(moved_by) else math.expm1(moved_by)
    return None


def measure(file: Path, names: list[str], middle: bool, seconds: float) -> None:
    """Append the answers of some scenarios to a file; one that takes longer is left out, and printed."""
    signal.signal(signal.SIGPROF, _too_long)
    for name in names:
        path = SCENARIOS / f"{name}.yaml"
        cases = len(ScenarioFile(str(path)).scenario(()).cases)
        for index in [cases // 2] if middle else sorted({0, cases // 2, cases - 1}):
            began = time.process_time()
            signal.setitimer(signal.ITIMER_PROF, seconds)
            try:
                line = json.dumps(effects(path, index))
            except (TooLongError, SimioError) as error:
                print(f"{name} case {index + 1}: left out, {error}", file=sys.stderr, flush=True)
                continue
            finally:
                signal.setitimer(signal.ITIMER_PROF, 0)
            with file.open("a") as out:
                out.write(f"{line}\n")
            print(f"{name} case {index + 1}: {time.process_time() - began:.1f} s", file=sys.stderr, flush=True)


def _too_long(_number: int, _frame: FrameType | None) -> None:
    raise TooLongError("it takes too long")


def depending(answer: dict[str, Any]) -> Iterator[tuple[float, str, str]]:
    """Size of the effect, name and text of each value that an answer depends on."""
    for name, (_, written, *changes) in answer["effects"].items():
        size = max(abs(each or 0.0) for each in changes)
        if size > DEPENDS:
            yield size, name, written


def basis(name: str) -> str:
    """The basis of a value in the catalogue now."""
    part, key = name.rsplit(".", 1)
    found = catalogue().sheet(part).values.get(key)
    return found.basis if found else "default"


def report(file: Path) -> None:
    """Print the shares, and the values that answers still depend on."""
    last = {(each["scenario"], each["case"]): each for each in map(json.loads, file.read_text().splitlines())}
    answers = [each for each in last.values() if each["rate"]]
    then = now = 0
    by_value: dict[str, list[tuple[float, str, str]]] = defaultdict(list)
    for answer in answers:
        found = list(depending(answer))
        then += bool(found)
        left = [each for each in found if basis(each[1]) in UNSOURCED]
        now += bool(left)
        for size, name, written in left:
            by_value[name].append((size, written, f"{answer['scenario']} case {answer['case'] + 1}"))
    scenarios = len({answer["scenario"] for answer in answers})
    print(f"{len(answers)} answers of {scenarios} scenarios")
    for words, count in (("when measured", then), ("with the bases of today", now)):
        share = f"{count} ({count / len(answers):.0%})"
        print(f"depend by more than {DEPENDS:.0%} on a value without a source, {words}: {share}")
    print(f"\n{'answers':>7}  {'value':52}{'is':>12}  largest effect")
    for name, found in sorted(by_value.items(), key=lambda each: (-len(each[1]), -max(each[1])[0])):
        size, written, where = max(found)
        print(f"{len(found):7}  {name:52}{written:>12}  {size:.0%} in {where}")


def keep(file: Path) -> None:
    """Keep what answers depend on, the largest first; those of a text that a scenario has no more are left out."""
    kept: dict[str, dict[str, Any]] = {}
    last = {(each["scenario"], each["case"]): each for each in map(json.loads, file.read_text().splitlines())}
    for (name, case), answer in sorted(last.items()):
        text = text_hash((SCENARIOS / f"{name}.yaml").read_text())
        if answer["rate"] and answer["text"] == text:
            found = sorted(depending(answer), reverse=True)
            rows = [
                [each, written, basis(each), case, round(size, 3)]
                for size, each, written in found
                if basis(each) in UNSOURCED
            ]
            kept.setdefault(name, {"text": text, "depends": []})["depends"] += rows
    depends_file().write_text(json.dumps(kept, indent=1) + "\n")


def main() -> None:
    """Measure scenarios if any are named, and print the shares."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path, help="answers, one a line")
    parser.add_argument("scenarios", nargs="*", help="ready scenarios to measure")
    parser.add_argument("--middle", action="store_true", help="take the middle case of each only")
    parser.add_argument("--seconds", type=float, default=60, help="CPU time after which an answer is left out")
    parser.add_argument("--keep", action="store_true", help="keep what was found in validation/depends.json")
    given = parser.parse_args()
    measure(given.file, given.scenarios, given.middle, given.seconds)
    report(given.file)
    if given.keep:
        keep(given.file)


if __name__ == "__main__":
    main()
