"""Workloads that copy files: the parameters of rcp, tar, ftp and of copies within a host."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field, model_validator

from simio import units
from simio.description.quantities import Count, Extent, Flag, Limit, Time, refusal
from simio.description.workloads.base import HostName, Storage, WorkloadParams, register_workload

Buffers = Annotated[int, Field(strict=True, ge=2, le=16)]


class RemoteCopy(WorkloadParams):
    """A file that is read on one host and written on another, over TCP."""

    routes: ClassVar[tuple[tuple[str, str], ...]] = (
        ("from_", "to"),
        ("from_", "from_storage"),
        ("to", "to_storage"),
    )
    network: ClassVar[bool] = True

    from_: HostName = Field(alias="from", description="host that has the file")
    from_storage: Storage = Field(description="disk or volume of it that the file is on")
    to: HostName = Field(description="host that it is copied to")
    to_storage: Storage = Field(description="disk or volume of it that the copy is written to")
    file: Extent = Field(description="bytes of the file")
    window: Limit = Field(None, description="socket buffers at both ends; none: what the stacks have")
    nodelay: Flag = Field(False, description="whether TCP_NODELAY is set")
    start_within: Time = Field(
        0,
        description="the programs start at a random instant within this time, whatever kernels' timers are at",
    )
    aligned: Flag = Field(True, description="whether the programs' buffers begin on a page; those of malloc() do not")
    cached: Flag = Field(
        False, description="whether all of the file is in its host's cache from before, and no disk reads it"
    )


class Rcp(RemoteCopy):
    """rcp from the host that has the file; what is measured is the whole of the command."""

    buffer: Extent = Field(8192, description="bytes a read and a write of either program")
    setup: Time = Field(
        description="time until the other host's rcp runs: rcmd, validation of the user, forks of rshd and a shell"
    )
    files: Count = Field(1, description="files, all of `file` bytes, copied one after another (rcp -r)")


class Tar(RemoteCopy):
    """tar of many files to one archive on another host, through rsh; what is measured is the whole of the command.

    The files lie one after another; delivered is what has been written of the archive.
    """

    files: Count = Field(description="files, all of `file` bytes")
    record: Extent = Field(
        10240,
        description="bytes a read and a write of either program, a multiple of 512 B (tar: blocking factor)",
    )
    setup: Time = Field(description="time until the other host's program runs: rcmd, validation, forks")

    @model_validator(mode="after")
    def _records_are_blocks(self) -> Tar:
        if self.record % 512:
            found = units.format_quantity(self.record, "size")
            raise refusal(found, "a multiple of 512 B, the blocks of an archive", field="record")
        return self


class Ftp(RemoteCopy):
    """ftp's get of a binary file, asked for by the host that it is copied to; measured as ftp prints it.

    That is from when the data connection is there until the last write() has returned.
    """

    buffer: Extent = Field(16384, description="bytes a read and a write of either program")
    transfers: Annotated[Count, Field(le=64)] = Field(
        1, description="transfers of the same file at once; what one has read, others find in the cache"
    )
    streams: Annotated[Count, Field(le=64)] = Field(
        1, description="parts that the file is cut into, each with connections and processes of its own"
    )
    overlap: Flag = Field(False, description="whether each end has a process for its disk and one for the network")
    buffers: Buffers = Field(2, description="overlap: buffers that the two processes share")
    access: Literal["buffered", "raw"] = Field(
        "buffered",
        description="buffered: files through the cache; raw: with overlap, requests to the storage itself, one "
        "outstanding for each buffer",
    )
    sendfile: Flag = Field(
        False, description="whether the sender's kernel sends from its cache, not through a program's buffer"
    )

    @model_validator(mode="after")
    def _switches_agree(self) -> Ftp:
        if self.streams > 1 and (self.transfers > 1 or self.overlap):
            other = "overlap" if self.overlap else f"transfers of {self.transfers}"
            raise refusal(f"{self.streams}, with {other}", "1", field="streams")
        if self.cached and self.access == "raw":
            raise refusal("true with access raw", "false", "raw requests pass the cache by", "cached")
        if self.overlap:
            if self.sendfile:
                raise refusal("sendfile with overlap", "one of them", field="sendfile")
            if self.transfers > 1:
                raise refusal(f"{self.transfers}, with overlap", "1", field="transfers")
            return self
        if self.access == "raw":
            raise refusal("raw without overlap", "buffered", "write overlap: true for several requests", "access")
        if self.buffers != 2:
            raise refusal(f"{self.buffers} without overlap", "2", "without it, a process has one buffer", "buffers")
        return self


class Copy(WorkloadParams):
    """cp or dd of a file from one disk or volume of a host to another, or within one, by a single process."""

    routes: ClassVar[tuple[tuple[str, str], ...]] = (("host", "from_"), ("host", "to"))

    host: HostName = Field(description="host that copies")
    from_: Storage = Field(alias="from", description="disk or volume that the file is on")
    to: Storage = Field(description="disk or volume that the copy is written to")
    file: Extent = Field(description="bytes of the file")
    buffer: Extent = Field(description="bytes a read and a write (dd: bs)")
    access: Literal["buffered", "raw"] = Field(
        "buffered", description="buffered: files through the cache; raw: dd between raw devices"
    )

    @model_validator(mode="after")
    def _raw_within_one_device(self) -> Copy:
        if self.access == "raw" and self.file % self.buffer:
            found = units.format_quantity(self.file, "size")
            wanted = f"a multiple of the buffer, {units.format_quantity(self.buffer, 'size')}, with access raw"
            raise refusal(found, wanted, field="file")
        return self


register_workload("rcp", Rcp)
register_workload("tar", Tar)
register_workload("ftp", Ftp)
register_workload("copy", Copy)
