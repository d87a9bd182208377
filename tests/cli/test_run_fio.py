"""simio run with job files of fio: on the host of a scenario, with fio's own output, and its results as rows."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from simio.cli.main import main
from simio.formats.results import read_results
from simio.loading import load
from simio.result.compare import comparisons
from simio.running import RunOptions, run_scenario

HOST = """
title: A machine
about: It reads.
hosts:
  vm: {model: hosts/vm-2vcpu}
disks:
  vda: {model: disks/virtio-vm}
links:
  - {model: links/nvme, between: [vm.nvme, vda]}
workload:
  reader: {host: vm, from: vda, block: 4 KiB, size: 1 MiB}
run: {until: 1 ms, replications: 1}
vary: {workload.reader.block: [4 KiB, 8 KiB]}
"""
JOB = """
[global]
direct=1
rw=randread
randrepeat=1
[a]
bs=4k
ioengine=libaio
iodepth=4
size=2m
[b]
stonewall
bs=8k
size=1m
"""


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "host.yaml").write_text(HOST)
    (tmp_path / "job.fio").write_text(JOB)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def simio(*args: str) -> Result:
    return CliRunner().invoke(main, list(args))


def test_a_job_file_runs_on_the_only_host_and_storage(files: Path):
    result = simio("run", "job.fio", "--on", "host.yaml", "--json", "-o", "out.json")
    assert result.exit_code == 0, result.output
    found = json.loads((files / "out.json").read_text())
    assert found["title"] == "job.fio on A machine"
    (case,) = found["cases"]
    assert [(job["label"], job["sides"]["read"]["requests"]) for job in case["jobs"]] == [("a", 512), ("b", 128)]
    assert case["status"] == "done", "the length of the run is the job's"


def test_the_options_of_a_job_may_be_set(files: Path):
    shown = simio("run", "job.fio", "--on", "host.yaml", "--set", "workload.fio.options.size=64k").output
    assert "ignored: randrepeat (random draws follow run.seed of the scenario)" in shown
    assert "fio job" in shown


def test_a_workload_of_kind_fio_says_where(files: Path):
    own = "load: {kind: fio, host: vm, storage: vda, program: 2 us, options: {rw: write, size: 4k}}"
    changed = HOST.replace("reader: {host: vm, from: vda, block: 4 KiB, size: 1 MiB}", own)
    (files / "host.yaml").write_text(changed.partition("vary:")[0])
    result = simio("run", "job.fio", "--on", "host.yaml", "--fio-json")
    assert result.exit_code == 0, result.output
    (first, _) = json.loads(result.stdout[result.stdout.index("{") :])["jobs"]
    assert first["write"]["total_ios"] == 0
    assert first["usr_cpu"] > 0


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("job.fio",), "'job.fio' is a job file of fio; give the scenario whose host runs it"),
        (("none.fio", "--on", "host.yaml"), "none.fio: found no such file; expected a job file of fio"),
        (("host.yaml", "--fio-json"), "--fio-json: no workload is of kind fio"),
        (("job.fio", "--on", "none.yaml"), "none.yaml: found no such file"),
    ],
)
def test_what_does_not_go_together_is_refused(files: Path, args: tuple[str, ...], message: str):
    result = simio("run", *args)
    assert result.exit_code == 2
    assert message in result.output


def test_of_several_disks_one_has_to_be_named(files: Path):
    (files / "host.yaml").write_text(HOST.replace("vda: {", "spare: {model: disks/virtio-vm}\n  vda: {", 1))
    assert "workload.fio.storage" in simio("run", "job.fio", "--on", "host.yaml").output


def test_simulated_results_are_measured_rows_without_an_error(files: Path):
    simio("run", "job.fio", "--on", "host.yaml", "--fio-json", "-o", "result.json")
    rows = {(each.quantity, each.of): float(each.value) for each in read_results(files / "result.json")}
    assert rows.keys() >= {
        ("requests", "a read"), ("stream", "a reads"), ("latency", "a read"), ("p50", "a read completion"),
        ("p99", "a read completion"), ("process", "a"), ("p50", "b read"),
    }  # fmt: skip
    (files / "table.yaml").write_text(
        "title: What fio gave\nsource: simulated\nquantity: requests\nunit: IOPS\nscenario: again\nrows:\n"
        "  - {where: {}, file: result.json, fit: false}\n"
    )
    again = "workload:\n  fio: {host: vm, storage: vda, job: result.json}\nmeasured: ./table.yaml\n"
    text = HOST.partition("workload:")[0] + again + "run: {replications: 1}\n"
    (files / "again.yaml").write_text(text)
    case = run_scenario(load("again.yaml"), (), RunOptions()).cases[0]
    compared = comparisons(case)
    assert len(compared) == len(rows)
    assert all(abs(row.error or 0) < 0.01 for row in compared), [(row.row.label, row.error) for row in compared]


def test_times_of_fsync_and_common_options_are_where_fio_has_them(files: Path):
    (files / "host.yaml").write_text(HOST.replace("virtio-vm}", "virtio-vm, capacity: 4 GiB, block_pages: 128}"))
    (files / "job.fio").write_text(
        "[global]\nfilename=/dev/vda\nsize=64k\ndirect=1\nbs=4k\nrw=write\n[a]\nfsync=4\n[b]\nrw=read\nstonewall\n"
    )
    simio("run", "job.fio", "--on", "host.yaml", "--fio-json", "-o", "result.json")
    found = json.loads((files / "result.json").read_text())
    assert found["global options"] == {"filename": "/dev/vda", "size": "64k", "direct": "1", "bs": "4k"}
    assert [job["job options"] for job in found["jobs"]] == [
        {"rw": "write", "fsync": "4"},
        {"rw": "read", "stonewall": "1"},
    ]
    syncs = [job["sync"] for job in found["jobs"]]
    assert [each["total_ios"] for each in syncs] == [4, 0]
    assert syncs[0]["lat_ns"]["N"] == sum(syncs[0]["lat_ns"]["bins"].values()) == 4
    assert "99.000000" in syncs[0]["lat_ns"]["percentile"]
    rows = {(each.quantity, each.of) for each in read_results(files / "result.json")}
    assert rows >= {("latency", "a sync"), ("p99", "a sync")}


def test_a_result_of_fio_with_an_error_is_refused(files: Path):
    job = {"jobname": "a", "error": 5, "job options": {}, "read": {}}
    (files / "bad.json").write_text(json.dumps({"fio version": "fio-3.33", "jobs": [job]}))
    (files / "table.yaml").write_text(
        "title: T\nsource: s\nquantity: requests\nunit: IOPS\nrows:\n  - {where: {}, file: bad.json}\n"
    )
    (files / "host.yaml").write_text(HOST + "measured: ./table.yaml\n")
    assert "ended with error 5" in simio("run", "host.yaml").output


def test_jobs_one_after_another_say_what_the_throughput_is_of(files: Path):
    in_turn = "jobs ran one after another: throughput, limit and use are over the time of all"
    assert in_turn in simio("run", "job.fio", "--on", "host.yaml").output
    (files / "job.fio").write_text(JOB.replace("stonewall\n", ""))
    assert in_turn not in simio("run", "job.fio", "--on", "host.yaml").output


def test_a_job_that_did_not_begin_is_named(files: Path):
    done = simio("run", "job.fio", "--on", "host.yaml", "--set", "run.until=1 ms")
    assert "b did nothing before the run ended" in done.output
