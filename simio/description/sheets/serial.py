"""Datasheets of Serial ATA and Serial Attached SCSI: adapters, links with expanders, and drives."""

from fractions import Fraction
from typing import ClassVar, Self

from pydantic import Field, model_validator

from simio.description.quantities import Count, Extent, Signalling, Size, Time, Whole, refusal
from simio.description.sheets.adapters import StorageAdapter
from simio.description.sheets.base import LINE, Sheet, register_sheet
from simio.description.sheets.disks import Drive, check_gathers
from simio.description.sheets.flash import FlashDrive
from simio.description.sheets.pcie import PcieDevice


class SerialAdapter(PcieDevice, StorageAdapter):
    """A host bus adapter of SATA or SAS with its driver."""


class SerialLink(Sheet):
    """The links between an adapter and its drives, each with a port of its own, over expanders or not."""

    work = {"expander_latency": "signals"}

    shared: ClassVar[bool] = True

    signalling: Signalling = Field(description="code bits a second of a link")
    data_bits: Count = Field(description="data bits a code word")
    code_bits: Count = Field(description="line bits a code word")
    devices: Count = Field(description="most drives")
    wide: Whole = Field(
        description="links between adapter and first expander, which all drives share; 0: no expander"
    )
    expanders: Whole = Field(0, description="expanders one behind another on the way to a drive")
    expander_latency: Time = Field(0, description="time of a connection request or a frame through an expander")
    payload: Extent = Field(description="most data of a frame")
    frame_overhead: Size = Field(description="bytes of a frame beside its data: delimiters, header and CRC")
    handshake: Time = Field(description="time of a frame beside its bytes: asking, acknowledging, turning around")
    command: Size = Field(description="bytes of the frames by which a drive gets a command")
    setup: Size = Field(description="bytes of the frame by which a drive asks for data, or announces them")
    response: Size = Field(description="bytes of the frame that ends a command")
    connection: Time = Field(0, description="time of opening a connection, without expanders; 0 s: there are none")
    closing: Time = Field(0, description="time of closing a connection")

    @property
    def joins(self) -> int:
        """See `Sheet.joins`."""
        return self.devices + 1

    @model_validator(mode="after")
    def _code_carries_data(self) -> Self:
        if self.code_bits < self.data_bits:
            raise refusal(str(self.code_bits), f"at least the data bits, {self.data_bits}", field="code_bits")
        if self.expanders and not self.wide:
            raise refusal("0", "at least one link to the first expander", field="wide")
        return self

    def byte(self, signalling: Fraction) -> Fraction:
        """Time of a byte between this link and a port of so many code bits a second, in ps."""
        slower = min(Fraction(self.signalling), signalling)
        return Fraction(8 * self.code_bits * 10**12, self.data_bits) / slower


class SataDisk(Drive):
    """A hard disk with Serial ATA, which a SAS link takes, too."""

    link_kinds: ClassVar[tuple[str, ...]] = ("sata", "sas")
    work = {"signalling": LINE}

    signalling: Signalling = Field(description="code bits a second of its port")
    gathers: Extent = Field(description="bytes that it gathers before it sends them")

    @model_validator(mode="after")
    def _gathers_what_fits(self) -> Self:
        check_gathers(self, self.gathers, "gathers")
        return self


class SasDisk(SataDisk):
    """A hard disk with Serial Attached SCSI."""

    link_kinds: ClassVar[tuple[str, ...]] = ("sas",)


class SataFlash(FlashDrive):
    """A solid-state drive with Serial ATA, which a SAS link takes, too."""

    link_kinds: ClassVar[tuple[str, ...]] = ("sata", "sas")
    work = {"signalling": LINE}

    signalling: Signalling = Field(description="code bits a second of its port")

    @property
    def gathers(self) -> int:
        """Bytes that it gathers before it sends them."""
        return self.page


class SasFlash(SataFlash):
    """A solid-state drive with Serial Attached SCSI."""

    link_kinds: ClassVar[tuple[str, ...]] = ("sas",)


for _kind in ("sata", "sas"):
    register_sheet("adapter", _kind, SerialAdapter)
    register_sheet("link", _kind, SerialLink)
register_sheet("disk", "sata", SataDisk)
register_sheet("disk", "sas", SasDisk)
register_sheet("disk", "sata-flash", SataFlash)
register_sheet("disk", "sas-flash", SasFlash)
