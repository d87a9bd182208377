"""Checkpoints of a parallel program: all ranks write their shards at once, and wait until the last one is stored."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from simio.components.files.cached import Mount
from simio.components.site import Site
from simio.components.storage.interfaces import BlockDevice
from simio.description.model import Workload
from simio.description.quantities import Count, Extent, Flag, Time
from simio.description.workloads import HostNames, Storage, WorkloadParams
from simio.program.builder import Register, since
from simio.workloads import register_workload
from simio.workloads.common.room import check_room
from simio.workloads.common.syncing import written_file


class Checkpoint(WorkloadParams):
    """Ranks that compute, write a shard each, and wait for one another; or read their shards back."""

    routes: ClassVar[tuple[tuple[str, str], ...]] = (("host", "to"),)

    host: HostNames = Field(description="host of the ranks, or list of hosts that have one in turn")
    to: Storage = Field(description="disk or volume with the shards, or group that has them in turn")
    access: Literal["direct", "buffered"] = Field(
        "direct", description="past the cache, or by write() into it and fsync(); reading back is always direct"
    )
    ranks: Annotated[Count, Field(le=4096)] = Field(8, description="number of ranks")
    shard: Extent = Field(description="bytes of a rank's shard")
    block: Extent = Field(2**20, description="bytes a write() or read()")
    depth: Annotated[Count, Field(le=256)] = Field(4, description="requests that a rank keeps outstanding, direct")
    restore: Flag = Field(False, description="whether shards are read, as after a failure, and not written")
    compute: Time = Field(0, description="time that ranks compute before each checkpoint")
    work: Time = Field(
        0, description="CPU time of a block, to serialise it, on a CPU of its kernel's reference_clock"
    )
    checkpoints: Annotated[Count, Field(le=100_000)] = Field(1, description="number of checkpoints")


@register_workload("checkpoint", Checkpoint)
def checkpoint(site: Site, workload: Workload[Checkpoint]) -> None:
    """One thread a rank, and a barrier behind each checkpoint; as `Checkpoint` says."""
    p, params, name = site.p, workload.params, workload.name
    took, there = p.observation(f"{name}: checkpoint", "latency", "ps"), p.variable(f"{name}: ranks there")
    go = p.container(f"{name}: barrier", unit="ranks")
    targets = [site.targets(params.to)] * len(params.host)
    for number in range(params.ranks):
        turn = number % len(params.host)
        host = params.host[turn]
        target = targets[turn][number % len(targets[turn])]
        device = site.device(host, target)
        place = number // len(targets[turn]) * -(-params.shard // params.block) * params.block
        check_room(workload, device, place + params.shard)
        rank = _Rank(site, workload, f"{name}: rank {number + 1}", host, device, place)
        with p.thread(rank.name), p.loop(params.checkpoints), p.scope():
            p.wait(params.compute)
            begun = p.now()
            rank.shard()
            present = there.increment()
            with p.when(present == params.ranks - 1):
                there.store(0)
                p.mark(took, since(begun))
                p.put(go, params.ranks)
            p.get(go, 1)


class _Rank:
    """A rank's way of writing or reading its shard."""

    def __init__(
        self, site: Site, workload: Workload[Checkpoint], name: str, host: str, device: BlockDevice, place: int
    ) -> None:
        self.site, self.p, self.params, self.name = site, site.p, workload.params, name
        self.kernel, self.host, self.device, self.place = site.kernel(host), site.host(host), device, place
        self.file = None
        if self.params.access == "buffered" and not self.params.restore:
            mount = Mount(self.kernel, site.file_system(workload, device.name).sheet, device)
            self.file = written_file(site, mount, name, (place, self.params.shard))
        depth = 1 if self.file else self.params.depth
        self.slots = self.p.container(f"{name} slots", depth, depth, "requests")

    def shard(self) -> None:
        """All of the shard, from the beginning of its place on."""
        p, params = self.p, self.params
        at = p.register(self.place)
        for amount in p.pieces(params.shard, params.block):
            if params.work:
                with p.label("the program", self.host.name):
                    self.host.work(params.work)
            self._block(at, amount)
            at.set(at + amount)
        p.join()
        if self.file:
            self.kernel.system_call()
            self.file.sync()

    def _block(self, at: Register, amount: int) -> None:
        p = self.p
        if self.file:
            self.file.write(at, amount)
            p.mark(self.site.delivered, amount)
            return
        call = self.kernel.read_unbuffered if self.params.restore else self.kernel.write_unbuffered
        p.get(self.slots, 1)
        with p.fork("request", joined=True):
            call(self.device, at, amount, self.params.block, True)
            p.put(self.slots, 1)
            p.mark(self.site.delivered, amount)
