"""Answers in requests a second: IOPS and transactions."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from fractions import Fraction

import pytest
from click.testing import CliRunner
from loads_bench import scenario, written

from simio.cli.main import main
from simio.errors import RunError, ScenarioError
from simio.loading import load
from simio.lower import lower
from simio.report import casetables
from simio.report.data import as_csv, as_json
from simio.report.html.timelines import timelines
from simio.result.request_rate import in_unit_of
from simio.running import RunOptions, run_scenario
from simio.wording import figure

RATE = "{rate: 60 /s}"


def ran(folder, unit: str):
    result = run_scenario(scenario(folder, RATE, "until: 4 s", [f"report.unit={unit}"]))
    return result, json.loads("".join(as_json(result)))["cases"][0]


def test_the_answer_is_in_the_unit_of_the_report(tmp_path) -> None:
    (in_bytes, plain), (_, data) = ran(tmp_path, "MB/s"), ran(tmp_path, "kIOPS")
    (case,) = in_bytes.cases
    # All blocks are as large.
    assert data["throughput"] == pytest.approx(float(case.rate) / 4096 / 1000, rel=0.01)
    assert data["half_width"] == pytest.approx(case.half_width / 4096 / 1000, rel=0.02)
    assert data["bound"] == pytest.approx(float(case.bound) / 4096 / 1000, rel=0.01)
    assert data["bytes_per_second"] == pytest.approx(plain["bytes_per_second"])
    assert data["requests_per_second"] == pytest.approx(1000 * data["throughput"])
    assert data["streams"]["reads: d"] == pytest.approx(1000 * data["throughput"], rel=0.05)


def test_tables_and_plots_have_that_unit(tmp_path) -> None:
    result, data = ran(tmp_path, "IOPS")
    heads, cells = (line.split(",") for line in as_csv(result).splitlines())
    assert float(dict(zip(heads, cells, strict=True))["throughput (IOPS)"]) == pytest.approx(
        data["throughput"], rel=1e-4
    )
    figure = timelines(result.cases[0], "IOPS")["Throughput (IOPS)"]
    mean = next(line for line in figure["data"] if line["name"].startswith("mean of"))
    assert mean["y"][0] == pytest.approx(data["throughput"], rel=0.1)


def test_the_first_line_says_so(tmp_path) -> None:
    path = written(tmp_path, RATE, "until: 4 s")
    done = CliRunner().invoke(main, ["run", str(path), "--set", "report.unit=transactions/s"])
    assert done.exit_code == 0, done.output
    rate = next(line for line in done.output.splitlines() if "transactions/s   " in line)
    assert 50 < float(rate.split()[0]) < 70


def test_what_counts_no_requests_has_no_rate_of_them(tmp_path) -> None:
    path = tmp_path / "copy.yaml"
    path.write_text(
        """\
