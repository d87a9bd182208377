"""Datasheets of protocol stacks: sockets, TCP, UDP and IP as one kernel has them, and what they cost."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from simio.description.quantities import (
    Count,
    Duration,
    Extent,
    Flag,
    Limit,
    Name,
    OptionalCount,
    OptionalRate,
    Size,
    Time,
    Whole,
    refusal,
)
from simio.description.sheets.base import TIMER, Sheet, register_sheet, size_text
from simio.machines.tcp.congestion import CONTROLS
from simio.machines.tcp.recovery import RECOVERIES


class SocketValues(Sheet):
    """Socket buffers, and the division of a program's data into buffers of the kernel."""

    send_space: Extent = Field(description="TCP socket buffer for sending")
    receive_space: Extent = Field(description="TCP socket buffer for receiving")
    max_space: Extent = Field(description="largest socket buffer that a program can ask for")
    advertised_window: Limit = Field(
        None, description="largest window that TCP offers, where it is less than the buffer; none: as that allows"
    )
    whole_segments: Flag = Field(False, description="whether TCP socket buffers are rounded up to whole segments")
    datagram_send_space: Extent = Field(description="largest UDP datagram, payload")
    datagram_buffer: Limit = Field(
        None,
        description="data of a program's UDP socket that may wait to leave the host, where adapters have no queues "
        "for cores; it waits to send more; none: any number",
    )
    datagram_receive_space: Extent = Field(description="UDP socket buffer for receiving")
    rpc_receive_space: Limit = Field(
        None, description="buffer for calls that wait for the kernel's RPC server; none: as for datagrams"
    )
    mbuf_size: Size = Field(description="memory of a small buffer (mbuf); 0 B: only data count")
    mbuf_data: Size = Field(description="data that a small buffer holds")
    mbuf_first: Size = Field(description="data that the first small buffer of a chain holds")
    cluster: Size = Field(description="data that a large buffer (cluster) holds; 0 B: there are none")
    cluster_threshold: Size = Field(description="the rest of a write goes into a cluster if it is larger")
    cluster_needs_room: Flag = Field(
        description="whether a cluster is taken only while the socket buffer has room for a whole one"
    )
    memory_factor: Count = Field(2, description="memory that a socket buffer may take, in multiples of its space")
    hand_over: Literal["buffer", "write"] = Field(
        description="unit given to TCP: each buffer, or all data that a write could place"
    )
    page_flip: Flag = Field(
        description="whether whole pages change hands between program and kernel without being copied"
    )

    @property
    def call_space(self) -> int:
        """Room for calls that wait for the kernel's RPC server, in bytes."""
        return int(self.rpc_receive_space or self.datagram_receive_space)


