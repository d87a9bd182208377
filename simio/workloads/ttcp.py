"""ttcp: memory to memory over TCP, a process at each end of each connection."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from simio.components.faults.resetting import crash
from simio.components.network.demand import declare
from simio.components.network.tcp import Endpoint
from simio.components.site import Site
from simio.description.model import Workload
from simio.description.quantities import Extent, Flag, Limit, OptionalCount, OptionalWhole, Time, refusal
from simio.machines.tcp.layout import END_OF_FILE
from simio.program.builder import Builder, Handle, since
from simio.workloads import register_workload
from simio.workloads.common.ending import check_ends
from simio.workloads.common.sockets import ENDLESS, SocketParams, Streams, start


class Ttcp(SocketParams):
    """ttcp and iperf: memory to memory over TCP, as fast as it goes, over one or several connections.

    In the background, it lasts as long as other workloads, and its own throughput is reported beside theirs.
    """

    size: Extent = Field(description="bytes a write")
    read: Limit = Field(None, description="bytes a read asks for; none: as a write")
    writes: Annotated[OptionalCount, Field(description="writes a connection; none: without end")] = None
    background: Flag = Field(False, description="whether it is cross traffic, which others compete with")
    aligned: Flag = Field(True, description="whether the programs' buffers begin on a page")
    method: Literal["copy", "sendfile", "zerocopy"] = Field(
        "copy",
        description="how data get to the socket: copied by write(); from the page cache, by sendfile(); or from the "
        "program's own pages, by MSG_ZEROCOPY, where adapters have queues",
    )
    core: OptionalWhole = Field(
        None, description="core of the programs at both ends, where adapters have queues; none: one after another"
    )
    queue: OptionalWhole = Field(
        None, description="core whose queue has the packets, where adapters steer by a hash; none: as that falls"
    )
    start_within: Time = Field(
        0,
        description="each connection is opened at a random instant within this time",
    )
    streams: Streams = Field(1, description="connections at once, each with a process at both ends")
    each: Flag = Field(
        False, description="whether the rate of each connection is reported, and with it how evenly they share"
    )
    timed: Flag = Field(
        False, description="whether the time from connect() until the last byte is read is reported, as a latency"
    )

    @property
    def may_crash(self) -> tuple[str, ...]:
        """See `WorkloadParams.may_crash`."""
        return ("to",)

    @model_validator(mode="after")
    def _background_has_no_end(self) -> Ttcp:
        if self.background and self.writes is not None:
            hint = "in the background it goes on as long as other workloads do"
            raise refusal(str(self.writes), "none, with background: true", hint, "writes")
        if self.background and self.each:
            hint = "cross traffic has one rate of all its connections"
            raise refusal("true", "false, with background: true", hint, "each")
        if self.timed and self.writes is None:
            raise refusal("true", "a number of writes", "without end, there is no last byte", "timed")
        if self.timed and self.start_within:
            raise refusal("true", "no start_within", "the time would have the wait for the start in it", "timed")
        return self


@register_workload("ttcp", Ttcp)
def ttcp(site: Site, workload: Workload[Ttcp]) -> None:
    """`streams` connections over each of which `writes` writes of `size` bytes go; the readers' bytes count.

    Raises RunError for one that never ends.
    """
    params, name = workload.params, workload.name
    if not params.background:
        check_ends(site, workload, "writes")
    received = site.p.observation(f"{name}: received", "sent", "bytes") if params.background else site.delivered
    for own in site.streams(name, params.streams):
        buffers = params.size, params.read or params.size
        wish = params.core, params.queue
        sender, receiver = site.sockets.connection(params, own, buffers, params.aligned, wish=wish)
        into = site.stream(f"{own}: received") if params.each else received
        _receive(site, params, own, receiver, into, name)
        _send(site, params, own, (sender, receiver), name)
        crash(receiver)


def _receive(site: Site, params: Ttcp, name: str, receiver: Endpoint, received: Handle, whole: str) -> None:
    p = site.p
    with p.thread(f"{name}: receiver on {params.to}", daemon=params.background):
        begun = p.now() if params.timed else None
        receiver.accept()
        got = p.register()
        total = p.register(0) if receiver.breakable or begun else None
        with p.until(got >= END_OF_FILE):
            receiver.read(got, params.read or params.size)
            with p.when(got < END_OF_FILE):
                p.mark(received, got)
                if total:
                    total.set(total + got)
                if begun and total:
                    with p.when(total == params.size * (params.writes or 0)):
                        p.mark(p.observation(f"{whole}: transfer", "latency", "ps"), p.register(since(begun)))
        if total and receiver.breakable:
            receiver.standing(got)
            with p.when(got == 0):
                p.mark(p.observation(f"{whole}: read before the crash", "other", "bytes"), total)


def _send(site: Site, params: Ttcp, name: str, ends: tuple[Endpoint, Endpoint], whole: str) -> None:
    p, sender = site.p, ends[0]
    sent = p.observation(f"{whole}: sent", "sent", "bytes")
    with p.thread(f"{name}: sender on {params.from_}", daemon=params.background):
        start(p, name, params.start_within)
        sender.connect()
        if sender.breakable:
            _send_until_reset(p, params, ends, sent, whole)
            return
        if params.background:
            # No known number of writes, of which the bound would think that all have to be made.
            with p.forever():
                _write(p, sender, params, sent)
            return
        with p.loop(params.writes or ENDLESS):
            declare(*ends, params.size)
            _write(p, sender, params, sent)
        sender.close()


def _send_until_reset(p: Builder, params: Ttcp, ends: tuple[Endpoint, Endpoint], sent: Handle, whole: str) -> None:
    """The same over a connection that may be reset: the program then reports the bytes written, and ends."""
    sender = ends[0]
    stands, total = p.register(), p.register(0)

    def write() -> None:
        _put(sender, params)
        sender.standing(stands)
        with p.when(stands > 0):
            p.mark(sent, params.size)
            total.set(total + params.size)

    sender.standing(stands)
    if params.writes is None:
        with p.while_(stands > 0):
            write()
    else:
        with p.loop(params.writes):
            declare(*ends, params.size)
            with p.when(stands > 0):
                write()
        with p.when(stands > 0):
            sender.close()
    with p.when(stands == 0):
        p.mark(p.observation(f"{whole}: written before the reset", "other", "bytes"), total)


def _write(p: Builder, sender: Endpoint, params: Ttcp, sent: Handle) -> None:
    _put(sender, params)
    p.mark(sent, params.size)


def _put(sender: Endpoint, params: Ttcp) -> None:
    sender.write(params.size, moved=params.method == "copy", pinned=params.method == "zerocopy")
