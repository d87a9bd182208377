"""Volumes in volumes: what many sizes ask of one member is written once, and does what it does written out."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import numpy as np
import pytest

from simio.bound import bound
from simio.engines.execute import execute
from simio.engines.outcome import Options, Outcome
from simio.loading import load
from simio.lower import lower
from simio.program.builder import Builder
from simio.program.steps import Program

SETS = ("volumes.data.unit=24 KiB", "workload.nfs.size=512 KiB")
UNTIL = 2_000_000_000_000


def ran() -> tuple[Program, Outcome]:
    """The reads of a stripe over four RAID 5 whose unit divides no request evenly."""
    program = lower(load("scenarios/data-server-raid5.yaml", SETS).cases[0].system)
    return program, execute(program, Options(until=UNTIL))


def test_pieces_that_are_shared_do_what_they_do_written_out(monkeypatch: pytest.MonkeyPatch) -> None:
    program, outcome = ran()

    def apart(self: Builder) -> Any:
        return nullcontext()

    monkeypatch.setattr(Builder, "sharing", apart)
    written_out, wanted = ran()
    assert len(program.steps) < 0.7 * len(written_out.steps)
    assert (outcome.end, outcome.events) == (wanted.end, wanted.events)
    assert np.array_equal(outcome.marks, wanted.marks)
    assert np.array_equal(outcome.resources, wanted.resources)
    assert bound(program).cap() == bound(written_out).cap()
