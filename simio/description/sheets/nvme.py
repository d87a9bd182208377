"""Datasheets of NVMe: the driver with its slots, the PCIe lanes of a drive, and solid-state drives."""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

from pydantic import Field, model_validator

from simio.description.quantities import Count, Extent, Signalling, Size, Time, refusal
from simio.description.sheets.adapters import StorageAdapter
from simio.description.sheets.base import Sheet, register_sheet, size_text
from simio.description.sheets.flash import FlashDrive


class NvmeAdapter(StorageAdapter):
    """The NVMe driver of a host, and the slots of its drives."""


class NvmeLink(Sheet):
    """PCI Express lanes: a slot for each drive, of the same lanes each."""

    work = {"latency": "signals"}

    shared: ClassVar[bool] = True

    signalling: Signalling = Field(description="transfers a second of a lane")
    data_bits: Count = Field(description="data bits a code word")
    code_bits: Count = Field(description="line bits a code word")
    lanes: Count = Field(description="lanes of a drive")
    max_payload: Extent = Field(description="largest payload of a packet (MPS)")
    read_request: Extent = Field(description="most bytes that a read request asks for (MRRS)")
    packet_overhead: Size = Field(
        description="bytes of a packet beside its payload: framing, sequence number, header and LCRC"
    )
    control: Size = Field(
        description="bytes of acknowledgements and credits on the line for each packet that comes back"
    )
    latency: Time = Field(description="time of a packet to the other end, beside its bits")
    read_latency: Time = Field(description="time of the root complex and memory to answer a read of a device")

    @property
    def byte(self) -> Fraction:
        """Time of a byte on the line, in ps."""
        return Fraction(8 * self.code_bits * 10**12, self.data_bits * self.lanes) / self.signalling

    @model_validator(mode="after")
    def _code_carries_data(self) -> NvmeLink:
        if self.code_bits < self.data_bits:
            raise refusal(str(self.code_bits), f"at least the data bits, {self.data_bits}", field="code_bits")
        return self


class NvmeDrive(FlashDrive):
    """A solid-state drive with NVMe queues over PCI Express."""

    largest: Extent = Field(description="most bytes of a command (MDTS)")

    @model_validator(mode="after")
    def _commands_hold_sectors(self) -> NvmeDrive:
        if self.largest % self.map_unit:
            expected = f"a multiple of map_unit, {size_text(self.map_unit)}"
            raise refusal(size_text(self.largest), expected, field="largest")
        return self


register_sheet("adapter", "nvme", NvmeAdapter)
register_sheet("link", "nvme", NvmeLink)
register_sheet("disk", "nvme", NvmeDrive)
