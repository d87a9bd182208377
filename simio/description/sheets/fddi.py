"""Datasheet of FDDI rings (ISO 9314)."""

from typing import ClassVar, Self

from pydantic import Field, model_validator

from simio.description.quantities import (
    Count,
    DelayPerLength,
    Duration,
    Extent,
    Probability,
    Rate,
    Size,
    Time,
    refusal,
)
from simio.description.sheets.base import TIMER, Sheet, register_sheet, time_text


class FddiRingSheet(Sheet):
    """An FDDI ring (ISO 9314-2): the station with the token sends; its length is that of the whole ring."""

    faults: ClassVar[tuple[str, ...]] = ("down",)

    work = {"target_rotation": TIMER, "propagation": "signals"}

    shared: ClassVar[bool] = True

    devices: Count = Field(description="most stations on the ring")
    rate: Rate = Field(description="data rate")
    target_rotation: Duration = Field(description="target token rotation time (TTRT)")
    preamble: Size = Field(description="preamble of a frame or token")
    token: Size = Field(description="a token, without its preamble")
    header: Size = Field(
        description="bytes of a frame that are not data: delimiters, control, addresses, check, status"
    )
    encapsulation: Size = Field(description="header before an IP datagram: LLC and SNAP")
    mtu: Extent = Field(description="largest IP datagram")
    station_delay: Time = Field(description="delay of a frame that passes a station")
    propagation: DelayPerLength = Field(description="signal delay of the fibre")
    loss: Probability = Field(0, description="probability that a packet is lost on the ring")

    @property
    def joins(self) -> int:
        """See `Sheet.joins`."""
        return self.devices

    @model_validator(mode="after")
    def _token_has_time(self) -> Self:
        if self.target_rotation <= self.devices * self.station_delay:
            least = time_text(self.devices * self.station_delay)
            found = time_text(self.target_rotation)
            raise refusal(found, f"more than all stations delay the token, {least}", field="target_rotation")
        return self


register_sheet("link", "fddi", FddiRingSheet)
