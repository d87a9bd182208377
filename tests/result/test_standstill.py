"""A run that stands still before its end counts the time in which nothing comes, and tells of it."""

from __future__ import annotations

from pathlib import Path

from simio.loading import load
from simio.result.model import CaseResult
from simio.running import run_case

DEAD_LINK = """
title: A link that goes down and stays down
hosts: {a: {model: hosts/linux-namespace}, b: {like: a}}
links: [{name: path, model: links/ethernet-1000, between: [a.eth, b.eth], delay: 100 us}]
workload: {ttcp: {from: a, to: b, size: 64 KiB}}
faults: [{kind: down, of: path, at: 100 ms, for: 10 s}]
run: {until: 1 s}
"""
AROUND = 5


def ring(pauses: str) -> str:
    """Hosts at switches in a ring, each of which writes to the one behind the next: its packets take two trunks."""
    nodes = range(AROUND)
    adapter = "{model: adapters/connectx-5-rdma, bus: slot, congestion_control: none}"
    lines = ["title: A ring of switches", "hosts:"]
    lines += [f"  h{at}: {{model: hosts/server-2023-2s, adapters: {{roce: {adapter}}}}}" for at in nodes]
    lines += ["switches:"]
    lines += [f"  s{at}: {{model: switches/roce-tor, discipline: drop-tail, mark: false, {pauses}}}" for at in nodes]
    lines += ["links:"]
    for at in nodes:
        ends = f"[h{at}.roce, s{at}]", f"[s{at}, s{(at + 1) % AROUND}]"
        lines += [f"  - {{model: links/ethernet-100g-jumbo, between: {each}, length: 10 m}}" for each in ends]
    lines += ["workload:"]
    for at in nodes:
        to = f"h{(at + 2) % AROUND}"
        lines += [f"  f{at}: {{kind: rdma, from: h{at}, to: {to}, size: 64 KiB, depth: 16, pairs: 4}}"]
    return "\n".join([*lines, "run: {until: 1 ms, replications: 1}"])


def result(folder: Path, text: str) -> CaseResult:
    path = folder / "case.yaml"
    path.write_text(text)
    return run_case(load(path).cases[0])


def test_the_time_after_a_link_has_failed_for_good_counts(tmp_path: Path) -> None:
    case = result(tmp_path, DEAD_LINK)
    assert case.throughput.until == case.end
    assert 0.08 < float(case.rate) / 117.7e6 < 0.11
    assert case.limiter.sentence.startswith("ttcp at a waits ")
    (note,) = [note for note in case.notes if note.startswith("nothing was delivered after ")]
    assert "90% of the run" in note


def test_pauses_around_a_cycle_are_a_deadlock(tmp_path: Path) -> None:
    case = result(tmp_path, ring("pause_above: 256 KiB"))
    assert case.limiter.sentence.endswith("of the time, mostly for the end of pauses")
    (note,) = [note for note in case.notes if "(deadlock)" in note]
    assert note.startswith("pauses have stopped s0>s1 and 4 alike since ")


def test_switches_that_drop_in_place_of_pauses_go_on(tmp_path: Path) -> None:
    case = result(tmp_path, ring("pause_above: none"))
    assert not [note for note in case.notes if "deadlock" in note or note.startswith("nothing was delivered")]


def test_a_pause_that_goes_on_at_the_end_counts(tmp_path: Path) -> None:
    case = result(tmp_path, ring("pause_above: 256 KiB"))
    stopped = {tally.owner: tally.value for tally in case.tallies if tally.what == "the end of pauses"}
    assert stopped["s0>s1"] > 0.85 * case.end
