"""Datasheets of Ethernet links and switches (IEEE 802.3)."""

from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field, model_validator

from simio.description.quantities import (
    Count,
    DelayPerLength,
    Extent,
    OptionalRate,
    Probability,
    Rate,
    Size,
    Time,
    Whole,
    refusal,
)
from simio.description.sheets.base import Sheet, SwitchSheet, register_sheet, size_text
from simio.description.sheets.pausing import PauseSheet
from simio.description.sheets.queues import QueueSheet


class EthernetLink(Sheet):
    """A full-duplex Ethernet link (IEEE 802.3 clauses 3 and 4): frames with preamble, header, check and gap."""

    bonds: ClassVar[bool] = True
    faults: ClassVar[tuple[str, ...]] = ("down",)

    work = {"propagation": "signals"}

    rate: Rate = Field(description="bits a second of the medium access control, each way")
    preamble: Size = Field(description="preamble and start-frame delimiter")
    header: Size = Field(description="header of a frame: addresses and type")
    check: Size = Field(description="frame check sequence")
    minimum: Size = Field(description="least size of a frame, header and check included")
    gap: Size = Field(description="gap between frames, as bytes of the line")
    mtu: Extent = Field(description="largest IP datagram in a frame")
    propagation: DelayPerLength = Field(description="signal delay of the cable")
    coding: Time = Field(0, description="delay of coding and error correction, sender and receiver together")
    loss: Probability = Field(0, description="probability that a packet is lost on the link")
    bit_errors: Probability = Field(0, description="bit error ratio; a packet with an error is lost")

    @model_validator(mode="after")
    def _some_bytes_carry_the_packet(self) -> Self:
        if self.minimum < self.header + self.check:
            least = size_text(self.header + self.check)
            raise refusal(size_text(self.minimum), f"at least header and check, {least}", field="minimum")
        return self


class SharedEthernetSheet(EthernetLink):
    """An Ethernet that all its stations share by carrier sense with collision detection (IEEE 802.3 clause 4).

    Its length is that between the two stations that are farthest apart.
    """

    shared: ClassVar[bool] = True
    bonds: ClassVar[bool] = False

    devices: Count = Field(description="most stations")
    jam: Size = Field(description="jam after a collision")
    slot: Extent = Field(description="slot time, as bytes of the line")
    attempts: Count = Field(description="attempts after which a frame is given up")
    backoff_limit: Annotated[Count, Field(le=30)] = Field(
        description="collisions from which on the range of random waits does not grow"
    )
    transceivers: Time = Field(
        description="delay of transceivers, the cables to them and repeaters between two stations"
    )

    @property
    def joins(self) -> int:
        """See `Sheet.joins`."""
        return self.devices


class PacketSwitchSheet(PauseSheet, QueueSheet, SwitchSheet):
    """A switch of packets: the places of waiting packets, and the rule for dropping."""

    memory_key: ClassVar[str] = "buffer"

    @model_validator(mode="after")
    def _queues_fit_the_buffers(self) -> Self:
        if self.share and self.buffering != "shared":
            raise refusal(str(self.share), "0, unless buffering is shared", field="share")
        if self.managed and self.buffering == "input":
            raise refusal(self.discipline, "drop-tail, where packets wait at inputs", field="discipline")
        if self.pause_classes and self.buffering != "shared":
            raise refusal(self.buffering, "shared: pause_classes have parts of a shared buffer", field="buffering")
        if self.pause_classes and self.discipline != "priority":
            raise refusal(self.discipline, "priority: pause_classes need a queue for each class", field="discipline")
        return self

    @property
    def inputs(self) -> int:
        """See `PauseSheet.inputs`."""
        return self.ports

    link_kinds: ClassVar[tuple[str, ...]] = ("ethernet", "ethernet-shared", "fddi", "emulated")

    latency: Time = Field(description="time from when a packet may be passed on until it can leave")
    buffering: Literal["output", "shared", "input"] = Field(
        description="where packets wait: a buffer of each output port, one for all ports, or of each input port"
    )
    buffer: Extent = Field(description="size of a port's buffer, or of the shared one")
    share: Whole = Field(
        0,
        description="eighths of the free part of a shared buffer that an output may take (dynamic threshold); 0: all",
    )
    backplane: OptionalRate = Field(
        None, description="rate at which packets cross from port to port, all together; none: it never waits"
    )


class EthernetSwitch(PacketSwitchSheet):
    """An Ethernet switch (IEEE 802.1D): store-and-forward, or cut-through once the address has come."""

    forwarding: Literal["store", "cut-through"] = Field(
        "store", description="whether a frame is passed on when all of it has come, or as soon as may be"
    )


register_sheet("link", "ethernet", EthernetLink)
register_sheet("link", "ethernet-shared", SharedEthernetSheet)
register_sheet("switch", "ethernet", EthernetSwitch)
