"""Datasheets of disk drives."""

from fractions import Fraction
from itertools import pairwise
from typing import Annotated, ClassVar, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from simio.description.quantities import (
    Count,
    Duration,
    Extent,
    Flag,
    Horizon,
    Limit,
    Name,
    OptionalTime,
    OptionalWhole,
    Rotation,
    SignedTime,
    Time,
    Values,
    refusal,
    word_of_none,
)
from simio.description.sheets.base import Sheet, register_sheet, size_text, time_text
from simio.machines.disk.scheduling import SCHEDULING


class Zone(Values):
    """Neighbouring cylinders of a disk that have equally many sectors a track."""

    cylinders: Count = Field(description="cylinders in the zone")
    sectors: Count = Field(description="sectors a track")
    track_skew: OptionalWhole = Field(
        None, description="sectors from the last of a track to the first of the next; none: the drive's track_skew"
    )
    cylinder_skew: OptionalWhole = Field(
        None, description="sectors from the last of a cylinder to the first of the next; none: the drive's"
    )

    @model_validator(mode="after")
    def _has_both_skews(self) -> Self:
        if (self.track_skew is None) != (self.cylinder_skew is None):
            missing = "track_skew" if self.track_skew is None else "cylinder_skew"
            raise refusal("nothing", "both skews of a zone, or none of them", field=missing)
        return self

    @property
    def skews(self) -> tuple[int, ...]:
        """Its own skews between tracks and between cylinders, if it has any."""
        return () if self.track_skew is None or self.cylinder_skew is None else (self.track_skew, self.cylinder_skew)


class SeekPoint(Values):
    """A point of a seek curve."""

    cylinders: Count = Field(description="cylinders that the arm crosses")
    time: Duration = Field(description="time of the seek, with settling for a read")

    def faster(self, factor: Fraction) -> Self:
        """The point of a curve whose times are divided by `factor`."""
        return type(self)(cylinders=self.cylinders, time=max(round(self.time / factor), 1))


def _ascending(points: tuple[SeekPoint, ...] | None) -> tuple[SeekPoint, ...] | None:
    if points is not None and len(points) < 2:
        raise refusal("one point" if points else "no points", "two points at least, or none")
    for before, after in pairwise(points or ()):
        if after.cylinders <= before.cylinders:
            raise refusal(f"{after.cylinders} cylinders after {before.cylinders}", "points in ascending order")
    return points


SeekCurve = Annotated[tuple[SeekPoint, ...] | None, BeforeValidator(word_of_none), AfterValidator(_ascending)]


