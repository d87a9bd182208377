"""Datasheets of HIPPI cards and channels."""

from typing import ClassVar, Self

from pydantic import Field, model_validator

from simio.description.quantities import (
    Count,
    DelayPerLength,
    Extent,
    Flag,
    Frequency,
    OptionalTime,
    Rate,
    Size,
    Time,
    Whole,
    refusal,
)
from simio.description.sheets.base import TIMER, Sheet, SwitchSheet, register_sheet, size_text


class HippiAdapter(Sheet):
    """A HIPPI card that stores packets up to a size before it sends them."""

    work = dict.fromkeys(("transmit_cost", "receive_cost", "ip_transmit_cost", "ip_receive_cost"), "network drivers")

    buffer: Extent = Field(description="memory on the card for one direction")
    store_limit: Size = Field(description="packets up to this size are stored whole before they are sent")
    transmit_dma: Rate = Field(description="rate of DMA from host memory to the card")
    receive_dma: Rate = Field(description="rate of DMA from the card to host memory")
    transmit_cost: Time = Field(description="host CPU time of the driver a packet sent")
    receive_cost: Time = Field(description="host CPU time of the driver a packet received")
    ready_window: Count = Field(description="bursts the receiver allows ahead (READY signals)")
    ip_mtu: Extent = Field(65280, description="largest IP datagram it is set up for")
    ip_transmit_cost: OptionalTime = Field(
        None, description="host CPU time of the driver an IP packet sent; none: as for a packet of raw HIPPI"
    )
    ip_receive_cost: OptionalTime = Field(
        None, description="host CPU time of the driver an IP packet received; none: as for one of raw HIPPI"
    )
    ip_packet_time: Time = Field(
        0, description="time of the card's own processor an IP packet, at either end; 0 s: none to speak of"
    )
    ip_queue: Count = Field(50, description="IP packets that wait to be sent; more are dropped")
    ip_ring: Count = Field(16, description="IP packets handed to the card ahead, and buffers for those that come")
    ip_transmit_interrupt: Whole = Field(
        0, description="IP packets sent for which it interrupts once; 0: it does not interrupt for them"
    )
    checksum: Flag = Field(False, description="whether it computes the checksums of TCP and UDP")

    @model_validator(mode="after")
    def _stored_packets_fit(self) -> Self:
        if self.store_limit > self.buffer:
            raise refusal(
                size_text(self.store_limit),
                f"at most the buffer of the card, {size_text(self.buffer)}",
                field="store_limit",
            )
        return self


class HippiLink(Sheet):
    """A HIPPI-PH channel (ISO/IEC 11518-1): bursts of words between READY signals."""

    faults: ClassVar[tuple[str, ...]] = ("down",)

    work = {"propagation": "signals"}

    clock: Frequency = Field(description="clock of the channel; one word a clock")
    word: Extent = Field(description="bytes a word")
    burst_words: Count = Field(description="words a full burst")
    gap_words: Whole = Field(description="clocks between bursts: checksum (LLRC) and least gap")
    connect_words: Whole = Field(description="clocks to connect and to start a packet")
    propagation: DelayPerLength = Field(description="signal delay of the cable")


class HippiSwitch(SwitchSheet):
    """A switch of HIPPI connections (HIPPI-SC, ANSI X3.222): one at a time out of each port."""

    work = {"retry": TIMER}

    latency: Time = Field(description="time to make a connection, and delay of data through it")
    camp_on: Flag = Field(
        True, description="whether a connection waits for a busy port, or is rejected and tried again"
    )
    retry: Time = Field(0, description="pause of a source whose connection was rejected")

    @model_validator(mode="after")
    def _rejected_sources_pause(self) -> Self:
        if not self.camp_on and not self.retry:
            raise refusal("0 s", "a time above zero, as connections are rejected", field="retry")
        return self


register_sheet("adapter", "hippi", HippiAdapter)
register_sheet("link", "hippi", HippiLink)
register_sheet("switch", "hippi", HippiSwitch)
