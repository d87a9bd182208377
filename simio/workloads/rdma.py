"""Messages over queue pairs: RDMA WRITE, READ, or SEND, from memory to memory."""

from __future__ import annotations

from fractions import Fraction
from math import floor
from typing import Annotated, Literal

from pydantic import Field

from simio.components.network.rdma.pair import End, queue_pair
from simio.components.site import Site
from simio.description.model import Workload
from simio.description.quantities import Count, Extent, Flag
from simio.description.workloads import HostName, WorkloadParams
from simio.errors import RunError
from simio.machines.rdma.layout import BASE, READ, REQUESTS, SEND, WRITE
from simio.workloads import register_workload

VERBS = {"write": WRITE, "read": READ, "send": SEND}
ENDLESS = 2**31 - 1
"""Messages of a program without an end of its own."""


class Rdma(WorkloadParams):
    """Messages over queue pairs of RDMA, several outstanding on each, by programs that poll for completions."""

    routes = (("from_", "to"),)
    network = True

    from_: HostName = Field(alias="from", description="host whose program posts the requests")
    to: HostName = Field(description="host whose memory they write or read, or that receives messages")
    verb: Literal["write", "read", "send"] = Field("write", description="operation of a request")
    size: Extent = Field(description="bytes a message")
    depth: Annotated[Count, Field(le=REQUESTS)] = Field(1, description="requests outstanding on a queue pair")
    pairs: Annotated[Count, Field(le=1024)] = Field(1, description="queue pairs")
    messages: Count | None = Field(
        None, description="messages of each place of the depth; none: until the run's time is over"
    )
    registered: Flag = Field(
        True, description="whether memory is registered before; false: for each message, by the program"
    )


@register_workload("rdma", Rdma)
def rdma(site: Site, workload: Workload[Rdma]) -> None:
    """`depth` requests outstanding on each queue pair, one after another.

    Raises RunError for requests that never end.
    """
    p, params, name = site.p, workload.params, workload.name
    if params.messages is None and site.system.run.until is None:
        raise RunError(f"workload {name!r} never ends; give it messages, or say how long to run: until")
    took = p.observation(f"{name}: message", "latency", "ps")
    for number in range(params.pairs):
        own = f"{name} {number + 1}" if params.pairs > 1 else name
        near, far = queue_pair(site.rdma, own, (params.from_, params.to))
        if params.verb == "send":
            with p.thread(f"{own}: receiver on {params.to}", daemon=True), p.forever():
                p.get(far.received, 1)
                far.poll()
        with p.thread(f"{own}: requests on {params.from_}", params.depth), p.loop(params.messages or ENDLESS):
            _declare(near if params.verb != "read" else far, params.size)
            with p.timed(took):
                _message(near, params)
            p.mark(site.delivered, params.size)


def _declare(sender: End, size: int) -> None:
    """The certain demand of a message on the wires from its sender, for the bound; no step."""
    for wire in sender.path.wires:
        byte = Fraction(wire.time(sender.mtu + BASE), sender.mtu)
        sender.p.demand(wire.wire, floor(size * byte))


def _message(near: End, params: Rdma) -> None:
    if not params.registered:
        near.register(params.size)
    near.spend()
    near.post(VERBS[params.verb], params.size)
    near.p.get(near.fetched if params.verb == "read" else near.done, 1)
    near.poll()
