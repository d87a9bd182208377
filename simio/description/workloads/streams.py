"""Workloads that must keep time: streams that are played at a constant rate while they are read."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, model_validator

from ... import units
from ...errors import quote
from ..quantities import Count, Extent, Rate, refusal
from .base import HostName, OptionalHost, Storage, WorkloadParams, register_workload


class Stream(WorkloadParams):
    """Isochronous streams, such as video: each is read into a buffer, and played from it at a constant rate.

    A stream starts when its buffer is full. A frame that is not there when it is due is late, and is counted; the
    frames after it are due at their own times nevertheless.
    """

    routes = (("host", "from_"),)

    host: HostName = Field(description="host that has the disks transfer")
    from_: Storage = Field(
        alias="from",
        description="disk, group of disks or volume that the streams are on, one after another",
    )
    into: OptionalHost = Field(
        None, description="host whose memory the data go to, past the first one; none: that of the first"
    )
    rate: Rate = Field(description="rate at which a stream is played")
    frame: Extent = Field(description="bytes a frame; one is due each frame / rate")
    block: Extent = Field(description="bytes a read")
    buffer: Extent = Field(description="bytes of the buffer of a stream")
    size: Extent = Field(description="bytes a stream")
    streams: Annotated[Count, Field(le=1024)] = Field(1, description="streams at once")
    depth: Annotated[Count, Field(le=256)] = Field(1, description="reads that a stream keeps outstanding")

    @model_validator(mode="after")
    def _streams_can_go_on(self) -> Stream:
        if self.size % self.frame:
            raise refusal(_size(self.size), f"whole frames of {_size(self.frame)}", field="size")
        if self.buffer < self.block + self.frame:
            least = f"a block and a frame at least, {_size(self.block + self.frame)}"
            raise refusal(_size(self.buffer), least, field="buffer")
        if self.into == self.host:
            raise refusal(quote(self.host), "another host, or none", field="into")
        return self


def _size(value: int) -> str:
    return units.format_quantity(value, "size")


register_workload("stream", Stream)
