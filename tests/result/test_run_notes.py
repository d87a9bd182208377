"""Notes on the throughputs of several runs, each told once."""

from __future__ import annotations

from types import SimpleNamespace

from simio.result.model import Throughput
from simio.result.precision import Runs


def notes(*texts: str) -> list[str]:
    spans = tuple(Throughput(amount=1, since=0, until=1, deliveries=1, note=text) for text in texts)
    return Runs(SimpleNamespace(), None, spans, (), (1,), 0, 0, None).notes


def test_what_runs_say_with_other_figures_is_told_once_with_their_number():
    went_on = "the work behind them went on until {}, {} times as long"
    told = notes("", went_on.format("620.2 ms", "1.3"), "", went_on.format("1.1 s", "2"), "only one delivery")
    assert told == [
        "the work behind them went on until 620.2 ms, 1.3 times as long (the first of 2 such runs of 5)",
        "only one delivery",
    ]


def test_what_runs_say_with_the_same_figures_stays_as_it_is():
    assert notes("too short", "too short") == ["too short"]
    assert notes("", "") == []
