"""Training from samples of NFS servers: what mounts add to a local drive, and what they refuse."""

from __future__ import annotations

from pathlib import Path

import pytest

from simio.engines import compiled, reference
from simio.engines.outcome import Options
from simio.errors import ScenarioError
from simio.loading import load
from simio.lower import lower
from simio.result.model import CaseResult
from simio.running import run_case

MS = 10**9
SCENARIO = """
title: Training from servers
hosts:
  s1:
    model: hosts/server-2020-1s
    adapters: {nvme: {model: adapters/nvme-linux, bus: pcie}, eth: {model: adapters/ideal-ethernet, bus: slot}}
  s2: {like: s1}
  client:
    model: hosts/server-2020-1s
    adapters: {eth: &card {model: adapters/ideal-ethernet, bus: slot}, two: *card}
disks:
  d: {model: disks/datacentre-tlc-2023, file_system: filesystems/xfs}
links:
  - {model: links/nvme, between: [s1.nvme, d], length: 0 m}
  - {model: links/ethernet-10g-jumbo, between: [s1.eth, client.eth], length: 10 m}
  - {model: links/ethernet-10g-jumbo, between: [s2.eth, client.two], length: 10 m}
workload:
  train: {kind: training, host: client, server: s1, compute: 1 ms, batch: 2, sample: 256 KiB, files: 1000,
          threads: 2, steps: 6, prefetch: 1, loader: samples, mount: {transfer: 64 KiB, version: 3}}
run: {warm_up: 0 s, replications: 1}
"""


def system(folder: Path, *sets: str):
    path = folder / "nfs.yaml"
    path.write_text(SCENARIO)
    return load(str(path), [f"workload.train.{text}" for text in sets]).cases[0]


def ran(folder: Path, *sets: str) -> CaseResult:
    return run_case(system(folder, *sets))


@pytest.mark.parametrize(
    "sets",
    [
        ("server=[s1, s2]", "mount.nconnect=2", "spread=60 KiB"),
        ("from=d", "mount={version: 4, slots: 3, nfsds: 2, transfer: 100 KiB}", "accelerators=2"),
    ],
)
def test_engines_agree(tmp_path: Path, sets: tuple[str, ...]) -> None:
    program = lower(system(tmp_path, *sets).system)
    options = Options(seed=3)
    assert compiled.run(program, options).differences(reference.run(program, options)) == []


def test_a_fast_accelerator_has_what_the_wires_of_its_servers_carry(tmp_path: Path) -> None:
    sets = ("compute=1 us", "steps=40", "threads=8", "prefetch=4", "mount.nconnect=4")
    one = ran(tmp_path, *sets)
    assert one.limiter.name == "s1.eth>client.eth"
    # 8948 of 9038 bytes of a jumbo frame are data.
    assert float(one.throughput.rate) == pytest.approx(10e9 / 8 * 8948 / 9038, rel=0.05)
    two = ran(tmp_path, *sets, "server=[s1, s2]", "threads=16", "prefetch=8")
    assert one.end > 1.5 * two.end


def test_a_drive_of_the_server_takes_its_time(tmp_path: Path) -> None:
    memory, drive = (ran(tmp_path, "compute=1 us", *more).end for more in ((), ("from=d",)))
    assert drive > memory + 50 * 10**6


def test_a_file_is_opened_and_closed_by_as_many_calls_as_its_version_takes(tmp_path: Path) -> None:
    calls = []
    for version in (3, 4):
        program = lower(system(tmp_path, f"mount.version={version}", "threads=1", "prefetch=0").system)
        outcome = compiled.run(program, Options(seed=1))
        threads = [each.name for each in program.resources].index("train: nfsds of s1")
        calls.append(int(outcome.resources[threads][2]))
    # Twelve files of four READs; GETATTR of version 3, OPEN and CLOSE of version 4.
    assert calls == [12 * 5, 12 * 6]


@pytest.mark.parametrize(
    ("sets", "message"),
    [
        (("access=direct",), "workload.train.access: found direct, over NFS; expected buffered or nocopy"),
        (("server=s3",), "workload.train.server: found the unknown host 's3'"),
        (("server=s2", "from=d"), "no path of links from 's2' to 'd'"),
        (("mount.nconnect=17",), "workload.train.mount.nconnect: found 17"),
        (("mount.transfer=2 MiB",), "expected a multiple of 4 KiB, at most 1 MiB"),
        (("mount.read_ahead=10000 B",), "workload.train.mount.read_ahead: found 10 kB; expected a multiple of 4 KiB"),
        (("mount.version=2",), "workload.train.mount.version: found 2; expected 3 or 4"),
    ],
)
def test_what_does_not_fit_is_refused(tmp_path: Path, sets: tuple[str, ...], message: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        system(tmp_path, *sets)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("sets", "message"),
    [
        ((), "workload.train.from: found nothing; expected a disk, group of disks or volume, or a server"),
        (("from=d",), "workload.train.mount: found a mount, without a server; expected none"),
    ],
)
def test_without_a_server_samples_are_on_a_disk(tmp_path: Path, sets: tuple[str, ...], message: str) -> None:
    path = tmp_path / "local.yaml"
    path.write_text(SCENARIO.replace("server: s1, ", ""))
    with pytest.raises(ScenarioError) as caught:
        load(str(path), [f"workload.train.{text}" for text in sets])
    assert message in str(caught.value)
