"""Datasheets of network adapters of today: a pair of rings for each core, and segments that the adapter cuts."""

from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field, model_validator

from simio.description.quantities import Count, Extent, Flag, Limit, OptionalCount, OptionalRate, Time, Whole, refusal
from simio.description.sheets.base import TIMER, register_sheet
from simio.description.sheets.pcie import PcieDevice

MOST_QUEUES = 256
"""Queues that a model of an adapter can have."""


class QueuedAdapter(PcieDevice):
    """An Ethernet adapter on PCI Express with several queues, each with rings, completions and an interrupt."""

    link_kinds: ClassVar[tuple[str, ...]] = ("ethernet", "emulated")
    work = {
        "receive_cost": "network drivers",
        "transmit_cost": "network drivers",
        "doorbell": "network drivers",
        "coalesce_delay": TIMER,
        "gro_flush_timeout": TIMER,
        "lro_timeout": TIMER,
    }

    speed: OptionalRate = Field(None, description="rate of the fastest link that fits its ports; none: any fits")
    mtu: Limit = Field(None, description="largest IP datagram it is set up for; none: as the link allows")
    queues: Annotated[Count, Field(le=MOST_QUEUES)] = Field(
        description="pairs of receive and transmit queues that it is set up for, at most one for each CPU in use"
    )
    steering: Literal["rss", "flow"] = Field(
        "rss",
        description="how flows find their queue: rss, a hash of addresses and ports; flow, a rule that "
        "leads each to the core of its receiver (aRFS)",
    )
    udp_hash: Literal["ports", "addresses"] = Field(
        "ports",
        description="what of UDP the hash is over beside addresses (ethtool -N DEV rx-flow-hash udp4): ports, sdfn; "
        "addresses, nothing (sd), so that all datagrams between two hosts come by one queue",
    )
    receive_ring: Count = Field(description="packet buffers that the driver posts for a queue")
    transmit_ring: Count = Field(description="packets that a queue takes ahead of the wire")
    receive_descriptor: Extent = Field(description="bytes of a posted buffer's descriptor, which the adapter reads")
    transmit_descriptor: Extent = Field(description="bytes of a packet's descriptor to send, which the adapter reads")
    fetch: Count = Field(description="largest number of descriptors that the adapter reads at a time")
    completion: Extent = Field(description="bytes of a completion that the adapter writes")
    compression: Flag = Field(
        False, description="whether completions of packets that arrive close together share blocks"
    )
    session: Annotated[Count, Field(ge=3)] = Field(
        8, description="packets whose completions share two blocks, each as large as a completion, where they do"
    )
    buffer: Extent = Field(
        description="distance of two packet buffers in memory: the first bytes of packets use the same few sets of "
        "a cache if it is a power of two"
    )
    page_pool: OptionalCount = Field(
        None, description="pages of a queue that are kept to be posted again; none: no page is"
    )
    page_pool_order: Literal["in order", "any"] = Field(
        "in order",
        description="which of them is posted next: the oldest, once the stack has let it go, or any that it has",
    )
    page_post: Count = Field(64, description="pages that the driver posts at a time")
    receive_buffer: Extent = Field(
        description="memory on the adapter for packets that have arrived; packets that do not fit are dropped"
    )
    packet_time: Time = Field(0, description="time of the adapter's own pipeline a packet in or out")
    latency: Time = Field(0, description="time of a packet between the wire and the adapter's DMA, either way")
    adaptive: Flag = Field(
        False,
        description="whether the driver moves the two values below through five profiles of Linux, after packets and "
        "interrupts a second (DIM)",
    )
    profiles: Literal["last", "event"] = Field(
        "last",
        description="which profiles: those of a delay that the driver asks for from the last completion, from 256 "
        "packets or 2 us to 64 or 64 us; or from the interrupt before (event), 256 packets or 1 to 256 us",
    )
    coalesce_count: Count = Field(1, description="completions that share an interrupt; 1: none do")
    coalesce_delay: Time = Field(0, description="longest wait for others")
    coalesce_from: Literal["first", "last", "event"] = Field(
        "first",
        description="what that counts from: the first completion that waits; the last one, so that it begins again "
        "with each; or event, the interrupt before, so that the first after a pause does not wait",
    )
    transmit_coalesce_count: OptionalCount = Field(
        None,
        description="completions of buffers sent that share an interrupt (ethtool -C DEV tx-frames); none: they take "
        "no interrupts and no polls",
    )
    transmit_coalesce_delay: Time = Field(
        0, description="time after which the first of them causes it (ethtool -C DEV tx-usecs)"
    )
    gro_flush_timeout: Time = Field(
        0,
        description="time for which packets that are being merged stay so after a poll, until a timer polls again "
        "(/sys/class/net/DEV/gro_flush_timeout); 0 s: they go up at the end of the poll",
    )
    napi_defer_hard_irqs: Whole = Field(
        0, description="polls by that timer that find nothing before the adapter interrupts again (the same place)"
    )
    doorbell: Time = Field(description="CPU time of a write to the adapter's registers")
    receive_cost: Time = Field(description="CPU time of the driver a packet received: completion, buffer, descriptor")
    transmit_cost: Time = Field(description="CPU time of the driver a descriptor to send")
    completion_cost: Time = Field(
        0, description="CPU time of the driver to find that a buffer was sent, and to release it"
    )
    checksum: Flag = Field(True, description="whether it computes the checksums of TCP and UDP")
    tso: Limit = Field(None, description="most bytes of TCP that it cuts into segments itself; none: it does not")
    lro: Limit = Field(
        None,
        description="most bytes of TCP that it joins into one buffer before its driver sees them (LRO); none: it "
        "does not",
    )
    lro_timeout: Time = Field(0, description="longest time that it does so for, from the first packet of a buffer")
    uso: Flag = Field(False, description="whether the adapter cuts a program's data into datagrams (UDP_SEGMENT)")

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.coalesce_count > 1 and not self.coalesce_delay:
            raise refusal(
                "0 s",
                "a time above zero, as packets share interrupts; with coalesce_count 1 none do",
                field="coalesce_delay",
            )
        if self.napi_defer_hard_irqs and not self.gro_flush_timeout:
            raise refusal("0 s", "a time above zero, after which the timer polls", field="gro_flush_timeout")
        if self.lro and not self.lro_timeout:
            raise refusal("0 s", "a time above zero, after which the adapter gives a buffer up", field="lro_timeout")
        if self.fetch > self.receive_ring:
            raise refusal(str(self.fetch), f"at most the receive ring, {self.receive_ring}", field="fetch")
        return self


register_sheet("adapter", "multiqueue-ethernet", QueuedAdapter)
