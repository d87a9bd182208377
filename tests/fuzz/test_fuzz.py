"""Mutated files: always a result, or problems that are told; never anything else, never without end.

`SIMIO_EXAMPLES=5000` in the environment lengthens the search, which then begins at `SIMIO_FIRST` (0).
"""

from __future__ import annotations

import os
import random
import signal
from collections import Counter
from pathlib import Path

import fuzz_kinds
import pytest
from fuzz_bench import outcome, put, scenario_file

pytestmark = pytest.mark.slow

EXAMPLES = int(os.environ.get("SIMIO_EXAMPLES", "30"))
FIRST = int(os.environ.get("SIMIO_FIRST", "0"))
MOST_SECONDS = 60
"""Processor time of one example; none should come near it."""


def search(fuzz: fuzz_kinds.Fuzz) -> Counter[str]:
    """Outcomes of the examples; an error names the seed that makes it again."""
    ends: Counter[str] = Counter()
    for seed in range(FIRST, FIRST + EXAMPLES):
        signal.setitimer(signal.ITIMER_VIRTUAL, MOST_SECONDS)
        try:
            ends[fuzz(random.Random(seed))] += 1
        except Exception as error:
            error.add_note(f"seed {seed}")
            raise
    print(dict(ends))
    return ends


def test_scenarios(tmp_path: Path) -> None:
    ends = search(lambda rng: outcome(put(tmp_path / "scenario.yaml", scenario_file(rng))))
    # A search that only ever meets one end tries nothing.
    assert set(ends) == {"result", "problem", "refused"}


@pytest.mark.parametrize(
    ("kind", "ends"),
    [
        (fuzz_kinds.sheets, {"result", "problem"}),
        (fuzz_kinds.settings, {"result", "problem"}),
        (fuzz_kinds.tables, {"result", "problem"}),
        (fuzz_kinds.baselines, {"result", "refused"}),
    ],
    ids=["datasheets", "settings", "tables", "baselines"],
)
def test_other_files(kind: object, ends: set[str], tmp_path: Path) -> None:
    found = set(search(kind(tmp_path)))
    assert ends <= found <= {"result", "problem", "refused"}
