"""A file read or written in order over NFS: the program, the client's daemons and the server's threads."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, model_validator

from simio import units
from simio.components.faults.incarnations import Incarnations, of_incarnation
from simio.components.network.nfs import NfsMount
from simio.components.network.udp import check_size
from simio.components.site import Site
from simio.description.arrivals import Arrivals
from simio.description.messages import MESSAGES
from simio.description.model import Workload
from simio.description.mounts import (
    CREDITS,
    INLINE,
    LARGEST,
    READ_AHEAD,
    Connections,
    Credits,
    MinorVersion,
    MountOptions,
    Slots,
    check_inline,
    check_read_ahead,
    check_transfer,
    check_without_rdma,
)
from simio.description.quantities import Count, Extent, Limit, OptionalCount, Size, Time, refusal
from simio.description.sheets.base import size_text
from simio.description.workloads import HostNames, OptionalHost, OptionalStorage, WorkloadParams
from simio.errors import quote
from simio.program.builder import Handle
from simio.workloads import register_workload
from simio.workloads.nfs.over_tcp import over_tcp
from simio.workloads.nfs.passes import arriving, read, write
from simio.workloads.nfs.storage import server_storage


class Nfs(WorkloadParams):
    """Files read or written in order over NFS, by RPC over UDP, TCP or RDMA, each client one of its own.

    `from` is the client, `to` the server. Of several, the clients go to the servers in turn.
    """

    users: ClassVar[str | None] = "clients"
    routes: ClassVar[tuple[tuple[str, str], ...]] = (("from_", "to"), ("disks_of", "storage"))
    network: ClassVar[bool] = True

    from_: HostNames = Field(alias="from", description="client, or a list of them")
    to: HostNames = Field(description="server, or a list of them, such as the ports of one")
    clients: Annotated[OptionalCount, Field(description="how many of the clients take part; none: all")] = None
    servers: Annotated[OptionalCount, Field(description="how many of the servers take part; none: all")] = None
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
        description="host that looks up each request's file and sends its blocks' places to the manager; none: "
        "the manager has them",
    )
    transport: Literal["udp", "tcp", "rdma"] = Field("udp", description="how calls travel")
    version: Literal[2, 3, 4] = Field(
        3, description="version of NFS; 2 transfers 8 KiB at most and goes over UDP, 4 over TCP or RDMA"
    )
    minorversion: MinorVersion = Field(2, description="minor version of version 4")
    transfer: Extent = Field(
        8192,
        description="bytes a READ or WRITE request (rsize, wsize); over TCP or RDMA at most, and 1 MiB if left out",
    )
    nconnect: Connections = Field(1, description="TCP, RDMA: connections of a mount, which calls take in turn")
    slots: Slots = Field(
        None,
        description="TCP, RDMA: calls outstanding, of 4.1 and 4.2 in all, else a connection; none: 64 or 1024",
    )
    read_ahead: Size = Field(
        READ_AHEAD,
        description="TCP, RDMA: bytes that sequential reading fetches at once, a window ahead (read_ahead_kb)",
    )
    programs: Annotated[Count, Field(le=256)] = Field(
        1, description="TCP, RDMA: programs of a client, each with a file of its own over the client's mount"
    )
    block: Limit = Field(None, description="TCP, RDMA: bytes a read() or write() of a program; none: transfer")
    access: Literal["read", "write"] = Field("read", description="operation of the client")
    size: Extent = Field(description="bytes of the file")
    biods: Annotated[int, Field(strict=True, ge=0, le=256)] = Field(
        4, description="read-ahead and write-behind daemons of the client"
    )
    inline: Extent = Field(INLINE, description="RDMA: largest message with its data in it; larger data go as a chunk")
    credits: Credits = Field(CREDITS, description="RDMA: calls of a queue pair that may be outstanding")
    nfsds: Annotated[Count, Field(le=1024)] = Field(8, description="threads of the server")
    arrivals: Arrivals | None = Field(
        None,
        description="when READs or WRITEs arrive, of several clients at each its share, of which biods are under way "
        "at most; none: a program reads or writes one block after another",
    )
    stable: Time = Field(
        0,
        description="time of the server's disk, one request at a time, until a WRITE of version 2 or a COMMIT of "
        "version 3 is safe; 0 s: it has memory that is",
    )
    timeout: Time = Field(7 * 10**11, description="first retransmission timeout of the RPC; doubles each time")
    retrans: Annotated[
        OptionalCount,
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
    def largest_call(self) -> tuple[int, tuple[str, ...]]:
        """See `WorkloadParams.largest_call`."""
        if self.transport != "udp":
            return 0, ()
        messages = MESSAGES[self.version]
        return messages.whole("write" if self.access == "write" else "read", self.transfer), self.ports

    @property
    def may_crash(self) -> tuple[str, ...]:
        """See `WorkloadParams.may_crash`; the memory of a manager of storage outlives its port."""
        return () if self.manager or self.transport != "udp" else ("to",)

    @property
    def options(self) -> MountOptions:
        """The options of a mount over TCP or RDMA."""
        return MountOptions.model_construct(
            transport="rdma" if self.transport == "rdma" else "tcp",
            version=4 if self.version == 4 else 3,
            minorversion=self.minorversion,
            transfer=self.transfer,
            nconnect=self.nconnect,
            slots=self.slots,
            read_ahead=self.read_ahead,
            nfsds=self.nfsds,
            inline=self.inline,
            credits=self.credits,
        )

    @property
    def disks_of(self) -> tuple[str, ...]:
        """The hosts that reach the storage."""
        return (self.manager,) if self.manager else self.to

    @model_validator(mode="before")
    @classmethod
    def _largest_over_tcp(cls, given: Any) -> Any:
        if isinstance(given, dict) and given.get("transport") in ("tcp", "rdma") and "transfer" not in given:
            return given | {"transfer": size_text(LARGEST)}
        return given

    @model_validator(mode="after")
    def _fits_the_transport(self) -> Nfs:
        over = self.transport.upper()
        if self.transport != "rdma":
            check_without_rdma(self.model_fields_set, over)
        if self.transport == "udp":
            own = {"nconnect", "slots", "read_ahead", "programs", "block", "minorversion"}
            for key in sorted(self.model_fields_set & own):
                raise refusal(f"{key} over UDP", "none", "set transport: tcp", key)
            if self.version == 4:
                raise refusal("4 over UDP", "2 or 3", "set transport: tcp", "version")
            return self
        if self.version == 2:
            raise refusal(f"2 over {over}", "3 or 4", field="version")
        if "minorversion" in self.model_fields_set and self.version == 3:
            raise refusal(f"{self.minorversion}, of version 3", "none", "set version: 4", "minorversion")
        for key in sorted(self.model_fields_set & {"biods", "retrans", "timeout", "manager", "metadata"}):
            if getattr(self, key) is not None:
                hint = "read_ahead is what its cache reads ahead" if key == "biods" else ""
                raise refusal(f"{key} over {over}", "none", hint, key)
        check_transfer(self.transfer)
        check_read_ahead(self.read_ahead)
        check_inline(self.inline)
        return self

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
    def _arrivals_have_daemons(self) -> Nfs:
        if self.arrivals and not self.biods:
            raise refusal("0, with arrivals", "1 at least", "each makes one call at a time", "biods")
        if self.arrivals and self.retrans is not None:
            raise refusal(f"{self.retrans}, with arrivals", "none", "a hard mount never gives up", "retrans")
        return self

    @model_validator(mode="after")
    def _version_limits_the_transfer(self) -> Nfs:
        if self.version == 2 and self.transfer > 8192:
            found = units.format_quantity(self.transfer, "size")
            raise refusal(found, "at most 8 KiB, which is what NFS version 2 carries", field="transfer")
        return self


@register_workload("nfs", Nfs)
def nfs(site: Site, workload: Workload[Nfs]) -> None:
    """One pass of each client over a file of `size` bytes, a block of `transfer` bytes a system call."""
    params = workload.params
    if params.transport != "udp":
        over_tcp(site, workload)
        return
    clients = params.readers
    pools = _pools(site, workload) if len(clients) > 1 else {}
    for number, client in enumerate(clients):
        own = _as_asked(site, workload, client)
        server = params.ports[number % len(params.ports)]
        name = workload.name if len(clients) == 1 else f"{workload.name} {client}"
        delivered = site.delivered if len(clients) == 1 else site.stream(f"{workload.name}: {client}")
        incarnations = _incarnations(site, server)
        storage = [
            server_storage(site, own, number, server, incarnation)
            for incarnation in range(len(incarnations) if params.storage else 0)
        ]
        stacks = site.sockets.stack(client), site.sockets.stack(server)
        paths = site.network.path(client, server), site.network.path(server, client)
        mount = NfsMount(name, stacks, paths, own.params, storage, pools.get(server, ()))
        data, end = ("read_reply", 1) if params.access == "read" else ("write", 0)
        check_size(workload.name, stacks[end], mount.message(data))
        for incarnation in range(len(incarnations)):
            thread = of_incarnation(f"{name}: nfsd on {server}", incarnation)
            # Those of a later incarnation find no calls before it begins.
            with site.p.thread(thread, count=params.nfsds, daemon=True):
                mount.serve(incarnation)
        if params.arrivals:
            arriving(site, workload.name, mount, params.arrivals, delivered, len(clients))
        else:
            (read if params.access == "read" else write)(site, mount, delivered)


def _as_asked(site: Site, workload: Workload[Nfs], client: str) -> Workload[Nfs]:
    """The workload with requests no larger than a client's NFS makes them."""
    most = site.sockets.stack(client).sheet.nfs_max_transfer
    if most is None or workload.params.transfer <= most:
        return workload
    return replace(workload, params=workload.params.model_copy(update={"transfer": most}))


def _pools(site: Site, workload: Workload[Nfs]) -> dict[str, list[Handle]]:
    """The threads of each server that its clients share, of each of its incarnations."""
    params = workload.params
    found = {}
    for server in params.ports[: len(params.readers)]:
        name, number = f"{workload.name}: nfsds of {server}", len(_incarnations(site, server))
        found[server] = [
            site.p.resource(of_incarnation(name, incarnation), params.nfsds, lock=True)
            for incarnation in range(number)
        ]
    return found


def _incarnations(site: Site, server: str) -> Incarnations:
    return Incarnations(site.p, site.system.hosts[server].crashes)
