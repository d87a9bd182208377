"""Datasheets of HIPPI cards and channels."""

from __future__ import annotations

from pydantic import Field, model_validator

from ..quantities import Count, DelayPerLength, Extent, Frequency, Rate, Size, Time, Whole, refusal
from .base import Sheet, register_sheet, size_text


class HippiAdapter(Sheet):
    """A HIPPI card that stores packets up to a size before it sends them."""

    buffer: Extent = Field(description="memory on the card for one direction")
    store_limit: Size = Field(description="packets up to this size are stored whole before they are sent")
    transmit_dma: Rate = Field(description="rate of DMA from host memory to the card")
    receive_dma: Rate = Field(description="rate of DMA from the card to host memory")
    transmit_cost: Time = Field(description="host CPU time of the driver a packet sent")
    receive_cost: Time = Field(description="host CPU time of the driver a packet received")
    ready_window: Count = Field(description="bursts the receiver allows ahead (READY signals)")

    @model_validator(mode="after")
    def _stored_packets_fit(self) -> HippiAdapter:
        if self.store_limit > self.buffer:
            raise refusal(
                size_text(self.store_limit),
                f"at most the buffer of the card, {size_text(self.buffer)}",
                field="store_limit",
            )
        return self


class HippiLink(Sheet):
    """A HIPPI-PH channel (ISO/IEC 11518-1): bursts of words between READY signals."""

    clock: Frequency = Field(description="clock of the channel; one word a clock")
    word: Extent = Field(description="bytes a word")
    burst_words: Count = Field(description="words a full burst")
    gap_words: Whole = Field(description="clocks between bursts: checksum (LLRC) and least gap")
    connect_words: Whole = Field(description="clocks to connect and to start a packet")
    propagation: DelayPerLength = Field(description="signal delay of the cable")


register_sheet("adapter", "hippi", HippiAdapter)
register_sheet("link", "hippi", HippiLink)
