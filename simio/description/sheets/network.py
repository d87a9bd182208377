"""Datasheets of network adapters: interface queue, rings, DMA, interrupts and costs of the driver."""

from typing import ClassVar, Literal, Self

from pydantic import Field, model_validator

from simio.description.quantities import Count, Extent, Flag, Limit, OptionalRate, Time, Whole, refusal
from simio.description.sheets.base import TIMER, Sheet, register_sheet
from simio.description.sheets.pausing import PauseSheet

MEDIA = {
    "ethernet": ("ethernet", "ethernet-shared", "emulated"),
    "atm": ("atm",),
    "fddi": ("fddi",),
}
"""The kinds of link that fit an adapter, by its medium."""


class NetworkCard(Sheet):
    """A network interface card with its driver: packets wait, cross the host's bus by DMA, and interrupt."""

    faults: ClassVar[tuple[str, ...]] = ("reset",)
    work = {
        "transmit_cost": "network drivers",
        "receive_cost": "network drivers",
        "coalesce_delay": TIMER,
    }

    mtu: Limit = Field(None, description="largest IP datagram it is set up for; none: as the link allows")
    queue: Count = Field(50, description="packets that wait in the interface's output queue; more are dropped")
    transmit_ring: Count = Field(description="packets that the driver hands to the adapter ahead")
    receive_ring: Count = Field(description="buffers in host memory for packets that arrive")
    transmit_buffer: Extent = Field(description="memory on the adapter for packets to be sent")
    receive_buffer: Extent = Field(
        description="memory on the adapter for packets that have arrived; packets that do not fit are dropped"
    )
    overlapped: Flag = Field(
        True,
        description="whether the next packet is fetched from host memory while one is sent, or only after it",
    )
    dma: OptionalRate = Field(None, description="rate of DMA to and from the host's bus; none: as the bus can")
    packet_time: Time = Field(0, description="time of the adapter's own processor a packet; 0 s: none to speak of")
    transmit_cost: Time = Field(description="CPU time of the driver a packet sent")
    receive_cost: Time = Field(description="CPU time of the driver a packet received")
    transmit_interrupt: Whole = Field(
        0, description="packets sent for which it interrupts once; 0: it does not interrupt for them"
    )
    coalesce_count: Count = Field(1, description="packets received that share an interrupt; 1: none do")
    coalesce_delay: Time = Field(0, description="longest wait of a received packet for others to share with")
    checksum: Flag = Field(False, description="whether it computes the checksums of TCP and UDP")

    @model_validator(mode="after")
    def _no_packet_waits_for_ever(self) -> Self:
        if self.coalesce_count > 1 and not self.coalesce_delay:
            raise refusal(
                "0 s",
                "a time above zero, as packets share interrupts; with coalesce_count 1 none do",
                field="coalesce_delay",
            )
        return self


class NetworkAdapter(PauseSheet, NetworkCard):
    """A card for Ethernet, ATM or FDDI."""

    medium: Literal["ethernet", "atm", "fddi"] = Field(description="kind of link that it connects to")

    def links(self, kind: str) -> tuple[str, ...]:
        """The kinds of link that fit its medium."""
        return MEDIA[self.medium]


class IdealAdapter(Sheet):
    """An adapter that takes no time and has room for all, to see links and switches alone."""

    mtu: Limit = Field(None, description="largest IP datagram it is set up for; none: as the link allows")
    checksum: Flag = Field(True, description="whether it computes the checksums of TCP and UDP")
    medium: Literal["ethernet", "atm", "fddi"] = Field(description="kind of link that it connects to")

    def links(self, kind: str) -> tuple[str, ...]:
        """The kinds of link that fit its medium."""
        return MEDIA[self.medium]


class VirtualAdapter(Sheet):
    """A network device that is software alone, such as an end of a veth pair: a queue in memory, and no DMA."""

    work = dict.fromkeys(("transmit_cost", "receive_cost"), "network drivers") | {"wake_cost": "interrupts"}

    mtu: Limit = Field(None, description="largest IP datagram it is set up for; none: as the link allows")
    checksum: Flag = Field(True, description="whether checksums are left out, as data never leave the memory")
    medium: Literal["ethernet"] = Field(description="kind of link that it connects to")
    backlog: Count = Field(1000, description="packets that wait for the receiving CPU; more are dropped")
    wake_cost: Time = Field(
        0,
        description="CPU time of the sending CPU to interrupt the receiving one, if that is not at packets already; "
        "the interrupt comes at its end",
    )
    transmit_cost: Time = Field(description="CPU time of the driver a packet sent")
    receive_cost: Time = Field(description="CPU time of the driver a packet received")

    def links(self, kind: str) -> tuple[str, ...]:
        """The kinds of link that fit its medium."""
        return MEDIA[self.medium]


class FibreChannelNetworkAdapter(NetworkCard):
    """A card for IP over Fibre Channel. What finds no room on it waits at the sender, for want of credit."""

    link_kinds: ClassVar[tuple[str, ...]] = ("fibre-channel",)

    frame_payload: Extent = Field(description="payload of a full frame it sends")
    credit: Count = Field(description="buffer-to-buffer credit: frames it can receive before it must free one")


register_sheet("adapter", "network", NetworkAdapter)
register_sheet("adapter", "fibre-channel-network", FibreChannelNetworkAdapter)
register_sheet("adapter", "ideal-network", IdealAdapter)
register_sheet("adapter", "virtual-network", VirtualAdapter)
