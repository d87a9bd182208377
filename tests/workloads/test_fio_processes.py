"""Jobs of fio in a scenario: how many requests go where and when, what waits for what, and both engines agree."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from simio.engines import reference
from simio.engines.outcome import Options
from simio.errors import RunError, ScenarioError
from simio.loading import load
from simio.lower import lower
from simio.report.fio import as_fio_json
from simio.result.model import CaseResult
from simio.running import RunOptions, run_scenario

SECOND = 10**12
BASE = """
title: Jobs of fio on a disk
hosts:
  server:
    model: hosts/{host}
disks:
  d: {{model: disks/{disk}, count: {disks}{own}{more}}}
links:
  - {{model: links/{link}, between: [server.{adapter}, d]}}
run: {{replications: 1}}
workload:
  fio:
    host: server
    storage: d
"""
OLD = {"host": "linux-2002-dual-p3", "disk": "cheetah-9lp-fc", "link": "fc-al-1g", "adapter": "fc", "own": ""}
NEW = {
    "host": "vm-2vcpu\n    kernel: kernels/linux-6.3",
    "disk": "optane-p5800x",
    "link": "nvme",
    "adapter": "nvme",
    "own": "",
}


def scenario(
    tmp_path: Path, job: str, parts: dict[str, str] = NEW, disks: int = 1, more: str = "", **keys: Any
) -> Path:
    (tmp_path / "job.fio").write_text(job)
    text = BASE.format(**parts, disks=disks, more=more) + "    job: job.fio\n"
    text += "".join(f"    {key}: {json.dumps(value)}\n" for key, value in keys.items())
    file = tmp_path / "scenario.yaml"
    file.write_text(text)
    return file


def run(file: Path, engine: str = "simpy", **sets: str) -> CaseResult:
    loaded = load(str(file), [f"{key}={value}" for key, value in sets.items()])
    return run_scenario(loaded, (), RunOptions(engine)).cases[0]


def job_of(case: CaseResult, label: str) -> Any:
    return next(job for job in case.jobs if job.label == label)


@pytest.mark.parametrize(
    ("options", "requests", "size"),
    [
        ("size=1m\nbs=4k", 256, 4096),
        ("size=1030k\nbs=4k", 257, 4096),
        ("size=1m\nbs=4k\nnumber_ios=10", 10, 4096),
        ("size=1m\nbs=64k\nio_size=256k", 4, 65536),
        ("size=256k\nbs=64k\nio_size=1m", 16, 65536),
        ("size=256k\nbs=64k\nloops=3", 12, 65536),
        ("size=256k\nbs=64k\nnrfiles=2\noffset=64k", 4, 65536),
    ],
)
def test_a_job_makes_as_many_requests_as_its_size_holds(tmp_path: Path, options: str, requests: int, size: int):
    case = run(scenario(tmp_path, f"[a]\ndirect=1\n{options}\n"))
    side = job_of(case, "a").sides[0]
    assert (side.requests, side.bytes) == (requests, requests * size)


def places(file: Path) -> list[int]:
    """First bytes of the requests, in order, as the machine gives them."""
    program = lower(load(str(file)).cases[0].system)
    seen: list[int] = []
    import simio.machines.fio as machine

    original = machine.placed

    def noted(state: Any, base: int, which: int, offset: int) -> int:
        seen.append(offset)
        return original(state, base, which, offset)

    from simio.machines import door

    entry = door._BY_FUNCTION[original]
    changed = door.Machine(noted, entry.family, entry.name, entry.number, entry.timed, entry.arguments)
    door._BY_NUMBER[entry.number] = changed
    try:
        reference.run(program, Options(seed=3))
    finally:
        door._BY_NUMBER[entry.number] = entry
    return seen


def test_a_random_map_visits_each_block_once(tmp_path: Path):
    seen = places(scenario(tmp_path, "[a]\nrw=randread\nsize=256k\nbs=4k\ndirect=1\n"))
    assert sorted(seen) == list(range(0, 256 * 1024, 4096))
    assert seen != sorted(seen)


def test_without_a_map_blocks_come_again(tmp_path: Path):
    seen = places(scenario(tmp_path, "[a]\nrw=randread\nnorandommap\nsize=256k\nbs=4k\ndirect=1\n"))
    assert len(seen) == 64
    assert len(set(seen)) < 64


def test_alignment_is_that_of_blockalign(tmp_path: Path):
    seen = places(scenario(tmp_path, "[a]\nrw=randread\nba=512\nsize=256k\nbs=4k\ndirect=1\n"))
    assert any(at % 4096 for at in seen)
    assert all(at % 512 == 0 and at + 4096 <= 256 * 1024 for at in seen)


def test_a_skewed_distribution_has_hot_blocks(tmp_path: Path):
    job = "[a]\nrw=randread\nrandom_distribution=zipf:1.5\nsize=4m\nio_size=8m\nbs=4k\ndirect=1\n"
    _, counts = np.unique(places(scenario(tmp_path, job)), return_counts=True)
    # The first rank of zipf 1.5 has 1 / zeta(1.5) of all, 0.38.
    assert 0.33 < counts.max() / counts.sum() < 0.43


def test_jobs_behind_a_stonewall_wait_for_all_before_it(tmp_path: Path):
    job = "[global]\nsize=256k\nbs=4k\ndirect=1\n[a]\n[b]\nsize=1m\n[c]\nstonewall\n[d]\n"
    case = run(scenario(tmp_path, job))
    a, b, c, d = (job_of(case, name) for name in "abcd")
    assert a.begun < b.ended
    assert b.begun < a.ended
    assert min(c.begun, d.begun) >= max(a.ended, b.ended)
    assert c.begun < d.ended
    assert [each.group for each in (a, b, c, d)] == [0, 0, 1, 1]


def test_a_runtime_ends_a_job_and_a_ramp_is_not_measured(tmp_path: Path):
    job = "[a]\nrw=randread\nsize=1g\nbs=4k\ndirect=1\nramp_time=2ms\nruntime=5ms\ntime_based\n"
    found = job_of(run(scenario(tmp_path, job)), "a")
    assert found.begun == 2 * 10**9
    assert found.ended - found.begun == pytest.approx(5 * 10**9, rel=0.03)
    with_size = job_of(run(scenario(tmp_path, job.replace("1g", "64k").replace("ramp_time=2ms\n", ""))), "a")
    assert with_size.sides[0].requests > 64 // 4, "time_based goes on beyond the size"


def test_a_delay_begins_later(tmp_path: Path):
    case = run(scenario(tmp_path, "[a]\nsize=64k\nbs=4k\ndirect=1\nstartdelay=3ms\n"))
    assert job_of(case, "a").begun == 3 * 10**9


def test_a_rate_is_kept_and_poisson_requests_come_at_random(tmp_path: Path):
    job = "[a]\nrw=randread\nsize=64m\nbs=4k\ndirect=1\nrate_iops=2000\nruntime=100ms\n"
    steady = job_of(run(scenario(tmp_path, job)), "a")
    assert steady.sides[0].requests == pytest.approx(200, abs=2)
    poisson = job_of(run(scenario(tmp_path, job + "rate_process=poisson\n")), "a")
    assert 150 < poisson.sides[0].requests < 250
    assert poisson.sides[0].requests != steady.sides[0].requests


def test_with_rates_of_both_directions_the_rates_decide_the_mix(tmp_path: Path):
    job = "[a]\nrw=randrw\nsize=64m\nbs=4k\ndirect=1\nrate_iops=3000,1000\nruntime=100ms\n"
    sides = job_of(run(scenario(tmp_path, job)), "a").sides
    assert sides[0].requests == pytest.approx(300, abs=5)
    assert sides[1].requests == pytest.approx(100, abs=5)


def test_a_pause_is_taken_behind_so_many_requests(tmp_path: Path):
    job = "[a]\nsize=64k\nbs=4k\ndirect=1\nthinktime=1ms\nthinktime_blocks=4\n"
    case = run(scenario(tmp_path, job))
    quick = run(scenario(tmp_path, "[a]\nsize=64k\nbs=4k\ndirect=1\n"))
    # Behind the 4th, 8th and 12th request; the one behind the last is after the end of what is measured.
    pauses = (job_of(case, "a").ended - job_of(quick, "a").ended) / 10**9
    assert pauses == pytest.approx(3, abs=0.2)


def test_a_mix_has_its_share_of_reads(tmp_path: Path):
    job = "[a]\nrw=randrw\nrwmixread=80\nsize=4m\nbs=4k\ndirect=1\n"
    sides = job_of(run(scenario(tmp_path, job)), "a").sides
    assert sides[0].requests + sides[1].requests == 1024
    assert 0.76 < sides[0].requests / 1024 < 0.84


def test_depth_is_kept_and_a_synchronous_engine_has_one(tmp_path: Path):
    job = "[a]\nrw=randread\nsize=1m\nbs=4k\ndirect=1\niodepth=8\nioengine={}\n"
    deep = job_of(run(scenario(tmp_path, job.format("libaio"))), "a")
    flat = job_of(run(scenario(tmp_path, job.format("psync"))), "a")
    assert deep.depths[8] > 90
    assert flat.depths == {1: 100.0} | dict.fromkeys((2, 4, 8, 16, 32, 64), 0.0)
    assert deep.ended < flat.ended
    assert deep.sides[0].slat.count == 256
    assert flat.sides[0].slat.count == 0


def test_what_fio_reports_follows_littles_law(tmp_path: Path):
    # A request counts until its process looks at it, so that the process has iodepth of them at all times.
    job = "[a]\nrw=randread\nsize=64m\nbs=4k\ndirect=1\niodepth=16\nioengine=libaio\nruntime=20ms\n"
    found = job_of(run(scenario(tmp_path, job), "compiled"), "a")
    side = found.sides[0]
    seconds = (found.ended - found.begun) / SECOND
    assert side.requests / seconds * side.lat.mean * 1e-9 == pytest.approx(16, rel=0.03)


@pytest.mark.parametrize("batch", ["iodepth_batch=4", "iodepth_batch_complete_min=4", "iodepth_low=2",
                                   "iodepth_batch_complete_min=0\niodepth_batch_complete_max=8"])  # fmt: skip
def test_batches_change_when_requests_go_but_not_how_many(tmp_path: Path, batch: str):
    job = f"[a]\nrw=randread\nsize=1m\nbs=4k\ndirect=1\niodepth=8\nioengine=libaio\n{batch}\n"
    assert job_of(run(scenario(tmp_path, job)), "a").sides[0].requests == 256


def test_clones_are_reported_together_or_apart(tmp_path: Path):
    job = "[a]\nsize=256k\nbs=4k\ndirect=1\nnumjobs=3\n"
    apart = run(scenario(tmp_path, job)).jobs
    assert [(each.name, each.label, each.members) for each in apart] == [("a", f"a {n}", 1) for n in (1, 2, 3)]
    (together,) = run(scenario(tmp_path, job + "group_reporting\n")).jobs
    assert (together.members, together.sides[0].requests) == (3, 192)


def test_files_go_to_the_disks_of_a_group_in_turn_or_where_they_are_named(tmp_path: Path):
    job = "[a]\nsize=512k\nbs=4k\ndirect=1\nnrfiles=2\n"
    parts = {**OLD}
    case = run(scenario(tmp_path, job, parts, disks=2))
    busy = {use.name: use.seizes for use in case.resources if use.name in ("d1", "d2")}
    assert min(busy.values()) > 0
    named = run(
        scenario(tmp_path, "[a]\nsize=512k\nbs=4k\ndirect=1\nfilename=/dev/sdb\n", parts, 2, files={"/dev/sdb": "d2"})
    )
    assert {stream.name for stream in named.streams} == {"fio: a reads"}
    assert not any(use.seizes for use in named.resources if use.name == "d1")


def test_buffered_jobs_go_through_the_cache(tmp_path: Path):
    job = "[a]\nrw={}\nsize=1m\nbs=64k\n"
    more = ", file_system: filesystems/ext2"
    for order in ("read", "randread", "write", "randwrite", "rw"):
        case = run(scenario(tmp_path, job.format(order), OLD, more=more))
        assert sum(side.requests for side in job_of(case, "a").sides.values()) == 16
    with pytest.raises(RunError, match="has no file_system"):
        run(scenario(tmp_path, job.format("read"), OLD))


@pytest.mark.parametrize(
    ("job", "message"),
    [
        ("[a]\nbs=4k\n", "has a file of no size; give its job a size"),
        ("[a]\nsize=1k\nbs=4k\n", "1,024 bytes of 'a.0.0' are left for requests of 4,096"),
        ("[a]\nsize=1m\nbs=1000\ndirect=1\n", "takes whole sectors"),
        ("[a]\nsize=1m\nbssplit=4k/50:8k/50\n", "several block sizes and goes through the cache"),
        ("[a]\nsize=1t\ndirect=1\n", "bytes of 'd', which holds"),
        ("[a]\nsize=1m\ndirect=1\ncpus_allowed=0\n", "knows neither cores nor io_uring"),
    ],
)
def test_what_cannot_be_run_is_refused(tmp_path: Path, job: str, message: str):
    with pytest.raises(RunError, match=message):
        run(scenario(tmp_path, job, OLD))


def test_mistakes_of_the_job_file_are_told_with_its_line(tmp_path: Path):
    with pytest.raises(ScenarioError, match=r"job.fio:2:1: \[a\]: found 'rw=trim'"):
        load(str(scenario(tmp_path, "[a]\nrw=trim\n")))


def test_mistakes_of_options_in_the_scenario_are_told_with_their_key(tmp_path: Path):
    with pytest.raises(
        ScenarioError, match=r"scenario.yaml:\d+:\d+: workload.fio.options.iodepth: found 'iodepth=x'"
    ):
        load(str(scenario(tmp_path, "[a]\nsize=1m\n", options={"iodepth": "x"})))


def test_a_job_has_the_cpus_that_it_is_allowed(tmp_path: Path):
    job = "[a]\nrw=randread\nsize=1m\nbs=4k\ndirect=1\ncpus_allowed=1\nnumjobs=2\ngroup_reporting\n"
    used = {use.name for use in run(scenario(tmp_path, job)).resources if use.seizes}
    assert "server.core 1" in used
    assert "server.core 0" not in used


@pytest.mark.parametrize(
    ("job", "parts"),
    [
        ("[a]\nrw=randrw\nbssplit=4k/50:16k/50\nsize=512k\ndirect=1\nioengine=io_uring\niodepth=4\nnumjobs=2\n", NEW),
        ("[a]\nrw=randread\nrandom_distribution=pareto:0.3\nsize=256k\nbs=4k\ndirect=1\nrate=2m\n", OLD),
        ("[a]\nrw=randread:4\nsize=256k\nbs=4k\ndirect=1\n[b]\nstonewall\nrw=write:4k\nsize=256k\ndirect=1\n", OLD),
    ],
)
def test_both_engines_give_the_same(tmp_path: Path, job: str, parts: dict[str, str]):
    file = scenario(tmp_path, job, parts)
    assert run(file, "compiled").jobs == run(file, "simpy").jobs


def test_the_bound_of_one_job_holds_whatever_ends_it(tmp_path: Path):
    job = "[a]\nrw=randread\nsize=64m\nbs=4k\ndirect=1\nioengine=libaio\niodepth=16\ntime_based\nruntime={}\n"
    for runtime in ("1ms", "20ms"):
        case = run(scenario(tmp_path, job.format(runtime)), "compiled")
        assert case.bound is not None
        assert 0 < case.rate <= case.bound


def test_the_output_is_that_of_fio(tmp_path: Path):
    job = "[a]\nrw=randrw\nsize=1m\nbs=4k\ndirect=1\niodepth=4\nioengine=libaio\npercentile_list=50:99\n"
    found = json.loads(as_fio_json(run(scenario(tmp_path, job)), bins=True))
    (one,) = found["jobs"]
    read = one["read"]
    assert one["jobname"] == "a"
    assert one["job options"]["iodepth"] == "4"
    assert read["total_ios"] + one["write"]["total_ios"] == 256
    assert read["io_bytes"] == 4096 * read["total_ios"]
    assert read["iops"] == pytest.approx(read["bw_bytes"] / 4096, rel=1e-3)
    assert read["slat_ns"]["mean"] + read["clat_ns"]["mean"] == pytest.approx(read["lat_ns"]["mean"], rel=1e-3)
    assert list(read["clat_ns"]["percentile"]) == ["50.000000", "99.000000"]
    assert sum(read["clat_ns"]["bins"].values()) == read["total_ios"]
    assert sum(one["iodepth_level"].values()) == pytest.approx(100)
    assert sum(sum(one[f"latency_{unit}"].values()) for unit in ("ns", "us", "ms")) == pytest.approx(100)
    assert one["trim"]["total_ios"] == 0
