"""Datasheets of Fibre Channel adapters, links and switches."""

from typing import Annotated, ClassVar, Self

from pydantic import Field, model_validator

from simio.description.quantities import (
    Count,
    DelayPerLength,
    Duration,
    Extent,
    Flag,
    Horizon,
    Signalling,
    Size,
    Time,
    Whole,
    refusal,
)
from simio.description.sheets.adapters import StorageAdapter
from simio.description.sheets.base import Sheet, SwitchSheet, register_sheet


class FibreChannelAdapter(StorageAdapter):
    """A Fibre Channel host bus adapter with its SCSI driver."""

    link_kinds: ClassVar[tuple[str, ...]] = ("fibre-channel", "fibre-channel-loop")

    frame_payload: Annotated[Extent, Field(description="payload of a full frame it sends")]
    credit: Count = Field(description="buffer-to-buffer credit: frames it can receive before it must free one")
    port_down: Horizon = Field(
        None, description="how long the driver holds commands to a port that is down; none: it holds none"
    )


class FibreChannelLink(Sheet):
    """A Fibre Channel link (FC-PH): serial frames with a line code."""

    faults: ClassVar[tuple[str, ...]] = ("down",)

    work = {"propagation": "signals"}

    signalling: Signalling = Field(description="code bits a second on the line")
    data_bits: Count = Field(8, description="data bits a code word")
    code_bits: Count = Field(10, description="line bits a code word")
    frame_overhead: Size = Field(description="bytes of a frame that are not payload: SOF, header, CRC, EOF")
    gap: Size = Field(description="least idle bytes between frames")
    max_payload: Extent = Field(description="largest payload of a frame")
    propagation: DelayPerLength = Field(description="signal delay of the cable")
    link_failure: Duration = Field(
        100 * 10**9, description="how long it is down before its ports know that it is (R_T_TOV)"
    )

    @model_validator(mode="after")
    def _code_carries_data(self) -> Self:
        if self.code_bits < self.data_bits:
            raise refusal(str(self.code_bits), f"at least the data bits, {self.data_bits}", field="code_bits")
        return self


class FibreChannelLoop(FibreChannelLink):
    """A Fibre Channel arbitrated loop (FC-AL): one pair of ports at a time."""

    shared: ClassVar[bool] = True

    devices: Count = Field(description="most ports on the loop")
    port_words: Whole = Field(description="transmission words by which each port delays passing frames")
    login_credit: Whole = Field(
        description="frames that a port may send when it has opened another; 0: it waits for a receiver-ready"
    )
    fair: Flag = Field(True, description="whether ports give way until all that wait have had the loop")
    gather: Extent = Field(description="bytes that a disk gathers before it arbitrates")

    @property
    def joins(self) -> int:
        """See `Sheet.joins`."""
        return self.devices


class FibreChannelSwitch(SwitchSheet):
    """A Fibre Channel switch that cuts frames through."""

    latency: Time = Field(description="delay of a frame through the switch")
    credit: Count = Field(description="buffer-to-buffer credit of a port")


register_sheet("adapter", "fibre-channel", FibreChannelAdapter)
register_sheet("link", "fibre-channel", FibreChannelLink)
register_sheet("link", "fibre-channel-loop", FibreChannelLoop)
register_sheet("switch", "fibre-channel", FibreChannelSwitch)
