"""RDMA in a lossless class beside TCP: what pauses of links and of classes leave of a trunk."""

from __future__ import annotations

import pytest

import simio
from simio.program.steps import PAUSES
from simio.result.model import CaseResult


def stopped(case: CaseResult, name: str) -> int:
    return next(tally.value for tally in case.tallies if tally.owner == name and tally.what == PAUSES)


def test_a_class_that_is_stopped_leaves_the_trunk_to_tcp() -> None:
    whole, alone = simio.load("rdma-beside-tcp").run().cases
    tcp = [float(rate.rate) for case in (whole, alone) for rate in case.streams if rate.name == "tcp: sent"]
    rdma = [float(case.rate) - rate for case, rate in zip((whole, alone), tcp, strict=True)]
    # The port of the incast is full in both. Of 4198 bytes there 4096 are data, 64 headers and 38 the frame's.
    assert rdma == pytest.approx([12.5e9 * 4096 / 4198] * 2, rel=0.02)
    assert tcp[1] > 2 * tcp[0]
    assert whole.limiter.name == "far>c.roce"
    # A trunk of which one class is stopped is not idle: it is what limits TCP then.
    assert alone.limiter.name == "near>far"
    assert stopped(alone, "near>far class 3") == pytest.approx(stopped(whole, "near>far"), rel=0.1)
    for case in (whole, alone):
        assert not [each.name for each in case.observations if each.name.endswith("dropped")]
