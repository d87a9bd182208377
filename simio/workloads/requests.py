"""Request and response over TCP: a client asks, a server answers, and then the client asks again."""

from __future__ import annotations

from pydantic import Field, model_validator

from simio.components.site import Site
from simio.description.arrivals import Arrivals, check_think
from simio.description.model import Workload
from simio.description.quantities import Count, Extent, Time
from simio.workloads import register_workload
from simio.workloads.common.arrivals import ArrivalProcess
from simio.workloads.common.sockets import SocketParams, Streams, exactly


class Requests(SocketParams):
    """Requests over a TCP connection, each answered before the next: a transaction a round trip."""

    request: Extent = Field(description="bytes of a request")
    response: Extent = Field(description="bytes of a response")
    count: Count = Field(description="requests a connection")
    arrivals: Arrivals | None = Field(
        None, description="when requests arrive, at each connection its share; none: one after another"
    )
    think: Time = Field(0, description="mean of an exponential pause between requests; 0 s for none")
    streams: Streams = Field(1, description="connections at once, each with a process at both ends")

    @model_validator(mode="after")
    def _arrivals_are_all(self) -> Requests:
        check_think(self.arrivals, self.think)
        return self


@register_workload("requests", Requests)
def requests(site: Site, workload: Workload[Requests]) -> None:
    """`streams` connections with `count` transactions each; the bytes of requests and responses count."""
    p, params, name = site.p, workload.params, workload.name
    took = p.observation(f"{name}: transaction", "latency", "ps")
    pause = p.exponential(f"{name} think", params.think) if params.think else None
    if params.arrivals:
        p.load(name, took, params.arrivals.mean)
    for own in site.streams(name, params.streams):
        arrivals = ArrivalProcess(p, own, params.arrivals, params.streams) if params.arrivals else None
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
            with p.loop(params.count), p.scope():
                arrived = arrivals.wait() if arrivals else None
                with p.timed(took, arrived):
                    client.write(params.request)
                    exactly(p, client, params.response)
                p.mark(site.delivered, params.response)
                if pause:
                    rest = p.register()
                    p.draw(rest, pause)
                    p.wait(rest)
            client.close()
