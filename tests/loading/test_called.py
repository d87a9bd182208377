"""Names that other tools have for what is in a scenario."""

from __future__ import annotations

import pytest

from simio.loading.called import meant


@pytest.mark.parametrize(
    ("word", "names", "told"),
    [
        # Spelt alike is 'raid10'.
        ("raid0", ["stripe", "mirror", "raid10"], "did you mean 'stripe'?"),
        ("RAID1", ["stripe", "mirror", "raid10"], "did you mean 'mirror'?"),
        ("server", ["from", "servers", "to"], "did you mean 'to'?"),
        ("server", ["host", "to"], "did you mean 'host'?"),
        ("qd", ["depth", "host"], "did you mean 'depth'?"),
        ("qd", ["host", "size"], ""),
        ("to", ["host", "storage", "devices"], "did you mean 'storage'?"),
        ("target", ["storage", "to"], "did you mean 'to'?"),
        ("dept", ["depth", "host"], "did you mean 'depth'?"),
        ("rsize", ["size", "transfer"], "did you mean 'transfer'?"),
        ("protocol", ["transport", "programs"], "did you mean 'transport'?"),
        ("gpus", ["accelerators", "batch"], "did you mean 'accelerators'?"),
        ("chunk", ["unit", "cache"], "did you mean 'unit'?"),
        ("distribution", ["process", "rate"], "did you mean 'process'?"),
        ("size", ["object", "sizes"], "did you mean 'object'?"),
        ("tcp_wmem", ["send_space", "tcp_send"], "did you mean 'send_space'?"),
        ("qdisc", ["discipline", "queue"], "did you mean 'discipline'?"),
        ("limit", ["loss", "queue"], "did you mean 'queue'?"),
        ("pfc", ["pause_above", "ports"], "did you mean 'pause_above'?"),
        ("ecn_threshold", ["mark", "mark_above"], "did you mean 'mark_above'?"),
        ("parallel", ["streams", "size"], "did you mean 'streams'?"),
        # Not 'timed': the time is that of the run, in another place.
        ("time", ["timed", "size"], "did you mean 'run.until'?"),
        ("msr", ["alibaba", "msr-cambridge", "spc"], "did you mean 'msr-cambridge'?"),
        ("blktrace", ["blkparse", "blkparse-issued"], "did you mean 'blkparse'?"),
        ("open", ["closed", "recorded"], "did you mean 'recorded'?"),
        ("duration", ["until", "seed"], "did you mean 'until'?"),
    ],
)
def test_what_other_tools_call_a_name_is_nearer_than_what_is_spelt_alike(
    word: str, names: list[str], told: str
) -> None:
    assert meant(word, names) == told