title: A small file is copied
hosts: {h: {model: hosts/linux-2002-dual-p3, adapters: {scsi: {model: adapters/aha-2940, bus: pci}}}}
disks: {d: {model: disks/st41601n, count: 2}}
volumes: {v: {kind: stripe, of: d, unit: 8 KiB, file_system: filesystems/aix-jfs}}
links: [{model: links/scsi-1, between: [h.scsi, d], length: 1 m}]
workload: {copy: {host: h, from: v, to: v, file: 4 KiB, buffer: 512 B, access: buffered}}
report: {unit: IOPS}
"""
    )
    done = CliRunner().invoke(main, ["run", str(path)])
    assert done.exit_code == 2
    assert "no workload of this scenario counts requests that ended in the measured span" in done.stderr


def test_no_other_unit_is_taken(tmp_path) -> None:
    with pytest.raises(ScenarioError, match="expected a unit such as 'MB/s' or 'kIOPS'"):
        scenario(tmp_path, RATE, sets=["report.unit=furlongs"])


def test_a_sweep_compares_requests(tmp_path, own_results: None) -> None:
    path = written(tmp_path, RATE, "until: 3 s")
    done = CliRunner().invoke(
        main,
        ["sweep", str(path), "--set", "report.unit=IOPS", "--set", "workload.reads.block=4 KiB,64 KiB",
         "--set", "run.replications=2", "-o", str(tmp_path / "rows.parquet"), "--processes", "1"],
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    pyarrow = pytest.importorskip("pyarrow.parquet")
    found = pyarrow.read_table(io.BytesIO((tmp_path / "rows.parquet").read_bytes())).to_pydict()
    assert found["workload.reads.block (B)"] == [4096, 65536]
    assert all(50 < rate < 70 for rate in found["throughput (IOPS)"])


def test_a_result_without_requests_is_refused(tmp_path) -> None:
    result = run_scenario(scenario(tmp_path, RATE, "until: 1 s")).cases[0]
    with pytest.raises(RunError, match="no workload of this scenario counts requests"):
        in_unit_of(replace(result, requests=Fraction(0)), "kIOPS")


def test_a_request_of_fio_counts_once_for_its_three_times(tmp_path) -> None:
    (tmp_path / "job.fio").write_text(
        "[global]\nioengine=libaio\niodepth=4\ndirect=1\nbs=4k\nsize=1m\nnumber_ios=40\n[a]\nrw=randread\n"
    )
    path = tmp_path / "fio.yaml"
    path.write_text(
        "title: t\nhosts: {h: {model: hosts/vm-2vcpu, kernel: kernels/linux-6.3}}\n"
        "disks: {d: {model: disks/optane-p5800x}}\nlinks: [{model: links/nvme, between: [h.nvme, d]}]\n"
        "run: {replications: 1, warm_up: 0 s}\nworkload: {fio: {host: h, storage: d, job: job.fio}}\n"
        "report: {unit: requests/s}\n"
    )
    case = run_scenario(load(str(path)), (), RunOptions("simpy")).cases[0]
    assert sorted(each.count for each in case.observations) == [40, 40, 40]
    assert case.bytes_rate / case.rate == 4096


def test_parts_of_a_step_are_no_steps(tmp_path) -> None:
    path = tmp_path / "training.yaml"
    path.write_text(
        "title: t\nhosts: {a: {model: hosts/linux-2002-dual-p3}}\n"
        "disks: {d: {model: disks/cheetah-9lp-fc, file_system: filesystems/ext2}}\n"
        "links: [{model: links/fc-al-1g, between: [a.fc, d]}]\n"
        "workload: {t: {kind: training, host: a, from: d, access: direct, compute: 1 ms, batch: 2, sample: 64 KiB,"
        " files: 100, threads: 2, steps: 3}}\nrun: {warm_up: 0 s, replications: 1}\n"
    )
    marks = lower(load(str(path)).cases[0].system).marks
    assert [mark.name for mark in marks if mark.role == "latency"] == ["t: step"]


def test_each_stream_has_the_rate_of_its_own_requests(tmp_path) -> None:
    """60 reads of 4 KiB a second, and beside them a tenth as many writes of 64 KiB."""
    path = written(tmp_path, RATE, "until: 8 s")
    writes = (
        "{kind: writer, host: server, to: d, block: 64 KiB, size: 40 MiB, pattern: random, arrivals: {rate: 6 /s}}"
    )
    path.write_text(path.read_text().replace("workload:", f"workload:\n  writes: {writes}"))
    data = json.loads("".join(as_json(run_scenario(load(str(path), ["report.unit=IOPS"])))))["cases"][0]
    assert data["streams"]["reads: d"] == pytest.approx(60, rel=0.15)
    assert data["streams"]["writes: d"] == pytest.approx(6, rel=0.4)


def test_what_is_rebuilt_stays_in_bytes_beside_requests(load) -> None:
    sets = ["run.until=6 s", "run.warm_up=4 s", "run.replications=1"]
    streams = []
    for unit in ("MB/s", "IOPS"):
        case = run_scenario(load("fault-raid5-rebuild.yaml", *sets, f"report.unit={unit}"), cases=[3]).cases[0]
        streams.append({stream.name: stream for stream in case.streams})
    plain, asked = (each["raid: rebuilt"] for each in streams)
    assert (asked.rate, asked.unit) == (plain.rate, "MB/s")
    assert asked.rate > 10**6
    labels = {str(row[0]): str(row[1]) for row in casetables.streams(case, "IOPS").rows}
    assert labels["raid: rebuilt, MB/s"] == figure(float(asked.rate) / 1e6)
