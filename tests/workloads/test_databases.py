"""A database's log and a program's checkpoints: what they wait for, in closed form, and both engines agree."""

from __future__ import annotations

from pathlib import Path

import pytest

from simio.engines import compiled, reference
from simio.engines.outcome import Options
from simio.errors import RunError, ScenarioError
from simio.loading import load
from simio.lower import lower
from simio.result.model import CaseResult
from simio.running import run_case

SCENARIO = """
title: A database, or ranks
hosts:
  server: {model: hosts/server-2023-2s}
disks:
  d: {model: disks/optane-p5800x, count: 2, file_system: {model: filesystems/xfs}}
links:
  - {model: links/nvme, between: [server.nvme, d], length: 0 m}
workload:
  w: {kind: KIND}
run: {warm_up: 0 s, replications: 1}
"""
DATABASE = (
    "kind=database", "host=server", "data=d1", "log=d2", "clients=8", "reads=2", "transactions=20", "pages=1000",
)  # fmt: skip
CHECKPOINT = ("kind=checkpoint", "host=server", "to=d", "ranks=4", "shard=1 MiB", "block=256 KiB", "checkpoints=3")


def loaded(folder: Path, *sets: str):
    file = folder / "scenario.yaml"
    keys = dict(text.split("=", 1) for text in sets)
    file.write_text(SCENARIO.replace("kind: KIND", ", ".join(f"{key}: {value}" for key, value in keys.items())))
    return load(str(file)).cases[0]


def ran(folder: Path, *sets: str) -> CaseResult:
    return run_case(loaded(folder, *sets))


def seen(case: CaseResult, what: str):
    [found] = [each for each in case.observations if each.name == f"w: {what}"]
    return found


def total(case: CaseResult, what: str) -> int:
    return next((int(each.value) for each in case.tallies if each.what == what), 0)


def test_transactions_that_end_together_share_a_write_of_the_log(tmp_path: Path):
    alone = ran(tmp_path, *DATABASE, "clients=1", "writes=0")
    many = ran(tmp_path, *DATABASE, "writes=0", "reads=0", "work=0 s")
    assert (seen(alone, "commit").count, total(alone, "log writes")) == (20, 20)
    assert seen(many, "commit").count == 160
    assert total(many, "log writes") < 80
    # A commit that comes while the log is written waits for the rest of that write, too, and for no third.
    assert seen(many, "commit").most < 3 * seen(alone, "commit").most


def test_a_transaction_that_changes_nothing_needs_no_log(tmp_path: Path):
    case = ran(tmp_path, *DATABASE, "record=0 B")
    assert total(case, "log writes") == 0
    assert seen(case, "transaction").count == 160


def test_a_log_on_a_volatile_cache_waits_for_its_flush(tmp_path: Path):
    text = SCENARIO.replace("count: 2,", "count: 2, volatile_cache: true, flush_time: 1 ms,")
    file = tmp_path / "scenario.yaml"
    keys = dict(pair.split("=", 1) for pair in DATABASE)
    file.write_text(text.replace("kind: KIND", ", ".join(f"{key}: {value}" for key, value in keys.items())))
    assert seen(run_case(load(str(file)).cases[0]), "commit").least > 10**9


@pytest.mark.parametrize("extra", [("restore=true",), ("access=buffered",), ()])
def test_a_checkpoint_is_over_when_the_last_rank_is(tmp_path: Path, extra: tuple[str, ...]):
    case = ran(tmp_path, *CHECKPOINT, *extra)
    assert seen(case, "checkpoint").count == 3
    assert case.throughput.amount == 3 * 4 * 2**20
    # Two ranks a drive, whose lanes carry some 7 GB/s.
    assert seen(case, "checkpoint").least > 2 * 2**20 / 7.2e9 * 1e12


@pytest.mark.parametrize("sets", [(*DATABASE, "data=d", "transactions=5"), (*CHECKPOINT, "access=buffered")])
def test_engines_agree(tmp_path: Path, sets: tuple[str, ...]):
    program = lower(loaded(tmp_path, *sets).system)
    first, second = (engine.run(program, Options(seed=1)) for engine in (reference, compiled))
    assert first.differences(second) == []


@pytest.mark.parametrize(
    ("sets", "message"),
    [
        (("backlog=1", "writes=2"), "at least writes, 2"),
        (("log_block=1000 B", "log_size=1 MB"), "whole sectors"),
        (("pages=2000000000",), "workload 'w' needs 16.38 TB of 'd1', which holds"),
    ],
)
def test_what_cannot_be_is_refused(tmp_path: Path, sets: tuple[str, ...], message: str):
    with pytest.raises((ScenarioError, RunError), match=message):
        ran(tmp_path, *DATABASE, *sets)
