"""Slow start of Linux over an emulated path, round by round: the bytes that have arrived by the end of each.

Measured with `validation/linux-tcp/short.yaml`. The k-th round trip ends k nominal ones of 10 ms after 12.6 ms, as
the rounds in which the line is full show; until then any instant between the bursts does.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from simio.engines import compiled
from simio.engines.outcome import Options
from simio.loading import load
from simio.lower import lower

SCENARIO = str(Path(__file__).parents[2] / "scenarios" / "linux-tcp-short.yaml")
MS = 10**9
FULL_LINE = 3 * 1448
"""Where the line is full, the instant at which a round ends is known to within some segments."""


def arrived(rate: str, size: int, rounds: int) -> list[int]:
    """Bytes that have arrived by the end of each round trip."""
    cases = load(SCENARIO, ("run.seed=1",)).cases
    case = next(
        case
        for case in cases
        if case.settings["links.last.rate"] == rate
        and case.settings["workload.ttcp.size"] == f"{size} B"
        and case.settings["links.path.delay"] in ("5.199 ms", "5.213 ms")
    )
    program = lower(case.system)
    delivered = [mark.name for mark in program.marks].index("delivered")
    marks = [
        (time, value) for time, mark, value in compiled.run(program, Options()).marks.tolist() if mark == delivered
    ]
    ends = [12.6 * MS + number * 10 * MS for number in range(1, rounds + 1)]
    return [sum(value for time, value in marks if time <= end) for end in ends]


@pytest.mark.parametrize(
    ("rate", "size", "rounds"),
    [
        ("100 Mbit/s", 10_000, [10_000]),
        ("100 Mbit/s", 100_000, [14_480, 43_440, 100_000]),
        ("100 Mbit/s", 1_000_000, [14_480, 43_440, 101_360]),
        ("100 Mbit/s", 3_000_000, [14_480, 43_440, 101_360]),
        ("1000 Mbit/s", 10_000, [10_000]),
        ("1000 Mbit/s", 100_000, [14_480, 43_440, 100_000]),
        ("1000 Mbit/s", 1_000_000, [14_480, 43_440, 101_360, 217_200, 448_880, 912_240, 1_000_000]),
        ("1000 Mbit/s", 3_000_000, [14_480, 43_440, 101_360, 217_200, 448_880, 912_240]),
    ],
)
def test_the_window_doubles_each_round_trip(rate: str, size: int, rounds: list[int]) -> None:
    assert arrived(rate, size, len(rounds)) == rounds


def test_rounds_in_which_the_line_is_full() -> None:
    # Of 1 MB and of 3 MB the fourth round was measured to end at 170864 and at 163624.
    measured = [170_864, 282_360, 402_544, 521_280]
    found = arrived("100 Mbit/s", 1_000_000, 7)[3:]
    assert [abs(a - b) <= FULL_LINE for a, b in zip(found, measured, strict=True)] == [True] * 4
