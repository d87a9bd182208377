"""Systems that a faster part makes slower, those that docs/explain.md describes: what their time goes to instead."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from simio.loading import load
from simio.result.model import CaseResult
from simio.running import run_case

PAGE = Path(__file__).resolve().parents[2] / "docs" / "explain.md"
MS = 10**9
Run = Callable[..., CaseResult]


@pytest.fixture
def run(tmp_path) -> Run:
    """Runs an example of the page with settings."""
    examples = dict(re.findall(r"<!-- file: (\S+\.yaml) -->\n```yaml\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL))

    def done(name: str, *sets: str) -> CaseResult:
        path = tmp_path / name
        path.write_text(examples[name], "utf-8")
        return run_case(load(path, sets).cases[0])

    return done


def tally(found: CaseResult, what: str) -> int:
    return sum(int(each.value) for each in found.tallies if what in each.what)


def test_writes_whose_gap_passes_before_the_next_block_is_there_lose_a_revolution_each(run):
    base, faster = run("gaps.yaml"), run("gaps.yaml", "disks.d.rotation=10794 rpm")
    blocks, slow_turn, fast_turn = 16, 11.117 * MS, 5.558 * MS
    # A block and its gap are 48 of 85 sectors of a track. The next block is there 1.76 ms after the last: within
    # the 2.09 ms of the gap, but not within half of them.
    assert 16 / 85 * fast_turn < 1.76 * MS < 16 / 85 * slow_turn
    assert 0 < base.end - blocks * 48 / 85 * slow_turn < 1.25 * slow_turn
    assert abs(faster.end - blocks * (48 / 85 + 1) * fast_turn) < fast_turn
    assert faster.rate < 0.75 * base.rate


def test_a_read_whose_read_ahead_a_write_cuts_short_goes_to_the_media_for_each_block(run):
    base = run("onto-itself.yaml")
    faster = run("onto-itself.yaml", "hosts.host.cpu.clock=1466 MHz")
    # Fifteen blocks: every second one waits for two revolutions of 5.98 ms, or each does.
    revolution = 5.985 * MS
    assert 14 <= base.end / revolution < 17
    assert 28 <= faster.end / revolution < 31


def test_a_faster_link_into_a_switch_overflows_its_buffer_and_waits_for_a_retransmission(run):
    base, faster = run("into-a-switch.yaml"), run("into-a-switch.yaml", "links.into.rate=299.52 Mbit/s")
    assert base.end < 100 * MS
    assert faster.end > 1000 * MS
    roomy = run("into-a-switch.yaml", "links.into.rate=299.52 Mbit/s", "switches.switch.buffer=1 MiB")
    assert roomy.rate >= base.rate


def test_a_faster_client_leaves_a_small_segment_waiting_for_a_delayed_acknowledgement(run):
    sets = ("workload.requests.response=48 KiB", "workload.requests.window=32 KiB", "workload.requests.count=200")
    fast = (*sets, "hosts.client.cpu.clock=800 MHz")
    base, faster, at_once = (
        run("requests.yaml", *each) for each in (sets, fast, (*fast, "workload.requests.nodelay=true"))
    )
    what = "a full segment"
    assert faster.rate < 0.1 * base.rate
    # Almost every response waits for the timer of 50 ms; without Nagle's algorithm none does.
    assert tally(base, what) < 200 * MS < 190 * 50 * MS < tally(faster, what)
    assert tally(at_once, what) == 0
    assert at_once.rate > base.rate


def test_the_rate_of_buffered_writes_is_that_of_the_work_however_fast_the_host_fills_the_cache(load):
    cases = (
        load("linux-fc-buffered.yaml", f"hosts.server.cpu.clock={clock}").cases[0]
        for clock in ("733 MHz", "1466 MHz")
    )
    slow, fast = (run_case(case).rate for case in cases)
    assert fast >= 0.98 * slow
