"""Datasheets of disk drives."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field, model_validator

from simio.description.quantities import Count, Duration, Extent, Flag, Name, Rotation, Time, Values, refusal
from simio.description.sheets.base import Sheet, register_sheet, size_text, time_text
from simio.machines.disk.scheduling import SCHEDULING


class Zone(Values):
    """Neighbouring cylinders of a disk that have equally many sectors a track."""

    cylinders: Count = Field(description="cylinders in the zone")
    sectors: Count = Field(description="sectors a track")


class Drive(Sheet):
    """A disk drive but for its interface: mechanism, buffer and controller."""

    faults: ClassVar[tuple[str, ...]] = ("failed", "read_errors")

    work = {
        **dict.fromkeys(("rotation", "track_skew", "cylinder_skew", "head_switch"), "mechanism"),
        **dict.fromkeys(("seek_single", "seek_average", "seek_full", "write_settle"), "mechanism"),
        **dict.fromkeys(("command_overhead", "cached_overhead"), "controller"),
    }

    rotation: Rotation = Field(description="spindle speed")
    heads: Count = Field(description="heads, that is tracks a cylinder")
    sector: Extent = Field(description="bytes a sector")
    zones: Annotated[tuple[Zone, ...], Field(min_length=1)] = Field(
        description="zones from the outermost (sector address 0) inwards"
    )
    track_skew: Time = Field(description="time from the last sector of a track to the first of the next")
    cylinder_skew: Time = Field(description="time from the last sector of a cylinder to the first of the next")
    head_switch: Time = Field(description="time to switch to another head of the cylinder")
    seek_single: Duration = Field(description="seek to the next cylinder, with settling")
    seek_average: Duration = Field(description="mean seek over random pairs of cylinders")
    seek_full: Duration = Field(description="seek across all cylinders")
    buffer: Extent = Field(description="memory of the drive for data")
    segments: Count = Field(description="segments that the buffer is divided into")
    command_overhead: Time = Field(description="time of the drive's controller a command that needs the media")
    cached_overhead: Time = Field(
        description="the same of a read that the buffer serves, and of a write into the write cache"
    )
    write_settle: Time = Field(description="what a write waits more than a read after a seek or a switch of heads")
    read_ahead: Flag = Field(description="whether the drive reads on into its buffer after a command")
    write_cache: Flag = Field(description="whether a write is done when the buffer has its data")
    queue_depth: Annotated[Count, Field(le=256)] = Field(
        description="commands that the drive holds; 1 without tagged queueing"
    )
    scheduling: Annotated[str, Name(SCHEDULING)] = Field(
        description="which of the commands that it holds the arm goes to next: see docs/models/disk.md"
    )

    @model_validator(mode="after")
    def _seeks_grow(self) -> Drive:
        if self.seek_average < self.seek_single:
            raise refusal(
                time_text(self.seek_average),
                f"at least seek_single, {time_text(self.seek_single)}",
                field="seek_average",
            )
        if self.seek_full < self.seek_average:
            raise refusal(
                time_text(self.seek_full),
                f"at least seek_average, {time_text(self.seek_average)}",
                field="seek_full",
            )
        return self

    @model_validator(mode="after")
    def _segments_hold_sectors(self) -> Drive:
        if self.buffer < self.segments * self.sector:
            raise refusal(
                size_text(self.buffer),
                f"room for a sector in each segment, {size_text(self.segments * self.sector)}",
                field="buffer",
            )
        return self


def check_gathers(drive: Drive, reconnect: int) -> None:
    """Refuse a `reconnect` of less than a sector, or of more than a segment of the buffer holds."""
    if not drive.sector <= reconnect <= drive.buffer // drive.segments:
        segment = size_text(drive.buffer // drive.segments)
        expected = f"from a sector, {size_text(drive.sector)}, to a buffer segment, {segment}"
        raise refusal(size_text(reconnect), expected, field="reconnect")


class FibreChannelDisk(Drive):
    """A disk drive with a Fibre Channel port."""

    link_kinds: ClassVar[tuple[str, ...]] = ("fibre-channel", "fibre-channel-loop")

    frame_payload: Extent = Field(description="payload of a full frame it sends")
    credit: Count = Field(description="buffer-to-buffer credit: frames it can receive before it must free one")


register_sheet("disk", "fibre-channel", FibreChannelDisk)