class Drive(Sheet):
    """A disk drive but for its interface: mechanism, buffer and controller."""

    faults: ClassVar[tuple[str, ...]] = ("failed", "read_errors")

    alternatives: ClassVar[tuple[str, ...]] = (
        "track_skew", "cylinder_skew", "seek_single", "seek_average", "seek_full", "seek_curve",
        "read_overhead_after_write", "cached_read_overhead_after_write", "write_overhead",
        "write_overhead_after_write", "read_completion", "write_completion", "read_ahead_limit",
    )  # fmt: skip
    work = {
        **dict.fromkeys(("rotation", "track_skew", "cylinder_skew", "head_switch"), "mechanism"),
        **dict.fromkeys(("seek_single", "seek_average", "seek_full", "write_settle"), "mechanism"),
        "seek_curve": "mechanism",
        **dict.fromkeys(("command_overhead", "cached_overhead"), "controller"),
        **dict.fromkeys(("read_overhead_after_write", "cached_read_overhead_after_write"), "controller"),
        **dict.fromkeys(("write_overhead", "write_overhead_after_write"), "controller"),
        **dict.fromkeys(("read_completion", "write_completion"), "controller"),
    }

    rotation: Rotation = Field(description="spindle speed")
    heads: Count = Field(description="heads, that is tracks a cylinder")
    sector: Extent = Field(description="bytes a sector")
    zones: Annotated[tuple[Zone, ...], Field(min_length=1)] = Field(
        description="zones from the outermost (sector address 0) inwards"
    )
    track_skew: OptionalTime = Field(
        None,
        description="time from the last sector of a track to the first of the next; none: each zone has its own",
    )
    cylinder_skew: OptionalTime = Field(
        None, description="time from the last sector of a cylinder to the first of the next; none: likewise"
    )
    head_switch: Time = Field(description="time to switch to another head of the cylinder")
    seek_single: Horizon = Field(
        None, description="seek to the next cylinder, with settling; none: there is a seek_curve"
    )
    seek_average: Horizon = Field(None, description="mean seek over random pairs of cylinders; none: likewise")
    seek_full: Horizon = Field(None, description="seek across all cylinders; none: likewise")
    seek_curve: SeekCurve = Field(
        None,
        description=(
            "seek times by cylinders, in ascending order, with straight lines between the points and the last time "
            "beyond them; none: a curve through seek_single, seek_average and seek_full"
        ),
    )
    buffer: Extent = Field(description="memory of the drive for data")
    segments: Count = Field(description="segments that the buffer is divided into")
    command_overhead: Time = Field(description="time of the drive's controller a command that needs the media")
    cached_overhead: Time = Field(
        description="the same of a read that the buffer serves, and of a write into the write cache"
    )
    read_overhead_after_write: OptionalTime = Field(
        None, description="time of the controller a read after a write; none: command_overhead"
    )
    cached_read_overhead_after_write: OptionalTime = Field(
        None, description="the same where the buffer serves it; none: cached_overhead"
    )
    write_overhead: OptionalTime = Field(
        None,
        description="time of the controller a write; none: cached_overhead with a write cache, else command_overhead",
    )
    write_overhead_after_write: OptionalTime = Field(
        None, description="the same of a write after a write; none: write_overhead"
    )
    read_completion: Time = Field(0, description="time of the controller when the data of a read have left")
    write_completion: Time = Field(0, description="time of the controller when a write is done")
    write_settle: SignedTime = Field(
        description=(
            "time that a write waits more than a read after a seek or a switch of heads; below zero where the seek "
            "times have in them what a write does beside them"
        )
    )
    read_ahead: Flag = Field(description="whether the drive reads on into its buffer after a command")
    read_ahead_to: Literal["segment", "track", "tracks", "stream"] = Field(
        "segment",
        description=(
            "how far it reads on: segment, until that is full; track, to the end of the track; tracks, likewise, and "
            "to the end of the next in a stream that came from the track before; stream, to the end of the next "
            "track, and only after a read that goes on where one before ended"
        ),
    )
    read_ahead_limit: Limit = Field(
        None, description="most that it reads ahead of a command, with read_ahead_to segment; none: a segment"
    )
    write_cache: Flag = Field(description="whether a write is done when the buffer has its data")
    zero_latency: Flag = Field(
        False,
        description="whether a read within a track begins in its middle where that comes under the head first",
    )
    preseek: Flag = Field(
        True, description="whether the arm goes to the next command while data of a read are still on their way"
    )
    queue_depth: Annotated[Count, Field(le=256)] = Field(
        description="commands that the drive holds; 1 without tagged queueing"
    )
    scheduling: Annotated[str, Name(SCHEDULING)] = Field(
        description="which of the commands that it holds the arm goes to next: see docs/models/disk.md"
    )

    @property
    def gathered(self) -> Fraction | int:
        """Share of a read that it gathers before it sends any."""
        return 0

    @property
    def seek(self) -> tuple[int, int, int] | tuple[tuple[int, int], ...]:
        """Times in ps of one cylinder, of the mean and of all cylinders, or points of a curve: cylinders and ps."""
        if self.seek_curve is not None:
            return tuple((point.cylinders, point.time) for point in self.seek_curve)
        assert self.seek_single is not None
        assert self.seek_average is not None
        assert self.seek_full is not None
        return self.seek_single, self.seek_average, self.seek_full

    @property
    def overheads(self) -> tuple[int, ...]:
        """Times of the controller in ps: reads that the buffer serves, reads from the media, writes; each after a
        read, then after a write."""
        hit, miss = self.cached_overhead, self.command_overhead
        write = _given(self.write_overhead, hit if self.write_cache else miss)
        return (
            hit,
            _given(self.cached_read_overhead_after_write, hit),
            miss,
            _given(self.read_overhead_after_write, miss),
            write,
            _given(self.write_overhead_after_write, write),
        )

    @model_validator(mode="after")
    def _has_one_seek_curve(self) -> Self:
        for name in ("seek_single", "seek_average", "seek_full"):
            value = getattr(self, name)
            if value is None and self.seek_curve is None:
                raise refusal("nothing", "a time such as '5 ms', without a seek_curve", field=name)
            if value is not None and self.seek_curve is not None:
                hint = "the curve says it; set seek_curve: none, seek_single, seek_average and seek_full for another"
                raise refusal(f"{time_text(value)} beside a seek_curve", "one of both", hint, name)
        return self

    @model_validator(mode="after")
    def _has_skews(self) -> Self:
        own = all(zone.skews for zone in self.zones)
        for name in ("track_skew", "cylinder_skew"):
            value = getattr(self, name)
            if value is None and not own:
                raise refusal("nothing", "a time such as '1 ms', as a zone has no skews of its own", field=name)
            if value is not None and own:
                raise refusal(time_text(value), "none, as each zone has its own", field=name)
        return self

    @model_validator(mode="after")
    def _limits_what_it_reads(self) -> Self:
        if self.read_ahead_limit is not None and (not self.read_ahead or self.read_ahead_to != "segment"):
            raise refusal(
                f"{size_text(self.read_ahead_limit)} without read-ahead into the segment",
                "none",
                "it goes with read_ahead: true and read_ahead_to: segment",
                "read_ahead_limit",
            )
        return self

    @model_validator(mode="after")
    def _seeks_grow(self) -> Self:
        if self.seek_single is None or self.seek_average is None or self.seek_full is None:
            return self
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
    def _segments_hold_sectors(self) -> Self:
        if self.buffer < self.segments * self.sector:
            raise refusal(
                size_text(self.buffer),
                f"room for a sector in each segment, {size_text(self.segments * self.sector)}",
                field="buffer",
            )
        return self


def _given(value: int | None, otherwise: int) -> int:
    return otherwise if value is None else value


def check_gathers(drive: Drive, reconnect: int, field: str = "reconnect") -> None:
    """Refuse a `reconnect` of less than a sector, or of more than a segment of the buffer holds."""
    if not drive.sector <= reconnect <= drive.buffer // drive.segments:
        segment = size_text(drive.buffer // drive.segments)
        expected = f"from a sector, {size_text(drive.sector)}, to a buffer segment, {segment}"
        raise refusal(size_text(reconnect), expected, field=field)


class FibreChannelDisk(Drive):
    """A disk drive with a Fibre Channel port."""

    link_kinds: ClassVar[tuple[str, ...]] = ("fibre-channel", "fibre-channel-loop")

    frame_payload: Extent = Field(description="payload of a full frame it sends")
    credit: Count = Field(description="buffer-to-buffer credit: frames it can receive before it must free one")


register_sheet("disk", "fibre-channel", FibreChannelDisk)
