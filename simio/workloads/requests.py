"""Request and response over TCP or UDP: a client asks, a server answers, and then the client asks again."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field, model_validator

from simio.components.site import Site
from simio.description.arrivals import Arrivals, check_think
from simio.description.model import Workload
from simio.description.quantities import (
    Count,
    Duration,
    Extent,
    Limit,
    OptionalCount,
    OptionalWhole,
    Time,
    Values,
    refusal,
)
from simio.workloads import register_workload
from simio.workloads.common.arrivals import ArrivalProcess, declare_load, pause
from simio.workloads.common.sockets import SocketParams, Streams, exactly


class RequestStep(Values):
    """A request of a transaction and its response."""

    request: Extent = Field(description="bytes of the request")
    response: Extent = Field(description="bytes of the response")
    work: Time = Field(0, description="CPU time of the server's program, on a CPU of its kernel's reference_clock")


MOST_STEPS = 64


class Requests(SocketParams):
    """Transactions over a connection: a request and its response, or several, each answered before the next."""

    users: ClassVar[str | None] = "streams"

    request: Limit = Field(None, description="bytes of a request; none: there are steps")
    response: Limit = Field(None, description="bytes of a response; none: there are steps")
    steps: Annotated[tuple[RequestStep, ...], Field(max_length=MOST_STEPS)] = Field(
        (), description="requests of a transaction, one after another; none: one of request and response"
    )
    count: Count = Field(description="transactions a connection")
    arrivals: Arrivals | None = Field(
        None, description="when requests arrive, at each connection its share; none: one after another"
    )
    think: Time = Field(0, description="mean of an exponential pause between requests; 0 s for none")
    streams: Streams = Field(
        1,
        description="connections at once, each with a process at both ends; over udp, clients with one request each",
    )
    transport: Literal["tcp", "udp"] = Field("tcp", description="how requests and responses travel")
    servers: OptionalCount = Field(
        None,
        description="udp: programs at either end, each with a socket of its own, whose clients take them in turn; "
        "none: one for each of the streams",
    )
    timeout: Duration = Field(
        10**12, description="udp: time after which a request without a response is sent again; doubles each time"
    )
    core: OptionalWhole = Field(
        None, description="core of the programs at both ends, where adapters have queues; none: one after another"
    )
    queue: OptionalWhole = Field(
        None, description="core whose queue has the packets, where adapters steer by a hash; none: as that falls"
    )

    @model_validator(mode="after")
    def _arrivals_are_all(self) -> Requests:
        check_think(self.arrivals, self.think)
        for key in ("request", "response"):
            if self.steps and getattr(self, key) is not None:
                raise refusal(f"{key}, with steps", "none", "steps have a request and a response each", key)
            if not self.steps and getattr(self, key) is None:
                raise refusal("nothing", "a size such as '1 KiB', or steps", field=key)
        return self

    @model_validator(mode="after")
    def _transport_has_it(self) -> Requests:
        other = {"timeout", "servers"} if self.transport == "tcp" else {"window", "nodelay"}
        for key in sorted(self.model_fields_set & other):
            raise refusal(f"{key}, over {self.transport}", "none", field=key)
        if self.transport == "udp" and len(self.exchanges) > 1:
            raise refusal(f"{len(self.exchanges)} steps, over udp", "one", field="steps")
        if self.servers and self.servers > self.streams:
            raise refusal(str(self.servers), f"at most one for each of the streams, {self.streams}", field="servers")
        return self

    @property
    def exchanges(self) -> tuple[RequestStep, ...]:
        """The requests of a transaction."""
        if self.request is None or self.response is None:
            return self.steps
        return (RequestStep.model_construct(request=self.request, response=self.response, work=0),)


@register_workload("requests", Requests)
def requests(site: Site, workload: Workload[Requests]) -> None:
    """`streams` connections with `count` transactions each; the bytes of requests and responses count."""
    exchanges = workload.params.exchanges
    largest = max(step.response for step in exchanges), max(step.request for step in exchanges)
    p, params, name = site.p, workload.params, workload.name
    took = p.observation(f"{name}: transaction", "latency", "ps")
    think = p.exponential(f"{name} think", params.think) if params.think else None
    declare_load(p, name, took, params, params.streams, params.count * params.streams)
    if params.transport == "udp":
        from simio.workloads.common.questions import Questions

        Questions(site, workload, exchanges[0], took, think).emit()
        return
    for own in site.streams(name, params.streams):
        arrivals = ArrivalProcess(p, own, params.arrivals, params.streams) if params.arrivals else None
        client, server = site.sockets.connection(params, own, largest, True, wish=(params.core, params.queue))
        with p.thread(f"{own}: server on {params.to}"):
            server.accept()
            with p.loop(params.count):
                for step in exchanges:
                    exactly(p, server, step.request)
                    p.mark(site.delivered, step.request)
                    if step.work:
                        server.work(step.work)
                    server.write(step.response)
            server.close()
        with p.thread(f"{own}: client on {params.from_}"):
            client.connect()
            with p.loop(params.count), p.scope():
                arrived = arrivals.wait() if arrivals else None
                with p.timed(took, arrived):
                    for number, step in enumerate(exchanges):
                        client.write(step.request)
                        exactly(p, client, step.response)
                        if number + 1 < len(exchanges):
                            p.mark(site.delivered, step.response)
                p.mark(site.delivered, exchanges[-1].response)
                pause(p, think)
            client.close()
