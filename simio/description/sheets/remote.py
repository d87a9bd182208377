"""Datasheets of block storage over TCP: NVMe/TCP and iSCSI, with the initiator's driver and the target's software."""

from typing import Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from simio.description.quantities import Count, Extent, Flag, OptionalRate, Size, Time, Whole, refusal
from simio.description.sheets.adapters import StorageAdapter
from simio.description.sheets.base import Sheet, register_sheet, size_text

DIGEST = 4
"""Bytes of a CRC32C (NVMe/TCP Transport 1.0, 3.3.1.1; RFC 7143, section 13.1)."""


class RemoteAdapter(StorageAdapter):
    """The initiator's driver, which speaks to a target over the host's protocol stack."""

    work = {**StorageAdapter.work, "pdu_cost": "storage drivers", "digest": "digests"}

    pdu_cost: Time = Field(description="CPU time of the driver a protocol data unit, sent or received")
    digest: OptionalRate = Field(
        None, description="rate at which a CPU computes CRC32C; none: in no time to speak of"
    )


class RemoteLink(Sheet):
    """Drives of a target as an initiator has them over TCP: connections, data units, and the target's software.

    The sizes of data units are those of a protocol: class variables of its kind.
    """

    shared: ClassVar[bool] = True
    remote: ClassVar[bool] = True
    work = {
        "command_cost": "target software",
        "pdu_cost": "target software",
        "digest": "digests",
    }
    command: ClassVar[int]
    """Bytes of a command."""
    reply: ClassVar[int]
    """Bytes of a reply without data."""
    ready: ClassVar[int]
    """Bytes by which a target asks for data."""
    header: ClassVar[int]
    """Bytes before the data of a data unit."""
    grain: ClassVar[int] = 1
    """Bytes of a multiple of which data are."""
    whole: ClassVar[bool] = False
    """True if only a write that fits as a whole goes with its command."""

    connections: Count = Field(description="connections to the target, which commands take in turn")
    depth: Count = Field(description="commands outstanding on a connection")
    largest: Extent = Field(description="most bytes of a command")
    unit_in: Extent = Field(description="most data of a data unit to the initiator")
    unit_out: Extent = Field(description="most data of a data unit to the target")
    header_digest: Flag = Field(False, description="whether each data unit has a digest of its header")
    data_digest: Flag = Field(False, description="whether data have a digest")
    cores: Whole = Field(
        0, description="cores of the target that poll for work and do nothing else; 0: interrupts, on any CPU"
    )
    card: Flag = Field(
        False, description="whether these cores are those of a card, which does TCP, too, and costs the host nothing"
    )
    zero_copy: Flag = Field(False, description="whether the target sends data from where the drive has put them")
    command_cost: Time = Field(description="CPU time of the target a command, its driver of the drives included")
    pdu_cost: Time = Field(description="CPU time of the target a data unit, sent or received")
    digest: OptionalRate = Field(
        None, description="rate at which a core of the target computes CRC32C; none: in no time to speak of"
    )

    @model_validator(mode="after")
    def _cards_have_cores(self) -> Self:
        if self.card and not self.cores:
            raise refusal("0, with a card", "the cores of the card, one at least", field="cores")
        return self

    def framed(self, header: int, size: Any, most: int) -> Any:
        """Bytes of the data units that carry `size` bytes, each of at most `most`, with headers and digests."""
        units = self.units(size, most)
        return self.padded(size) + units * (header + DIGEST * (self.header_digest + self.data_digest))

    def padded(self, size: Any) -> Any:
        """Bytes that `size` bytes of data take."""
        return (size + (self.grain - 1)) // self.grain * self.grain if self.grain > 1 else size

    def units(self, size: Any, most: int) -> Any:
        """Data units of at most `most` bytes that carry `size` bytes."""
        return (size + (most - 1)) // most

    def bare(self, size: int) -> int:
        """Bytes of a unit of `size` bytes that has no data."""
        return size + DIGEST * self.header_digest

    @property
    def rdma(self) -> bool:
        """True if queue pairs of adapters for RDMA carry the commands, and not TCP."""
        return False

    @property
    def with_command(self) -> int:
        """Most data of a write that go with its command; a larger one sends so much, or with `whole` none."""
        raise NotImplementedError

    @property
    def unasked(self) -> int:
        """Most data of a write that go before the target asks for any, those with the command included."""
        return self.with_command

    @property
    def burst(self) -> int:
        """Most bytes that the target asks for at once."""
        raise NotImplementedError

    @property
    def folded(self) -> bool:
        """True if the last data unit of a read says that it is done, so that no reply follows."""
        return True


