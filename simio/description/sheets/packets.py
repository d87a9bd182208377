"""Datasheets of Linux kernels by what they do with a packet: the CPU time of each hook on its way."""

from pydantic import Field

from simio.description.quantities import Count, Extent, Time, Whole
from simio.description.sheets.base import register_sheet
from simio.description.sheets.kernels import UnixKernelSheet

_HOOKS = (
    "softirq_cost", "poll_cost", "xdp_cost", "read_cost", "xdp_send", "xdp_redirect", "xdp_balance", "lookup_cost",
    "lookup_branches", "skb_cost", "filter_cost", "conntrack_cost", "ruleset_cost", "ipvs_cost", "forward_cost",
    "decompress_cost", "user_receive", "user_poll", "miss_read", "miss_send",
)  # fmt: skip


class PacketKernelSheet(UnixKernelSheet):
    """Linux with the costs of a packet at each hook, beside those of the adapter's driver."""

    work = {**UnixKernelSheet.work, **dict.fromkeys(_HOOKS, "packet processing")}

    budget: Count = Field(64, description="packets of a poll of an adapter (NAPI)")
    softirq_cost: Time = Field(
        description="CPU time from an interrupt to the first poll and from the last one back, with the driver's share"
    )
    poll_cost: Time = Field(description="CPU time of a poll, beside its packets")
    read_cost: Time = Field(description="CPU time to read a packet's headers, which lie in a cache")
    miss_read: Time = Field(
        description="additional time of a packet that only memory has, after prefetching, if it is only read"
    )
    miss_send: Time = Field(description="the same if the packet is sent on, which uses more of its lines")
    xdp_cost: Time = Field(description="CPU time of XDP a packet: run a program, and act on its verdict")
    xdp_send: Time = Field(description="more to send it back on the same port (XDP_TX)")
    xdp_redirect: Time = Field(description="more to send it on another port (XDP_REDIRECT)")
    xdp_batch: Whole = Field(16, description="packets redirected with one doorbell; 0: those of a poll")
    xdp_balance: Time = Field(description="more for a load balancer in XDP: look the connection up, and encapsulate")
    lookup_cost: Time = Field(description="CPU time of a look-up in the routing table by XDP, all in the first cache")
    lookup_branches: Time = Field(
        description="additional time of a look-up with changing destinations, whose branches are mispredicted"
    )
    lookup_lines: Count = Field(description="cache lines of the table that a look-up of one route has for itself")
    skb_cost: Time = Field(
        description="CPU time of the stack a packet, from the driver to the first hook of netfilter"
    )
    filter_cost: Time = Field(description="more up to the filter table")
    conntrack_cost: Time = Field(description="more with connection tracking, a new connection a packet")
    conntrack_lines: Whole = Field(description="turns of a cache line that all cores write, a packet of these")
    ruleset_cost: Time = Field(description="more with the set of rules that a distribution installs")
    ipvs_cost: Time = Field(description="more for the load balancer of the stack (IPVS)")
    forward_cost: Time = Field(description="more to route a packet and send it on another port")
    stack_batch: Count = Field(1, description="packets that the stack sends with one doorbell")
    forward_lines: Whole = Field(description="turns of a cache line that all cores write, a packet forwarded")
    decompress_cost: Time = Field(description="CPU time of the driver for a packet whose completion is compressed")
    user_receive: Time = Field(description="CPU time of a polling driver in user space a packet received")
    user_poll: Time = Field(description="CPU time of a look of it at a ring")
    user_budget: Count = Field(32, description="packets that it takes at a time")
    user_buffer: Extent = Field(2432, description="distance of its packet buffers in memory")


register_sheet("kernel", "linux-packets", PacketKernelSheet)
