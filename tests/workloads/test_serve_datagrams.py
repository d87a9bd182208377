"""A server of objects by datagrams: one socket, requests that are lost and go again, threads that share."""

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

MS = 10**9
SCENARIO = """
title: Objects by datagrams
hosts:
  server:
    model: hosts/linux-2002-dual-p3
    stack: stacks/linux-2.4
    adapters: {eth: {model: adapters/gigabit-pc, bus: pci}}
  client: {like: server}
disks:
  d: {model: disks/fc-15k-2002, count: 2, file_system: filesystems/ext2}
switches:
  fabric: {model: switches/fc-2g}
links:
  - {model: links/fc-2g, between: [server.fc, fabric], length: 10 m}
  - {model: links/fc-2g, between: [fabric, d], length: 10 m}
  - {name: wire, model: links/ethernet-1000, between: [client.eth, server.eth], length: 10 m}
workload:
  names: {kind: serve, transport: udp, from: client, to: server, storage: d, objects: 1000, object: 512 B,
          cache: 10 MiB, connections: 4, count: 40}
run: {warm_up: 0 s, replications: 1}
"""


def case(folder: Path, *sets: str):
    path = folder / "datagrams.yaml"
    path.write_text(SCENARIO)
    return load(str(path), [x if x.startswith(("links", "hosts")) else f"workload.names.{x}" for x in sets]).cases[0]


def ran(folder: Path, *sets: str) -> CaseResult:
    return run_case(case(folder, *sets))


def seen(result: CaseResult, what: str):
    return next((each for each in result.observations if each.name == f"names: {what}"), None)


@pytest.mark.slow
@pytest.mark.parametrize(
    "sets",
    [
        ("writes=0.3", "object={512 B: 3, 20 KiB: 1}", "threads=2", "cache=none"),
        ("links.wire.loss=0.1", "arrivals.rate=300 /s", "timeout=5 ms", "count=20"),
        ("access=buffered", "think=1 ms", "steps=2"),
    ],
)
def test_engines_agree(tmp_path: Path, sets: tuple[str, ...]) -> None:
    program = lower(case(tmp_path, *sets).system)
    options = Options(until=2000 * MS, seed=5)
    assert compiled.run(program, options).differences(reference.run(program, options)) == []


def test_a_request_takes_a_packet_each_way_and_no_connection(tmp_path: Path) -> None:
    result = ran(tmp_path)
    assert result.throughput.amount == 160 * 512
    assert seen(result, "request").count == 160
    assert seen(result, "sent again") is None
    over_tcp = ran(tmp_path, "transport=tcp")
    assert seen(result, "request").mean < seen(over_tcp, "request").mean


def test_what_is_lost_goes_again_after_the_timeout(tmp_path: Path) -> None:
    result = ran(tmp_path, "links.wire.loss=0.05", "timeout=20 ms")
    again = seen(result, "sent again")
    # Of 160 requests and as many answers one in twenty is lost, and of those that go again.
    assert 6 < again.count < 32
    assert seen(result, "request").count == 160
    assert 20 * MS < seen(result, "request").most < 20 * 7 * MS


def test_threads_take_turns_and_the_socket_drops_what_finds_no_room(tmp_path: Path) -> None:
    # A request of 10 ms; the kernel costs little beside it.
    sets = ("work=10 ms", "connections=40", "count=5", "threads=1", "timeout=1000 s")
    one = ran(tmp_path, *sets)
    assert 200 * 10 * MS * 0.7 < one.end < 200 * 10 * MS * 1.1
    two = ran(tmp_path, *sets, "threads=2")
    assert one.end > 1.7 * two.end
    small = ran(tmp_path, *sets[:-1], "timeout=100 ms", "hosts.server.stack.datagram_receive_space=2160 B", "count=1")
    # Ten of 200 bytes and their addresses fit; one is with the thread.
    assert seen(small, "dropped").count >= 29


@pytest.mark.parametrize(
    ("sets", "message"),
    [
        (("window=64 KiB",), "workload.names.window: found window, over udp; expected none"),
        (("transport=tcp", "timeout=1 s"), "workload.names.timeout: found timeout, over tcp; expected none"),
        (("transport=sctp",), "workload.names.transport: found 'sctp'; expected 'tcp' or 'udp'"),
    ],
)
def test_what_does_not_fit_is_refused(tmp_path: Path, sets: tuple[str, ...], message: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        case(tmp_path, *sets)
    assert message in str(caught.value)


def test_an_object_has_to_fit_into_a_datagram(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="datagram"):
        lower(case(tmp_path, "object=64 KiB").system)
