"""Workloads of the network: the parameters of programs that send over sockets."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field, model_validator

from simio import units
from simio.description.messages import MESSAGES
from simio.description.quantities import Count, Duration, Extent, Flag, Limit, Time, refusal
from simio.description.workloads.base import (
    HostName,
    HostNames,
    OptionalHost,
    OptionalStorage,
    WorkloadParams,
    register_workload,
)
from simio.errors import quote

Streams = Annotated[Count, Field(le=64000)]
"""Each stream has a port of its own at the sending end, and there are 65535 - 1024 that any program may have."""


class Blast(WorkloadParams):
    """Processes that send packets from memory on one host to memory on another, as fast as they can."""

    routes = (("from_", "to"),)

    from_: HostName = Field(alias="from", description="host that sends")
    to: HostName = Field(description="host that receives")
    size: Extent = Field(description="bytes a packet")
    processes: Count = Field(1, le=4096, description="sending processes, each with its own buffer")
    packets: Count = Field(description="packets each process sends")
    sink: Flag = Field(True, description="whether a process on the receiving host reads the packets")


class NetworkParams(WorkloadParams):
    """A program on one host that talks to one on another over the hosts' protocol stacks."""

    routes: ClassVar[tuple[tuple[str, str], ...]] = (("from_", "to"),)
    network: ClassVar[bool] = True

    from_: HostName = Field(alias="from", description="host that sends, or asks")
    to: HostName = Field(description="host that receives, or answers")


class Compute(WorkloadParams):
    """Other work on a host, which competes for its CPUs as long as the other workloads last; nothing is delivered."""

    host: HostName = Field(description="host that computes")
    processes: Streams = Field(1, description="processes at once")
    busy: Duration = Field(description="CPU time at a stretch, at the reference clock of the kernel")
    idle: Time = Field(0, description="mean of the exponential pause after each; 0 s: none")


class SocketParams(NetworkParams):
    """What programs over TCP have in common."""

    window: Limit = Field(None, description="socket buffers at both ends; none: what the stacks have")
    nodelay: Flag = Field(False, description="whether TCP_NODELAY is set, so that small segments do not wait")


class Ttcp(SocketParams):
    """ttcp and iperf: memory to memory over TCP, as fast as it goes, over one or several connections.

    In the background, it goes on as long as other workloads do, and what it carries is told beside their throughput.
    """

    size: Extent = Field(description="bytes a write")
    read: Limit = Field(None, description="bytes a read asks for; none: as a write")
    writes: Annotated[Count | None, Field(description="writes a connection; none: without end")] = None
    background: Flag = Field(False, description="whether it is cross traffic, which others compete with")
    aligned: Flag = Field(True, description="whether the programs' buffers begin on a page")
    streams: Streams = Field(1, description="connections at once, each with a process at both ends")

    @property
    def may_crash(self) -> tuple[str, ...]:
        """See `WorkloadParams.may_crash`."""
        return ("to",)

    @model_validator(mode="after")
    def _background_has_no_end(self) -> Ttcp:
        if self.background and self.writes is not None:
            hint = "in the background it goes on as long as other workloads do"
            raise refusal(str(self.writes), "none, with background: true", hint, "writes")
        return self


class Requests(SocketParams):
    """Requests over a TCP connection, each answered before the next: a transaction a round trip."""

    request: Extent = Field(description="bytes of a request")
    response: Extent = Field(description="bytes of a response")
    count: Count = Field(description="requests a connection")
    think: Time = Field(0, description="mean of an exponential pause between requests; 0 s for none")
    streams: Streams = Field(1, description="connections at once, each with a process at both ends")


class Ping(NetworkParams):
    """ICMP echo, one a period, answered by the other host's kernel."""

    size: Extent = Field(56, description="bytes of data in an echo request")
    count: Count = Field(description="requests")
    period: Duration = Field(10**12, description="time between requests; a reply that takes longer counts as lost")


class Datagrams(NetworkParams):
    """Datagrams over UDP, sent as fast as the host can or at a rate, and read by a program at the other end."""

    size: Extent = Field(description="bytes of data a datagram")
    count: Count = Field(description="datagrams a stream")
    period: Time = Field(0, description="time between datagrams of a stream; 0 s: as fast as the host can")
    streams: Streams = Field(1, description="sockets at once, each with a process at both ends")


