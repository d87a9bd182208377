"""Responses of cases to uncertain values: what is taken from the case before, and what is run."""

from __future__ import annotations

import math
from copy import copy
from pathlib import Path

import numpy as np
import pytest

from simio.calibration.probe import ProbeAnswer
from simio.calibration.responses import CHECKS, _Case, _moved
from simio.calibration.usage import Range
from simio.calibration.values import CatalogueValue
from simio.sweeps import beside
from simio.units import parse

NAMES = "abcdefgh"


def uncertain(name):
    value = CatalogueValue("parts/p", name, Path("p.yaml"), "time", "us", 10e6, "assumed", "")
    return Range(value, 5e6, 20e6, False)


class Modelled:
    """Answers by a power law in each value, and counts the programs that it would have run."""

    index, columns = 0, ("rate", "bound")

    def __init__(self, powers, curve=0.0):
        self.powers, self.curve, self.programs = powers, curve, 0
        self.base = ProbeAnswer(100.0, 1000.0)

    def answer(self, values):
        self.programs += 1
        logs = {key: math.log(float(parse(text, "time")) / 10e6) for (_, key), text in values.items()}
        moved = sum(self.powers.get(key, 0.0) * log for key, log in logs.items())
        return ProbeAnswer(100.0 * math.exp(moved + self.curve * moved**2), 1000.0)

    def alone(self):
        return copy(self)

    def compatible(self, values):
        return values

    def prepare(self, several, alike):
        pass


def responses(powers, expected=None):
    probe = Modelled(powers)
    return _Case(probe, [uncertain(name) for name in NAMES]).responses(expected), probe.programs


def test_a_case_like_the_one_before_takes_its_effects_with_the_checks_alone():
    first, many = responses({"a": -0.5, "d": -0.1})
    again, few = responses({"a": -0.5, "d": -0.1}, first)
    assert many > few == CHECKS
    assert again.low.keys() == first.low.keys() == {"parts/p.a", "parts/p.d"}
    assert again.high["parts/p.a"][0] == first.high["parts/p.a"][0]


def test_effects_are_the_same_on_one_processor_and_on_several(monkeypatch):
    powers = {"a": -0.5, "d": -0.1, "f": 0.2}
    found = []
    for processors in (1, 3):
        monkeypatch.setattr(beside, "_processors", lambda processors=processors: processors)
        found.append(responses(powers))
    (one, programs), (several, as_many) = found
    assert programs == as_many == one.runs
    assert list(one.low) == list(several.low) == ["parts/p.a", "parts/p.d", "parts/p.f"]
    for name in one.low:
        assert np.array_equal(one.low[name], several.low[name])
        assert np.array_equal(one.high[name], several.high[name])
    assert np.array_equal(one.noise, several.noise)
    assert np.array_equal(one.residual, several.residual)


def test_a_case_that_responds_otherwise_is_answered_itself():
    first, _ = responses({"a": -0.5, "d": -0.1})
    other, programs = responses({"a": -0.5, "f": -0.4}, first)
    assert programs > CHECKS
    assert other.low.keys() == {"parts/p.a", "parts/p.f"}
    alone, _ = responses({"a": -0.5, "f": -0.4})
    for name in alone.high:
        assert other.high[name] == pytest.approx(alone.high[name], abs=0.01)


def test_a_small_effect_is_as_large_on_the_other_side_without_a_run():
    small, few = responses({"a": -0.03})
    large, more = responses({"a": -0.3})
    assert few == more - 1
    assert np.array_equal(small.low["parts/p.a"], -small.high["parts/p.a"])
    assert large.low["parts/p.a"][0] > 0


def test_a_case_with_rows_of_another_kind_expects_nothing():
    first, _ = responses({"a": -0.5})
    assert _moved(first, ("rate", "bound"), ("rate", "bound", "latency of block")) is None
    assert _moved(first, ("rate", "bound"), ("rate", "bound")).low.keys() == first.low.keys()
