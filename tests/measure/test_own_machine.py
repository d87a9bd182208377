"""simio measure on the machine that the tests run on: the mechanism, not the speed."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from simio.cli.main import main
from simio.loading import load
from simio.loading.catalogue import catalogue
from simio.measure import machine as told
from simio.measure import small as smalls
from simio.measure.log import Log, TimeUp, Unavailable
from simio.measure.namespaces import ADDRESSES, VethPair
from simio.measure.network import PEER, PORT, REQUESTS, STREAMS, NetworkRow, RequestTest, StreamTest
from simio.measure.redact import redacted
from simio.measure.sheets import write_sheets
from simio.measure.storage import CACHED, FioRow, Read, reads
from simio.measure.study import halves, write_cached, write_peer, write_requests, write_tcp
from simio.studies.own import with_own

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="simio measure is for Linux")
MACHINE = told.OwnMachine(
    cpus=2, model="Any CPU", clock=3e9, cache=2**20, whole_lines=True, memory=2**33, kernel="Linux 6.1",
    sysctl={"net/ipv4/tcp_wmem": "4096\t16384\t4194304", "net/core/rmem_default": "212992"},
)  # fmt: skip
SMALL = {
    "system_call_ns": 120.0, "context_switch_ns": 1500.0, "copy_4096_MBps": 1e5, "copy_67108864_MBps": 9e3,
    "copy_to_buffer_MBps": 8e3, "copy_of_0_MBps": 5e3, "copy_of_1_MBps": 4e3, "xor_MBps": 1e4, "file_fault_ns": 30.0,
    "map_call_ns": 700.0, "wake_ns": 25e3, "waking_write_ns": 12e3,
}  # fmt: skip


def simio(*args: str):
    return CliRunner().invoke(main, list(args))


@pytest.fixture
def log(tmp_path):
    return Log(tmp_path, time.monotonic() + 60)


def test_what_a_machine_tells_is_kept_and_what_it_does_not_is_listed(log, monkeypatch):
    monkeypatch.setattr(told, "SYS", log.folder / "no-sys")
    monkeypatch.setenv("PATH", "")
    found = told.machine(log)
    assert found.cpus >= 1
    assert found.memory > 0
    assert dict(log.missing)["lscpu"] == "lscpu is not installed"
    assert dict(log.missing)["nvme id-ctrl"] == "there is no NVMe controller"
    assert (log.folder / "raw/meminfo.txt").is_file()


def test_what_names_the_machine_is_taken_out(monkeypatch):
    monkeypatch.setattr("platform.node", lambda: "myhost.example.org")
    text = (
        "sn        : S5XYNG0N\nSerial Number: 123-4\n  Device Serial Number 00-11-22\n"
        "Linux myhost 6.1\nlink/ether 02:fa:1b:00:00:01\ncookie of /home/me/out\nmn : Samsung\n"
    )
    clean = redacted(text, "/home/me/out")
    for name in ("S5XYNG0N", "123-4", "00-11-22", "myhost", "02:fa", "/home/me"):
        assert name not in clean
    assert "Samsung" in clean


@pytest.mark.skipif(not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="there is no C compiler")
def test_small_measurements_in_c(log, tmp_path):
    small = smalls.Small(log, tmp_path)
    assert "small.c" in small.way
    several = [("wakes", "round_trip_ns")] if (os.cpu_count() or 1) > 1 else []
    for what, name in (
        ("calls", "system_call_ns"),
        ("switches", "context_switch_ns"),
        ("copy", "copy_4096_MBps"),
        *several,
    ):
        assert small.values(what, *(["4194304"] if what == "copy" else []))[name] > 0
    scratch = tmp_path / "scratch"
    scratch.write_bytes(bytes(2**20))
    assert small.values("faults", scratch)["file_fault_ns"] > 0
    assert str(tmp_path) not in (tmp_path / "raw/small-faults.txt").read_text()


def test_without_a_compiler_python_measures_and_says_so(log, tmp_path, monkeypatch):
    monkeypatch.setattr(smalls.shutil, "which", lambda _: None)
    monkeypatch.setattr(smalls, "COPIED", 2**20)
    small = smalls.Small(log, tmp_path)
    assert "Python" in small.way
    assert log.missing[0][0] == "C compiler"
    assert small.values("calls")["system_call_ns"] > 0
    assert small.values("switches")["round_trip_ns"] > 0
    assert small.values("copy")["copy_to_buffer_MBps"] > 0
    with pytest.raises(Unavailable, match="needs a C compiler"):
        small.values("faults", "x")


def test_a_command_that_takes_too_long_is_ended_and_told(log):
    with pytest.raises(Unavailable, match="took more than"):
        log.run(["sleep", "30"], 0.2)
    log.until = time.monotonic() + 0.2
    with pytest.raises(TimeUp, match="time limit"):
        log.run(["sleep", "30"])
    with pytest.raises(TimeUp):
        log.run(["true"])
    assert log.attempt("a sleep", lambda: log.run(["true"])) is None
    assert log.missing == [("a sleep", "the time limit was reached before")]


@pytest.mark.skipif(not shutil.which("fio"), reason="fio is not installed")
def test_fio_reads_and_never_writes(log, tmp_path):
    scratch = tmp_path / "scratch"
    scratch.write_bytes(b"x" * 2**20)
    before = scratch.stat().st_mtime_ns
    (row,) = reads(log, scratch, [Read(4096)], 1, "cached")
    assert row.rate > 0
    assert scratch.stat().st_mtime_ns == before
    assert scratch.read_bytes() == b"x" * 2**20


@pytest.mark.skipif(not shutil.which("iperf3"), reason="iperf3 is not installed")
def test_a_pair_of_namespaces_ends_with_its_servers(log):
    try:
        with VethPair(log, 1500) as pair:
            pair.serve(["iperf3", "-s", "-p", str(PORT)])
            holders, servers = list(pair.holders), list(pair.servers)
            out = log.run(pair.command(0, ["iperf3", "-c", ADDRESSES[1], "-p", str(PORT), "-n", "1M", "-J"]))
            assert "sum_received" in out
            assert os.readlink(f"/proc/{holders[0].pid}/ns/net") != os.readlink("/proc/self/ns/net")
    except Unavailable as error:
        pytest.skip(f"no namespaces here: {error}")
    assert all(process.poll() is not None for process in (*holders, *servers))
    assert not Path(f"/sys/class/net/{ADDRESSES[0]}").exists()


def test_every_datasheet_loads_and_says_where_its_values_come_from(tmp_path):
    write_sheets(tmp_path, MACHINE, SMALL, "small.c", "2026-01-01", ("tcp", "requests", "cached"))
    for name, category in (
        ("cpu", "cpu"), ("memory", "memory"), ("kernel", "kernel"), ("stack", "stack"), ("files", "filesystem"),
        ("veth", "adapter"), ("host", "host"),
    ):  # fmt: skip
        entry = catalogue().find(f"./{name}.yaml", category, tmp_path)
        assert all(value.basis and value.source for value in entry.values.values())
    kernel = yaml.safe_load((tmp_path / "kernel.yaml").read_text())["values"]
    assert kernel["system_call"]["value"] == "120.0 ns"
    assert kernel["system_call"]["basis"] == "measured"
    assert "small calls" in kernel["system_call"]["source"]
    # 25 us until the woken process runs, less 12 us of the waker's and 1.5 us of the switch.
    assert yaml.safe_load((tmp_path / "cpu.yaml").read_text())["values"]["idle_exit"]["value"] == "11500.0 ns"
    assert yaml.safe_load((tmp_path / "veth.yaml").read_text())["values"]["wake_cost"]["value"] == "12000.0 ns"
    memory = yaml.safe_load((tmp_path / "memory.yaml").read_text())["values"]
    # Two crossings of each byte by both CPUs.
    assert memory["rate"]["value"] == "18000 MB/s"
    assert memory["copy_rate"]["value"] == "8000 MB/s"


def test_what_was_not_measured_is_assumed_and_not_fitted(tmp_path):
    write_sheets(tmp_path, told.OwnMachine(cpus=1), {}, "none", "2026-01-01", ())
    for name in ("stack", "kernel", "memory", "cpu", "files", "veth"):
        values = yaml.safe_load((tmp_path / f"{name}.yaml").read_text())["values"]
        assert "fitted" not in {value["basis"] for value in values.values()}


def test_every_second_row_is_kept_for_judging():
    assert halves(5) == [True, False, True, False, True]
    assert len(STREAMS) % 2 == len(REQUESTS) % 2 == 0


@pytest.mark.slow
def test_what_is_left_is_fitted_to_one_half_and_judged_by_the_other(tmp_path, monkeypatch):
    """Rows made by the model itself, with known values, give these back, and the other half is met."""
    write_sheets(tmp_path, MACHINE, SMALL, "small.c", "2026-01-01", ("tcp", "requests"))
    stack = tmp_path / "stack.yaml"
    first = stack.read_text()
    for key in ("tcp_send", "tcp_receive"):
        start = first.index(f"  {key}:")
        first = first[:start] + first[start:].replace("basis: fitted", "basis: measured", 1)
    rows = [
        NetworkRow(RequestTest(size, 1), f"raw/{size}.txt", 1.0)
        for size in (1, 400, 1000, 2000, 4000, 8000, 16000, 32000)
    ]
    write_requests(tmp_path, rows, "2026-01-01", 1)
    stack.write_text(first.replace("value: 0.5 us", "value: 3 us"))
    monkeypatch.chdir(tmp_path.parent)
    result = simio("run", str(tmp_path / "requests.yaml"), "--json")
    assert result.exit_code == 0, result.output
    cases = json.loads(result.stdout)["cases"]
    means = [case["observations"][0]["mean"] / 1e6 for case in cases]
    write_requests(
        tmp_path, [NetworkRow(r.test, r.file, mean) for r, mean in zip(rows, means, strict=True)], "2026-01-01", 1
    )
    stack.write_text(first)
    result = simio("calibrate", tmp_path.name)
    assert result.exit_code == 0, result.output
    value = yaml.safe_load(stack.read_text())["values"]["socket_call"]["value"]
    assert float(value.removesuffix(" us")) == pytest.approx(3, rel=0.03)
    result = simio("validate", tmp_path.name)
    assert result.exit_code == 0, result.output
    assert "requests-judge" in result.output


def test_a_table_of_the_study_has_both_halves(tmp_path):
    files = []
    for number, test in enumerate(STREAMS[:4]):
        (tmp_path / f"{number}.json").write_text(
            '{"start": {}, "end": {"sum_received": {"bits_per_second": 1e9}, '
            '"cpu_utilization_percent": {"host_total": 20, "remote_total": 10}}}'
        )
        files.append(NetworkRow(test, f"{number}.json"))
    write_tcp(tmp_path, files, "2026-01-01", 1)
    fit, judge = (yaml.safe_load((tmp_path / f"tcp-{part}.yaml").read_text())["rows"] for part in ("fit", "judge"))
    assert [row["file"] for row in fit] == ["0.json", "0.json", "2.json", "2.json"]
    assert [row["file"] for row in judge] == ["1.json", "1.json", "3.json", "3.json"]
    assert all(row["fit"] is False for row in judge)


def test_every_scenario_of_the_study_loads_with_both_tables(tmp_path):
    write_sheets(tmp_path, MACHINE, SMALL, "small.c", "2026-01-01", ("tcp", "requests", "cached"))
    (tmp_path / "one.json").write_text('{"start": {}, "end": {"sum_received": {"bits_per_second": 1e9}}}')
    write_requests(tmp_path, [NetworkRow(test, "raw", 50.0) for test in REQUESTS], "2026-01-01", 1)
    write_cached(tmp_path, [FioRow(test, "raw", 2e9) for test in CACHED], 600.0, "2026-01-01", 1)
    write_peer(tmp_path, [NetworkRow(test, "one.json") for test in PEER], "2026-01-01", 1)
    for name, rows, tables in (("requests", REQUESTS, 2), ("cached", CACHED, 2), ("peer", PEER, 1)):
        scenario = load(tmp_path / f"{name}.yaml")
        assert len(scenario.cases) == len(rows)
        assert len(scenario.tables) == tables
        assert all(len(case.measured) == 1 for case in scenario.cases)


def test_a_folder_with_something_in_it_stays_as_it_is(tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    result = simio("measure", "-o", str(tmp_path))
    assert result.exit_code == 2
    assert "is not empty" in result.output
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((), "give a folder"),
        (("-o", "x", "--device", "/dev/null"), "expected a block device"),
        (("-o", "x", "--limit", "soon"), "--limit"),
        (("-o", "x", "--scratch", "64 KB"), "--scratch"),
    ],
)
def test_mistakes_are_told_before_anything_is_measured(tmp_path, monkeypatch, options, said):
    monkeypatch.chdir(tmp_path)
    result = simio("measure", *options)
    assert result.exit_code == 2
    assert said in result.output
    assert not any(path.is_file() for path in tmp_path.rglob("*"))


@pytest.mark.slow
def test_the_whole_of_it_on_this_machine(tmp_path, monkeypatch):
    """Measured, loaded and simulated; what cannot be had here is in the list, and nothing else is written."""
    monkeypatch.chdir(tmp_path)
    result = simio(
        "measure", "-o", "mine", "--repeats", "1", "--tests", "4", "--scratch", "8 MiB", "--limit", "2 min"
    )
    assert result.exit_code == 0, result.output
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]
    assert not list((tmp_path / "mine").glob("scratch*"))
    assert (tmp_path / "mine/README.md").read_text().startswith("# ")
    tables = sorted(path.stem for path in (tmp_path / "mine").glob("*-judge.yaml"))
    if not tables:
        pytest.skip(f"nothing can be measured here: {result.output}")
    validated = simio("validate", "mine")
    assert validated.exit_code == 0, validated.output
    assert all(name in validated.output for name in tables)
    everything = "".join(
        path.read_text(errors="replace") for path in (tmp_path / "mine").rglob("*") if path.is_file()
    )
    assert str(tmp_path) not in everything


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("iperf3"), reason="iperf3 is not installed")
def test_a_peer_serves_on_loopback_and_ends_what_it_started(tmp_path):
    command = [sys.executable, "-m", "simio", "measure", "--serve"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as peer:
        try:
            line = peer.stdout.readline() if peer.stdout else ""
            if "serving on 127.0.0.1" not in line:
                peer.wait(10)
                pytest.skip(f"no servers here: {peer.stderr.read() if peer.stderr else ''}")
            children = Path(f"/proc/{peer.pid}/task/{peer.pid}/children").read_text().split()
            out = simio("measure", "-o", str(tmp_path / "o"), "--no-network", "--repeats", "1", "--tests", "1",
                        "--scratch", "1 MiB", "--peer", "127.0.0.1")  # fmt: skip
            assert out.exit_code == 0, out.output
            assert (tmp_path / "o/peer-judge.yaml").is_file()
        finally:
            peer.send_signal(signal.SIGTERM)
            peer.wait(10)
    assert children
    assert not any(Path(f"/proc/{child}").exists() for child in children)


def test_a_folder_of_tables_needs_no_slash_but_a_study_of_that_name_comes_first(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("mine", "linux-fc"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "table.yaml").write_text("rows: []\n")
    assert with_own(["mine"])[1] == ["./table"]
    assert with_own(["linux-fc"])[1] == ["linux-fc"]


def test_streams_stay_below_the_backlog():
    """A window of more packets than the backlog would lose some, which is another experiment."""
    assert all(test.window / test.mss < 1000 for test in STREAMS)
    assert StreamTest(1, 1, 1) != RequestTest(1, 1)