class Nfs(WorkloadParams):
    """Files read or written in order over NFS, by RPC over UDP, each client one of its own.

    `from` is the client, `to` the server. Of several, the clients go to the servers in turn.
    """

    routes: ClassVar[tuple[tuple[str, str], ...]] = (("from_", "to"), ("disks_of", "storage"))
    network: ClassVar[bool] = True

    from_: HostNames = Field(alias="from", description="client, or a list of them")
    to: HostNames = Field(description="server, or a list of them, such as the ports of one")
    clients: Annotated[Count | None, Field(description="how many of the clients take part; none: all")] = None
    servers: Annotated[Count | None, Field(description="how many of the servers take part; none: all")] = None
    storage: OptionalStorage = Field(
        None,
        description="disk, group of disks or volume that the files are on, one after another; none: they are in the "
        "server's memory",
    )
    manager: OptionalHost = Field(
        None,
        description="host that has the disks transfer to the server's memory and is not passed by the data; none: "
        "the disks are the server's own",
    )
    metadata: OptionalHost = Field(
        None,
        description="host that looks each request's file up and tells the manager where its blocks lie; none: the "
        "manager knows",
    )
    version: Literal[2, 3] = Field(3, description="version of NFS; 2 transfers 8 KiB at most")
    transfer: Extent = Field(8192, description="bytes a READ or WRITE request (rsize, wsize)")
    access: Literal["read", "write"] = Field("read", description="what the client does")
    size: Extent = Field(description="bytes of the file")
    biods: Annotated[int, Field(strict=True, ge=0, le=256)] = Field(
        4, description="read-ahead and write-behind daemons of the client"
    )
    nfsds: Annotated[Count, Field(le=1024)] = Field(8, description="threads of the server")
    stable: Time = Field(
        0,
        description="time of the server's disk, one request at a time, until a WRITE of version 2 or a COMMIT of "
        "version 3 is safe; 0 s: it has memory that is",
    )
    timeout: Time = Field(7 * 10**11, description="first retransmission timeout of the RPC; doubles each time")
    retrans: Annotated[
        Count | None,
        Field(
            description="how often a call is sent again before it is given up and the program ends with an error, "
            "as on a soft mount; none: never, as on a hard mount"
        ),
    ] = None

    @property
    def readers(self) -> tuple[str, ...]:
        """The clients that take part."""
        return self.from_[: self.clients]

    @property
    def ports(self) -> tuple[str, ...]:
        """The servers that take part, of which client i has that whose number is i modulo theirs."""
        return self.to[: self.servers]

    @property
    def largest_call(self) -> int:
        """Bytes of the largest call, without the header of UDP."""
        messages = MESSAGES[self.version]
        return messages.whole("write" if self.access == "write" else "read", self.transfer)

    @property
    def may_crash(self) -> tuple[str, ...]:
        """See `WorkloadParams.may_crash`; what a manager of storage has in its memory outlives a port of it."""
        return () if self.manager else ("to",)

    @property
    def disks_of(self) -> tuple[str, ...]:
        """The hosts that reach the storage."""
        return (self.manager,) if self.manager else self.to

    @model_validator(mode="after")
    def _clients_are_there(self) -> Nfs:
        for field, hosts in (("from", self.from_), ("to", self.to)):
            twice = [host for host in hosts if hosts.count(host) > 1]
            if twice:
                raise refusal(f"{quote(twice[0])} twice", "each host once", field=field)
        for field, number, hosts, key in (
            ("clients", self.clients, self.from_, "from"),
            ("servers", self.servers, self.to, "to"),
        ):
            if number and number > len(hosts):
                raise refusal(str(number), f"at most the {len(hosts)} of {key}", field=field)
        if self.manager and not self.storage:
            raise refusal(quote(self.manager), "none, as no storage is given", field="manager")
        if self.metadata and not self.manager:
            raise refusal(quote(self.metadata), "none, as no manager is given", field="metadata")
        if self.metadata and self.metadata in (self.manager, *self.to):
            raise refusal(quote(self.metadata), "a host of its own", field="metadata")
        if self.storage and self.stable:
            found = units.format_quantity(self.stable, "time")
            raise refusal(found, "0 s, as the storage has times of its own", field="stable")
        return self

    @model_validator(mode="after")
    def _version_limits_the_transfer(self) -> Nfs:
        if self.version == 2 and self.transfer > 8192:
            found = units.format_quantity(self.transfer, "size")
            raise refusal(found, "at most 8 KiB, which is what NFS version 2 carries", field="transfer")
        return self


register_workload("blast", Blast)
register_workload("compute", Compute)
register_workload("ttcp", Ttcp)
register_workload("requests", Requests)
register_workload("ping", Ping)
register_workload("datagrams", Datagrams)
register_workload("nfs", Nfs)
