"""ttcp: memory to memory over TCP, a process at each end of each connection."""

from __future__ import annotations

from simio.components.network.demand import declare
from simio.components.network.tcp import Endpoint
from simio.description.model import Workload
from simio.description.workloads.traffic import Ttcp
from simio.errors import RunError
from simio.lower import Site
from simio.machines.tcp.layout import END_OF_FILE
from simio.program.builder import Builder, Handle

ENDLESS = 2**31 - 1
"""Writes of a program that goes on until the run ends."""


def ttcp(site: Site, workload: Workload) -> None:
    """`streams` connections over each of which `writes` writes of `size` bytes go; the readers' bytes count."""
    params, name = workload.params, workload.name
    if params.writes is None and not params.background and site.system.run.until is None:
        raise RunError(f"workload {name!r} never ends; give it writes, or say how long to run: until")
    received = (
        site.p.observation(f"{name}: received", "sent", "bytes") if params.background else site.delivered
    )
    for own in site.streams(workload):
        buffers = params.size, params.read or params.size
        sender, receiver = site.sockets.connection(params, own, buffers, params.aligned)
        _receive(site, params, own, receiver, received)
        _send(site, params, own, (sender, receiver), name)


def _receive(site: Site, params: Ttcp, name: str, receiver: Endpoint, received: Handle) -> None:
    p = site.p
    with p.thread(f"{name}: receiver on {params.to}", daemon=params.background):
        receiver.accept()
        got = p.register()
        with p.until(got, ">=", END_OF_FILE):
            receiver.read(got, params.read or params.size)
            with p.when(got, "<", END_OF_FILE):
                p.mark(received, got)


def _send(site: Site, params: Ttcp, name: str, ends: tuple[Endpoint, Endpoint], whole: str) -> None:
    p, sender = site.p, ends[0]
    sent = p.observation(f"{whole}: sent", "sent", "bytes")
    with p.thread(f"{name}: sender on {params.from_}", daemon=params.background):
        sender.connect()
        if params.background:
            # No known number of writes, of which the bound would think that all have to be made.
            with p.forever():
                _write(p, sender, params, sent)
            return
        with p.loop(params.writes or ENDLESS):
            declare(*ends, params.size)
            _write(p, sender, params, sent)
        sender.close()


def _write(p: Builder, sender: Endpoint, params: Ttcp, sent: Handle) -> None:
    sender.write(params.size)
    p.mark(sent, params.size)
