"""NFS from disks: files stay whole, clients share a server, third-party transfer passes no host."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import pytest

from simio.engines import compiled, reference
from simio.engines.outcome import Outcome
from simio.errors import RunError, ScenarioError
from simio.loading import load
from simio.lower import lower
from simio.program.steps import Program

KIB = 1024

CONVENTIONAL = """
title: A server with two disks and two clients
hosts:
  server: {model: hosts/sgi-challenge-l}
  c1: {model: hosts/sgi-onyx}
  c2: {like: c1}
disks:
  d: {model: disks/ultrastar-xp, count: 2, file_system: filesystems/efs}
switches:
  switch: {model: switches/hippi-ps32}
links:
  - {model: links/scsi-fast-wide, between: [server.scsi0, d], length: 3 m}
  - {model: links/hippi-800, between: [server.hippi, switch], length: 20 m}
  - {model: links/hippi-800, between: [c1.hippi, switch], length: 20 m}
  - {model: links/hippi-800, between: [c2.hippi, switch], length: 20 m}
workload:
  nfs: {from: [c1, c2], to: server, storage: d, size: 200 KiB}
"""

THIRD_PARTY = """
title: A data server with two disk modules and two ports
hosts:
  server: {model: hosts/data-server-1995}
  p1: {model: hosts/data-server-port-1995}
  p2: {like: p1}
  c1: {model: hosts/sgi-onyx}
  c2: {like: c1}
disks:
  d: {model: disks/ultrastar-xp, count: 2}
volumes:
  data: {kind: stripe, of: [d], unit: 64 KiB, file_system: filesystems/data-server-1995}
switches:
  switch: {model: switches/hippi-ps32}
links:
  - {model: links/scsi-fast-wide, between: [server.m1, d1], length: 1 m}
  - {model: links/scsi-fast-wide, between: [server.m13, d2], length: 1 m}
  - {model: links/hippi-800, between: [p1.hippi, switch], length: 20 m}
  - {model: links/hippi-800, between: [p2.hippi, switch], length: 20 m}
  - {model: links/hippi-800, between: [c1.hippi, switch], length: 20 m}
  - {model: links/hippi-800, between: [c2.hippi, switch], length: 20 m}
workload:
  nfs: {from: [c1, c2], to: [p1, p2], manager: server, storage: data, size: 200 KiB}
