"""Datasheets of Fibre Channel adapters, links and switches."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, model_validator

from ..quantities import Count, DelayPerLength, Extent, Signalling, Size, Time, refusal
from .adapters import StorageAdapter
from .base import Sheet, register_sheet


class FibreChannelAdapter(StorageAdapter):
    """A Fibre Channel host bus adapter with its SCSI driver."""

    frame_payload: Annotated[Extent, Field(description="payload of a full frame it sends")]
    credit: Count = Field(
        description="buffer-to-buffer credit: frames it can receive before it must free one"
    )


class FibreChannelLink(Sheet):
    """A Fibre Channel link (FC-PH): serial frames with a line code."""

    signalling: Signalling = Field(description="code bits a second on the line")
    data_bits: Count = Field(8, description="data bits a code word")
    code_bits: Count = Field(10, description="line bits a code word")
    frame_overhead: Size = Field(description="bytes of a frame that are not payload: SOF, header, CRC, EOF")
    gap: Size = Field(description="least idle bytes between frames")
    max_payload: Extent = Field(description="largest payload of a frame")
    propagation: DelayPerLength = Field(description="signal delay of the cable")

    @model_validator(mode="after")
    def _code_carries_data(self) -> FibreChannelLink:
        if self.code_bits < self.data_bits:
            raise refusal(str(self.code_bits), f"at least the data bits, {self.data_bits}", field="code_bits")
        return self


class FibreChannelSwitch(Sheet):
    """A Fibre Channel switch that cuts frames through."""

    ports: Count = Field(description="number of ports")
    latency: Time = Field(description="delay of a frame through the switch")
    credit: Count = Field(description="buffer-to-buffer credit of a port")


register_sheet("adapter", "fibre-channel", FibreChannelAdapter)
register_sheet("link", "fibre-channel", FibreChannelLink)
register_sheet("switch", "fibre-channel", FibreChannelSwitch)