class Tcp(Sheet):
    """The behaviour of TCP (RFC 9293, RFC 1122 section 4.2, RFC 5681, RFC 6298, RFC 7323)."""

    work = dict.fromkeys(("delayed_ack", "rto_tick", "rto_min", "rto_initial", "rto_max"), TIMER)

    mss_multiple: Size = Field(description="a larger MSS is rounded down to a multiple of this; 0 B: never")
    rfc1323: Literal["never", "large", "always"] = Field(
        description="when window scaling and timestamps are used; large: with a socket buffer that needs scaling"
    )
    nagle: Literal["idle", "small"] = Field(
        "idle", description="wait of a small segment: until all data, or until an earlier small one is acknowledged"
    )
    initial_window: Count = Field(description="segments of the congestion window at first")
    restart: Flag = Field(description="whether the congestion window starts anew after an idle time")
    idle_halving: Flag = Field(
        False,
        description="whether each retransmission time of that idle time halves the window, and not the first takes "
        "all of it",
    )
    max_cwnd: Limit = Field(None, description="largest congestion window; none: any that scaling can announce")
    byte_counting: Flag = Field(
        False, description="whether the congestion window grows by bytes acknowledged, not by acknowledgements"
    )
    byte_limit: Whole = Field(
        2, description="segments by which an acknowledgement then opens it at most in slow start; 0: any number"
    )
    grow_when_limited: Flag = Field(
        False,
        description="whether it grows only while it limits, or in slow start is below twice the outstanding data",
    )
    congestion_control: Annotated[str, Name(CONTROLS)] = Field("reno", description="growth of the congestion window")
    recovery: Annotated[str, Name(RECOVERIES)] = Field(description="recovery from loss")
    ack_every: Count = Field(description="segments that are acknowledged at once, without delay")
    ack_half: Flag = Field(
        False, description="whether half of the receive buffer is acknowledged at once, if that is less"
    )
    quick_acks: Whole = Field(
        0, description="segments acknowledged one by one when data begin to come, at first or after an idle time"
    )
    ack_small: Flag = Field(
        description="whether small segments count for that, and not only full ones' worth of data"
    )
    ack_part: Flag = Field(
        False, description="whether the last of those full ones need not be full: its first byte completes them"
    )
    delayed_ack: Duration = Field(description="period or longest delay of a delayed ACK")
    delayed_ack_clock: Literal["tick", "timer"] = Field(
        description="tick: at multiples of the period, for all connections; timer: a period after the segment"
    )
    update_segments: Whole = Field(
        2, description="segments by which a reader opens the window before it is announced; 0: by no number"
    )
    update_divisor: Count = Field(2, description="as does one that opens it by the receive buffer over this")
    ack_pushed: Flag = Field(
        False, description="whether half windows are pushed, and a reader that drains pushed data acknowledges them"
    )
    pacing: Flag = Field(
        False, description="whether data leave in bursts at a rate, by window and round trip (fq); BBR's always do"
    )
    small_queue: Limit = Field(
        None, description="most that waits below a socket, and no more than pacing asks for; none: any number"
    )
    defer: Whole = Field(
        0, description="part of the window for which a burst waits while acknowledgements are near; 0: none waits"
    )
    ecn: Flag = Field(False, description="whether congestion is marked and echoed (RFC 3168); DCTCP's always is")
    dsack: Flag = Field(False, description="whether duplicate segments are reported (RFC 2883)")
    autotune: Limit = Field(
        None, description="receive buffer that autotuning reaches, unless a program sets it; none: it stays"
    )
    autotune_by: Literal["read", "arrival"] = Field(
        "read",
        description="how it grows: to twice what is read in a round trip (Linux), or by half of itself if three "
        "eighths of it have arrived, in order, in half of one (FreeBSD)",
    )
    time_each: Flag = Field(
        False, description="whether each acknowledgement times a round trip, not one segment at a time or timestamps"
    )
    timestamp_tick: Annotated[Duration, Field(le=10**12)] = Field(
        500 * 10**9, description="period of the clock of timestamps, at most 1 s (4.4BSD: 500 ms)"
    )
    rto_tick: Duration = Field(description="granularity of the retransmission timer")
    rto_min: Duration = Field(description="least retransmission timeout")
    rto_initial: Duration = Field(description="retransmission timeout before a round trip was timed")
    rto_max: Duration = Field(description="largest retransmission timeout")
    rto_granularity: Time = Field(
        0, description="least that is added to the smoothed round trip for the retransmission timeout"
    )
    rto_slop: Time = Field(0, description="what is added to the retransmission timeout, after any backing off")


