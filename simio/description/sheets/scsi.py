"""Datasheets of parallel SCSI: host adapters, buses and drives."""

from fractions import Fraction
from typing import Annotated, ClassVar, Self

from pydantic import Field, model_validator

from simio import units
from simio.description.quantities import (
    Count,
    DelayPerLength,
    Duration,
    Extent,
    Flag,
    Frequency,
    Horizon,
    Length,
    Limit,
    OptionalRate,
    Quantity,
    Time,
    refusal,
)
from simio.description.sheets.adapters import StorageAdapter
from simio.description.sheets.base import LINE, Sheet, register_sheet, size_text
from simio.description.sheets.disks import Drive, check_gathers

FLOW = 2**15
"""Most bytes that flow in one transfer. Flows have no breaks: it matters only where a card passes pieces on."""
Width = Annotated[int, Quantity("size", positive=True)]


def check_width(width: int) -> None:
    """Refuse a data bus that is not 8 or 16 bits wide."""
    if width not in (1, 2):
        raise refusal(size_text(width), "1 B (narrow) or 2 B (wide)", field="width")


class ScsiAdapter(StorageAdapter):
    """A SCSI host bus adapter with its driver."""

    work = {"synchronous": LINE}

    synchronous: OptionalRate = Field(description="fastest synchronous data rate; none: asynchronous")
    width: Width = Field(description="bytes of its data bus, 1 or 2")
    command_bytes: Extent = Field(10, description="bytes of a command descriptor block")
    disconnect: Flag = Field(True, description="whether drives may disconnect in the middle of a command")
    tagged: Flag = Field(True, description="whether several commands may be queued in a drive")

    @model_validator(mode="after")
    def _is_narrow_or_wide(self) -> Self:
        check_width(self.width)
        return self


class ScsiLink(Sheet):
    """A parallel SCSI bus (SCSI-2, ANSI X3.131-1994; SPI): one at a time of those who share it."""

    faults: ClassVar[tuple[str, ...]] = ("down",)

    work = {"propagation": "signals"}

    shared: ClassVar[bool] = True

    devices: Count = Field(description="most devices on the bus, host adapters included")
    width: Width = Field(description="bytes of the data bus, 1 or 2")
    transfer_rate: Frequency = Field(description="most synchronous transfers a second")
    handshake: Duration = Field(
        description="an asynchronous REQ/ACK handshake without the cable, which it crosses four times"
    )
    bus_settle_delay: Time = Field(description="bus settle delay")
    bus_free_delay: Time = Field(description="bus free delay")
    arbitration_delay: Time = Field(description="arbitration delay")
    bus_clear_delay: Time = Field(description="bus clear delay")
    deskew_delay: Time = Field(description="deskew delay")
    selection_response: Time = Field(description="time in which a selected device answers")
    quick_arbitration: Horizon = Field(
        None,
        description="time of quick arbitration among waiting devices (QAS); none: bus free and arbitration for all",
    )
    longest: Length = Field(description="longest cable")
    propagation: DelayPerLength = Field(description="signal delay of the cable")

    @property
    def joins(self) -> int:
        """See `Sheet.joins`."""
        return self.devices

    @model_validator(mode="after")
    def _is_narrow_or_wide(self) -> Self:
        check_width(self.width)
        return self


class ScsiDisk(Drive):
    """A disk drive with a parallel SCSI interface."""

    work = {"synchronous": LINE}
    alternatives = (*Drive.alternatives, "reconnect", "read_mark")

    synchronous: OptionalRate = Field(
        description="fastest synchronous data rate of its interface; none: asynchronous"
    )
    width: Width = Field(description="bytes of its data bus, 1 or 2")
    reconnect: Limit = Field(
        None, description="bytes that it gathers before it reselects the host; none: there is a read_mark"
    )
    read_mark: Annotated[Fraction | None, Quantity("share", word="none")] = Field(
        None,
        description=(
            "share of a read that it gathers, a sector at least, before it reselects the host and sends the rest "
            "as it comes; a write then comes as fast as the bus takes it; none: there is a reconnect"
        ),
    )

    @model_validator(mode="after")
    def _reconnects_for_something(self) -> Self:
        check_width(self.width)
        if self.reconnect is None and self.read_mark is None:
            raise refusal("nothing", "a size such as '64 KiB', without a read_mark", field="reconnect")
        if self.reconnect is not None and self.read_mark is not None:
            raise refusal(f"{size_text(self.reconnect)} beside a read_mark", "one of both", field="reconnect")
        if self.read_mark is not None and self.read_mark > 1:
            raise refusal(units.format_quantity(self.read_mark, "share"), "at most 100%", field="read_mark")
        if self.reconnect is not None:
            check_gathers(self, self.reconnect)
        return self

    @property
    def gathered(self) -> Fraction | int:
        """See `read_mark`."""
        return self.read_mark or 0

    @property
    def piece(self) -> int:
        """Bytes that leave the buffer at once: what it gathers, or of what flows half a segment and at most FLOW."""
        return self.reconnect or max(min(self.buffer // self.segments // 2, FLOW), self.sector)


register_sheet("adapter", "scsi", ScsiAdapter)
register_sheet("link", "scsi", ScsiLink)
register_sheet("disk", "scsi", ScsiDisk)
