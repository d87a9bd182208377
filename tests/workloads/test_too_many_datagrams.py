"""A sender of datagrams that nothing slows down is told so at its place in the file."""

from __future__ import annotations

from pathlib import Path

import pytest

from simio.engines.outcome import Aborted
from simio.loading import load
from simio.running import RunOptions, run_case

TEXT = """title: Datagrams that wait for a link
hosts: {a: {model: hosts/storage-client-2023, stack: {model: stacks/linux-6.x, datagram_buffer: none}}, b: {like: a}}
links: [{model: links/ethernet-10g, between: [a.eth, b.eth]}]
workload:
  pings: {kind: requests, from: b, to: a, request: 100 B, response: 100 B, count: 1}
  flood: {kind: datagrams, from: a, to: b, size: 1000 B, count: 20000}
"""


@pytest.mark.parametrize("engine", ["compiled", "simpy"])
def test_the_message_names_the_workload_and_what_would_slow_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, engine: str
) -> None:
    for module in ("compiled", "reference", "execute"):
        monkeypatch.setattr(f"simio.engines.{module}.THREAD_LIMIT", 4096)
    path = tmp_path / "flood.yaml"
    path.write_text(TEXT)
    with pytest.raises(Aborted) as caught:
        run_case(load(path).cases[0], RunOptions(engine))
    message = str(caught.value)
    assert message.startswith(f"{path}:6:3: workload.flood: more than 4,096 threads would live at ")
    assert message.endswith("give it a period or arrivals, or its host a stack with costs")
    run_case(load(path, ["workload.flood.period=1 us"]).cases[0], RunOptions(engine))
