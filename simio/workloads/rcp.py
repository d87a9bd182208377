"""rcp: a file from one host to another, by one process at each end.

The programs are those of 4.3BSD (rcp.c): the source sends a line with mode, size and name, which the sink answers
with a byte; then it reads a buffer and writes it to the connection, again and again; the sink fills a buffer from the
connection and writes it to the file. A byte from the source, one from the sink, and the next file's turn comes, or
the command ends.
"""

from __future__ import annotations

from pydantic import Field

from simio.components.files.placed import OffsetDevice
from simio.components.files.received import ReceivedFile, SentFile
from simio.components.network.demand import declare
from simio.components.network.tcp import Endpoint
from simio.components.site import Site
from simio.description.model import Workload
from simio.description.quantities import Count, Extent, Time
from simio.workloads import register_workload
from simio.workloads.common.copying import RemoteCopy, check_cached, extents, fill, grain, mounted, storage
from simio.workloads.common.sockets import start

LINE = 24
"""Bytes of the line that announces a file: C0644, a size of up to ten digits, a short name and a newline."""


class Rcp(RemoteCopy):
    """rcp from the host that has the file; measured over the whole command."""

    buffer: Extent = Field(8192, description="bytes a read and a write of either program")
    setup: Time = Field(
        description="time until the other host's rcp runs: rcmd, validation of the user, forks of rshd and a shell"
    )
    files: Count = Field(1, description="files, all of `file` bytes, copied one after another (rcp -r)")


@register_workload("rcp", Rcp)
def rcp(site: Site, workload: Workload[Rcp]) -> None:
    """The command takes `setup`, then copies; delivered is what the sink has written."""
    p, params, name = site.p, workload.params, workload.name
    devices = [
        storage(site, workload, host, where)
        for host, where in ((params.from_, params.from_storage), (params.to, params.to_storage))
    ]
    names = [f"{name}: source on {params.from_}", f"{name}: sink on {params.to}"]
    check_cached(site, workload, devices[0], params.files)
    strides = [
        extents(site, workload, device, host, params.files)
        for device, host in zip(devices, (params.from_, params.to), strict=True)
    ]
    source, sink = site.sockets.connection(params, name, (params.buffer, params.buffer), params.aligned)
    begun = p.observation(f"{name}: begun", "begun", "bytes")
    delivered = site.delivered
    with p.thread(names[0]):
        start(p, name, workload.params.start_within)
        p.mark(begun, 0)
        p.mark(delivered, 0)
        p.advance(params.setup)
        source.connect()
        fill(p, source, 1)
        base = p.register(0)
        place = OffsetDevice(p, devices[0], base, strides[0])
        read = SentFile(mounted(site, workload, params.from_, place), names[0], (0, params.file), sequential=True)
        read.open()
        with p.loop(params.files):
            source.write(LINE)
            fill(p, source, 1)
            _send(site, workload, read, (source, sink))
            source.write(1)
            fill(p, source, 1)
            base.set(base + strides[0])
        source.close()
        # The command ends now, though its last bytes were written some time before.
        p.mark(delivered, 0)
    with p.thread(names[1]):
        sink.accept()
        sink.write(1)
        base = p.register(0)
        place = OffsetDevice(p, devices[1], base, strides[1])
        written = ReceivedFile(mounted(site, workload, params.to, place), names[1], (0, params.file))
        written.open()
        with p.loop(params.files):
            fill(p, sink, LINE)
            sink.write(1)
            written.begin()
            for amount in p.pieces(params.file, params.buffer):
                fill(p, sink, amount)
                written.write_whole(amount)
                p.mark(delivered, amount)
            written.flush_rest()
            fill(p, sink, 1)
            sink.write(1)
            base.set(base + strides[1])


def _send(site: Site, workload: Workload[Rcp], file: SentFile, ends: tuple[Endpoint, Endpoint]) -> None:
    """The source's loop: read a buffer, write it."""
    p, params = site.p, workload.params
    with p.scope():
        at = p.register(file.start)
        file.rewind()
        for amount in p.pieces(params.file, params.buffer):
            file.read(at, amount, grain(file.start, params.buffer), copy=True, cached=params.cached)
            declare(*ends, amount)
            ends[0].write(amount)
            at.set(at + amount)
