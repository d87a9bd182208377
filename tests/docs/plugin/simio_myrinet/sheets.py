"""Values of a datasheet of these kinds."""

from pydantic import Field

from simio.description.quantities import DelayPerLength, Extent, Rate, Size, Time
from simio.description.sheets import Sheet


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
