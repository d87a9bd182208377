"""Messages over queue pairs: RDMA WRITE, READ, or SEND, from memory to memory."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from simio.components.network.rdma.pair import End, queue_pair
from simio.components.passage import Passage
from simio.components.site import Site
from simio.description.arrivals import Arrivals
from simio.description.model import Workload
from simio.description.quantities import Count, Extent, Flag, OptionalCount, OrNone, TrafficClass
from simio.description.workloads import HostName, WorkloadParams
from simio.machines.rdma.layout import READ, REQUESTS, SEND, WRITE
from simio.program.builder import Handle
from simio.workloads import register_workload
from simio.workloads.common.arrivals import ArrivalProcess
from simio.workloads.common.ending import check_ends
from simio.workloads.common.sockets import ENDLESS

VERBS = {"write": WRITE, "read": READ, "send": SEND}


class Rdma(WorkloadParams):
    """Messages over queue pairs of RDMA, several outstanding on each, by programs that poll for completions."""

    routes = (("from_", "to"),)
    network = True

    from_: HostName = Field(alias="from", description="host whose program posts the requests")
    to: HostName = Field(description="host whose memory they write or read, or that receives messages")
    verb: Literal["write", "read", "send"] = Field("write", description="operation of a request")
    size: Extent = Field(description="bytes a message")
    depth: Annotated[Annotated[Count, Field(le=REQUESTS)] | None, OrNone()] = Field(
        None,
        description="requests outstanding on a queue pair; none: 1, or of messages that arrive as many as it holds, "
        f"{REQUESTS}",
    )
    arrivals: Arrivals | None = Field(
        None, description="when messages arrive, over all queue pairs; none: one after another"
    )
    traffic_class: TrafficClass = Field(
        0,
        description="class of its packets both ways, 0 to 7, the most urgent, for queues with one for each "
        "(discipline `priority`)",
    )
    pairs: Annotated[Count, Field(le=1024)] = Field(1, description="queue pairs")
    messages: OptionalCount = Field(
        None,
        description="messages of each place of the depth, or with arrivals of each queue pair; none: until the "
        "run's time is over",
    )
    registered: Flag = Field(
        True, description="whether memory is registered before; false: for each message, by the program"
    )


@register_workload("rdma", Rdma)
def rdma(site: Site, workload: Workload[Rdma]) -> None:
    """`depth` requests outstanding on each queue pair, one after another or as they arrive.

    Raises RunError for requests that never end.
    """
    p, params, name = site.p, workload.params, workload.name
    check_ends(site, workload, "messages")
    took = p.observation(f"{name}: message", "latency", "ps")
    for number in range(params.pairs):
        own = f"{name} {number + 1}" if params.pairs > 1 else name
        near, far = queue_pair(site.rdma, own, (params.from_, params.to))
        if params.verb == "send":
            with p.thread(f"{own}: receiver on {params.to}", daemon=True), p.forever():
                p.get(far.received, 1)
                far.poll()
        sender = near if params.verb != "read" else far
        if params.arrivals:
            _arriving(site, own, (near, sender), params, took)
            continue
        with p.thread(f"{own}: requests on {params.from_}", params.depth or 1), p.loop(params.messages or ENDLESS):
            _declare(sender, params.size)
            with p.timed(took):
                _message(near, params)
            p.mark(site.delivered, params.size)
    if params.arrivals:
        p.load(name, took, params.arrivals.mean, count=(params.messages or 0) * params.pairs)


def _arriving(site: Site, name: str, ends: tuple[End, End], params: Rdma, took: Handle) -> None:
    """The messages that reach a queue pair, each a thread; `ends` are the one that posts and the one that sends."""
    p, (near, sender) = site.p, ends
    assert params.arrivals is not None
    arrivals = ArrivalProcess(p, name, params.arrivals, params.pairs)
    room = params.depth or REQUESTS
    slots = p.container(f"{name} slots", room, room, "requests")
    with p.thread(f"{name}: requests on {params.from_}"), p.loop(params.messages or ENDLESS), p.scope():
        arrived = arrivals.wait()
        p.get(slots, 1)
        _declare(sender, params.size)
        with p.fork("message"):
            with p.timed(took, arrived):
                _message(near, params)
            p.put(slots, 1)
            p.mark(site.delivered, params.size)


def _declare(sender: End, size: int) -> None:
    """The certain demand of a message on wires and buses from its sender, for the bound; no step."""
    Passage.of(sender.least_times()).declare(sender.p, size)


def _message(near: End, params: Rdma) -> None:
    if not params.registered:
        near.register(params.size)
    near.spend()
    near.post(VERBS[params.verb], params.size)
    near.p.get(near.fetched if params.verb == "read" else near.done, 1)
    near.poll()
