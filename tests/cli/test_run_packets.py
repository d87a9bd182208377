"""simio run with a packet trace, as a user meets it."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from trace_scenario import scenario

from simio.cli.main import CUT_OFF, main

HIPPI = str(Path(__file__).parents[2] / "scenarios" / "sgi-hippi-raw.yaml")
TWO_CASES = "vary: {workload.ttcp.writes: [2, 4]}\n"


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["run", *arguments])


def told(done: Result) -> str:
    """Messages of a run beside its answer, but for the engine's being compiled."""
    lines = done.stderr.splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith("simio: compiling"))


def test_a_trace_comes_in_place_of_the_answer(tmp_path: Path) -> None:
    done = run(scenario(tmp_path), "--trace", "packets")
    assert done.exit_code == 0, done.output
    lines = done.stdout.splitlines()
    assert [line.split(" ", 1)[1] for line in lines[:3]] == [
        "left.1025 > right.5001: Flags [S], seq 0, win 65535, options [mss 1460], length 0",
        "right.5001 > left.1025: Flags [S.], seq 0, ack 1, win 65535, options [mss 1460], length 0",
        "left.1025 > right.5001: Flags [.], ack 1, win 65535, length 0",
    ]
    assert lines[-1].endswith("right.5001 > left.1025: Flags [.], ack 16386, win 63752, length 0")
    assert told(done) == ""


def test_both_engines_trace_the_same(tmp_path: Path) -> None:
    first, second = (
        run(scenario(tmp_path), "--trace", "packets", "--engine", engine).stdout for engine in ("compiled", "simpy")
    )
    assert first
    assert first == second


def test_a_file_comes_beside_the_answer(tmp_path: Path) -> None:
    path, target = scenario(tmp_path), tmp_path / "talk.pcap"
    plain, done = run(path), run(path, "--pcap", str(target))
    assert done.exit_code == 0, done.output
    # The case is shown in full, as it is without.
    assert done.stdout == plain.stdout
    data = target.read_bytes()
    assert struct.unpack_from("<I16xI", data) == (0xA1B23C4D, 101)
    lengths, at = [], 24
    while at < len(data):
        kept, whole = struct.unpack_from("<II", data, at + 8)
        lengths.append(whole)
        at += 16 + kept
    assert at == len(data)
    traced = run(path, "--trace", "packets").stdout.splitlines()
    assert [length - 40 for length in lengths[2:]] == [int(line.rpartition(" ")[2]) for line in traced[2:]]


def test_a_trace_and_its_file_at_one_host(tmp_path: Path) -> None:
    target = tmp_path / "left.pcap"
    done = run(scenario(tmp_path), "--trace", "packets", "--pcap", str(target), "--at", "left")
    times = [line.split()[0] for line in done.stdout.splitlines()]
    second, nano = struct.unpack_from("<II", target.read_bytes(), 24)
    assert times[0] == f"{second}.{nano:09d}"
    assert times == sorted(times)


def test_json_has_no_packets(tmp_path: Path) -> None:
    done = run(scenario(tmp_path), "--pcap", str(tmp_path / "x.pcap"), "--json")
    assert "packets" not in json.loads(done.stdout)["cases"][0]


def test_of_several_cases_the_first_is_traced_unless_another_is_asked_for(tmp_path: Path) -> None:
    path = scenario(tmp_path, TWO_CASES)
    first, other = run(path, "--trace", "packets"), run(path, "--trace", "packets", "--case", "2")
    assert told(first) == "simio: packets of case 1 of 2; --case N for another\n"
    assert told(other) == ""
    assert "ack 16386," in first.stdout.splitlines()[-1]
    assert "ack 32770," in other.stdout.splitlines()[-1]


def test_a_trace_that_is_cut_says_so(tmp_path: Path) -> None:
    whole = run(scenario(tmp_path), "--trace", "packets").stdout.splitlines()
    done = run(scenario(tmp_path), "--trace", "packets", "--packets", "5")
    assert done.stdout.splitlines() == whole[:5]
    assert done.stderr == f"simio: 5 packets are traced, {len(whole) - 5} more are not; --packets sets the limit\n"


def test_a_trace_goes_to_a_file(tmp_path: Path) -> None:
    target = tmp_path / "trace.txt"
    done = run(scenario(tmp_path), "--trace", "packets", "-o", str(target))
    assert done.stdout == ""
    assert target.read_text() == run(scenario(tmp_path), "--trace", "packets").stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--at", "left"], "--at goes with --trace packets or --pcap"),
        (["--packets", "5"], "--packets goes with --trace packets or --pcap"),
        (["--trace", "packets", "--json"], "--trace and --json exclude each other"),
        (["--pcap", "x", "--at", "left", "--at", "right"], "--pcap takes one --at"),
        (["--trace", "packets", "--packets", "0"], "0 is not in the range"),
        (["--trace", "packets", "--at", "lft"], "no host 'lft' to trace packets at; did you mean 'left'?"),
        (["--pcap", "no/such/x.pcap"], "cannot write 'no/such/x.pcap'"),
    ],
)
def test_what_cannot_be(tmp_path: Path, arguments: list[str], message: str) -> None:
    done = run(scenario(tmp_path), *arguments)
    assert done.exit_code == 2
    assert message in done.stderr
    assert done.stdout == ""


def test_packets_until_a_fault(tmp_path: Path) -> None:
    path, target = scenario(tmp_path), tmp_path / "talk.pcap"
    whole = run(path, "--trace", "packets").stdout.splitlines()
    # A budget that ends within the marks of a packet leaves that packet out.
    for budget in range(400, 420):
        done = run(path, "--trace", "packets", "--pcap", str(target), "--force", "--set", f"run.step_budget={budget}")
        assert done.exit_code == CUT_OFF
        assert f"the step budget of {budget} is spent" in done.stderr
        lines = done.stdout.splitlines()
        assert 0 < len(lines) < len(whole)
        assert lines == whole[: len(lines)]
        assert struct.unpack_from("<I", target.read_bytes()) == (0xA1B23C4D,)


def test_a_scenario_without_packets() -> None:
    done = run(HIPPI, "--case", "1", "--trace", "packets")
    assert done.exit_code == 2
    assert "no IP packets to trace; workloads that send them are" in done.stderr
    assert "ttcp" in done.stderr


def test_a_host_without_packets(tmp_path: Path) -> None:
    path = scenario(tmp_path)
    text = Path(path).read_text().replace("  right: {like: left}\n", "  right: {like: left}\n  idle: {like: left}\n")
    Path(path).write_text(text)
    done = run(path, "--trace", "packets", "--at", "idle")
    assert done.exit_code == 2
    assert "no packets are sent or received by idle" in done.stderr
