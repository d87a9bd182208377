"""iperf3: one or several streams of TCP or of UDP from memory to memory, as `iperf3 -c` sends them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Annotated, Literal

from pydantic import Field, model_validator

from simio.components.host.host import PROCESS
from simio.components.network.beside import tell_of_cut
from simio.components.network.demand import declare
from simio.components.network.sockets import SERVER_PORT
from simio.components.network.stack import TIMESTAMPS
from simio.components.network.tcp import Endpoint
from simio.components.network.udp import UdpFlow, UdpSocket, check_size
from simio.components.site import Site
from simio.description.model import Workload
from simio.description.quantities import Count, Duration, Flag, Limit, OptionalRate, refusal
from simio.formats.iperf3.command import BLOCK
from simio.machines.tcp import connection
from simio.machines.tcp.layout import END_OF_FILE
from simio.program.builder import Builder, since
from simio.program.roles import RATE_PAUSE, RECEIVER
from simio.program.service import SECOND
from simio.workloads import register_workload
from simio.workloads.common.ending import check_ends
from simio.workloads.common.sockets import ENDLESS, SocketParams


class Iperf3Streams(SocketParams):
    """iperf3: streams from memory to memory, as fast as it goes or at a rate."""

    protocol: Literal["tcp", "udp"] = Field("tcp", description="transport of the streams; -u is udp")
    streams: Annotated[Count, Field(le=128)] = Field(1, description="streams at once, each with a thread; -P")
    length: Limit = Field(None, description="bytes a write; none: 128 KiB, over UDP the payload of a packet; -l")
    total: Limit = Field(None, description="bytes of all streams together, in whole writes; none: without end; -n")
    rate: OptionalRate = Field(None, description="rate of each stream; none: as fast as it goes; -b")
    pacing: Duration = Field(10**9, description="period of the timer that a rate is kept by; --pacing-timer")
    mss: Limit = Field(None, description="largest segment, options included; none: as the MTU allows; -M")
    zerocopy: Flag = Field(False, description="whether sendfile() sends, without a copy; -Z")

    @model_validator(mode="after")
    def _udp_has_no_connection(self) -> Iperf3Streams:
        if self.protocol == "udp":
            for key, given in (("mss", self.mss), ("zerocopy", self.zerocopy), ("nodelay", self.nodelay)):
                if given:
                    raise refusal(str(given), "none with protocol: udp", "it is of TCP", field=key)
        return self

    def writes(self, length: int) -> int | None:
        """Writes of each stream; None without end."""
        return None if self.total is None else -(-self.total // (self.streams * length))


@register_workload("iperf3", Iperf3Streams)
def iperf3(site: Site, workload: Workload[Iperf3Streams]) -> None:
    """`streams` streams, each read by a thread at the other end; bytes read count.

    Raises RunError for one that never ends.
    """
    params, name = workload.params, workload.name
    check_ends(site, workload, "total")
    emit = _tcp if params.protocol == "tcp" else _udp
    for number in range(params.streams):
        emit(site, params, name if params.streams == 1 else f"{name} {number + 1}", name)


def _tcp(site: Site, params: Iperf3Streams, own: str, whole: str) -> None:
    p, length = site.p, params.length or BLOCK
    ends = sender, receiver = site.sockets.connection(params, own, (length, length), True, params.mss)
    received, sent = site.stream(f"{own}: received"), p.observation(f"{own}: sent", "sent", "bytes")
    with p.thread(f"{own}{RECEIVER}{params.to}"):
        receiver.accept()
        got = p.register()
        with p.until(got >= END_OF_FILE):
            receiver.read(got, length)
            with p.when(got < END_OF_FILE):
                p.mark(received, got)
    with p.thread(f"{own}: sender on {params.from_}"):
        sender.connect()

        def write() -> None:
            declare(*ends, length)
            sender.write(length, not params.zerocopy)
            p.mark(sent, length)
            _round_trip(p, sender, own, whole)

        _paced(p, own, params, length, write)
        sender.close()


def _round_trip(p: Builder, sender: Endpoint, own: str, whole: str) -> None:
    """Record the round trip that TCP has smoothed, as tcp_info has it, of the stream and of all."""
    with p.scope():
        found = p.answer(connection.round_trip, sender.state)
        with p.when(found > 0):
            for name in dict.fromkeys((own, whole)):
                p.mark(p.observation(f"{name}: round trip", "time", "ps"), found)


def _udp(site: Site, params: Iperf3Streams, own: str, whole: str) -> None:
    p, stacks = site.p, (site.sockets.stack(params.from_), site.sockets.stack(params.to))
    path = site.network.path(params.from_, params.to)
    # iperf3 takes the size from the MSS of its control connection.
    length = params.length or path.mtu - 40 - TIMESTAMPS
    check_size(whole, stacks[0], length)
    tell_of_cut(p, whole, length, path)
    received, sent = site.stream(f"{own}: received"), p.observation(f"{own}: sent", "sent", "bytes")
    transit = p.observation(f"{own}: transit", "latency", "ps")
    socket = UdpSocket(stacks[1], f"{own} at {params.to}", params.window or stacks[1].sheet.datagram_receive_space)
    read = p.container(f"{own} read", unit="datagrams")
    arrive, ports = partial(socket.arrive_to_be_read, read), (site.sockets.port(), SERVER_PORT)
    flow = UdpFlow(own, stacks, path, arrive, ports, params.window or stacks[0].datagram_buffer)
    with p.thread(f"{own}{RECEIVER}{params.to}", daemon=True), p.forever():
        data, begun = p.register(), p.register()
        stacks[1].call()
        socket.receive(data, begun)
        stacks[1].move(data, length, False)
        p.mark(received, data)
        p.mark(transit, since(begun))
        p.put(read, 1)
    with p.thread(f"{own}: sender on {params.from_}"):

        def write() -> None:
            with p.scope():
                size = p.register(length)
                p.promise(length)
                begun = p.now()
                stacks[0].call()
                stacks[0].move(size, length, False)
                flow.send(size, begun, PROCESS)
                p.mark(sent, length)

        _paced(p, own, params, length, write)


def _paced(p: Builder, own: str, params: Iperf3Streams, length: int, write: Callable[[], None]) -> None:
    """Write after write; a stream that is ahead of its rate resumes when the timer finds that it no longer is.

    iperf 3.18, src/iperf_api.c: iperf_check_throttle compares the mean rate so far after each write, and every
    `pacing` from the timer.
    """
    count = params.writes(length) or ENDLESS
    if params.rate is None:
        with p.loop(count):
            write()
        return
    each = round(length * SECOND / params.rate)
    begun, due, rest = p.now(), p.register(0), p.register()
    with p.loop(count):
        write()
        due.set(due + each)
        with p.when(since(begun) < due):
            rest.set((due + (params.pacing - 1)) // params.pacing * params.pacing - since(begun))
            p.rest(rest, RATE_PAUSE)
