"""The benchmark that sets two versions against each other: what it calls a loss."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "benchmarks"))

from turns import Measure, Tree, losses, table  # noqa: E402

RUN, SWEEP, NEW = Measure("run"), Measure("sweep"), Measure("new")


def test_a_loss_is_of_the_best_rounds_and_more_than_allowed() -> None:
    before = Tree("before", Path(), {"run": [1.3, 1.0], "sweep": [1.0, 2.0]})
    now = Tree("now", Path(), {"run": [1.14, 9.0], "sweep": [1.3, 1.16], "new": [5.0]})
    trees, measures = [before, now], [RUN, SWEEP, NEW]
    assert losses(trees, measures, 0.15) == ["sweep"]
    assert losses(trees, measures, None) == []
    assert table(trees, measures).splitlines()[2:] == [
        "| run | 1 | 1.14 | 0.88 |",
        "| sweep | 1 | 1.16 | 0.86 |",
        "| new | missing | 5 |  |",
    ]


def test_what_fails_now_is_lost() -> None:
    trees = [Tree("before", Path(), {"run": [1.0]}), Tree("now", Path())]
    assert losses(trees, [RUN], 0.15) == ["run"]
