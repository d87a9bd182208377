"""Workloads of storage: programs that read and write disks and volumes."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from simio import units
from simio.description.mixtures import Mixture, Sizes
from simio.description.quantities import Count, Extent, Flag, Limit, Time, refusal
from simio.description.workloads.base import HostName, Storage, WorkloadParams, register_workload

UNBUFFERED = ("raw", "direct")
"""Ways of access that go to the device for each request, so that several can be outstanding."""


class _From(WorkloadParams):
    """Who reads what."""

    host: HostName = Field(description="host that reads")
    from_: Storage = Field(alias="from", description="disk, group of disks or volume that is read")
    access: Literal["raw", "direct", "buffered", "nocopy", "mmap"] = Field(
        "raw", description="how the program gets at the data, see below"
    )


class _To(WorkloadParams):
    """Who writes what."""

    host: HostName = Field(description="host that writes")
    to: Storage = Field(description="disk, group of disks or volume that is written")
    access: Literal["raw", "direct", "buffered"] = Field(
        "raw", description="how the program gets at the data, see below"
    )


class BlockParams(WorkloadParams):
    """What readers and writers have in common: which blocks, in what order, by how many threads."""

    block: Sizes = Field(description="bytes a request, or sizes with weights, of which each request draws one")
    size: Extent = Field(description="bytes from or to each device")
    pattern: Literal["sequential", "strided", "random"] = Field("sequential", description="order of the blocks")
    stride: Limit = Field(None, description="strided: bytes from the beginning of one block to that of the next")
    think: Time = Field(0, description="mean of an exponential pause between requests; 0 s for none")
    depth: Annotated[Count, Field(le=4096)] = Field(1, description="requests that a thread keeps outstanding")
    threads: Literal["each", "one"] = Field(
        "each",
        description="each: a thread for each device; one: a single thread visits them in turn, a block each",
    )
    processes: Annotated[Count, Field(le=4096)] = Field(1, description="threads for each device")
    passes: Count = Field(1, description="how often the same range is gone through")

    @property
    def sizes(self) -> Mixture:
        """The sizes of blocks with their weights, in ascending order; of one size, its weight is 1."""
        return ((self.block, 1),) if isinstance(self.block, int) else self.block

    @property
    def largest(self) -> int:
        """The largest block in bytes."""
        return self.sizes[-1][0]

    @property
    def extent(self) -> int:
        """Bytes of each device, from its beginning, that requests reach to."""
        if self.pattern == "random":
            return self.largest
        if self.stride is None:
            return self.size
        return (-(-self.size // self.largest) - 1) * self.stride + self.largest

    @model_validator(mode="after")
    def _strides(self) -> BlockParams:
        if self.pattern == "strided" and self.stride is None:
            raise refusal("nothing", "a size such as '1 MiB', for pattern strided", field="stride")
        if self.stride is None:
            return self
        if self.pattern != "strided":
            raise refusal(f"a stride with pattern {self.pattern}", "none", "write pattern: strided", "stride")
        if self.stride < self.largest:
            raise refusal(_size(self.stride), f"at least the block, {_size(self.largest)}", field="stride")
        return self

    def _check_access(self, access: str) -> None:
        """Refuse requests that only unbuffered access can make."""
        if access in UNBUFFERED:
            return
        if self.depth > 1:
            raise _only_unbuffered(f"{self.depth}, with access {access}", "1", "depth")
        if not isinstance(self.block, int):
            raise _only_unbuffered(f"several sizes, with access {access}", "one size", "block")

    @model_validator(mode="after")
    def _one_thread_is_synchronous(self) -> BlockParams:
        if self.threads == "one":
            for key, number in (("depth", self.depth), ("processes", self.processes)):
                if number > 1:
                    hint = "a single thread has one request outstanding at a time"
                    raise refusal(f"{number}, with threads: one", "1", hint, key)
        return self


class Reader(BlockParams, _From):
    """Processes that read devices block by block."""

    routes = (("host", "from_"),)

    window: Limit = Field(None, description="mmap: bytes mapped at once; none: a block")

    @model_validator(mode="after")
    def _fits_the_access(self) -> Reader:
        self._check_access(self.access)
        if self.window is None:
            return self
        if self.access != "mmap":
            raise refusal(f"a window with access {self.access}", "none", "only mmap maps one", "window")
        if self.window > self.largest:
            raise refusal(_size(self.window), f"at most the block, {_size(self.largest)}", field="window")
        return self


class Writer(BlockParams, _To):
    """Processes that write devices block by block."""

    routes = (("host", "to"),)

    sync: Flag = Field(
        False, description="whether what was written is flushed to the device before it counts as done"
    )

    @model_validator(mode="after")
    def _fits_the_access(self) -> Writer:
        self._check_access(self.access)
        if self.sync and self.access == "raw":
            raise refusal("sync with access raw", "false", "no file is written, so there is none to flush", "sync")
        return self


def _size(value: int) -> str:
    return units.format_quantity(value, "size")


def _only_unbuffered(found: str, expected: str, field: str) -> PydanticCustomError:
    return refusal(found, expected, f"more needs access {' or '.join(UNBUFFERED)}", field)


register_workload("reader", Reader)
register_workload("writer", Writer)
