"""The first line says what a queue pair of RDMA waits for: READs, its timer or its rate."""

from __future__ import annotations

from pathlib import Path

import pytest

from simio.description.model import Case
from simio.explaining.settings import what_ifs
from simio.loading import load
from simio.running import run_case

SCENARIO = """
title: RDMA between two hosts
hosts:
  a: {model: hosts/server-2023-2s, adapters: {roce: {model: adapters/connectx-5-rdma, bus: slot}}}
  b: {like: a}
links: [{name: way, model: links/ethernet-100g-jumbo, between: [a.roce, b.roce], delay: 100 us}]
workload: {rdma: {from: a, to: b, verb: VERB, size: 4 KiB, depth: 64}}
run: {until: UNTIL, warm_up: 1 ms, replications: 1}
"""


def read(tmp_path: Path, verb: str, until: str, *settings: str) -> Case:
    path = tmp_path / "case.yaml"
    path.write_text(SCENARIO.replace("VERB", verb).replace("UNTIL", until))
    return load(str(path), settings).cases[0]


def test_reads_that_may_be_outstanding_limit_and_are_tried_twofold(tmp_path: Path) -> None:
    # 16 READs of 4 KiB in a round trip of a little more than 200 us.
    case = read(tmp_path, "read", "20 ms")
    found = run_case(case)
    assert float(found.rate) == pytest.approx(16 * 4096 / 200e-6, rel=0.02)
    assert (found.limiter.kind, found.limiter.name) == ("wait", "rdma on a")
    assert "its READs, as many as may be outstanding" in found.limiter.sentence
    doubled = next(each.system for each in what_ifs(case.system) if each.what.startswith("READs"))
    assert doubled.hosts["a"].adapters["roce"].part.sheet.reads == 32


def test_a_lost_packet_that_is_waited_for_by_the_timer_is_told(tmp_path: Path) -> None:
    # A packet in a hundred is lost, and so is now and then the one that goes again: all then wait for 67.1 ms.
    found = run_case(read(tmp_path, "write", "600 ms", "links.way.loss=0.02"))
    waited, times = (
        sum(tally.value for tally in found.tallies if (tally.owner, tally.what) == ("rdma on a", what))
        for what in ("its acknowledgement timer", "timeouts")
    )
    assert times >= 4
    assert waited == pytest.approx(times * 67.1e9, rel=0.01)
    assert f"mostly for its acknowledgement timer ({times} timeouts in all, " in found.limiter.sentence
    assert {tally.unit for tally in found.tallies if tally.what == "timeouts"} == {"times"}


def test_who_could_post_no_more_waits_for_none_of_these(tmp_path: Path) -> None:
    found = run_case(read(tmp_path, "read", "5 ms", "workload.rdma.depth=8"))
    assert found.limiter.kind == "none"
    assert not [tally for tally in found.tallies if tally.unit == "ps"]


@pytest.mark.parametrize(("lasts", "told"), [("400 ms", False), ("700 ms", True)])
def test_an_outage_that_a_queue_pair_does_not_survive_is_told(tmp_path: Path, lasts: str, told: bool) -> None:
    # Eight timeouts of 67.1 ms are 537 ms.
    path = tmp_path / "case.yaml"
    fault = f"faults: [{{kind: down, of: way, at: 10 ms, for: {lasts}}}]\n"
    path.write_text(SCENARIO.replace("VERB", "write").replace("UNTIL", "1 s") + fault)
    notes = [note for note in run_case(load(str(path)).cases[0]).notes if "timeouts in a row" in note]
    assert bool(notes) is told
    assert all(note.startswith("rdma on a had no answer for 11 timeouts in a row") for note in notes)
