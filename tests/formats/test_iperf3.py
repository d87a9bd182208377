"""iperf3: its command line as a workload, its JSON out of a run and into a measured table."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from simio.cli.main import main
from simio.errors import SimioError
from simio.formats.iperf3.command import read_command
from simio.formats.results import read_results
from simio.loading import load
from simio.running import RunOptions, run_scenario

DATA = Path(__file__).parent / "data"
PATH = """
title: Two hosts and a path of 100 Mbit/s
hosts: {client: {model: hosts/linux-namespace}, server: {model: hosts/linux-namespace}}
links:
  - model: links/emulated
    between: [client.eth, server.eth]
    rate: 100 Mbit/s
    burst: 3200 B
    queue: 8 MB
    delay: 1 ms
workload: {ttcp: {from: client, to: server, size: 8 KiB, writes: 10}}
"""
TTCP = "ttcp: {from: client, to: server, size: 8 KiB, writes: 10}"


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "path.yaml"
    file.write_text(PATH)
    return file


def simio(*args: str):
    return CliRunner().invoke(main, list(args))


def keys(data, prefix=""):
    """All keys of nested mappings; of a list those of its first element."""
    if isinstance(data, list):
        return keys(data[0], prefix) if data else set()
    if not isinstance(data, dict):
        return set()
    return {f"{prefix}{key}" for key in data}.union(*(keys(item, f"{prefix}{key}.") for key, item in data.items()))


def test_options_become_keys_of_the_workload():
    command = read_command("iperf3 -c server -B client -P4 -w 1M --length=64K -M 1400 -N -Z -t 5 -O 2 -i 0.5 -J")
    assert (command.server, command.client, command.time, command.omit, command.json) == (
        "server",
        "client",
        5,
        2,
        True,
    )
    assert command.keys == {
        "streams": "4", "window": "1048576 B", "length": "65536 B", "mss": "1400 B", "nodelay": "true",
        "zerocopy": "true",
    }  # fmt: skip
    assert float(command.interval) == 0.5


def test_rates_are_decimal_and_sizes_binary():
    assert read_command("-c s -b 10M").keys["rate"] == "10000000 bit/s"
    assert read_command("-c s -n 10M").keys["total"] == "10485760 B"
    assert read_command("-c s -u").keys == {"protocol": "udp", "rate": "1000000 bit/s"}
    assert read_command("-c s -u -b 0").keys == {"protocol": "udp"}


def test_what_is_not_modelled_is_refused_by_name_all_at_once():
    with pytest.raises(SimioError) as error:
        read_command("-c server --bidir --fq-rate 1G -A 1 -6 -t soon --windw 3")
    assert [line.split(":")[0] for line in str(error.value).splitlines()] == [
        "iperf3 --windw", "iperf3", "iperf3 --bidir", "iperf3 --fq-rate", "iperf3 --affinity", "iperf3 --version6",
        "iperf3 --time",
    ]  # fmt: skip
    assert "did you mean 'window'" in str(error.value)


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("-P 2", "give the host that is the server as -c HOST"),
        ("-s", "the server is a host of the scenario"),
        ("-c server -t 3 -n 1M", "exclude each other"),
        ("-c server -u -N", "is of TCP"),
        ("-c server -f x", "expected one of"),
        ("-c server -b 10M/5", "expected a rate"),
        ("-c 'server", "quotes closed"),
        ("-c servr", "did you mean 'server'"),
        ("-c server -B server", "expected two hosts"),
    ],
)
def test_mistakes_are_told(path, command, said):
    result = simio("run", str(path), "--iperf3", command)
    assert result.exit_code == 2, result.output
    assert said in result.output


def test_a_command_takes_the_place_of_the_workload(path):
    result = simio("run", str(path), "--iperf3", "-c server -P 2 -t 1 -p 9000 -f m")
    assert result.exit_code == 0, result.output
    assert "iperf3 --port is ignored" in result.output
    assert "Mbit/s" in result.output
    assert "ttcp" not in result.output


def test_what_varied_of_the_workload_no_longer_does(path):
    path.write_text(PATH + "vary: {workload.ttcp.size: [4 KiB, 8 KiB]}\n")
    result = simio("run", str(path), "--iperf3", "-c server -t 1")
    assert result.exit_code == 0, result.output
    assert "case" not in result.output


@pytest.mark.parametrize(
    ("command", "real"), [("-P 2 -O 1 -t 2", "iperf3-tcp"), ("-u -b 10M -l 1448 -t 2", "iperf3-udp")]
)
def test_the_json_has_the_shape_of_iperf3s(path, command, real):
    result = simio("run", str(path), "--iperf3", f"-c server {command} -J")
    assert result.exit_code == 0, result.output
    data, model = json.loads(result.stdout), json.loads((DATA / f"{real}.json").read_text())
    of_a_machine = {"start.timestamp", "start.cookie", "start.tcp_mss_default", "start.sock_bufsize",
                    "start.sndbuf_actual", "start.rcvbuf_actual"}  # fmt: skip
    missing = {key for key in keys(model) - keys(data) if not key.startswith(("start.timestamp", "start.connected"))}
    not_counted = {
        f"intervals.{part}.{key}"
        for part in ("streams", "sum")
        for key in ("retransmits", "snd_wnd", "rttvar", "pmtu")
    }
    not_counted |= {f"end.streams.sender.{key}" for key in ("max_snd_cwnd", "max_snd_wnd")}
    not_counted |= {"intervals.sum.packets", "end.streams.udp.out_of_order", "intervals.streams.packets"}
    assert missing - of_a_machine <= not_counted
    assert data["start"]["test_start"]["num_streams"] == model["start"]["test_start"]["num_streams"]


def test_the_sum_is_that_of_the_streams_and_intervals_add_up(path):
    data = json.loads(simio("run", str(path), "--iperf3", "-c server -P 3 -w 256K -t 2 -J").stdout)
    end = data["end"]
    assert end["sum_sent"]["bytes"] == sum(each["sender"]["bytes"] for each in end["streams"])
    assert end["sum_sent"]["bytes"] == sum(each["sum"]["bytes"] for each in data["intervals"])
    assert end["sum_received"]["bits_per_second"] == pytest.approx(95.6e6, rel=0.02)


def test_a_rate_is_kept_by_the_timer(path):
    data = json.loads(simio("run", str(path), "--iperf3", "-c server -u -b 20M -t 2 -J").stdout)
    assert data["end"]["sum_received"]["bits_per_second"] == pytest.approx(20e6, rel=0.01)
    assert data["end"]["sum"]["lost_packets"] == 0


def test_what_finds_no_room_is_lost(path):
    data = json.loads(simio("run", str(path), "--iperf3", "-c server -u -b 200M -t 3 -O 1 -J").stdout)
    # UDP payload of 1448 bytes is 1490 with headers; the queue of 8 MB is full after two thirds of a second.
    assert data["end"]["sum_received"]["bits_per_second"] == pytest.approx(100e6 * 1448 / 1490, rel=0.02)
    assert data["end"]["sum"]["lost_percent"] == pytest.approx(100 - 100 / 200 * 100 * 1448 / 1490, abs=3)


def test_bytes_end_the_test_and_reverse_sends_from_the_server(path):
    result = simio("run", str(path), "--iperf3", "-c server -n 1M -l 128K -R -J")
    data = json.loads(result.stdout)
    assert data["end"]["sum_received"]["bytes"] == 2**20
    assert data["start"]["test_start"]["reverse"] == 1


def test_both_engines_agree(tmp_path):
    file = tmp_path / "path.yaml"
    workloads = (
        "tcp: {kind: iperf3, from: client, to: server, total: 300 kB, length: 10 kB, mss: 700 B, rate: 30 Mbit/s}",
        "udp: {kind: iperf3, protocol: udp, from: client, to: server, total: 100 kB, streams: 2, rate: 10 Mbit/s}",
    )
    file.write_text(PATH.replace(TTCP, ", ".join(workloads)) + "run: {until: 1 s}\n")
    one, two = (run_scenario(load(file), options=RunOptions(engine)).cases[0] for engine in ("compiled", "simpy"))
    assert one.observations == two.observations
    assert one.rate == two.rate
    assert one.end == two.end


def test_a_segment_is_no_larger_than_asked_for(tmp_path):
    file = tmp_path / "path.yaml"
    file.write_text(PATH)
    small = simio("run", str(file), "--iperf3", "-c server -M 540 -t 1 -J")
    rate = json.loads(small.stdout)["end"]["sum_received"]["bits_per_second"]
    # 528 bytes of data in 594 of a frame without preamble, as the token bucket counts.
    assert rate == pytest.approx(100e6 * 528 / 594, rel=0.01)


def test_a_json_of_iperf3_gives_rows():
    found = {(each.quantity, each.of): float(each.value) for each in read_results(DATA / "iperf3-tcp.json")}
    assert found[("throughput", "")] == pytest.approx(23791.1, rel=1e-5)
    assert found[("programs", "client")] == pytest.approx(18.1672, rel=1e-5)
    assert found[("latency", "round trip")] == pytest.approx(138.5)
    assert ("retransmits", "") not in found, "zero has no relative error"


def test_a_measured_table_takes_files_of_iperf3(path):
    folder = path.parent
    own = simio("run", str(path), "--iperf3", "-c server -t 2 -J")
    (folder / "own.json").write_text(own.output)
    (folder / "table.yaml").write_text(
        "title: t\nsource: s\nquantity: throughput\nunit: Mbit/s\nscenario: measured\n"
        "rows: [{where: {workload.iperf3.length: 128 KiB}, file: own.json, fit: false}]\n"
    )
    text = PATH.replace(
        TTCP,
        "iperf3: {from: client, to: server, length: 128 KiB}",
    )
    (folder / "measured.yaml").write_text(text + "run: {until: 2 s, warm_up: 0 s}\nmeasured: ./table.yaml\n")
    rows = load(folder / "measured.yaml").cases[0].measured
    assert [(row.quantity, row.of) for row in rows] == [("throughput", ""), ("latency", "round trip")]
    result = simio("validate", str(folder / "table.yaml"))
    assert result.exit_code == 0, result.output
    case = run_scenario(load(folder / "measured.yaml")).cases[0]
    assert float(case.rate) * 8 / 1e6 == pytest.approx(float(rows[0].value), rel=0.01)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("hello", "expected the output of iperf3 -J, netperf"),
        ('{"start": {}, "intervals": [], "end": {}, "error": "unable to connect"}', "unable to connect"),
    ],
)
def test_a_file_that_is_no_result_is_told_with_its_place(path, content, said):
    folder = path.parent
    (folder / "own.json").write_text(content)
    (folder / "table.yaml").write_text(
        "title: t\nsource: s\nquantity: throughput\nunit: Mbit/s\nscenario: path\n"
        "rows: [{where: {workload.ttcp.size: 8 KiB}, file: own.json}]\n"
    )
    path.write_text(PATH + "measured: ./table.yaml\n")
    result = simio("run", str(path))
    assert result.exit_code == 2
    assert said in result.output
    assert "table.yaml:6" in result.output
