"""The values that all storage adapters have."""

from typing import Self

from pydantic import Field, model_validator

from simio.description.quantities import Count, OptionalRate, Time, refusal
from simio.description.sheets.base import TIMER, Sheet


class StorageAdapter(Sheet):
    """A host bus adapter with its driver: what commands and interrupts cost."""

    work = {"command_cost": "storage drivers", "coalesce_delay": TIMER}

    command_cost: Time = Field(description="CPU time of the driver a command")
    command_time: Time = Field(
        0, description="time of the adapter's own processor a command; 0 s: it has none to speak of"
    )
    queue_depth: Count = Field(description="commands outstanding to one device")
    dma: OptionalRate = Field(None, description="rate of DMA to and from the host's bus; none: as the bus can")
    coalesce_count: Count = Field(1, description="completed commands that share an interrupt; 1: none do")
    coalesce_delay: Time = Field(0, description="longest wait of a completed command for others to share with")

    @model_validator(mode="after")
    def _no_command_waits_for_ever(self) -> Self:
        if self.coalesce_count > 1 and not self.coalesce_delay:
            raise refusal("0 s", "a time above zero, as commands share interrupts", field="coalesce_delay")
        return self
