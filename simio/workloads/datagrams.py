"""Datagrams over UDP: one process sends them, another reads them, and what is dropped is gone."""

from __future__ import annotations

from functools import partial

from pydantic import Field, model_validator

from simio import units
from simio.components.host.host import PROCESS
from simio.components.network.sockets import SERVER_PORT
from simio.components.network.udp import UdpFlow, UdpSocket, check_size
from simio.components.site import Site
from simio.description.arrivals import Arrivals
from simio.description.model import Workload
from simio.description.quantities import Count, Extent, Time, refusal
from simio.program.builder import since
from simio.workloads import register_workload
from simio.workloads.common.arrivals import ArrivalProcess
from simio.workloads.common.sockets import NetworkParams, Streams


class Datagrams(NetworkParams):
    """Datagrams over UDP, sent as fast as the host can or at a rate, and read by a program at the other end."""

    size: Extent = Field(description="bytes of data a datagram")
    count: Count = Field(description="datagrams a stream")
    period: Time = Field(0, description="time between datagrams of a stream; 0 s: as fast as the host can")
    arrivals: Arrivals | None = Field(
        None, description="when there is a datagram to send, for each stream its share; none: by the period"
    )
    streams: Streams = Field(1, description="sockets at once, each with a process at both ends")

    @model_validator(mode="after")
    def _arrivals_are_all(self) -> Datagrams:
        if self.arrivals and self.period:
            found = units.format_quantity(self.period, "time")
            raise refusal(f"{found}, with arrivals", "0 s", "datagrams that arrive have no period", "period")
        return self


@register_workload("datagrams", Datagrams)
def datagrams(site: Site, workload: Workload[Datagrams]) -> None:
    """`streams` senders with `count` datagrams of `size` bytes each, as they arrive, `period` apart or at once.

    One that has arrived carries the instant of that, so that the reader knows how long it took.
    """
    p, params, name = site.p, workload.params, workload.name
    stacks = site.sockets.stack(params.from_), site.sockets.stack(params.to)
    path = site.network.path(params.from_, params.to)
    check_size(name, stacks[0], params.size)
    sent = p.observation(f"{name}: sent", "sent", "bytes")
    took = p.observation(f"{name}: datagram", "latency", "ps") if params.arrivals else None
    if params.arrivals and took:
        p.load(name, took, params.arrivals.mean, lossy=True)
    for own in site.streams(name, params.streams):
        arrivals = ArrivalProcess(p, own, params.arrivals, params.streams) if params.arrivals else None
        socket = UdpSocket(stacks[1], f"{own} at {params.to}", stacks[1].sheet.datagram_receive_space)
        read = p.container(f"{own} read", unit="datagrams")
        flow = UdpFlow(own, stacks, path, partial(socket.arrive_to_be_read, read), (site.sockets.port(), SERVER_PORT))
        with p.thread(f"{own}: receiver on {params.to}", daemon=True), p.forever():
            length, word = p.register(), p.register()
            stacks[1].call()
            socket.receive(length, word)
            stacks[1].move(length, params.size, False)
            p.mark(site.delivered, length)
            if took:
                p.mark(took, since(word))
            p.put(read, 1)
        with p.thread(f"{own}: sender on {params.from_}"), p.loop(params.count):
            begun, size = arrivals.wait() if arrivals else p.now(), p.register(params.size)
            p.promise(params.size)
            stacks[0].call()
            stacks[0].move(size, params.size, False)
            flow.send(size, begun if arrivals else 0, PROCESS)
            p.mark(sent, params.size)
            if params.period:
                p.wait_until(begun + params.period)