class Costs(Sheet):
    """Place of protocol processing, and CPU costs of the layers at the kernel's reference clock."""

    work = {
        "socket_call": "system calls",
        "buffer_cost": "socket buffers",
        "walk_cost": "socket buffers",
        "flip_cost": "page flips",
        **dict.fromkeys(("tcp_send", "tcp_receive", "udp_send", "udp_receive"), "protocols"),
        **dict.fromkeys(("ip_send", "ip_receive", "echo"), "protocols"),
        **dict.fromkeys(("rpc", "nfs_client", "nfs_server"), "RPC and NFS"),
        **dict.fromkeys(("nfs_page", "nfs_lookup"), "file cache"),
        "checksum": "checksums",
    }

    input: Literal["interrupt", "thread"] = Field(
        description="whether the adapter's handler processes arriving packets, or threads on any CPU"
    )
    socket_call: Time = Field(description="CPU time of the socket layer a read or write")
    buffer_cost: Time = Field(description="CPU time to get and free a buffer (mbuf, cluster) of a write")
    walk_cost: Time = Field(0, description="CPU time a buffer that is passed when a chain is walked")
    flip_cost: Time = Field(0, description="CPU time to flip a page")
    tcp_send: Time = Field(description="CPU time of TCP a segment sent")
    tcp_receive: Time = Field(description="CPU time of TCP a segment received")
    echo: Time = Field(0, description="CPU time of ICMP and of ping itself an echo, beside calls, IP and driver")
    udp_send: Time = Field(description="CPU time of UDP a datagram sent")
    udp_receive: Time = Field(description="CPU time of UDP a datagram received")
    ip_send: Time = Field(description="CPU time of IP a packet or fragment sent")
    ip_receive: Time = Field(description="CPU time of IP a packet or fragment received")
    rpc: Time = Field(0, description="CPU time of RPC and XDR a message, at either end")
    nfs_client: Time = Field(0, description="CPU time of NFS a READ or WRITE at the client, beside copying")
    nfs_server: Time = Field(0, description="CPU time of NFS and the file system a request at the server")
    nfs_page: Time = Field(
        0,
        description="CPU time to bring a page into the cache of an NFS client, or of a server that is written",
    )
    nfs_lookup: Time = Field(
        0, description="CPU time to find a page in that cache, for a call of a program or a READ"
    )
    nfs_max_transfer: Limit = Field(
        None,
        description="most bytes that an NFS client asks for in a READ or WRITE, whatever its mount says; none: any",
    )
    copies: Flag = Field(
        True, description="whether the CPU copies data between programs or caches and the network's buffers"
    )
    checksum: OptionalRate = Field(
        description="rate at which a CPU computes checksums, where an adapter does not; none: with the copy"
    )

    @property
    def takes_time(self) -> bool:
        """True if a packet, or its data, takes CPU time."""
        costs = (self.socket_call, self.tcp_send, self.tcp_receive, self.udp_send, self.udp_receive)
        return self.copies or any((*costs, self.ip_send, self.ip_receive))


