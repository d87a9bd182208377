"""Datasheets of block storage as a service: provisioned rates with bursts."""

from fractions import Fraction
from typing import Annotated, ClassVar, Self

from pydantic import Field, model_validator

from simio.description.quantities import Extent, Quantity, Rate, Time, Whole, refusal
from simio.description.sheets.base import TIMER, register_sheet
from simio.description.sheets.pcie import PcieDevice

PerSecond = Annotated[Fraction, Quantity("request_rate", positive=True)]
OptionalPerSecond = Annotated[Fraction | None, Quantity("request_rate", positive=True, word="none")]


class CloudVolume(PcieDevice):
    """A volume of a storage service, which the host sees as an NVMe drive."""

    link_kinds: ClassVar[tuple[str, ...]] = ("nvme",)
    alternatives: ClassVar[tuple[str, ...]] = ("burst_requests", "credits", *PcieDevice.alternatives)
    work = {"latency": "service", "spread": "service", **dict.fromkeys(("requests", "burst_requests", "rate"), TIMER)}

    capacity: Extent = Field(description="bytes of the volume")
    sector: Extent = Field(description="bytes a sector")
    requests: PerSecond = Field(description="requests a second that are provisioned")
    burst_requests: OptionalPerSecond = Field(
        None, description="requests a second while there are credits; none: no more than provisioned"
    )
    credits: Whole = Field(0, description="requests beyond the provisioned ones that a full bucket lets pass")
    rate: Rate = Field(description="bytes a second that are provisioned")
    unit: Extent = Field(description="bytes that count as one request; larger ones count as several")
    latency: Time = Field(description="time of the service a request")
    spread: Time = Field(0, description="mean of an exponential time beyond that")
    largest: Extent = Field(description="most bytes of a command")

    @model_validator(mode="after")
    def _bursts_have_credits(self) -> Self:
        if (self.burst_requests is None) != (self.credits == 0):
            missing = "credits" if self.credits == 0 else "burst_requests"
            raise refusal("one without the other", "burst_requests and credits, or neither", field=missing)
        if self.burst_requests is not None and self.burst_requests < self.requests:
            raise refusal("fewer than provisioned", "at least requests", field="burst_requests")
        return self

    @property
    def page(self) -> int:
        """Bytes that it sends at once."""
        return int(self.largest)

    @property
    def fetches(self) -> int:
        """Entries of a submission queue that it fetches at once."""
        return 8


register_sheet("disk", "cloud-volume", CloudVolume)