"""


@dataclass(frozen=True)
class Ran:
    """A program and what became of it."""

    program: Program
    outcome: Outcome

    @property
    def end(self) -> int:
        return int(self.outcome.end)

    def marks(self, role: str) -> list[tuple[str, int]]:
        """(name, value) of the marks of this role."""
        found = [(self.program.marks[mark], value) for _, mark, value in self.outcome.marks.tolist()]
        return [(mark.name, value) for mark, value in found if mark.role == role]

    @property
    def delivered(self) -> int:
        return sum(value for _, value in self.marks("delivered"))

    @property
    def rate(self) -> float:
        return self.delivered / self.end * 1e12

    def busy(self, name: str) -> float:
        """Time in s for which a resource was busy, 0 if there is none of that name."""
        names = [resource.name for resource in self.program.resources]
        return int(self.outcome.resources[names.index(name)][0]) / 1e12 if name in names else 0.0


Run = Callable[..., Ran]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    def run(text: str, *sets: str, engine: ModuleType = compiled) -> Ran:
        path = tmp_path / "served.yaml"
        path.write_text(text)
        given = tuple(one if one.startswith("disks.") else f"workload.nfs.{one}" for one in sets)
        program = lower(load(str(path), given).cases[0].system)
        outcome = engine.run(program)
        assert outcome.status == 0
        return Ran(program, outcome)

    return run


@pytest.mark.parametrize("text", [CONVENTIONAL, THIRD_PARTY], ids=["conventional", "third-party"])
@pytest.mark.parametrize("access", ["read", "write"])
@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("biods", [0, 4])
def test_every_client_gets_the_whole_of_its_file(run: Run, text: str, access: str, version: int, biods: int) -> None:
    case = run(text, f"access={access}", f"version={version}", f"biods={biods}", "size=50001 B")
    assert case.delivered == 2 * 50001


@pytest.mark.parametrize("text", [CONVENTIONAL, THIRD_PARTY], ids=["conventional", "third-party"])
@pytest.mark.parametrize("access", ["read", "write"])
def test_engines_agree(run: Run, text: str, access: str) -> None:
    first, second = (run(text, f"access={access}", engine=engine).outcome for engine in (reference, compiled))
    assert first.differences(second) == []


@pytest.mark.parametrize("text", [CONVENTIONAL, THIRD_PARTY], ids=["conventional", "third-party"])
@pytest.mark.parametrize("access", ["read", "write"])
@pytest.mark.parametrize("version", [2, 3])
def test_requests_that_come_again_and_again_do_no_harm(run: Run, text: str, access: str, version: int) -> None:
    # The first answer takes longer than that, so that each request that waits for a disk is sent again.
    case = run(text, "timeout=2 ms", f"access={access}", f"version={version}")
    assert [name for name, _ in case.marks("other") if "retransmission" in name]
    assert case.delivered == 2 * 200 * KIB


def test_data_of_a_conventional_server_cross_its_bus_and_memory_and_are_copied(run: Run) -> None:
    from_disk, from_memory = run(CONVENTIONAL), run(CONVENTIONAL.replace("storage: d, ", ""))
    assert from_disk.busy("server.hio") > 1.5 * from_memory.busy("server.hio")
    assert from_disk.busy("server.memory") > from_memory.busy("server.memory")
    assert from_disk.busy("server.cpu") > from_memory.busy("server.cpu")


@pytest.mark.parametrize("access", ["read", "write"])
def test_third_party_transfer_passes_no_memory_but_the_ports(run: Run, access: str) -> None:
    case = run(THIRD_PARTY, f"access={access}", "size=1 MiB")
    assert case.busy("server.memory") == 0
    # Each byte crosses one of the two busses once, 8 bytes a clock of 28.125 MHz and 4 clocks each 256 bytes.
    once = 2 * 2**20 / 200e6
    busses = case.busy("server.first") + case.busy("server.second")
    # A bus stands still while a port's memory serves its channel, which reads do at the same time.
    assert once <= busses < (1.02 if access == "write" else 1.3) * once
    # It is written to a port's memory, and read from it: 2.5 ns a byte each time.
    for port in ("p1", "p2"):
        assert case.busy(f"{port}.memory") > 2 * 2**20 * 2.5e-9


def test_a_lock_keeps_blocks_of_one_file_from_reaching_a_disk_together(run: Run) -> None:
    def rate(*sets: str) -> float:
        return run(CONVENTIONAL, "access=write", "disks.d.write_cache=false", *sets).rate

    # Each block of one file waits for the disk to come round again, also where it could take two commands.
    deep, shallow = (
        rate("clients=1", "size=400 KiB", "version=2", f"disks.d.queue_depth={depth}") for depth in (8, 1)
    )
    assert deep == pytest.approx(shallow, rel=0.02)
    # Blocks that may stay in the server's memory, and files of two clients, do not wait for each other.
    assert rate("clients=1", "size=400 KiB", "version=3") > 2 * deep
    assert rate("clients=2", "size=400 KiB", "version=2", "disks.d.queue_depth=8") > 1.1 * deep


def test_each_request_interrupts_manager_and_port(run: Run) -> None:
    def work(size: str) -> float:
        return run(THIRD_PARTY, "clients=1", f"size={size}").busy("server.cpu")

    # 15 us a request of 8 KiB, of which there are 128 more. Two windows more, and in each a command to either disk:
    # 80 us for mapping it and handing it over, 10 for its interrupt.
    assert work("2 MiB") - work("1 MiB") == pytest.approx(128 * 15e-6 + 2 * 2 * 90e-6)


def test_a_port_for_each_client_serves_them_side_by_side(run: Run) -> None:
    sets = ("clients=1", "clients=2", "to=p1")
    one, two, shared = (run(THIRD_PARTY, "size=2 MiB", given).rate for given in sets)
    assert two > 1.4 * one
    assert shared < 1.1 * one


def test_clients_share_the_servers_threads(run: Run) -> None:
    def end(nfsds: int) -> int:
        return run(CONVENTIONAL, "version=2", "access=write", f"nfsds={nfsds}").end

    # Two disks, one write at a time each: a second thread has the other disk at work as well.
    assert end(1) > 1.5 * end(2)


def test_version_2_waits_for_the_disk_unless_that_has_a_write_cache(run: Run) -> None:
    def end(*sets: str) -> int:
        return run(CONVENTIONAL, "access=write", "clients=1", "biods=0", *sets).end

    safe, cached, later = end("version=2"), end("version=2", "disks.d.write_cache=true"), end("version=3")
    # 25 blocks, most of which have just missed their place: a turn of 8.3 ms each.
    assert safe > 25 * 7 * 10**9
    assert cached < safe / 2
    assert later < safe / 2


@pytest.mark.parametrize("size", ["1 MiB", "1050000 B"])
def test_files_lie_one_after_another(run: Run, size: str) -> None:
    case = run(CONVENTIONAL.replace("storage: d,", "storage: d1,"), f"size={size}")
    assert case.delivered == 2 * (2**20 if size == "1 MiB" else 1_050_000)


def refusal(run: Run, text: str, *sets: str) -> str:
    with pytest.raises((ScenarioError, RunError)) as error:
        run(text, *sets)
    return str(error.value)


@pytest.mark.parametrize(
    ("text", "sets", "message"),
    [
        (CONVENTIONAL.replace("[c1, c2]", "[c1, c3]"), (), "found the unknown host 'c3'; expected one of c1, c2"),
        (CONVENTIONAL.replace("[c1, c2]", "[c1, c1]"), (), "found 'c1' twice; expected each host once"),
        (CONVENTIONAL.replace("[c1, c2]", "[]"), (), "workload.nfs.from"),
        (CONVENTIONAL, ("clients=3",), "found 3; expected at most the 2 of from"),
        (CONVENTIONAL, ("servers=2",), "found 2; expected at most the 1 of to"),
        (CONVENTIONAL, ("storage=e",), "found the unknown disk, group of disks or volume 'e'"),
        (CONVENTIONAL.replace("storage: d,", "manager: server,"), (), "found 'server'; expected none, as no storage"),
        (CONVENTIONAL, ("manager=c3",), "found the unknown host 'c3'"),
        (CONVENTIONAL, ("stable=1 ms",), "found 1 ms; expected 0 s, as the storage has times of its own"),
        (CONVENTIONAL, ("size=64 GiB",), "has files of 64 GiB on 'd1', which holds"),
        (CONVENTIONAL, ("transfer=8000 B",), "transfers 8 kB; 'd1' takes whole sectors of 512 B"),
        (CONVENTIONAL.replace("file_system: filesystems/efs", ""), (), "'d1' has no file_system"),
        (THIRD_PARTY, ("manager=p1",), "no path of links from 'p1' to 'd1'"),
        (THIRD_PARTY.replace("manager: server, ", ""), (), "no path of links from 'p1' to 'd1'"),
        (
            CONVENTIONAL.replace("filesystems/efs}", "{model: filesystems/efs, dirty_limit: 1 MiB}}"),
            ("access=write", "biods=64"),
            "may have 4.125 MiB of unfinished groups of blocks in the cache, whose dirty_limit is 1 MiB",
        ),
    ],
)  # fmt: skip
def test_what_is_refused(run: Run, text: str, sets: tuple[str, ...], message: str) -> None:
    with pytest.raises((ScenarioError, RunError)) as error:
        run(text, *sets)
    assert message in str(error.value)


def test_a_manager_is_no_port(run: Run) -> None:
    text = CONVENTIONAL.replace("to: server,", "to: server, manager: server,")
    with pytest.raises(RunError, match="'server' is the storage manager, and a port as well"):
        run(text)
