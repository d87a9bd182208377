"""Records that a result keeps of its run."""

from __future__ import annotations

import gc
import weakref

from simio.loading import load
from simio.running import RunOptions, run_case


def test_a_result_keeps_no_state_of_machines():
    # The mapping of an SSD takes tens of megabytes, and a scenario may have a hundred cases.
    refs = []
    case = load("scenarios/cray-ipi3.yaml").cases[0]

    def look(*run):
        refs.extend(map(weakref.ref, run))

    found = run_case(case, RunOptions(outcome=look))
    gc.collect()
    assert [ref() for ref in refs] == [None, None]
    assert found.timeline.delivered[-1] > 0
    assert found.progress.totals[-1] > 0
