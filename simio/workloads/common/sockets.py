"""The common parameters of workloads over the hosts' protocol stacks."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field

from simio.components.network.tcp import Endpoint
from simio.description.quantities import Count, Flag, Limit, TrafficClass
from simio.description.workloads import HostName, WorkloadParams
from simio.machines.tcp.layout import END_OF_FILE
from simio.program.builder import Builder, Register

Streams = Annotated[Count, Field(le=64000)]
"""Each stream has a port of its own at the sending end, and there are 65535 - 1024 that any program may have."""

ENDLESS = 2**31 - 1
"""Turns of the loop of a program without an end of its own."""


class NetworkParams(WorkloadParams):
    """A program on one host that talks to one on another over the hosts' protocol stacks."""

    routes: ClassVar[tuple[tuple[str, str], ...]] = (("from_", "to"),)
    network: ClassVar[bool] = True

    from_: HostName = Field(alias="from", description="host that sends, or asks")
    to: HostName = Field(description="host that receives, or answers")
    traffic_class: TrafficClass = Field(
        0,
        description="class of its packets both ways, 0 to 7, the most urgent, for queues with one for each "
        "(discipline `priority`)",
    )


class SocketParams(NetworkParams):
    """The common parameters of programs over TCP."""

    window: Limit = Field(None, description="socket buffers at both ends; none: those of the stacks")
    nodelay: Flag = Field(False, description="whether TCP_NODELAY is set, so that small segments do not wait")


def start(p: Builder, name: str, within: int) -> None:
    """Wait for a random instant within `within` ps at which a program starts; none is drawn for 0."""
    if within:
        with p.scope():
            pause = p.register()
            p.draw(pause, p.uniform(f"{name}: start", 0, within - 1))
            p.wait(pause)


def exactly(p: Builder, end: Endpoint, size: int | Register) -> None:
    """Read until `size` bytes are there, or the other end has closed."""
    with p.scope():
        got, have = p.register(), p.register(0)
        with p.until(have >= size):
            end.read(got, size)
            have.set(have + got)
            with p.when(got // END_OF_FILE > 0):
                have.set(END_OF_FILE)
