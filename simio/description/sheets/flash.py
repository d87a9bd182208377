"""Datasheets of solid-state drives, whatever their interface: flash, controller, mapping and buffer."""

from fractions import Fraction
from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field, model_validator

from simio.description.quantities import (
    Count,
    Duration,
    Extent,
    Flag,
    Limit,
    OptionalTime,
    Rate,
    Share,
    Size,
    Time,
    Whole,
    refusal,
)
from simio.description.sheets.base import Sheet, size_text

MOST_SECTORS = 2**19
"""Most sectors of the mapping that a run keeps; a larger drive has stripes of as much less."""


_OF_A_DRIVE = (
    *("read_time", "sensing", "program_time", "erase_time", "cache_program", "cache_read"),
    *("command_time", "fragment_time"),
)
"""Times in which drives of one model differ."""


class FlashDrive(Sheet):
    """A solid-state drive but for its interface."""

    faults: ClassVar[tuple[str, ...]] = ("failed",)

    alternatives: ClassVar[tuple[str, ...]] = ("cache", "cache_program", "cache_read", "endurance")

    work = {
        **dict.fromkeys(
            (
                "read_time",
                "sensing",
                "program_time",
                "erase_time",
                "cache_program",
                "cache_read",
                "suspend",
                "resume",
            ),
            "flash",
        ),
        **dict.fromkeys(("channel_rate", "channel_overhead"), "channels"),
        **dict.fromkeys(("command_time", "fragment_time", "command_latency", "decode"), "controller"),
        **dict.fromkeys(("stall_time", "wake_time"), "controller"),
        "flush_time": "flash",
    }

    capacity: Extent = Field(description="bytes that the host sees")
    sector: Extent = Field(description="bytes a sector of the interface")
    map_unit: Extent = Field(4096, description="bytes that an entry of the mapping is for")
    channels: Count = Field(description="channels to the flash")
    dies: Count = Field(description="dies a channel")
    planes: Count = Field(description="planes a die")
    independent: Flag = Field(description="whether each plane reads by itself; else they read the same rows together")
    page: Extent = Field(description="bytes a page of a plane")
    block_pages: Count = Field(description="pages a block of a plane")
    blocks: Count = Field(description="blocks a plane that hold data, spare ones among them")
    read_time: Duration = Field(description="time of an array read, the mean over the pages of a row of cells")
    levels: Annotated[tuple[Count, ...], Field(min_length=1, max_length=4)] = Field(
        description="levels between which each page of a row of cells is distinguished: three pages of a TLC"
    )
    sensing: Time = Field(description="time by which an array read is longer for each level")
    program_time: Duration = Field(description="time of programming all pages of a row of cells, on all planes")
    erase_time: Duration = Field(description="time of erasing a block on all planes")
    channel_rate: Rate = Field(description="rate of a channel")
    channel_overhead: Time = Field(description="commands and addresses on the channel, of a page's transfer")
    decode: Time = Field(description="from the end of a page's transfer to corrected data")
    cache: Size = Field(0, description="bytes of the pseudo-SLC cache, which take writes first; 0 B: there is none")
    cache_program: OptionalTime = Field(
        None, description="time of programming a page on all planes in SLC mode; none: there is no cache"
    )
    cache_read: OptionalTime = Field(None, description="time of an array read of such a page; none: likewise")
    suspend: Time = Field(description="time until a program or an erase stands still for a read")
    resume: Time = Field(description="time that it takes to go on")
    suspensions: Whole = Field(description="most suspensions of one program or erase; 0: reads wait for its end")
    command_time: Time = Field(description="time of a processor of the controller a command")
    fragment_time: Time = Field(
        0,
        description=(
            "time of a processor of the controller for each page behind the first that a read has to gather its data "
            "from"
        ),
    )
    processors: Count = Field(1, description="processors of the controller")
    stall_time: Time = Field(
        0, description="time for which a processor of the controller stands still now and then; 0 s: never"
    )
    stall_every: Count | None = Field(
        None, description="commands for each such time in the mean, at random; required with stall_time"
    )
    wake_time: Time = Field(
        0,
        description=(
            "time of the controller before the first command where there was none; all that are in the drive then "
            "end together, when no other is left, as a thread of a hypervisor does it; 0 s: each ends by itself"
        ),
    )
    command_latency: Time = Field(
        description="time of a command in the controller's hardware, that holds up no other"
    )
    commands: Annotated[Count, Field(le=65536)] = Field(description="commands that the drive holds")
    buffer: Extent = Field(description="memory for data that are written and not programmed yet")
    volatile_cache: Flag = Field(
        False, description="whether a power failure loses the buffer, so that Linux flushes it"
    )
    flush_time: Time = Field(0, description="time to store the changes of the mapping, at the end of a flush")
    endurance: Limit = Field(
        None, description="bytes that a host may write to it in all, as it is rated (TBW); none: no rating is known"
    )
    in_place: Flag = Field(
        False, description="whether a sector is overwritten where it is, as in media that need no erasure"
    )
    placement: Literal["empty", "filled", "steady", "written"] = Field(
        "steady",
        description=(
            "what it holds before the run: empty, nothing; filled, everything was written once in order of address; "
            "steady, then twice as much at random; written, and just now, so that its cache is full"
        ),
    )
    lag: Share = Field(
        None,
        description=(
            "share by which flash and controller of the last of several drives of a group are slower than those of "
            "the others, since no two drives are alike; none: all are"
        ),
    )

    def lagging(self) -> Self:
        """The sheet of the last of several drives."""
        factor = 1 + (self.lag or Fraction(0))
        times = {name: getattr(self, name) for name in _OF_A_DRIVE}
        return self.model_copy(update={name: time and round(time * factor) for name, time in times.items()})

    @property
    def bits(self) -> int:
        """Pages of a row of cells, that is bits a cell."""
        return len(self.levels)

    @property
    def read_times(self) -> list[int]:
        """Time of an array read of each page of a row of cells, in ps."""
        total = sum(self.levels)
        return [
            max(self.read_time + (levels * self.bits - total) * self.sensing // self.bits, 1)
            for levels in self.levels
        ]

    @property
    def page_sectors(self) -> int:
        """Sectors of the mapping a page."""
        return self.page // self.map_unit

    @property
    def unit(self) -> int:
        """Sectors of the mapping that a die programs at once."""
        return 1 if self.in_place else self.page_sectors * self.planes * self.bits

    @property
    def all_dies(self) -> int:
        """Dies of all channels."""
        return self.channels * self.dies

    @property
    def rows(self) -> int:
        """Rows of cells of a block."""
        return self.block_pages // self.bits

    @property
    def kept_rows(self) -> int:
        """Rows of a block that a run keeps, of which each then stands for several."""
        return max(min(self.rows, MOST_SECTORS // (self.blocks * self.all_dies * self.unit)), 1)

    @property
    def raw(self) -> int:
        """Bytes of the flash."""
        return self.all_dies * self.planes * self.blocks * self.block_pages * self.page

    @model_validator(mode="after")
    def _fits_its_flash(self) -> Self:
        if self.map_unit % self.sector:
            expected = f"a multiple of sector, {size_text(self.sector)}"
            raise refusal(size_text(self.map_unit), expected, field="map_unit")
        if self.page % self.map_unit:
            raise refusal(size_text(self.page), f"a multiple of map_unit, {size_text(self.map_unit)}", field="page")
        if self.block_pages % self.bits:
            expected = f"a multiple of the {self.bits} pages of a row of cells"
            raise refusal(str(self.block_pages), expected, field="block_pages")
        most = self.raw if self.in_place else self.raw // self.blocks * (self.blocks - 6)
        if self.capacity > most:
            raise refusal(
                size_text(self.capacity),
                f"at most {size_text(most)}, what the flash holds less six blocks of each plane",
                "more blocks are spare space for garbage collection",
                "capacity",
            )
        if self.stall_time and self.stall_every is None:
            expected = "a number of commands such as 1000, as there is a stall_time"
            raise refusal("nothing", expected, field="stall_every")
        for name in ("cache_program", "cache_read"):
            if self.cache and getattr(self, name) is None:
                raise refusal("nothing", "a time such as '300 us', as there is a cache", field=name)
        least = 2 * self.unit * self.map_unit
        if self.buffer < least:
            raise refusal(size_text(self.buffer), f"at least two units of a die, {size_text(least)}", field="buffer")
        return self
