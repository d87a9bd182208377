"""What a datasheet of these kinds holds, and what a scenario says of these workloads."""

from pydantic import Field

from simio.description.quantities import Count, DelayPerLength, Extent, Rate, Size, Time
from simio.description.sheets import Sheet
from simio.description.workloads import HostName, WorkloadParams


class MyrinetAdapter(Sheet):
    """A card that moves whole frames by DMA."""

    dma: Rate = Field(description="rate of DMA between host memory and the card")
    frame_cost: Time = Field(description="CPU time of the driver a frame, at either end")
    buffer: Extent = Field(description="memory of the card for frames that have arrived")


class MyrinetLink(Sheet):
    """One direction of a full-duplex link."""

    rate: Rate = Field(description="rate of the line")
    overhead: Size = Field(description="bytes a frame beside its data: route, type, check")
    propagation: DelayPerLength = Field(description="signal delay of the cable")


class Frames(WorkloadParams):
    """A process that sends frames as fast as it can; what finds no room at the far end waits on the line."""

    routes = (("from_", "to"),)

    from_: HostName = Field(alias="from", description="host that sends")
    to: HostName = Field(description="host that receives")
    size: Extent = Field(description="bytes of data a frame")
    frames: Count = Field(description="frames in all")


class Paced(Frames):
    """The same, but a process written in Python says when each frame may go."""

    limit: Extent = Field(description="backlog at the receiver from which the sender slows down")


class Shaped(Frames):
    """The same, but a token bucket says when each frame may go."""

    period: Time = Field(description="time from frame to frame, in the long run")
    burst: Count = Field(description="frames that may go without a pause after a long one")


class Probe(WorkloadParams):
    """Packets that are sent at a rate, and timed."""

    routes = (("from_", "to"),)
    network = True

    from_: HostName = Field(alias="from", description="host that sends")
    to: HostName = Field(description="host that receives")
    size: Extent = Field(description="bytes a packet")
    count: Count = Field(description="packets in all")
    period: Time = Field(description="time from packet to packet")
