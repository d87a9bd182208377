"""The common parameters of readers and writers of storage."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from simio.description.arrivals import Arrivals, check_think
from simio.description.mixtures import Mixture, Sizes
from simio.description.quantities import Count, Extent, Limit, OrNone, Time, refusal
from simio.description.sheets.base import size_text
from simio.description.workloads import WorkloadParams

UNBUFFERED = ("raw", "direct")
"""Ways of access that go to the device for each request, so that several can be outstanding."""


class BlockParams(WorkloadParams):
    """The common parameters: which blocks, in what order, by how many threads."""

    block: Sizes = Field(description="bytes a request, or sizes with weights, of which each request draws one")
    size: Extent = Field(description="bytes from or to each device")
    pattern: Literal["sequential", "strided", "random"] = Field("sequential", description="order of the blocks")
    stride: Limit = Field(None, description="strided: bytes from the beginning of one block to that of the next")
    arrivals: Arrivals | None = Field(
        None, description="when requests arrive, whatever becomes of those before; none: one after another"
    )
    think: Time = Field(0, description="mean of an exponential pause between requests; 0 s for none")
    work: Time = Field(
        0,
        description="CPU time of the program itself before each request, on a CPU of its kernel's reference_clock",
    )
    depth: Annotated[Annotated[Count, Field(le=4096)] | None, OrNone()] = Field(
        None, description="requests that a thread keeps outstanding; none: 1, or any number of those that arrive"
    )
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
            raise refusal(size_text(self.stride), f"at least the block, {size_text(self.largest)}", field="stride")
        return self

    def _check_access(self, access: str) -> None:
        """Refuse requests that only unbuffered access can make."""
        if access in UNBUFFERED:
            return
        if self.depth and self.depth > 1:
            raise _only_unbuffered(f"{self.depth}, with access {access}", "1", "depth")
        if not isinstance(self.block, int):
            raise _only_unbuffered(f"several sizes, with access {access}", "one size", "block")

    @model_validator(mode="after")
    def _arrivals_are_all(self) -> BlockParams:
        check_think(self.arrivals, self.think)
        return self

    @model_validator(mode="after")
    def _one_thread_is_synchronous(self) -> BlockParams:
        if self.threads == "one":
            for key, number in (("depth", self.depth or 1), ("processes", self.processes)):
                if number > 1:
                    hint = "a single thread has one request outstanding at a time"
                    raise refusal(f"{number}, with threads: one", "1", hint, key)
        return self


def _only_unbuffered(found: str, expected: str, field: str) -> PydanticCustomError:
    return refusal(found, expected, f"more needs access {' or '.join(UNBUFFERED)}", field)
