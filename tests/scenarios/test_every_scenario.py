"""Every ready scenario, shortened: both engines agree, and what must hold for any of them holds."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from simio.loading import load
from simio.report.data import as_json
from simio.result.model import ScenarioResult
from simio.running import RunOptions, run_scenario

SCENARIOS = Path(__file__).parents[2] / "scenarios"
PACKETS = (
    "run.until=30 us",
    "run.warm_up=0 s",
    "hosts.dut.cpu.idle_deep=0 s",
    "hosts.dut.adapters.nic.receive_ring=512",
    "hosts.dut.adapters.nic.compression=true",
    "workload.packets.rate=20 Mpackets/s",
    "workload.packets.cores=2",
)
SHORT = {
    "nvme-qd": ("run.until=2 ms", "run.warm_up=0 s", "workload.reader.depth=16"),
    "nvme-reads-beside-writes": (
        "run.until=2 ms",
        "run.warm_up=0 s",
        "run.replications=1",
        "disks.d.count=2",
        "disks.d.placement=empty",
    ),  # fmt: skip
    "raid6-of-today": ("run.until=100 ms", "run.warm_up=0 s", "run.replications=1"),
    "ssd-steady-state": ("run.until=2 ms", "run.warm_up=0 s", "disks.ssd.placement=empty", "disks.ssd.capacity=1 TB"),
    "aio-spdk": ("run.until=300 us", "run.warm_up=100 us"),
    "cai21": ("run.until=60 us", "run.warm_up=0 s"),
    "one-flow-100g": ("run.until=30 us", "run.warm_up=0 s"),
    "dns-million": ("run.until=100 us", "run.warm_up=0 s", "run.replications=1"),
    "cheops23-crowded": ("run.until=300 us", "run.warm_up=100 us"),
    "cheops23-interfaces": ("run.until=300 us", "run.warm_up=100 us"),
    "cheops23-schedulers": ("run.until=300 us", "run.warm_up=100 us"),
    "cheops23-sockets": ("run.until=300 us", "run.warm_up=100 us"),
    "cheops23-threads": ("run.until=300 us", "run.warm_up=100 us"),
    "backup-window": ("run.until=100 ms", "run.warm_up=0 s", "workload.backup.depth=2"),
    "cheapest-server": ("run.until=1 ms", "run.warm_up=0 s", "disks.d.placement=empty", "disks.d.count=1"),
    "checkpoint-drives": ("workload.checkpoint.shard=2 MiB", "disks.d.placement=empty", "disks.d.count=1"),
    "dirty-pages": ("workload.fio.options.size=20m", "disks.disk.file_system.dirty_background=4 MiB"),
    "journal-processes": (
        "run.until=3 ms",
        "run.warm_up=0 s",
        "disks.ssd.placement=empty",
        "workload.fio.options.numjobs=4",
    ),
    "log-device": (
        "run.until=2 ms",
        "run.warm_up=0 s",
        "workload.database.clients=4",
        "workload.database.log=d1",
        "disks.d.placement=empty",
    ),
    "raidz2-or-mirrors": ("run.until=200 ms", "run.warm_up=0 s"),
    "rebuild-of-a-pool": ("run.until=200 ms", "run.warm_up=0 s"),
    "pool-rebuild": ("run.until=200 ms", "run.warm_up=0 s", "faults.loss.timeout=1 ms", "faults.loss.at=50 ms"),
    "raid6-or-mirrors": (
        "run.until=200 us",
        "run.warm_up=0 s",
        "run.replications=1",
        "disks.d.count=4",
        "disks.d.placement=empty",
        "disks.d.capacity=100 GB",
        "disks.d.channels=2",
        "disks.d.dies=2",
        "workload.fio.options.numjobs=2",
    ),
    "second-port": ("run.until=1 ms", "run.warm_up=0 s", "disks.d.count=1"),
    "sync-writes": (
        "run.until=2 ms",
        "run.warm_up=0 s",
        "workload.fio.options.numjobs=2",
        "disks.client.placement=empty",
        "disks.protected.placement=empty",
    ),
    "three-eras": (
        "run.until=300 us",
        "run.warm_up=0 s",
        "run.replications=1",
        "workload.reader.size=4 MiB",
        "disks.c.placement=empty",
    ),
    "vm-mix": ("run.until=20 ms", "run.warm_up=0 s", "disks.flash.placement=empty"),
    "icpe24-blocks": ("run.until=300 us", "run.warm_up=100 us"),
    "icpe24-eight-drives": ("run.until=300 us", "run.warm_up=100 us"),
    "icpe24-locks": ("run.until=300 us", "run.warm_up=100 us"),
    "icpe24-locks-drives": ("run.until=300 us", "run.warm_up=100 us"),
    "icpe24-locks-eight": ("run.until=300 us", "run.warm_up=100 us"),
    "icpe24-mixes": ("run.until=300 us", "run.warm_up=100 us", "disks.d.placement=empty"),
    "icpe24-one-core": ("run.until=300 us", "run.warm_up=100 us", "workload.direct.processes=3"),
    "icpe24-one-drive": ("run.until=300 us", "run.warm_up=100 us"),
    "icpe24-reader": ("run.until=300 us", "run.warm_up=100 us"),
    "icpe24-schedulers": ("run.until=300 us", "run.warm_up=100 us"),
    "icpe24-spdk": ("run.until=300 us", "run.warm_up=100 us"),
    "icpe24-ten-cores": ("run.until=300 us", "run.warm_up=100 us", "workload.direct.processes=3"),
    **dict.fromkeys(("xdp18-balance", "xdp18-dpdk", "xdp18-drop", "xdp18-forward", "xdp18-netfilter"), PACKETS),
    **dict.fromkeys(("xdp18-destinations", "xdp18-routing"), (*PACKETS, "workload.packets.destinations=20000")),
    "xdp18-busy": (*PACKETS[:3], "workload.packets.rate=3 Mpackets/s"),
    "xdp18-large": PACKETS[:3],
    "xdp18-latency": (*PACKETS[:3], "workload.packets.rate=1 Mpackets/s"),
    "router-50-mpps": (*PACKETS[:2], "hosts.server.cpu.idle_deep=0 s", *PACKETS[5:]),
    "io-uring-polled": ("run.until=300 us", "run.warm_up=100 us"),
    "nvme-for-100gbe": ("run.until=2 ms", "run.warm_up=500 us"),
    "memory-channels": ("run.until=1 ms", "run.warm_up=0 s", "disks.d.count=2"),
    "smt-or-cores": ("run.until=300 us", "run.warm_up=100 us", "disks.d.count=2"),
    "spdk-2019": ("run.until=300 us", "run.warm_up=100 us"),
    "spdk-2019-optane": ("run.until=300 us", "run.warm_up=100 us"),
    "spdk-2021": ("run.until=300 us", "run.warm_up=100 us"),
    "spdk-2023": ("run.until=300 us", "run.warm_up=100 us"),
    "array-clients": ("run.until=1 ms", "run.warm_up=0 s", "run.replications=1", "workload.clients.connections=8"),
    "more-memory": ("run.until=20 ms", "run.warm_up=0 s", "run.replications=1", "workload.files.connections=4"),
    "nas-three-disks": ("workload.nfs.size=600 KiB",),
    "ancor-fc-messages": ("run.until=60 ms", "run.warm_up=0 s", "workload.ttcp.window=16 KiB"),
    "ancor-fc-nodelay": ("run.until=60 ms", "run.warm_up=0 s", "workload.ttcp.window=16 KiB"),
    "ancor-fc-overhead": ("workload.ttcp.writes=400", "run.warm_up=0 s"),
    "backup-rcp": ("workload.rcp.file=20 KiB", "workload.rcp.files=3"),
    "backup-tar": ("workload.tar.file=20 KiB", "workload.tar.files=20"),
    "copy-and-dma": ("run.until=5 ms",),
    "cray-nfs": ("workload.nfs.size=600 KiB",),
    "cray-ipi3": ("workload.reader.size=4 MiB",),
    "d1-video": ("workload.play.frames=5",),
    "data-server-atm": ("workload.nfs.size=600 KiB",),
    "data-server-atm-disk": ("workload.nfs.size=300 KiB",),
    "data-server-atm-four": tuple(f"workload.channel{n}.size=300 KiB" for n in (1, 2, 3, 4)),
    "data-server-atm-two": ("workload.channel1.size=300 KiB", "workload.channel2.size=400 KiB"),
    "data-server-cray-el": ("workload.nfs.size=600 KiB",),
    "data-server-cray-el-disk": ("workload.nfs.size=600 KiB",),
    "data-server-datagrams": ("workload.nfs.size=600 KiB",),
    "data-server-datagrams-disk": ("workload.nfs.size=600 KiB",),
    "data-server-disks": ("workload.reader.size=128 KiB",),
    "data-server-indigo": ("workload.nfs.size=300 KiB",),
    "data-server-indigo-disk": ("workload.nfs.size=300 KiB",),
    "data-server-nodes": ("workload.nfs.size=64 KiB",),
    "data-server-raid5": ("workload.nfs.size=64 KiB",),
    "data-server-udp": ("workload.datagrams.count=30",),
    "data-server-writes": ("workload.nfs.size=64 KiB",),
    "disk-queue": ("run.until=60 ms", "run.warm_up=0 s", "run.replications=1"),
    "fault-fc-link-down": (
        "workload.reader.size=512 KiB",
        "workload.reader.block=64 KiB",
        "faults.outage.at=4 ms",
    ),
    "fault-link-down": ("workload.ttcp.writes=25", "faults.outage.at=304 ms"),
    "fault-nfs-retry": ("workload.nfs.size=300 KiB", "faults.outage.at=20 ms"),
    "fault-server-crash": ("workload.nfs.size=400 KiB", "faults.crash.at=15 ms"),
    "fault-raid5-degraded": ("run.until=60 ms", "run.replications=1"),
    "fault-raid5-rebuild": (
        "run.until=60 ms",
        "run.warm_up=0 s",
        "run.replications=1",
        "faults.loss.at=10 ms",
        "faults.loss.timeout=10 ms",
    ),
    "fio-vm": ("workload.fio.options.runtime=200us",),
    "ftp-faster-disks": ("workload.ftp.file=1 MiB", "workload.ftp.buffer=256 KiB"),
    "ftp-overlapped": ("workload.ftp.file=600 KiB",),
    "gige-dual-hba": (
        "workload.one.file=192 KiB",
        "workload.two.file=192 KiB",
        "workload.two.from_storage=other-port",
        "hosts.server.adapters.eth.mtu=9000 B",
        "workload.one.streams=1",
        "workload.two.streams=1",
    ),
    "hippi-larger-packets": ("workload.blast.packets=2",),
    "linux-fc-buffered": ("run.until=20 ms",),
    "linux-fc-dual-hba": (
        "run.until=3 ms",
        "run.warm_up=0 s",
        "workload.first.block=128 KiB",
        "workload.second.block=128 KiB",
    ),
    "linux-fc-ext2-cached": (
        "run.until=30 ms",
        "run.warm_up=0 s",
        "workload.reader.size=64 KiB",
        "workload.reader.passes=3",
    ),
    "linux-fc-ext2-read": ("run.until=20 ms",),
    "linux-fc-ext2-write": ("run.until=20 ms", "run.warm_up=0 s"),
    "linux-fc-highmem": ("run.until=30 ms",),
    "linux-fc-in-turn": ("run.until=30 ms",),
    "linux-fc-md": ("run.until=8 ms", "run.warm_up=0 s"),
    "linux-fc-mmap": ("run.until=30 ms",),
    "linux-fc-threads": ("run.until=3 ms", "run.warm_up=0 s"),
    "linux-tcp-flows": ("run.until=200 ms", "run.warm_up=100 ms"),
    "linux-tcp-short": ("workload.ttcp.size=30000 B",),
    "linux-tcp-windows": ("run.until=60 ms", "run.warm_up=0 s"),
    "linux-sendfile": ("workload.ftp.file=20 KiB",),
    "linux-fc-raw": ("run.until=60 ms",),
    "mpp-serving": ("workload.play.frames=2",),
    "pcie-bench-bandwidth": ("workload.dma.transactions=400", "run.replications=1"),
    "pcie-bench-bandwidth-cache": ("workload.dma.transactions=40", "run.replications=1"),
    "pcie-bench-bandwidth-iommu": ("workload.dma.transactions=40", "run.replications=1"),
    "pcie-bench-bandwidth-sockets": ("workload.dma.transactions=40", "run.replications=1"),
    "pcie-bench-latency": ("workload.dma.transactions=40", "run.replications=1"),
    "pcie-bench-latency-cache": ("workload.dma.transactions=40", "run.replications=1"),
    "pcie-bench-latency-iommu": ("workload.dma.transactions=40", "run.replications=1"),
    "pcie-bench-latency-sockets": ("workload.dma.transactions=40", "run.replications=1"),
    "raid5-reads": ("run.until=40 ms", "run.warm_up=0 s", "run.replications=1"),
    "raid5-writes": ("run.until=18 ms", "run.warm_up=0 s", "run.replications=1"),
    "local-copy": ("workload.copy.file=1 MiB",),
    "random-reads": ("run.until=150 ms", "run.replications=1"),
    "rs6000-layers": ("workload.reader.size=1 MiB",),
    "server-conventional": ("workload.nfs.size=96 KiB",),
    "server-third-party": ("workload.nfs.size=96 KiB",),
    "sgi-disks": ("workload.reader.size=1920 KiB",),
    "sgi-hippi-ftp-16k": ("workload.ftp.file=200 KiB", "run.replications=1"),
    "sgi-hippi-ftp-60k": ("workload.ftp.file=200 KiB", "run.replications=1"),
    "sgi-hippi-ftp-960k": ("workload.ftp.file=1100 KiB", "run.replications=1"),
    "sgi-hippi-raw": ("workload.blast.packets=1",),
    "sgi-hippi-rcp": ("workload.rcp.file=100 KiB", "run.replications=1"),
    "sgi-hippi-short-runs": ("workload.ttcp.writes=30",),
    "sgi-hippi-ttcp": ("workload.ttcp.writes=40", "run.warm_up=0 s"),
    "sgi-hippi-two-ftp": ("workload.ftp.file=200 KiB", "run.replications=1"),
    "sgi-hippi-unaligned": ("workload.ttcp.writes=20", "run.warm_up=0 s"),
    "sgi-hippi-windows": ("workload.ttcp.writes=40", "run.warm_up=0 s"),
    "sgi-nfs": ("workload.nfs.size=200 KiB", "run.replications=1"),
    "sgi-nfs-disk": ("workload.nfs.size=200 KiB", "run.replications=1"),
    "slac-64k-windows": ("run.until=30 ms", "run.warm_up=0 s"),
    "slac-datamove28": ("run.until=60 ms", "run.warm_up=0 s"),
    "slac-datamove8": ("run.until=60 ms", "run.warm_up=0 s"),
    "slac-hosts": (
        "run.until=40 ms",
        "run.warm_up=0 s",
        "workload.ttcp.window=32 KiB",
        "workload.ttcp.streams=2",
        "workload.load.streams=1",
    ),
    "slac-jumbo": ("run.until=60 ms", "run.warm_up=0 s"),
    "slac-parallel-ftp": ("workload.ftp.file=2 MiB", "workload.ftp.streams=2", "workload.ftp.window=64 KiB"),
    "slac-ping": (),
    "slac-ping-loaded": ("run.until=60 ms", "run.warm_up=0 s"),
    "slac-tersk03": ("run.until=60 ms", "run.warm_up=0 s"),
    "trace-server": ("workload.replay.last=60",),
    "media-http": ("run.until=20 ms", "run.warm_up=0 s", "workload.requests.connections=8", "run.replications=1"),
    "mlperf-nfs-unet3d": (
        "workload.training.steps=3",
        "workload.training.accelerators=2",
        "workload.training.threads=2",
        "workload.training.mount.nconnect=2",
    ),
    "mlperf-nfs-resnet50": (
        "workload.training.steps=3",
        "workload.training.accelerators=2",
        "workload.training.per_file=1",
        "workload.training.compute=1 ms",
        "workload.training.mount.nconnect=2",
        "run.warm_up=0 s",
    ),
    "mlperf-nfs-cosmoflow": (
        "workload.training.steps=3",
        "workload.training.accelerators=2",
        "workload.training.threads=2",
        "workload.training.prefetch=0",
        "workload.training.mount.nconnect=2",
        "run.warm_up=0 s",
    ),
    "nfs-nconnect": ("run.until=4 ms", "run.warm_up=0 s", "workload.nfs.nconnect=2"),
    "nfs-rdma-or-tcp": ("run.until=2 ms", "run.warm_up=0 s", "workload.nfs.programs=1"),
    "object-mix": (
        "run.until=2 ms",
        "run.warm_up=0 s",
        "disks.d.count=1",
        "workload.small.transfers=2",
        "workload.middle.transfers=1",
        "workload.large.transfers=1",
        "workload.large.object=1 MiB",
        "workload.large.part=512 KiB",
    ),
    "copies-or-coding": (
        "run.until=40 us",
        "run.warm_up=0 s",
        "workload.objects.transfers=1",
        "workload.objects.object=64 KiB",
        *(f"links.far{node}.connections=1" for node in range(1, 7)),
    ),
    "object-sizes": (
        "run.until=3 ms",
        "run.warm_up=0 s",
        "workload.objects.transfers=2",
        "workload.objects.connections=2",
        "workload.objects.arrivals.rate=2000 /s",
        "disks.d.placement=empty",
        "disks.d.count=1",
    ),
    "restore-window": ("run.until=150 ms", "run.warm_up=0 s", "workload.restore.object=12 MiB"),
    "rebuild-over-network": (
        "run.until=200 us",
        "run.warm_up=0 s",
        "workload.objects.transfers=1",
        "workload.objects.object=64 KiB",
        "workload.objects.arrivals.rate=100000 /s",
        *(f"links.far{node}.connections=1" for node in range(1, 8)),
    ),
    "cache-before-disks": (
        "run.until=2 ms",
        "run.warm_up=0 s",
        "volumes.fast.cache.room=8 MiB",
        "volumes.fast.cache.warm=0 B",
    ),
    "s3-parts": ("workload.objects.object=16 MiB", "workload.objects.connections=4", "run.replications=1"),
    "mlperf-unet3d": (
        "workload.training.steps=3",
        "workload.training.accelerators=2",
        "workload.training.threads=2",
        "disks.d.model=disks/micron-9400-pro",
        "hosts.server.model=hosts/server-2021-2s",
        "workload.training.compute=1 ms",
    ),
    "mlperf-resnet50": (
        "workload.training.steps=3",
        "workload.training.accelerators=2",
        "workload.training.per_file=1",
        "workload.training.compute=1 ms",
        "run.warm_up=0 s",
    ),
    "mlperf-cosmoflow": (
        "workload.training.steps=3",
        "workload.training.accelerators=2",
        "workload.training.threads=2",
        "workload.training.prefetch=0",
        "workload.training.compute=1 ms",
        "disks.d.model=disks/micron-9400-pro",
        "hosts.server.model=hosts/server-2021-2s",
        "run.warm_up=0 s",
    ),
    "nvme-tcp-unet3d": (
        "workload.training.steps=2",
        "workload.training.accelerators=1",
        "workload.training.compute=1 ms",
        "workload.training.threads=1",
        "workload.training.spread=0 B",
        "disks.d.count=1",
        "hosts.target.model=hosts/storage-target-2021",
        "links.far.model=links/nvme-tcp-card",
    ),
    "nvme-tcp-resnet50": (
        "workload.training.steps=2",
        "workload.training.accelerators=1",
        "workload.training.per_file=1",
        "workload.training.compute=1 ms",
        "workload.training.threads=1",
        "workload.training.files=100",
        "disks.d.count=1",
        "hosts.target.model=hosts/storage-target-2021",
        "links.far.model=links/nvme-tcp-card",
    ),
    "nvme-tcp-cosmoflow": (
        "workload.training.steps=2",
        "workload.training.accelerators=1",
        "workload.training.compute=1 ms",
        "workload.training.threads=1",
        "workload.training.prefetch=0",
        "disks.d.count=1",
        "hosts.target.model=hosts/storage-target-2021",
        "links.far.model=links/nvme-tcp-card",
    ),
    "nvme-tcp-or-iscsi": ("run.until=100 us", "run.warm_up=0 s", "workload.direct.processes=1", "disks.d.count=1"),
    "nvme-rdma-or-tcp": ("run.until=100 us", "run.warm_up=0 s", "disks.d.count=1", "workload.direct.processes=1"),
    "rdma-incast": ("run.until=100 us", "run.warm_up=0 s"),
    "training-target": (
        "workload.training.steps=2",
        "workload.training.accelerators=2",
        "workload.training.threads=1",
        "disks.d.count=1",
        "run.warm_up=0 s",
    ),
    "training-drives": ("workload.training.steps=10", "workload.training.accelerators=2", "run.warm_up=0 s"),
    "video-buffers": ("workload.play.frames=9",),
    "tcp-incast": ("workload.ttcp.streams=4", "workload.ttcp.size=8 KiB"),
    "tcp-all-to-all": ("workload.flows.count=10", "workload.flows.connections=2", "workload.flows.window=64 KiB"),
    "tcp-ten-thousand": ("workload.requests.streams=20",),
    "tcp-short-long": ("workload.short.size=5000 B", "workload.short.streams=2"),
    "tcp-wan": ("run.until=400 ms", "run.warm_up=0 s", "workload.ttcp.window=4 MiB"),
}
COMPARED_LONGER = {
    "hippi-larger-packets", "linux-fc-buffered", "linux-fc-mmap", "linux-fc-raw", "random-reads", "sgi-hippi-raw",
}  # fmt: skip
"""Both engines run these in test_published.py."""
SAMPLE = {"cray-ipi3", "fault-raid5-degraded", "local-copy", "sgi-nfs-disk", "slac-ping", "video-buffers"}
"""Compared in `make test`, too: disks, faults, files, NFS, packets and streams, each within a second."""
NAMES = sorted(path.stem for path in SCENARIOS.glob("*.yaml"))


MOST = 6
"""Cases of a scenario that are run: the first, the last, and some evenly between. `simio validate` runs all."""


@cache
def result(name: str, engine: str = "compiled") -> ScenarioResult:
    sets = SHORT[name]
    scenario = load(str(SCENARIOS / f"{name}.yaml"), sets)
    last = len(scenario.cases) - 1
    some = {last * place // (MOST - 1) for place in range(MOST)}
    cases = tuple(case for place, case in enumerate(scenario.cases) if place in some)
    return run_scenario(replace(scenario, cases=cases), sets, RunOptions(engine))


def test_every_scenario_has_a_short_form():
    assert sorted(SHORT) == NAMES


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=() if name in SAMPLE else pytest.mark.slow)
        for name in NAMES
        if name not in COMPARED_LONGER
    ],
)
def test_both_engines_agree(name: str):
    compiled, simpy = (json.loads("".join(as_json(result(name, engine)))) for engine in ("compiled", "simpy"))
    assert compiled["cases"]
    assert compiled == simpy


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_used_beyond_what_there_is(name: str):
    for case in result(name).cases:
        assert case.status in ("done", "until")
        assert all(0 <= use.utilisation <= 1 for use in case.resources), case.settings
        assert all(0 <= use.busy <= use.count for use in case.threads), case.settings
        for container in case.containers:
            assert container.lowest >= 0
            assert container.capacity is None or container.highest <= container.capacity


@pytest.mark.parametrize("name", NAMES)
def test_what_is_done_lies_under_the_bound_and_leaves_nothing_behind(name: str):
    for case in result(name).cases:
        if case.status != "done":
            continue
        # Of the whole run, since deliveries of a part of it may be what was read ahead before.
        whole = case.timeline.delivered[-1] * 10**12 / case.end
        assert case.bound is None or whole <= float(case.bound) * (1 + 1e-9), case.settings
        held = [use for use in case.containers if use.unit == "bytes" and use.capacity is None]
        assert [(use.name, use.end) for use in held if use.end] == []
