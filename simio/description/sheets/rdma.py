"""Datasheets of adapters for RDMA over converged Ethernet (RoCEv2)."""

from fractions import Fraction
from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field, model_validator

from simio.description.quantities import Count, Duration, Extent, Flag, Limit, OptionalRate, Rate, Time, refusal
from simio.description.sheets.base import TIMER, register_sheet, size_text
from simio.description.sheets.pausing import PauseSheet
from simio.description.sheets.pcie import PcieDevice

MTUS = (256, 512, 1024, 2048, 4096)
"""Payloads of a full packet that there are (InfiniBand Architecture Specification, volume 1, 9.4.8)."""


class RdmaAdapter(PcieDevice, PauseSheet):
    """An adapter on PCI Express that carries queue pairs of the reliable connected service over UDP and IP."""

    link_kinds: ClassVar[tuple[str, ...]] = ("ethernet", "emulated")
    work = {
        **dict.fromkeys(("post_cost", "doorbell", "poll_cost", "register_cost", "register_page"), "verbs"),
        "coalesce_delay": TIMER,
        "ack_timeout": TIMER,
    }

    speed: OptionalRate = Field(None, description="rate of the fastest link that fits its ports; none: any fits")
    mtu: Limit = Field(
        None, description="payload of a full packet: 256, 512, 1024, 2048 or 4096 B; none: the largest that fits"
    )
    post_cost: Time = Field(description="CPU time to post a work request")
    doorbell: Time = Field(description="CPU time of a write to the adapter's registers")
    poll_cost: Time = Field(description="CPU time a completion that is taken from its queue")
    register_cost: Time = Field(0, description="CPU time to make memory known to the adapter for one transfer")
    register_page: Time = Field(0, description="the same a page")
    work_request: Extent = Field(description="bytes of a work request, which the adapter reads")
    fetch: Count = Field(description="largest number of work requests that the adapter reads at a time")
    inline_post: Flag = Field(
        False,
        description="whether the CPU writes the work request with its doorbell, so that the adapter need not read it",
    )
    completion: Extent = Field(description="bytes of a completion that the adapter writes")
    coalesce_count: Count = Field(1, description="completions that share an interrupt; 1: none do")
    coalesce_delay: Time = Field(0, description="longest wait for others, counted from the first")
    packet_time: Time = Field(0, description="time of the adapter's pipeline a packet, in each direction")
    latency: Time = Field(0, description="time of a packet between the wire and the adapter's DMA, either way")
    ahead: Count = Field(description="packets that the adapter reads from memory ahead of the wire")
    receive_buffer: Extent = Field(
        description="memory on the adapter for packets that have arrived; packets that do not fit are dropped"
    )
    reads: Annotated[Count, Field(le=64)] = Field(
        description="READ requests of a queue pair that may be outstanding (responder resources)"
    )
    ack_interval: Count = Field(
        description="packets of a message after which one asks for an acknowledgement; the last one always does"
    )
    recovery: Literal["go-back-n", "selective"] = Field(
        "go-back-n", description="packets sent again after a loss: all from the lost packet on, or that packet"
    )
    ack_timeout: Duration = Field(description="time without an acknowledgement after which all is sent again")
    congestion_control: Literal["none", "dcqcn"] = Field(
        "dcqcn", description="none: always the line's rate; dcqcn: by notifications of marked packets"
    )
    cnp_interval: Duration = Field(50_000_000, description="least time between two notifications of a queue pair (N)")
    alpha_gain: Annotated[Count, Field(le=2**20)] = Field(
        256, description="a notification counts for one such part of DCQCN's alpha (1 / g)"
    )
    alpha_period: Duration = Field(55_000_000, description="time without notification after which alpha falls (K)")
    increase_period: Duration = Field(55_000_000, description="time after which the rate rises (T)")
    increase_bytes: Extent = Field(10_000_000, description="bytes sent after which the rate rises (B)")
    fast_recovery: Count = Field(5, description="increases of fast recovery (F)")
    additive_rate: Rate = Field(Fraction(5_000_000), description="step of additive increase (R_AI)")
    hyper_rate: Rate = Field(Fraction(50_000_000), description="step of hyper increase (R_HAI)")
    least_rate: Rate = Field(Fraction(12_500_000), description="least rate of a queue pair")

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.mtu and self.mtu not in MTUS:
            raise refusal(size_text(self.mtu), ", ".join(f"{each}" for each in MTUS) + " B, or none", field="mtu")
        if self.coalesce_count > 1 and not self.coalesce_delay:
            raise refusal("0 s", "a time above zero, as completions share interrupts", field="coalesce_delay")
        return self


register_sheet("adapter", "rdma-ethernet", RdmaAdapter)
