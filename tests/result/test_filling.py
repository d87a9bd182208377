"""A writer that only fills its host's cache, while the bytes are delivered behind it, does not limit."""

from __future__ import annotations

from pathlib import Path

from simio.loading import load
from simio.result.model import CaseResult
from simio.running import run_case

SCENARIOS = Path(__file__).parents[2] / "scenarios"


def written(*settings: str) -> CaseResult:
    own = ("workload.nfs.access=write", "workload.nfs.programs=2", "workload.nfs.nconnect=1", *settings)
    read_ahead = "workload.nfs.read_ahead=128 KiB"
    return run_case(load(SCENARIOS / "nfs-nconnect.yaml", [*own, read_ahead]).cases[0])


def test_a_writer_that_fills_the_cache_of_its_client_is_no_limit() -> None:
    case = written("hosts.client.stack.send_space=64 KiB", "run.until=20 ms", "run.warm_up=5 ms")
    writer = next(use for use in case.threads if use.name.startswith("nfs 1: writer"))
    assert writer.busy > 0.9
    assert case.limiter.sentence.startswith("nfs connection at client waits ")
    assert not [note for note in case.notes if "page cache" in note]
    assert not [note for note in (case.throughput.note,) if "page cache" in note]
