"""Copies within a host: cp and dd, one process that reads a buffer and writes it."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field, model_validator

from simio import units
from simio.components.files.received import ReceivedFile, SentFile
from simio.components.site import Site
from simio.description.model import Workload
from simio.description.quantities import Extent, refusal
from simio.description.workloads import HostName, Storage, WorkloadParams
from simio.workloads import register_workload
from simio.workloads.common.copying import check_raw, grain, mounted, spans, storage


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


@register_workload("copy", Copy)
def copy(site: Site, workload: Workload[Copy]) -> None:
    """The file lies at the beginning of its device, the copy at that of its own, or behind the file.

    Delivered is what was written: by write() into the cache, or by a raw device that is done.
    """
    p, params, name = site.p, workload.params, workload.name
    source, target = (storage(site, workload, params.host, where) for where in (params.from_, params.to))
    ((start, size),) = spans(workload, source, 1)
    ((place, _),) = spans(workload, target, 1, size if source.name == target.name else 0)
    kernel, own, block = site.kernel(params.host), f"{name} on {params.host}", params.buffer
    begun = p.observation(f"{name}: begun", "begun", "bytes")
    if params.access == "raw":
        check_raw(workload, source)
        check_raw(workload, target)
        with p.thread(own):
            p.mark(begun, 0)
            at, to = p.register(start), p.register(place)
            for amount in p.pieces(size, block):
                kernel.read_unbuffered(source, at, amount, grain(start, block))
                kernel.write_unbuffered(target, to, amount, grain(place, block))
                p.mark(site.delivered, amount)
                at.set(at + amount)
                to.set(to + amount)
        return
    mounts = [mounted(site, workload, params.host, device) for device in (source, target)]
    read = SentFile(mounts[0], f"{own} read", (start, size), sequential=True)
    written = ReceivedFile(mounts[1], f"{own} write", (place, size))
    with p.thread(own):
        p.mark(begun, 0)
        at = p.register(start)
        read.open()
        read.rewind()
        written.open()
        for amount in p.pieces(size, block):
            read.read(at, amount, grain(start, block), copy=True)
            written.write_whole(amount)
            p.mark(site.delivered, amount)
            at.set(at + amount)
        written.flush_rest()