class NvmeTcpLink(RemoteLink):
    """NVMe over TCP: a connection a queue (NVMe/TCP Transport Specification 1.0).

    Sizes of protocol data units are those of its section 3.6.2.
    """

    command = 72
    """CapsuleCmd: a common header of 8 and an entry of 64 (3.6.2.3)."""
    reply = 24
    """CapsuleResp: a common header of 8 and an entry of 16 (3.6.2.4)."""
    ready = 24
    """R2T (3.6.2.7)."""
    header = 24
    """H2CData and C2HData (3.6.2.5, 3.6.2.6)."""
    whole = True

    transport: Literal["tcp", "rdma"] = Field(
        "tcp", description="transport of commands: TCP, or queue pairs of adapters for RDMA"
    )
    in_capsule: Size = Field(description="most data of a write that go with its command (ICDOFF, IOCCSZ)")
    success: Flag = Field(
        True, description="whether the last data unit of a read stands for the completion (its SUCCESS flag)"
    )

    @model_validator(mode="after")
    def _data_units_are_not_tiny(self) -> Self:
        if self.unit_out < 4096:
            raise refusal(size_text(self.unit_out), "at least 4096 B, the least MAXH2CDATA", field="unit_out")
        if self.rdma:
            for field, what in (("header_digest", "data units"), ("data_digest", "data units"), ("card", "TCP")):
                if getattr(self, field):
                    raise refusal("true, with transport: rdma", f"false, as RDMA has no {what}", field=field)
        return self

    @property
    def rdma(self) -> bool:
        """See `RemoteLink.rdma`."""
        return self.transport == "rdma"

    @property
    def with_command(self) -> int:
        """See `in_capsule`."""
        return self.in_capsule

    @property
    def burst(self) -> int:
        """All of a command."""
        return self.largest

    @property
    def folded(self) -> bool:
        """See `success`."""
        return self.success


class IscsiLink(RemoteLink):
    """iSCSI: sessions of one connection each (RFC 7143); a basic header segment has 48 bytes (11.2.1)."""

    command = reply = ready = header = 48
    grain = 4

    immediate: Flag = Field(description="whether data go with the command of a write (ImmediateData, 13.11)")
    initial_r2t: Flag = Field(
        False, description="whether all data beyond those wait until the target asks (InitialR2T, 13.10)"
    )
    first_burst: Extent = Field(description="most data that go before the target asks (FirstBurstLength, 13.14)")
    max_burst: Extent = Field(description="most data that the target asks for at once (MaxBurstLength, 13.13)")

    @model_validator(mode="after")
    def _first_burst_is_no_longer(self) -> Self:
        if self.first_burst > self.max_burst:
            expected = f"at most max_burst, {size_text(self.max_burst)}"
            raise refusal(size_text(self.first_burst), expected, field="first_burst")
        return self

    @property
    def with_command(self) -> int:
        """The least of the first burst and a data unit; 0 if no data may go at once."""
        return min(self.first_burst, self.unit_out) if self.immediate else 0

    @property
    def unasked(self) -> int:
        """The first burst, unless all is asked for."""
        return self.with_command if self.initial_r2t else self.first_burst

    @property
    def burst(self) -> int:
        """See `max_burst`."""
        return self.max_burst


register_sheet("adapter", "nvme-tcp", RemoteAdapter)
register_sheet("adapter", "iscsi", RemoteAdapter)
register_sheet("link", "nvme-tcp", NvmeTcpLink)
register_sheet("link", "iscsi", IscsiLink)
