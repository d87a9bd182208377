"""ttcp: memory to memory over TCP, a process at each end of each connection."""

from __future__ import annotations

from simio.components.network.demand import declare
from simio.description.model import Workload
from simio.lower import Site
from simio.machines.tcp.layout import END_OF_FILE


def ttcp(site: Site, workload: Workload) -> None:
    """`streams` connections over each of which `writes` writes of `size` bytes go; the readers' bytes count."""
    p, params, name = site.p, workload.params, workload.name
    read = params.read or params.size
    sent = p.observation(f"{name}: sent", "sent", "bytes")
    aligned = params.aligned
    for number in range(params.streams):
        own = name if params.streams == 1 else f"{name} {number + 1}"
        sender, receiver = site.sockets.connection(params, own, (params.size, read), aligned)
        with p.thread(f"{own}: receiver on {params.to}"):
            receiver.accept()
            got = p.register()
            with p.until(got, ">=", END_OF_FILE):
                receiver.read(got, read)
                with p.when(got, "<", END_OF_FILE):
                    p.mark(site.delivered, got)
        with p.thread(f"{own}: sender on {params.from_}"):
            sender.connect()
            with p.loop(params.writes):
                declare(sender, receiver, params.size)
                sender.write(params.size)
                p.mark(sent, params.size)
            sender.close()
