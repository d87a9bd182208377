"""rcp: a file from one host to another, by one process at each end.

The programs are those of 4.3BSD (rcp.c): the source sends a line with mode, size and name, which the sink answers
with a byte; then it reads a buffer and writes it to the connection, again and again; the sink fills a buffer from the
connection and writes it to the file. A byte from the source, one from the sink, and the command ends.
"""

from __future__ import annotations

from simio.components.network.demand import declare
from simio.components.network.tcp import Endpoint
from simio.components.received import ReceivedFile, SentFile
from simio.description.model import Workload
from simio.lower import Site
from simio.workloads.copying import check_cached, file_system, fill, grain, spans, start, storage

LINE = 24
"""Bytes of the line that announces a file: C0644, a size of up to ten digits, a short name and a newline."""


def rcp(site: Site, workload: Workload) -> None:
    """The command takes `setup`, then copies; delivered is what the sink has written."""
    p, params, name = site.p, workload.params, workload.name
    devices = [
        storage(site, workload, host, where)
        for host, where in ((params.from_, params.from_storage), (params.to, params.to_storage))
    ]
    (span,), (copy,) = (spans(workload, device, 1) for device in devices)
    kernels = [site.kernel(host) for host in (params.from_, params.to)]
    names = [f"{name}: source on {params.from_}", f"{name}: sink on {params.to}"]
    systems = [file_system(site, workload, device) for device in devices]
    check_cached(site, workload, devices[0])
    read = SentFile(p, kernels[0], systems[0], devices[0], names[0], span, sequential=True)
    written = ReceivedFile(p, kernels[1], systems[1], devices[1], names[1], copy)
    source, sink = site.sockets.connection(params, name, (params.buffer, params.buffer), params.aligned)
    begun = p.observation(f"{name}: begun", "begun", "bytes")
    delivered = site.delivered
    with p.thread(names[0]):
        start(p, workload, name)
        p.mark(begun, 0)
        p.mark(delivered, 0)
        p.advance(params.setup)
        source.connect()
        fill(p, source, 1)
        source.write(LINE)
        fill(p, source, 1)
        _send(site, workload, read, (source, sink))
        source.write(1)
        fill(p, source, 1)
        source.close()
        # The command ends now, though its last bytes were written some time before.
        p.mark(delivered, 0)
    with p.thread(names[1]):
        sink.accept()
        sink.write(1)
        fill(p, sink, LINE)
        sink.write(1)
        written.open()
        for amount in p.pieces(params.file, params.buffer):
            fill(p, sink, amount)
            written.write_whole(amount)
            p.mark(delivered, amount)
        written.flush_rest()
        fill(p, sink, 1)
        sink.write(1)


def _send(site: Site, workload: Workload, file: SentFile, ends: tuple[Endpoint, Endpoint]) -> None:
    """The source's loop: read a buffer, write it."""
    p, params = site.p, workload.params
    with p.loop(1):
        at = p.register(file.start)
        file.open()
        file.rewind()
        for amount in p.pieces(params.file, params.buffer):
            file.read(at, amount, grain(file.start, params.buffer), copy=True, cached=params.cached)
            declare(*ends, amount)
            ends[0].write(amount)
            p.let(at, "ADD", at, amount)
