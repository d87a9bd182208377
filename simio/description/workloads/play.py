"""Isochronous streams: the parameters of a program that plays frames, each of which is due at its time."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import BeforeValidator, Field, model_validator

from simio import units
from simio.description.quantities import Count, Extent, Flag, Limit, Rate, Text, refusal
from simio.description.workloads.base import (
    HostNames,
    OptionalStorage,
    Refers,
    WorkloadParams,
    register_workload,
)

OptionalHosts = Annotated[
    tuple[Text, ...] | None,
    BeforeValidator(lambda value: (value,) if isinstance(value, str) else value),
    Refers("host"),
]
"""One host or a list of them, as a tuple, or none."""
BUFFERED = "buffered"
"""The way of access that goes through the cache of a file system."""


class Play(WorkloadParams):
    """Streams of frames that are played at a constant rate, from memory or storage of a host, there or on another.

    A frame that is not there when it is due is late; the player waits for it and goes on from there.
    """

    routes: ClassVar[tuple[tuple[str, str], ...]] = (("from_", "to"), ("from_", "storage"))
    network: ClassVar[bool] = True

    from_: HostNames = Field(
        alias="from", description="host that has the streams, or list of hosts that have one each in turn"
    )
    servers: Annotated[Count | None, Field(description="how many of the hosts in `from` have streams; none: all")] = (
        None
    )
    to: OptionalHosts = Field(
        None, description="host that plays them, or list of hosts in turn; none: where they are"
    )
    storage: OptionalStorage = Field(
        None,
        description="where they are read from; of a group of disks, each in turn has a stream; none: from memory",
    )
    access: Literal["raw", "direct", "buffered"] = Field("raw", description="how storage is read")
    block: Extent = Field(65536, description="bytes a read and a write of the programs")
    depth: Annotated[Count, Field(le=64)] = Field(
        1, description="blocks between storage and network; 1: one process reads and sends them in turn"
    )
    rate: Rate = Field(description="rate at which a stream is played")
    frame: Extent = Field(description="bytes of a frame")
    frames: Count = Field(description="frames of a stream")
    buffer: Extent = Field(description="bytes of the player's buffer, a block more than a frame at least")
    prefill: Limit = Field(
        None, description="bytes in the buffer when playing begins; none: as many as surely get there"
    )
    streams: Annotated[Count, Field(le=4096)] = Field(1, description="streams at once")
    window: Limit = Field(None, description="socket buffers at both ends; none: what the stacks have")
    nodelay: Flag = Field(False, description="whether TCP_NODELAY is set")

    def ends(self, stream: int) -> tuple[str, str]:
        """The host that has a stream, and the one that plays it; streams count from 0."""
        servers = self.from_[: self.servers]
        source = servers[stream % len(servers)]
        return source, self.to[stream % len(self.to)] if self.to else source

    @property
    def size(self) -> int:
        """Bytes of a stream."""
        return self.frame * self.frames

    @property
    def filled(self) -> int:
        """Bytes in the buffer when playing begins; a reader that needs room for a block leaves less than one."""
        return min(self.prefill or self.buffer - self.block, self.size)

    @model_validator(mode="after")
    def _has_a_source(self) -> Play:
        if self.servers is not None and self.servers > len(self.from_):
            raise refusal(str(self.servers), f"at most {len(self.from_)}, the hosts in from", field="servers")
        if self.storage is not None and len(self.from_) > 1:
            raise refusal(f"storage with {len(self.from_)} hosts in from", "one host", field="storage")
        if self.storage is None and any(first == last for first, last in map(self.ends, range(self.streams))):
            hint = "without it a stream comes from the memory of another host than the one that plays it"
            raise refusal("nothing", "storage", hint, "storage")
        if self.depth > 1 and (self.storage is None or self.access == BUFFERED):
            found = "without storage" if self.storage is None else f"with access {self.access}"
            hint = "memory needs no reading" if self.storage is None else "the file system reads ahead"
            raise refusal(f"{self.depth}, {found}", "1", hint, "depth")
        return self

    @model_validator(mode="after")
    def _fits_the_buffer(self) -> Play:
        if self.buffer < self.frame + self.block:
            needed = f"at least {_size(self.frame + self.block)}, a frame and a block"
            raise refusal(_size(self.buffer), needed, field="buffer")
        if self.prefill is not None and self.prefill > self.buffer - self.block:
            most = f"at most {_size(self.buffer - self.block)}, the buffer less a block"
            raise refusal(_size(self.prefill), most, "reading stops when no block fits", "prefill")
        return self


def _size(value: int) -> str:
    return units.format_quantity(value, "size")


register_workload("play", Play)
