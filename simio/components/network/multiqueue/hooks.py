"""Hooks that a packet can reach, and the CPU time that it has cost by then."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from simio.description.model import Host
from simio.description.sheets.packets import PacketKernelSheet


@dataclass(frozen=True)
class Hook:
    """Work done with a packet: costs of the kernel's datasheet that add up, beside the driver's own.

    `xdp` says that it is done in the driver, on buffers of a page each, `user` that a program polls the adapter.
    `batch` names the packets of a doorbell (none: those of a poll), `lines` the cache lines that all cores write.
    `adapts` is false where the driver's counters do not see the packets, so that its moderation stays as it begins
    (Linux 4.18, drivers/net/ethernet/mellanox/mlx5/core/en_rx.c: packets that XDP consumes).
    """

    costs: tuple[str, ...]
    sends: bool = False
    xdp: bool = True
    user: bool = False
    reads: bool = True
    routes: bool = False
    lines: str = ""
    batch: str = ""

    @property
    def adapts(self) -> bool:
        """True if the driver counts the packets, and moves its moderation after them."""
        return not self.xdp and not self.user


_FILTER = ("skb_cost", "filter_cost")

HOOKS: Mapping[str, Hook] = {
    "xdp-drop": Hook(("xdp_cost",), reads=False),
    "xdp-read": Hook(("xdp_cost", "read_cost")),
    "xdp-tx": Hook(("xdp_cost", "read_cost", "xdp_send"), sends=True),
    "xdp-redirect": Hook(("xdp_cost", "read_cost", "xdp_redirect"), sends=True, batch="xdp_batch"),
    "xdp-route": Hook(
        ("xdp_cost", "read_cost", "xdp_redirect", "lookup_cost"), sends=True, routes=True, batch="xdp_batch"
    ),
    "xdp-balance": Hook(("xdp_cost", "read_cost", "xdp_send", "xdp_balance"), sends=True),
    "raw-drop": Hook(("skb_cost",), xdp=False),
    "xdp-pass-raw-drop": Hook(("xdp_cost", "read_cost", "skb_cost"), xdp=False),
    "filter-drop": Hook(_FILTER, xdp=False),
    "conntrack-drop": Hook((*_FILTER, "conntrack_cost"), xdp=False, lines="conntrack_lines"),
    "ruleset-drop": Hook((*_FILTER, "conntrack_cost", "ruleset_cost"), xdp=False, lines="conntrack_lines"),
    "route": Hook(
        ("skb_cost", "forward_cost"), sends=True, xdp=False, routes=True, lines="forward_lines", batch="stack_batch"
    ),
    "ipvs": Hook(("skb_cost", "ipvs_cost"), sends=True, xdp=False, lines="conntrack_lines", batch="stack_batch"),
    "dpdk-drop": Hook(("user_receive",), xdp=False, user=True, reads=False),
    "dpdk-forward": Hook(("user_receive",), xdp=False, user=True, sends=True),
}
"""Kinds of work with a packet, by name."""


def looked_up(host: Host, kernel: PacketKernelSheet, routes: int) -> int:
    """Time in ps by which a look-up among `routes` that are used in no order takes longer than of always the same.

    The lines of a route are in the nearest cache that has room: of random uses of more lines than a cache has, it
    holds the share that fits.
    """
    if routes == 1:
        return 0
    cpu = host.cpu.sheet
    footprint = 64 * kernel.lookup_lines * routes
    l2 = min(Fraction(1), Fraction(cpu.cache, footprint))
    llc = min(Fraction(1), Fraction(host.root.sheet.cache, footprint)) if host.root else Fraction(1)
    line = l2 * cpu.line_l2 + (llc - l2) * cpu.line_llc + (1 - llc) * cpu.line_memory
    return ceil(kernel.lookup_lines * line)
