"""ftp: get of a binary file, by a server that sends it and a client that asked for it.

The exchange is that of RFC 959: over the control connection PORT and RETR go to the server, which opens the data
connection to the client and says 150; when the file has been sent, it closes that connection and says 226. The
programs are those of 4.3BSD: the server reads a buffer of the file and writes it to the connection, the client reads
what has come, at most a buffer, and writes that to the file. It prints the time from
accept() to the last write(). With several streams the file is cut into as many parts, each copied so by a pair of
processes of its own, as bbftp and GridFTP do it.
"""

from __future__ import annotations

from math import lcm
from typing import Annotated, Literal

from pydantic import Field, model_validator

from simio import units
from simio.components.site import Site
from simio.components.storage.interfaces import BlockDevice
from simio.description.model import Workload
from simio.description.quantities import Count, Extent, Flag, refusal
from simio.errors import RunError
from simio.workloads import register_workload
from simio.workloads.common.copying import (
    RemoteCopy,
    check_cached,
    check_raw,
    file_system,
    parts,
    spans,
    storage,
)
from simio.workloads.ftp.transfer import Shared, Transfer, names


class Ftp(RemoteCopy):
    """ftp's get of a binary file, asked for by the host that it is copied to; measured as ftp prints it.

    That is from when the data connection is there until the last write() has returned.
    """

    buffer: Extent = Field(16384, description="bytes a read and a write of either program")
    transfers: Annotated[Count, Field(le=64)] = Field(
        1, description="transfers of the same file at once; data that one has read, others find in the cache"
    )
    streams: Annotated[Count, Field(le=64)] = Field(
        1, description="parts that the file is cut into, each with connections and processes of its own"
    )
    overlap: Flag = Field(False, description="whether each end has a process for its disk and one for the network")
    buffers: Annotated[int, Field(strict=True, ge=2, le=16)] = Field(
        2, description="overlap: buffers that the two processes share"
    )
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


@register_workload("ftp", Ftp)
def ftp(site: Site, workload: Workload[Ftp]) -> None:
    """`transfers` of the file at once, or `streams` parts of it, each with its connections; delivered is what clients
    wrote."""
    params = workload.params
    source = storage(site, workload, params.from_, params.from_storage)
    target = storage(site, workload, params.to, params.to_storage)
    if params.access == "raw":
        check_raw(workload, source)
        check_raw(workload, target)
    (span,) = spans(workload, source, 1)
    check_cached(site, workload, source)
    _check_dirty(site, workload, target)
    if params.streams > 1:
        _in_parts(site, workload, (source, target), span)
        return
    claimed = site.p.variable(f"{workload.name}: file", span[0])
    transfers = [Transfer(site, workload, name) for name in names(workload, params.transfers)]
    readers = [transfer.server for transfer in transfers]
    for transfer, copy in zip(transfers, spans(workload, target, params.transfers), strict=True):
        if params.overlap:
            transfer.overlapped(source, target)
        else:
            transfer.alternating((source, span), (target, copy), Shared(readers, claimed))


def _check_dirty(site: Site, workload: Workload[Ftp], target: BlockDevice) -> None:
    """Refuse a cache that could be full of what several writers gather, none of which has enough to write behind."""
    writers = workload.params.transfers * workload.params.streams
    if writers == 1:
        return
    sheet = file_system(site, workload, target)
    most = writers * sheet.write_behind
    if sheet.dirty_limit < most:
        limit, need = (units.format_quantity(n, "size") for n in (sheet.dirty_limit, most))
        raise RunError(
            f"workload {workload.name!r} has {writers} writers, which may gather {need}; the dirty_limit of "
            f"{target.name!r} is {limit}"
        )


def _in_parts(
    site: Site, workload: Workload[Ftp], devices: tuple[BlockDevice, BlockDevice], span: tuple[int, int]
) -> None:
    """A part of the file over each of `streams` pairs of connections, read and written side by side."""
    params = workload.params
    systems = [file_system(site, workload, device) for device in devices]
    hosts = (params.from_, params.to)
    # A page or block that two parts share would be read by both, and written by both.
    unit = lcm(
        params.buffer,
        *(max(sheet.block, site.kernel(host).sheet.page) for sheet, host in zip(systems, hosts, strict=True)),
    )
    ((place, _),) = spans(workload, devices[1], 1)
    own = names(workload, params.streams)
    for name, (begin, size) in zip(own, parts(workload, span[1], params.streams, unit), strict=True):
        Transfer(site, workload, name).alternating(
            (devices[0], (span[0] + begin, size)), (devices[1], (place + begin, size)), None
        )