class Buffers(Sheet):
    """Buffers of several packets (offloads), and the work for each buffer, page and merged packet.

    The times count for hosts whose packets come by an adapter with queues.
    """

    work = {
        "ack_cost": "protocols",
        **dict.fromkeys(("merge_cost", "device_send", "device_receive", "poll_cost", "rfs_cost"), "network drivers"),
        "busy_read": TIMER,
        "wake_cost": "process switches",
        **dict.fromkeys(("skb_cost", "skb_memory", "fragment_cost", "lock_cost", "cut_cost", "notice_cost"), "skbs"),
        **dict.fromkeys(("page_cost", "buddy_cost", "block_cost"), "skbs"),
    }

    gso: Limit = Field(
        None,
        description="most data that TCP hands down as one buffer, if the adapter does not cut it; none: a segment",
    )
    gro: Limit = Field(
        None, description="most data of a connection's packets that are merged into a buffer; none: not merged"
    )
    rfs: Flag = Field(
        False,
        description="whether a softirq passes packets and buffers to the core of their program for IP, TCP and UDP "
        "(receive flow steering, net.core.rps_sock_flow_entries)",
    )
    rps: OptionalCount = Field(
        None,
        description="CPUs, from 0 on, over which a hash of the flow spreads IP, TCP and UDP (rps_cpus); rfs goes "
        "before it; none: they stay on the queue's",
    )
    rfs_cost: Time = Field(10**5, description="CPU time to find that core and to leave a buffer in its backlog")
    backlog: Count = Field(
        1000, description="buffers that wait there for a core at most (net.core.netdev_max_backlog)"
    )
    ack_reader: Flag = Field(
        False, description="whether data that narrow the window are acknowledged by their reader, and not at once"
    )
    ack_cost: Time = Field(0, description="CPU time of TCP an acknowledgement without data that arrives")
    busy_read: Time = Field(
        0,
        description="time for which a program that has nothing to read polls its queue before it sleeps "
        "(net.core.busy_read); 0 s: it sleeps at once",
    )
    poll_cost: Time = Field(10**5, description="CPU time of a poll that finds nothing")
    device_send: Time = Field(
        0, description="CPU time between IP and driver a buffer sent, queue discipline included"
    )
    device_receive: Time = Field(0, description="CPU time between driver and IP a buffer received")
    merge_cost: Time = Field(0, description="CPU time to merge a packet into a buffer")
    cut_cost: Time = Field(0, description="CPU time to cut a segment off a buffer, where the adapter does not")
    skb_cost: Time = Field(0, description="CPU time to build and free a buffer's description (skb)")
    skb_memory: Time = Field(0, description="CPU time to get and free the memory of that and of the headers")
    skb_lines: Whole = Field(
        0, description="cache lines of a buffer that move to the core of the program, without its list of fragments"
    )
    socket_lines: Whole = Field(0, description="cache lines of a socket that move when another core works on it")
    shared_info: Size = Field(
        0, description="bytes of the list of a buffer's fragments, without these (skb_shared_info)"
    )
    fragment_size: Size = Field(0, description="bytes of a fragment there")
    fragments: Count = Field(17, description="fragments of a buffer at most (MAX_SKB_FRAGS)")
    fragment_cost: Time = Field(0, description="CPU time to attach, map, unmap and release a fragment")
    page_cost: Time = Field(
        0, description="CPU time to take a page off the core's list of free pages, and to put it back"
    )
    page_batch: Count = Field(
        63,
        description="pages that pass between that list and the buddy allocator at a time (batch of /proc/zoneinfo)",
    )
    page_high: Count = Field(
        378, description="pages in the list with which a batch goes back (high of /proc/zoneinfo)"
    )
    buddy_cost: Time = Field(0, description="CPU time of each of these pages, under the lock of the memory's zone")
    block: Extent = Field(
        32 << 10, description="bytes of a block of pages that a program's data are copied into (SKB_FRAG_PAGE_ORDER)"
    )
    block_cost: Time = Field(0, description="CPU time to get and free a block, under the lock of the memory's zone")
    lock_cost: Time = Field(0, description="CPU time of locks a buffer or call")
    lock_lines: Whole = Field(0, description="cache lines of locks that move to another core with a buffer")
    wake_cost: Time = Field(0, description="CPU time to make a sleeping program ready")
    notice_cost: Time = Field(0, description="CPU time to complete a buffer of zero copy, and to read of it")


class TcpIpStack(SocketValues, Tcp, Costs, Buffers):
    """A TCP/IP stack."""

    @model_validator(mode="after")
    def _buffers_hold_something(self) -> Self:
        if self.mbuf_size and not 0 < self.mbuf_first <= self.mbuf_data <= self.mbuf_size:
            found = f"{size_text(self.mbuf_first)}, {size_text(self.mbuf_data)} and {size_text(self.mbuf_size)}"
            raise refusal(found, "mbuf_first, mbuf_data and mbuf_size in ascending order", field="mbuf_data")
        for key in ("send_space", "receive_space"):
            if getattr(self, key) > self.max_space:
                found, most = size_text(getattr(self, key)), size_text(self.max_space)
                raise refusal(found, f"at most max_space, {most}", field=key)
        if self.autotune and self.autotune < self.receive_space:
            found, least = size_text(self.autotune), size_text(self.receive_space)
            raise refusal(found, f"at least receive_space, {least}", field="autotune")
        return self


register_sheet("stack", "tcp-ip", TcpIpStack)
