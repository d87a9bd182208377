"""Request and response over TCP: a client asks, a server answers, and then the client asks again."""

from __future__ import annotations

from simio.components.network.tcp import Endpoint
from simio.components.site import Site
from simio.description.model import Workload
from simio.machines.tcp.layout import END_OF_FILE
from simio.program.builder import Builder


def requests(site: Site, workload: Workload) -> None:
    """`streams` connections with `count` transactions each; the bytes of requests and responses count."""
    p, params, name = site.p, workload.params, workload.name
    took = p.observation(f"{name}: transaction", "latency", "ps")
    pause = p.exponential(f"{name} think", params.think) if params.think else None
    for own in site.streams(workload):
        client, server = site.sockets.connection(params, own, (params.response, params.request), True)
        with p.thread(f"{own}: server on {params.to}"):
            server.accept()
            with p.loop(params.count):
                exactly(p, server, params.request)
                p.mark(site.delivered, params.request)
                server.write(params.response)
            server.close()
        with p.thread(f"{own}: client on {params.from_}"):
            client.connect()
            with p.loop(params.count):
                with p.timed(took):
                    client.write(params.request)
                    exactly(p, client, params.response)
                p.mark(site.delivered, params.response)
                if pause:
                    rest = p.register()
                    p.draw(rest, pause)
                    p.wait(rest)
            client.close()


def exactly(p: Builder, end: Endpoint, size: int) -> None:
    """Read until `size` bytes are there, or the other end has closed."""
    with p.scope():
        got, have = p.register(), p.register(0)
        with p.until(have >= size):
            end.read(got, size)
            have.set(have + got)
            with p.when(got // END_OF_FILE > 0):
                have.set(END_OF_FILE)
