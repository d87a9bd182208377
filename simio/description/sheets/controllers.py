"""Datasheets of array controllers: RAID in hardware."""

from pydantic import Field

from simio.description.quantities import Count, Limit, Rate, Time
from simio.description.sheets.base import Sheet, register_sheet


class ArrayControllerSheet(Sheet):
    """A controller that makes one device of several disks: it splits requests, computes parity, caches writes."""

    processors: Count = Field(description="processors that its firmware runs on")
    request_cost: Time = Field(description="processor time to take in a request of the host and split it")
    command_cost: Time = Field(description="processor time to issue a command to a member")
    completion_cost: Time = Field(description="processor time to learn that a member's command is done")
    max_command: Limit = Field(None, description="largest command to a member; none: any")
    parity_rate: Rate = Field(description="bytes of sources that the parity engine combines a second")
    write_cache: Limit = Field(
        None,
        description="memory for writes that are done before the members have them; none: written through",
    )


register_sheet("controller", "array", ArrayControllerSheet)
