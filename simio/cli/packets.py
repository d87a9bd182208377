"""The packet trace that `simio run` prints or writes to a capture file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import click

from simio.cli.options import tell, write, write_file

if TYPE_CHECKING:
    from simio.components.network.capture import PacketTrace
    from simio.result.packets import Packets

MOST = 3_000_000
"""Packets that a trace can hold, whose marks a run may record."""


class Tracing(NamedTuple):
    """The trace to take, whether to print it, and the capture file to write, if any."""

    packets: PacketTrace
    printed: bool
    pcap: str | None

    def write(self, seen: Packets, hosts: Sequence[str], output: str | None) -> None:
        """Print packets, or write them to `output`, and to the capture file; say if some are missing."""
        from simio.report import packets, pcap

        if self.pcap:
            write_file(self.pcap, pcap.capture_file(seen, hosts))
        if self.printed:
            write(output, "".join(f"{line}\n" for line in packets.lines(seen, self.packets.at)))
        if seen.missing:
            tell(f"{seen.count:,} packets are traced, {seen.missing:,} more are not; --packets sets the limit")


def tracing(
    trace: str | None, file: str | None, at: tuple[str, ...], limit: int | None, form: str | None
) -> Tracing | None:
    """The trace that the options ask for, if any; raises UsageError for options that exclude each other."""
    if not trace and not file:
        if at or limit:
            raise click.UsageError(f"{'--at' if at else '--packets'} goes with --trace packets or --pcap")
        return None
    if trace and form:
        raise click.UsageError(f"--trace and --{form} exclude each other")
    if file and len(at) > 1:
        raise click.UsageError("--pcap takes one --at: a file holds the packets of one interface")
    from simio.components.network.capture import PacketTrace

    wanted = PacketTrace(at=at) if limit is None else PacketTrace(limit, at)
    return Tracing(wanted, trace is not None, file)
