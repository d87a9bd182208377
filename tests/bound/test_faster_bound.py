"""A faster part never lowers the bound of a ready scenario, whatever it does to a run.

What is certain is a sum of services, none of which grows when a part is faster; the bound is the least of what such
sums allow. It need not be so, since which services are certain may depend on what is faster: of Fibre Channel links
in a row only the slowest is asked for one.
"""

from __future__ import annotations

import os
import random
from fractions import Fraction
from pathlib import Path

import pytest

from simio.bound import bound
from simio.explaining.components import components, faster
from simio.loading import load
from simio.lower import lower

pytestmark = pytest.mark.slow

SCENARIOS = Path(__file__).parents[2] / "scenarios"
MOST = int(os.environ.get("SIMIO_EXAMPLES", "3"))
"""Components of a scenario that are made faster."""
LARGE = 50_000
"""A scenario of more steps has as many fewer of them, as lowering takes long."""


@pytest.mark.parametrize("path", sorted(SCENARIOS.glob("*.yaml")), ids=lambda path: path.stem)
def test_a_faster_part_never_lowers_the_bound(path: Path) -> None:
    system = load(path).cases[0].system
    program = lower(system)
    before = bound(program).rate()
    found = components(system)
    most = max(MOST * LARGE // max(len(program.steps), LARGE), 2)
    for component in random.Random(0).sample(found, min(most, len(found))):
        rates = [bound(lower(faster(system, component, by))).rate() for by in (Fraction(11, 10), Fraction(1000))]
        assert (before is None) == (None in rates)
        if before is not None:
            assert before <= rates[0] <= rates[1], component.name
