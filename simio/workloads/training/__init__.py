"""Training of a model: accelerators compute on batches of samples that threads read from storage meanwhile."""

from __future__ import annotations

from statistics import NormalDist
from typing import Annotated, ClassVar, Literal

from pydantic import Field, model_validator

from simio.components.site import Site
from simio.description.mixtures import Mixture
from simio.description.model import Workload
from simio.description.mounts import MountOptions
from simio.description.quantities import Count, Duration, Extent, Flag, Size, Time, Whole, refusal
from simio.description.sheets.base import size_text
from simio.description.workloads import HostNames, OptionalHosts, OptionalStorage, WorkloadParams
from simio.workloads import register_workload
from simio.workloads.training.loader import TrainingJob

QUANTILES = 8
"""Sizes that stand for a normal distribution, each of as many files."""
LEAST = 4096
"""Bytes of the smallest file."""


class Training(WorkloadParams):
    """Accelerators that train one model in steps, each on a batch of samples that its host's threads have read.

    All accelerators begin a step together. How busy they are is the answer: the utilisation of `accelerators`.
    """

    routes: ClassVar[tuple[tuple[str, str], ...]] = (("host", "from_"),)

    host: HostNames = Field(description="host of the accelerators, or list of hosts that have one in turn")
    from_: OptionalStorage = Field(
        None,
        alias="from",
        description="disk or volume with the samples, or group that has them in turn; none: they are in the memory "
        "of the servers",
    )
    server: OptionalHosts = Field(
        None, description="host that serves the samples over NFS, or list of hosts that have them in turn; none: none"
    )
    mount: MountOptions | None = Field(None, description="the mount of a server; none: with the values that it has")
    access: Literal["raw", "direct", "buffered", "nocopy"] = Field(
        "buffered", description="how the threads get at the data, as of reader"
    )
    accelerators: Annotated[Count, Field(le=4096)] = Field(1, description="number of accelerators")
    compute: Duration = Field(description="time that an accelerator computes on a batch")
    batch: Annotated[Count, Field(le=65536)] = Field(description="samples a batch")
    sample: Extent = Field(description="bytes of a sample, in the mean")
    spread: Size = Field(0, description="standard deviation of the bytes of a sample, of a normal distribution")
    per_file: Count = Field(1, description="samples a file; a thread reads a file from its beginning to its end")
    files: Annotated[Count, Field(le=2**31)] = Field(
        description="number of files, of which one after another is drawn"
    )
    threads: Annotated[Count, Field(le=4096)] = Field(4, description="threads that read for an accelerator")
    loader: Literal["batches", "samples"] = Field(
        "batches",
        description="batches: a thread reads a whole batch, as PyTorch's DataLoader does; samples: all threads read "
        "for the same batch, as TensorFlow's parallel reads do",
    )
    prefetch: Annotated[Whole, Field(le=4096)] = Field(
        2, description="batches that are read ahead; of the loader batches, one a thread at least, and two with 0"
    )
    transfer: Extent = Field(256 * 1024, description="bytes a read()")
    steps: Annotated[Count, Field(le=1_000_000)] = Field(description="steps of the training")
    epoch: Flag = Field(
        False,
        description="whether the steps are a whole epoch, beyond which nothing is read; else reading goes on to the "
        "end, as in the middle of one",
    )
    between: Time = Field(
        0, description="time of a step in which an accelerator neither computes nor waits: the framework's own"
    )
    work: Time = Field(
        0, description="CPU time of a thread a sample, to decode it, on a CPU of its kernel's reference_clock"
    )

    @property
    def ways(self) -> tuple[tuple[str, str], ...]:
        """See `WorkloadParams.ways`."""
        if not self.server:
            return self.routes
        return ("host", "server"), *((("server", "from_"),) if self.from_ else ())

    @property
    def sends_packets(self) -> bool:
        """See `WorkloadParams.sends_packets`."""
        return bool(self.server)

    @property
    def file_sizes(self) -> Mixture:
        """Sizes of files with their weights: quantiles of a normal distribution, of which none is too small."""
        if not self.spread:
            return ((self.sample * self.per_file, 1),)
        normal = NormalDist(self.sample, self.spread)
        sizes = [round(normal.inv_cdf((number + 0.5) / QUANTILES)) for number in range(QUANTILES)]
        return tuple((max(size, LEAST), 1) for size in sizes)

    @property
    def ahead(self) -> int:
        """Batches that may be on their way to an accelerator, or wait for it."""
        if self.loader == "samples":
            return self.prefetch
        return self.threads * (-(-self.prefetch // self.threads) or 2)

    @model_validator(mode="after")
    def _consistent(self) -> Training:
        if self.spread and self.per_file > 1:
            raise refusal(f"{self.per_file}, with a spread", "1", "only files of one sample differ", "per_file")
        if self.spread and 2 * self.spread > self.sample:
            at_most = f"at most half of the sample, {size_text(self.sample // 2)}"
            raise refusal(size_text(self.spread), at_most, field="spread")
        if self.epoch and self.loader != "batches":
            raise refusal("true, with the loader samples", "false", "only batches are numbered", "epoch")
        if self.per_file > 1 and self.loader == "batches":
            raise refusal("batches, with several samples a file", "samples", field="loader")
        if not self.server and not self.from_:
            raise refusal("nothing", "a disk, group of disks or volume, or a server", field="from")
        if not self.server and self.mount:
            raise refusal("a mount, without a server", "none", field="mount")
        if self.server and self.access not in ("buffered", "nocopy"):
            raise refusal(f"{self.access}, over NFS", "buffered or nocopy", field="access")
        if self.accelerators < len(self.host):
            found = f"{self.accelerators} with {len(self.host)} hosts"
            raise refusal(found, "one a host at least", field="accelerators")
        return self


@register_workload("training", Training)
def training(site: Site, workload: Workload[Training]) -> None:
    """Accelerators with the threads that read for them; as `Training` says."""
    TrainingJob(site, workload).emit()
