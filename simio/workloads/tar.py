"""tar to another host: many files, read one after another, as one stream that is written to one file there.

The command is `tar cf - files | rsh host dd of=archive`: tar writes a header and the file, padded to blocks, for each
file, and two blocks of zeros at the end (POSIX.1-1990, section 10.1.1), all in records; rsh's process on the other
host fills a record from the connection and writes it. No file is answered by itself.
"""

from __future__ import annotations

from pydantic import Field, model_validator

from simio import units
from simio.components.files.placed import OffsetDevice
from simio.components.files.received import ReceivedFile, SentFile
from simio.components.network.demand import declare
from simio.components.network.tcp import Endpoint
from simio.components.site import Site
from simio.description.model import Workload
from simio.description.quantities import Count, Extent, Time, refusal
from simio.program.builder import Register
from simio.workloads import register_workload
from simio.workloads.common.copying import RemoteCopy, check_cached, extents, fill, mounted, storage
from simio.workloads.common.room import check_room
from simio.workloads.common.sockets import start

BLOCK = 512
"""Bytes of a block of an archive: a header is one, and the data of a file are padded to whole ones."""


class Tar(RemoteCopy):
    """tar of many files to one archive on another host, through rsh; measured over the whole command.

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


@register_workload("tar", Tar)
def tar(site: Site, workload: Workload[Tar]) -> None:
    """The command takes `setup`, then sends the archive; written bytes count."""
    p, params, name = site.p, workload.params, workload.name
    names = [f"{name}: tar on {params.from_}", f"{name}: dd on {params.to}"]
    target = storage(site, workload, params.to, params.to_storage)
    records = archive(params.file, params.files, params.record)
    size = records * params.record
    check_room(workload, target, size)
    written = ReceivedFile(mounted(site, workload, params.to, target), names[1], (0, size))
    ends = site.sockets.connection(params, name, (params.record,) * 2, params.aligned)
    begun = p.observation(f"{name}: begun", "begun", "bytes")
    with p.thread(names[0]):
        start(p, name, workload.params.start_within)
        p.mark(begun, 0)
        p.mark(site.delivered, 0)
        p.advance(params.setup)
        ends[0].connect()
        _send(site, workload, names[0], ends[0], records)
        ends[0].close()
    with p.thread(names[1]):
        ends[1].accept()
        written.open()
        with p.loop(records):
            # Here, not where tar writes records: how often it does so by one step or the other is not known before.
            declare(*ends, params.record)
            fill(p, ends[1], params.record)
            written.write_whole(params.record)
            p.mark(site.delivered, params.record)
        written.flush_rest()


def archive(file: int, files: int, record: int) -> int:
    """Records of an archive of `files` files of `file` bytes."""
    return -(-(files * member(file) + 2 * BLOCK) // record)


def member(file: int) -> int:
    """Bytes of a file in an archive: its header, and its data in whole blocks."""
    return BLOCK + -(-file // BLOCK) * BLOCK


def _send(site: Site, workload: Workload[Tar], name: str, socket: Endpoint, records: int) -> None:
    """tar: each file into the record at hand, which goes to the connection when it is full."""
    p, params = site.p, workload.params
    device = storage(site, workload, params.from_, params.from_storage)
    stride = extents(site, workload, device, params.from_, params.files)
    check_cached(site, workload, device, params.files)
    filled, base = p.register(0), p.register(0)
    mount = mounted(site, workload, params.from_, OffsetDevice(p, device, base, stride))
    file = SentFile(mount, name, (0, params.file), sequential=True)
    file.open()

    def gather(amount: int) -> None:
        filled.set(filled + amount)
        with p.while_(filled >= params.record):
            socket.write(params.record)
            filled.set(filled - params.record)

    with p.loop(params.files):
        gather(BLOCK)
        file.rewind()
        at: Register = p.register(0)
        for amount in p.pieces(params.file, params.record):
            file.read(at, amount, params.record, copy=True, cached=params.cached)
            at.set(at + amount)
            gather(-(-amount // BLOCK) * BLOCK)
        base.set(base + stride)
    with p.loop(records - params.files * member(params.file) // params.record):
        socket.write(params.record)
