"""Files of an NFS server over TCP: on its disks, of several clients, and what a mount does not take."""

from __future__ import annotations

from pathlib import Path

import pytest

from simio.bound import bound
from simio.engines import compiled, reference
from simio.engines.outcome import Options
from simio.errors import RunError, ScenarioError
from simio.loading import load
from simio.lower import lower
from simio.result.model import CaseResult
from simio.running import run_case

SCENARIO = """
title: A server with two disks and two clients
hosts:
  server:
    model: hosts/linux-2002-dual-p3
    stack: stacks/linux-2.4
    adapters: {eth: {model: adapters/gigabit-pc, bus: pci}, eth2: {model: adapters/gigabit-pc, bus: pci}}
  c1:
    model: hosts/linux-2002-dual-p3
    stack: stacks/linux-2.4
    adapters: {eth: {model: adapters/gigabit-pc, bus: pci}}
  c2: {like: c1}
disks:
  d: {model: disks/fc-15k-2002, count: 2, file_system: filesystems/ext2}
switches:
  fabric: {model: switches/fc-2g}
links:
  - {model: links/fc-2g, between: [server.fc, fabric], length: 10 m}
  - {model: links/fc-2g, between: [fabric, d], length: 10 m}
  - {model: links/ethernet-1000, between: [c1.eth, server.eth], length: 10 m}
  - {model: links/ethernet-1000, between: [c2.eth, server.eth2], length: 10 m}
workload:
  nfs: {from: [c1, c2], to: server, storage: d, transport: tcp, transfer: 64 KiB, size: 1000 KiB, programs: 2}
run: {warm_up: 0 s, replications: 1}
"""


def case(folder: Path, *sets: str):
    path = folder / "nfs.yaml"
    path.write_text(SCENARIO)
    return load(str(path), [x if x.startswith("hosts") else f"workload.nfs.{x}" for x in sets]).cases[0]


def ran(folder: Path, *sets: str) -> CaseResult:
    return run_case(case(folder, *sets))


@pytest.mark.slow
@pytest.mark.parametrize("sets", [("nconnect=2", "version=4"), ("access=write", "slots=3", "nfsds=2")])
def test_engines_agree(tmp_path: Path, sets: tuple[str, ...]) -> None:
    program = lower(case(tmp_path, *sets, "size=300 KiB").system)
    options = Options(seed=3)
    assert compiled.run(program, options).differences(reference.run(program, options)) == []


@pytest.mark.parametrize("sets", [("access=read",), ("access=write",), ("access=write", "block=256 KiB")])
def test_the_bound_is_what_the_wires_carry(tmp_path: Path, sets: tuple[str, ...]) -> None:
    # Two wires of 1 Gbit/s: 1460 bytes of 1538 on the wire at most, and a little less with headers of RPC.
    found = bound(lower(case(tmp_path, *sets, "size=10 MiB").system))
    wire = "c1.eth>server.eth" if "access=write" in sets else "server.eth>c1.eth"
    rate = found.rate(next(limit for limit in found.limits if limit.name == wire))
    assert rate is not None
    assert 0.95 < float(rate) / (2 * 125e6 * 1460 / 1538) <= 1.005


@pytest.mark.parametrize("access", ["read", "write"])
def test_files_of_all_programs_go_over_the_disks(tmp_path: Path, access: str) -> None:
    result = ran(tmp_path, f"access={access}")
    assert result.throughput.amount == 4 * 1000 * 1024
    # Two disks of some 50 MiB/s: each has a file of each client.
    assert result.end > 2 * 1000 * 1024 / 60e6 * 1e12


@pytest.mark.parametrize("access", ["read", "write"])
@pytest.mark.parametrize("kind", ["raid5", "raid6"])
def test_files_lie_on_volumes_with_parity(tmp_path: Path, kind: str, access: str) -> None:
    """Requests begin at multiples of a mount's transfer, so that they fall on the units of a stripe in few ways."""
    path = tmp_path / "parity.yaml"
    volume = f"volumes:\n  v: {{kind: {kind}, unit: 64 KiB, of: d, file_system: filesystems/ext2}}\n"
    text = SCENARIO.replace("count: 2, file_system: filesystems/ext2", "count: 12").replace(
        "storage: d", "storage: v"
    )
    path.write_text(text.replace("switches:", f"{volume}switches:", 1))
    result = run_case(load(str(path), [f"workload.nfs.access={access}", "workload.nfs.size=1 MiB"]).cases[0])
    assert result.throughput.amount == 4 << 20


def test_a_close_waits_for_the_disks(tmp_path: Path) -> None:
    path = tmp_path / "memory.yaml"
    path.write_text(SCENARIO.replace("storage: d, ", ""))
    sets = ("access=write", "programs=1", "size=64 KiB")
    memory = run_case(load(str(path), [f"workload.nfs.{text}" for text in sets]).cases[0])
    # The disks seek and turn before the COMMIT is answered.
    assert ran(tmp_path, *sets).end > memory.end + 10**9


@pytest.mark.parametrize(
    ("sets", "message"),
    [
        (("version=2",), "workload.nfs.version: found 2 over TCP; expected 3 or 4"),
        (("transport=udp",), "workload.nfs.programs: found programs over UDP; expected none; set transport: tcp"),
        # Of several, always the same one is named.
        (("transport=udp", "slots=2", "nconnect=2", "read_ahead=1 MiB", "block=4 KiB"), "found block over UDP"),
        (("biods=4",), "workload.nfs.biods: found biods over TCP; expected none; read_ahead is what its cache"),
        (("retrans=3",), "workload.nfs.retrans: found retrans over TCP; expected none"),
        (("minorversion=1",), "workload.nfs.minorversion: found 1, of version 3; expected none; set version: 4"),
        (("nconnect=20",), "workload.nfs.nconnect: found 20"),
        (("slots=5000",), "workload.nfs.slots: found 5000"),
        (("transfer=4 MiB",), "found 4 MiB; expected a multiple of 4 KiB, at most 1 MiB"),
        (("read_ahead=1 kB",), "workload.nfs.read_ahead: found 1 kB; expected a multiple of 4 KiB"),
    ],
)
def test_what_does_not_fit_is_refused(tmp_path: Path, sets: tuple[str, ...], message: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        case(tmp_path, *sets)
    assert message in str(caught.value)


def test_files_have_to_fit_onto_their_disk(tmp_path: Path) -> None:
    with pytest.raises(RunError, match=r"has files of .* on 'd1', which holds"):
        lower(case(tmp_path, "size=60 GiB").system)
