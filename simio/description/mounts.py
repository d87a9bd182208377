"""The options of an NFS mount over TCP or RDMA, as mount.nfs and the client of Linux have them."""

from collections.abc import Iterable
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from simio.description.messages import SESSIONS
from simio.description.quantities import Count, Extent, Size, Values, refusal
from simio.description.sheets.base import size_text

MOST_CALLS = 1024
"""Calls of a connection that may be outstanding here; Linux allows 65536 (include/linux/sunrpc/xprt.h)."""
SESSION_SLOTS = 64
"""Slots of a session of NFS 4.1 (Linux fs/nfs/nfs4session.h, NFS4_DEF_SLOT_TABLE_SIZE)."""
LARGEST = 1 << 20
"""Largest rsize and wsize (Linux include/linux/nfs_xdr.h, NFS_MAX_FILE_IO_SIZE)."""
READ_AHEAD = 128 * 1024
"""Bytes (Linux include/linux/mm.h, VM_READAHEAD_PAGES; of NFS since 5.4)."""

Connections = Annotated[Count, Field(le=16)]
"""Connections of a mount, 16 at most (Linux fs/nfs/fs_context.c, NFS_MAX_CONNECTIONS)."""
INLINE = 4096
"""Bytes (Linux net/sunrpc/xprtrdma/xprt_rdma.h, RPCRDMA_DEF_INLINE; include/linux/sunrpc/svc_rdma.h)."""
LEAST_INLINE, MOST_INLINE = 1024, 65536
"""Bytes (RFC 8166, section 3.3.2; Linux net/sunrpc/xprtrdma/xprt_rdma.h, RPCRDMA_MAX_INLINE)."""
CREDITS = 64
"""Calls that a server of Linux grants (include/linux/sunrpc/svc_rdma.h, RPCRDMA_MAX_REQUESTS)."""
MOST_CREDITS = 128
"""Calls beyond which a queue pair might have more requests than it holds here, two a call."""

Slots = Annotated[Count, Field(le=MOST_CALLS)] | None
MinorVersion = Literal[0, 1, 2]
Credits = Annotated[Count, Field(le=MOST_CREDITS)]
RDMA_ONLY = ("inline", "credits")
"""The options that TCP does not have."""


class MountOptions(Values):
    """A mount of an NFS server over TCP or RDMA."""

    transport: Literal["tcp", "rdma"] = Field("tcp", description="transport of calls: TCP, or queue pairs of RDMA")
    version: Literal[3, 4] = Field(4, description="version of NFS")
    minorversion: MinorVersion = Field(2, description="minor version of version 4")
    transfer: Extent = Field(LARGEST, description="most bytes of a READ or WRITE (rsize, wsize)")
    nconnect: Connections = Field(1, description="connections, or queue pairs, which calls take in turn")
    slots: Slots = Field(
        None,
        description="calls outstanding, of version 4.1 and 4.2 in all, else a connection; none: 64 or 1024",
    )
    read_ahead: Size = Field(
        READ_AHEAD, description="bytes that sequential reading fetches at once, a window ahead (read_ahead_kb)"
    )
    nfsds: Annotated[Count, Field(le=4096)] = Field(8, description="threads of the server, for all its clients")
    inline: Extent = Field(INLINE, description="RDMA: largest message with its data in it; larger data go as a chunk")
    credits: Credits = Field(CREDITS, description="RDMA: calls of a queue pair that may be outstanding")

    @property
    def protocol(self) -> int:
        """The version as `simio.description.messages` numbers it."""
        return SESSIONS if self.sessions else self.version

    @property
    def sessions(self) -> bool:
        """True if slots are those of a session, for all connections."""
        return self.version == 4 and self.minorversion > 0

    @property
    def most_calls(self) -> int:
        """Calls outstanding, of a session or a connection."""
        return self.slots or (SESSION_SLOTS if self.sessions else MOST_CALLS)

    @model_validator(mode="after")
    def _fits_a_page_cache(self) -> Self:
        check_transfer(self.transfer)
        check_read_ahead(self.read_ahead)
        check_inline(self.inline)
        if self.transport == "tcp":
            check_without_rdma(self.model_fields_set, "TCP")
        return self


def check_transfer(transfer: int) -> None:
    """Refuse an rsize of more than a mount takes, or that is not of whole pages."""
    if transfer > LARGEST or transfer % 4096:
        raise refusal(size_text(transfer), "a multiple of 4 KiB, at most 1 MiB", field="transfer")


def check_read_ahead(size: int) -> None:
    """Refuse a window that is not of whole pages."""
    if size % 4096:
        raise refusal(size_text(size), "a multiple of 4 KiB", field="read_ahead")


def check_inline(size: int) -> None:
    """Refuse messages of less or more than the transport takes."""
    if not LEAST_INLINE <= size <= MOST_INLINE:
        raise refusal(size_text(size), f"{size_text(LEAST_INLINE)} to {size_text(MOST_INLINE)}", field="inline")


def check_without_rdma(given: Iterable[str], transport: str) -> None:
    """Refuse options of RDMA with another transport."""
    for key in sorted({*given} & {*RDMA_ONLY}):
        raise refusal(f"{key} over {transport}", "none", "set transport: rdma", key)
