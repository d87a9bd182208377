"""Copies within a host: cp and dd, one process that reads a buffer and writes it."""

from __future__ import annotations

from simio.components.files.received import ReceivedFile, SentFile
from simio.components.site import Site
from simio.description.model import Workload
from simio.workloads.copying import check_raw, file_system, grain, spans, storage


def copy(site: Site, workload: Workload) -> None:
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
    systems = [file_system(site, workload, device) for device in (source, target)]
    read = SentFile(p, kernel, systems[0], source, f"{own} read", (start, size), sequential=True)
    written = ReceivedFile(p, kernel, systems[1], target, f"{own} write", (place, size))
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
