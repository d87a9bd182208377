"""Training: when accelerators wait for storage, and when storage waits for them."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from simio.bound import bound
from simio.description.measured import MeasuredRow
from simio.engines import compiled, reference
from simio.engines.outcome import Options
from simio.errors import SimioError
from simio.loading import load
from simio.lower import lower
from simio.program import series
from simio.program.series import LEAST
from simio.result.model import CaseResult
from simio.result.quantities import simulated_value
from simio.running import run_case

MS = 10**9
SCENARIO = """
title: Training from disks
hosts:
  server: {model: hosts/linux-2002-dual-p3}
  other: {like: server}
disks:
  d: {model: disks/fc-15k-2002, count: 2, file_system: filesystems/ext2}
switches:
  fabric: {model: switches/fc-2g}
links:
  - {model: links/fc-2g, between: [server.fc, fabric], length: 10 m}
  - {model: links/fc-2g, between: [other.fc, fabric], length: 10 m}
  - {model: links/fc-2g, between: [fabric, d], length: 10 m}
workload:
  train: {kind: training, host: server, from: d1, access: direct, compute: 1 s, batch: 2, sample: 256 KiB,
          files: 1000, threads: 2, steps: 6}
run: {warm_up: 0 s, replications: 1}
"""


def path_of(folder: Path) -> str:
    path = folder / "training.yaml"
    path.write_text(SCENARIO)
    return str(path)


def ran(folder: Path, *sets: str) -> CaseResult:
    return run_case(load(path_of(folder), [f"workload.train.{text}" for text in sets]).cases[0])


def busy(result: CaseResult) -> float:
    [found] = [each.utilisation for each in result.resources if each.name == "train: accelerators"]
    return float(found)


def seen(result: CaseResult, what: str):
    [found] = [each for each in result.observations if each.name == f"train: {what}"]
    return found


@pytest.mark.parametrize(
    "sets",
    [
        ("spread=64 KiB", "accelerators=3", "threads=3"),
        ("epoch=true", "between=2 ms", "accelerators=2", "steps=4"),
        ("loader=samples", "prefetch=0", "from=d", "work=3 ms", "compute=20 ms"),
        ("loader=samples", "per_file=5", "accelerators=2", "compute=10 ms", "transfer=100 KiB"),
        ("access=buffered", "sample=1000 KiB", "transfer=100 KiB", "spread=300 KiB", "compute=10 ms"),
        ("access=nocopy", "host=[server, other]", "accelerators=3", "from=d", "prefetch=5", "compute=1 ms"),
    ],
)
def test_engines_agree(tmp_path: Path, sets: tuple[str, ...]) -> None:
    system = load(path_of(tmp_path), [f"workload.train.{text}" for text in sets]).cases[0].system
    program = lower(system)
    options = Options(seed=3)
    assert compiled.run(program, options).differences(reference.run(program, options)) == []


def test_slow_accelerators_wait_for_the_first_batch_only(tmp_path: Path) -> None:
    result = ran(tmp_path)
    first = seen(result, "wait for a batch").most
    assert 10 * MS < first < 100 * MS
    assert result.end == first + 6 * 1000 * MS
    assert 0.99 < busy(result) < 1


def test_fast_accelerators_compute_as_their_storage_allows(tmp_path: Path) -> None:
    sets = ("compute=1 ms", "steps=200", "sample=1 MiB", "transfer=1 MiB")
    result = ran(tmp_path, *sets)
    assert result.limiter.name == "d1"
    # Batches that threads have begun beyond the last step are not trained on.
    trained = 200 * 2 * 2**20 / result.end
    assert trained == pytest.approx(float(result.rate) / 1e12, rel=0.03)
    assert busy(result) == pytest.approx(200 * MS / result.end, rel=1e-3)
    # Without a batch ahead, storage stands still while an accelerator computes.
    alone = ran(tmp_path, "loader=samples", "prefetch=0", *sets, "compute=20 ms")
    ahead = ran(tmp_path, "loader=samples", "prefetch=1", *sets, "compute=20 ms")
    assert alone.end > 1.3 * ahead.end


def test_all_accelerators_begin_a_step_together(tmp_path: Path) -> None:
    together = ran(tmp_path, "accelerators=4", "compute=10 ms", "spread=120 KiB", "steps=40")
    step = seen(together, "step")
    # The first step of each is not counted, as it waits until anything has been read.
    assert step.count == 156
    # A step is as long for each as for the one that waits longest.
    first = seen(together, "wait for a batch").most + 10 * MS
    assert step.mean * 39 == pytest.approx(together.end - first, rel=1e-2)


def test_utilisation_of_accelerators_leaves_out_the_first_step(tmp_path: Path) -> None:
    row = MeasuredRow("s", "t", Fraction(90), "90", False, "%", quantity="accelerators", of="train", points=True)
    result = ran(tmp_path, "between=250 ms")
    assert busy(result) < 0.8
    assert simulated_value(result, row) == 80
    assert row.error(80.0) == pytest.approx(-0.1)
    # No other workload has such a value.
    assert simulated_value(result, replace(row, of="other")) is None


def test_nothing_is_read_beyond_a_whole_epoch(tmp_path: Path) -> None:
    sets = ("steps=20", "threads=4", "prefetch=4", "accelerators=2", "compute=1 ms")
    on, whole = ran(tmp_path, *sets), ran(tmp_path, *sets, "epoch=true")
    batch = 2 * 256 * 1024
    assert whole.throughput.amount == 20 * 2 * batch < on.throughput.amount
    assert whole.end < on.end


def test_a_step_takes_as_many_bytes_of_a_file_with_many_samples(tmp_path: Path) -> None:
    sets = ("loader=samples", "prefetch=0", "compute=1 ms", "steps=50", "batch=3", "per_file=10", "sample=100000 B")
    result = ran(tmp_path, *sets)
    read = result.throughput.amount
    assert 50 * 300_000 <= read <= 50 * 300_000 + 2 * 256 * 1024


def test_sizes_of_files_have_the_mean_and_spread_that_were_given(tmp_path: Path) -> None:
    params = load(path_of(tmp_path), ["workload.train.spread=100 KiB"]).cases[0].system.workloads["train"].params
    sizes = [size for size, weight in params.file_sizes for _ in range(weight)]
    mean = sum(sizes) / len(sizes)
    deviation = (sum((size - mean) ** 2 for size in sizes) / len(sizes)) ** 0.5
    assert mean == pytest.approx(256 * 1024, rel=1e-5)
    # Quantiles have less of the tails than the distribution.
    assert 90 * 1024 < deviation < 100 * 1024


def test_reading_goes_on_while_a_window_is_copied(tmp_path: Path) -> None:
    training = {"access": "buffered", "sample": "32 MiB", "batch": 1, "threads": 1, "compute": "1 ms", "steps": 3}
    # The disk is so fast that copies take as long as reads.
    sets = [*(f"workload.train.{key}={value}" for key, value in training.items()), "workload.train.files=100"]
    sets.append("disks.d.rotation=60000 rpm")
    ahead = run_case(load(path_of(tmp_path), sets).cases[0])
    sets.append("disks.d.file_system={model: filesystems/ext2, read_ahead: 0 B}")
    waiting = run_case(load(path_of(tmp_path), sets).cases[0])
    assert waiting.end > 1.1 * ahead.end


@pytest.mark.parametrize(
    ("sets", "message"),
    [
        (("spread=200 KiB",), "at most half of the sample"),
        (("spread=1 KiB", "per_file=2", "loader=samples"), "only files of one sample differ"),
        (("per_file=2",), "expected samples"),
        (("host=[server, other]",), "one a host at least"),
        (("steps=0",), "steps"),
        (("files=10000000",), "which holds"),
        (("epoch=true", "loader=samples"), "only batches are numbered"),
    ],
)
def test_mistakes_are_named(tmp_path: Path, sets: tuple[str, ...], message: str) -> None:
    with pytest.raises(SimioError, match=message):
        ran(tmp_path, *sets)


def test_many_accelerators_share_steps_and_do_what_each_did_with_its_own(tmp_path, monkeypatch):
    sets = ["loader=samples", "accelerators=40", "compute=10 ms", "access=direct", "steps=3", "from=d"]
    programs = []
    for least in (LEAST, 41):
        monkeypatch.setattr(series, "LEAST", least)
        case = load(path_of(tmp_path), [f"workload.train.{text}" for text in sets]).cases[0]
        programs.append(lower(case.system))
    shared, own = programs
    assert len(shared.steps) < len(own.steps) / 5
    assert bound(shared) == bound(own)
    ends = [run(program, Options()) for program in programs for run in (compiled.run, reference.run)]
    assert ends[0].differences(ends[1]) == ends[2].differences(ends[3]) == []
    assert [name for name in ends[0].differences(ends[2]) if name != "alive"] == []
