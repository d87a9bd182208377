"""Datagrams over UDP: one process sends them, another reads them, and dropped ones are lost."""

from __future__ import annotations

from functools import partial
from typing import Annotated

from pydantic import Field, model_validator

from simio import units
from simio.components.host.host import PROCESS
from simio.components.network.beside import tell_of_cut
from simio.components.network.demand import declare_datagrams
from simio.components.network.path import NetworkPath
from simio.components.network.sockets import SERVER_PORT
from simio.components.network.stack import IP_HEADER, UDP_HEADER
from simio.components.network.udp import MOST, UdpFlow, check_size
from simio.components.site import Site
from simio.description.arrivals import Arrivals
from simio.description.model import Workload
from simio.description.quantities import Count, Extent, Flag, OptionalWhole, Time, refusal
from simio.errors import RunError
from simio.program.builder import Handle, Register, since
from simio.program.roles import PERIOD_PAUSE
from simio.workloads import register_workload
from simio.workloads.common.arrivals import ArrivalProcess
from simio.workloads.common.sockets import NetworkParams, Streams

MOST_SEGMENTS = 64
"""Datagrams that a program can hand down at once (Linux include/linux/udp.h, UDP_MAX_SEGMENTS)."""


class Datagrams(NetworkParams):
    """Datagrams over UDP, sent as fast as the host can or at a rate, and read by a program at the other end."""

    size: Extent = Field(description="bytes of data a datagram")
    count: Count = Field(description="datagrams a stream")
    period: Time = Field(0, description="time between datagrams of a stream; 0 s: as fast as the host can")
    arrivals: Arrivals | None = Field(
        None, description="when there is a datagram to send, for each stream its share; none: by the period"
    )
    batch: Annotated[Count, Field(le=MOST_SEGMENTS)] = Field(
        1,
        description="datagrams of a call, which go down as one buffer (UDP_SEGMENT), where adapters have queues; "
        "arrivals and the period are those of calls",
    )
    gro: Flag = Field(
        False,
        description="whether datagrams of a stream in one poll are one buffer, for one call (UDP_GRO), if "
        "adapters have queues",
    )
    core: OptionalWhole = Field(
        None, description="core of the programs at both ends, where adapters have queues; none: one after another"
    )
    queue: OptionalWhole = Field(
        None, description="core whose queue has the packets, where adapters steer by a hash; none: as that falls"
    )
    streams: Streams = Field(1, description="sockets at once, each with a process at both ends")

    @property
    def slower(self) -> str:
        """See `WorkloadParams.slower`."""
        if self.arrivals or self.period:
            return ""
        return (
            "nothing slows a sender of datagrams down but what its host takes for each, and they wait for the link: "
            "give it a period or arrivals, or its host a stack with costs"
        )

    @model_validator(mode="after")
    def _arrivals_are_all(self) -> Datagrams:
        if self.arrivals and self.period:
            found = units.format_quantity(self.period, "time")
            raise refusal(f"{found}, with arrivals", "0 s", "datagrams that arrive have no period", "period")
        return self

    @model_validator(mode="after")
    def _calls_are_whole(self) -> Datagrams:
        if self.count % self.batch:
            raise refusal(str(self.batch), f"a divisor of count, {self.count}", field="batch")
        return self


@register_workload("datagrams", Datagrams)
def datagrams(site: Site, workload: Workload[Datagrams]) -> None:
    """`streams` senders with `count` datagrams of `size` bytes each, as they arrive, `period` apart or at once.

    One that has arrived carries the instant of that, so that the reader knows how long it took.
    Raises RunError for datagrams or batches that are too large.
    """
    p, params, name = site.p, workload.params, workload.name
    path, back = site.network.path(params.from_, params.to), site.network.path(params.to, params.from_)
    _check_sizes(site, workload, path)
    tell_of_cut(p, name, params.size, path)
    sent = p.observation(f"{name}: sent", "sent", "bytes")
    took = p.observation(f"{name}: datagram", "latency", "ps") if params.arrivals else None
    if params.arrivals and took:
        p.load(name, took, params.arrivals.mean * params.batch, lossy=True)
    # Fragments come by more than one packet, whose sizes are not alike.
    alone = len(site.system.workloads) == 1 and params.size + IP_HEADER + UDP_HEADER <= path.mtu
    for number, own in enumerate(site.streams(name, params.streams)):
        wish = params.core, params.queue
        stacks = (
            site.sockets.seated(params.from_, path, number, wish, params.size),
            site.sockets.seated(params.to, back, number, wish, params.size, params.gro),
        )
        arrivals = ArrivalProcess(p, own, params.arrivals, params.streams) if params.arrivals else None
        socket = stacks[1].socket(f"{own} at {params.to}", stacks[1].sheet.datagram_receive_space)
        read = p.container(f"{own} read", unit="datagrams")
        arrive, ports = partial(socket.arrive_to_be_read, read), (site.sockets.port(), SERVER_PORT)
        space = stacks[0].datagram_buffer
        # A batch needs room for all of its datagrams.
        space = max(space, params.batch * (params.size + UDP_HEADER)) if space else None
        flow = UdpFlow(own, stacks, path, arrive, ports, space)

        def received(length: Register, word: Register, read: Handle = read) -> None:
            p.mark(site.delivered, length)
            if took:
                p.mark(took, since(word))
            p.put(read, 1)

        with p.thread(f"{own}: receiver on {params.to}", daemon=True), p.forever():
            socket.read(params.size, received)
        with p.thread(f"{own}: sender on {params.from_}"), p.loop(params.count // params.batch):
            whole = params.size * params.batch
            begun, size = arrivals.wait() if arrivals else p.now(), p.register(whole)
            p.promise(whole)
            if alone:
                declare_datagrams(p, flow.path, params.size, IP_HEADER + UDP_HEADER, params.batch, params.count)
            stacks[0].call()
            stacks[0].move(size, whole, False)
            word = begun if arrivals else 0
            if params.batch == 1:
                flow.send(size, word, PROCESS)
            else:
                flow.send_many(params.batch, params.size, word)
            p.mark(sent, whole)
            if params.period:
                with p.when(begun + params.period > p.now()):
                    p.rest(begun + params.period - p.now(), PERIOD_PAUSE)


def _check_sizes(site: Site, workload: Workload[Datagrams], path: NetworkPath) -> None:
    """Raise RunError for datagrams that the sender's stack or one call does not take."""
    params, name = workload.params, workload.name
    check_size(name, site.sockets.stack(params.from_), params.size)
    if (params.batch > 1 or params.gro) and params.size + IP_HEADER + UDP_HEADER > path.mtu:
        raise RunError(
            f"workload {name!r}: datagrams of {params.size} bytes go in fragments; with batch or gro, the most is"
            f" {path.mtu - IP_HEADER - UDP_HEADER} bytes",
            ".size",
        )
    if params.batch * params.size > MOST:
        raise RunError(
            f"workload {name!r}: a batch of {params.batch * params.size} bytes is more than {MOST}", ".batch"
        )
