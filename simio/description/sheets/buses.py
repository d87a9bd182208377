"""Datasheets of I/O buses inside a host."""

from typing import Self

from pydantic import Field, model_validator

from simio.description.quantities import Extent, Frequency, OptionalWhole, Whole, refusal
from simio.description.sheets.base import Sheet, register_sheet, size_text


class ParallelBusSheet(Sheet):
    """A bus that is arbitrated burst by burst."""

    clock: Frequency = Field(description="bus clock")
    width: Extent = Field(description="bytes moved a clock")
    burst: Extent = Field(description="bytes moved an arbitrated burst")
    overhead_cycles: Whole = Field(description="clocks of arbitration, address and turn-around a burst")
    read_overhead_cycles: OptionalWhole = Field(
        None, description="the same for a burst that a device reads from memory; none: as for a write"
    )

    @model_validator(mode="after")
    def _burst_holds_a_word(self) -> Self:
        if self.burst < self.width:
            raise refusal(
                size_text(self.burst),
                f"at least the width of the bus, {size_text(self.width)}",
                field="burst",
            )
        return self


register_sheet("bus", "parallel", ParallelBusSheet)
