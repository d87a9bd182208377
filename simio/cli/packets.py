"""The packet trace of `simio run`: its options, and where what was seen goes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from simio.cli.options import tell, write

if TYPE_CHECKING:
    from simio.components.network.capture import PacketTrace
    from simio.result.packets import Packets

MOST = 3_000_000
"""Packets that a trace can hold, whose marks a run may record."""


@dataclass(frozen=True)
class Tracing:
    """What to trace, whether to print it, and the capture file to write, if any."""

    packets: PacketTrace
    printed: bool
    pcap: str | None

    def give(self, seen: Packets, hosts: Sequence[str], output: str | None) -> None:
        """Print packets, or write them to `output`, and to the capture file; tell if they are not all."""
        if self.pcap:
            from simio.files import write_whole
            from simio.report.pcap import capture_file

            write_whole(self.pcap, capture_file(seen, hosts))
        if self.printed:
            from simio.report.packets import lines

            write(output, "".join(f"{line}\n" for line in lines(seen, self.packets.at)))
        if seen.missing:
            tell(f"{seen.count:,} packets are traced, {seen.missing:,} more are not; --packets sets how many")


def tracing(
    trace: str | None, pcap: str | None, at: tuple[str, ...], limit: int | None, form: str | None
) -> Tracing | None:
    """What the options ask for, or None; those that do not go together are refused."""
    if not trace and not pcap:
        if at or limit:
            raise click.UsageError(f"{'--at' if at else '--packets'} goes with --trace packets or --pcap")
        return None
    if trace and form:
        raise click.UsageError(f"--trace and --{form} exclude each other")
    if pcap and len(at) > 1:
        raise click.UsageError("--pcap takes one --at: a file holds what was seen at one place")
    from simio.components.network.capture import PacketTrace

    packets = PacketTrace(at=at) if limit is None else PacketTrace(limit, at)
    return Tracing(packets, trace is not None, pcap)
