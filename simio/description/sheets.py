"""Datasheets: which values each kind of part has, and what makes physical sense for them.

A part has a class (what it is: ``disk``) and a kind (which behaviour models it: ``fibre-channel``).  The
sheet of a kind is a frozen pydantic model; `register_sheet` adds one, from simio or from an installed
plug-in.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar, TypeVar

from pydantic import Field, model_validator

from .. import units
from .quantities import (
    Count,
    DelayPerLength,
    Duration,
    Extent,
    Frequency,
    Limit,
    Rate,
    Rotation,
    Signalling,
    Size,
    Time,
    Values,
    Whole,
    refusal,
)

CLASSES: Mapping[str, str] = {
    "cpu": "cpus",
    "memory": "memories",
    "kernel": "kernels",
    "bus": "buses",
    "adapter": "adapters",
    "link": "links",
    "switch": "switches",
    "disk": "disks",
    "host": "hosts",
}
"""The class of a part and the folder of the catalogue that holds its datasheets."""


class Sheet(Values):
    """The values of one kind of part.

    ``link_kinds`` names the kinds of link that fit an adapter, switch or disk; empty means its own kind only.
    """

    link_kinds: ClassVar[tuple[str, ...]] = ()


S = TypeVar("S", bound=type[Sheet])
_SHEETS: dict[tuple[str, str], type[Sheet]] = {}


def register_sheet(cls: str, kind: str, model: S) -> S:
    """Make ``model`` the sheet of parts of class ``cls`` and kind ``kind``; a second model for them is
    refused.
    """
    if cls not in CLASSES:
        raise ValueError(f"no class of part is called {cls!r}; there are {', '.join(CLASSES)}")
    if _SHEETS.setdefault((cls, kind), model) is not model:
        raise ValueError(f"a sheet for {cls} {kind!r} is registered already")
    return model


def sheet_kinds(cls: str) -> dict[str, type[Sheet]]:
    """The registered kinds of a class, sorted by name, each with its sheet."""
    return {kind: _SHEETS[c, kind] for c, kind in sorted(_SHEETS) if c == cls}


def _time(value: int) -> str:
    return units.format_quantity(value, "time")


def _size(value: int) -> str:
    return units.format_quantity(value, "size")


class Cpu(Sheet):
    """A processor."""

    clock: Frequency = Field(description="clock rate; kernel costs scale with it")


class Memory(Sheet):
    """Main memory as the I/O path sees it: one server that bytes pass through."""

    size: Extent = Field(description="capacity")
    rate: Rate = Field(description="bytes a second that memory moves for reads and writes together")


class UnixKernel(Sheet):
    """A Unix kernel: what its services cost the CPU."""

    page: Extent = Field(description="size of a page of virtual memory")
    reference_clock: Frequency = Field(
        description="clock of the CPU that the costs below hold for; on another CPU they scale with its clock"
    )
    system_call: Time = Field(description="CPU time to enter and leave the kernel")
    context_switch: Time = Field(description="CPU time to switch to another process")
    interrupt: Time = Field(description="CPU time to take an interrupt and return")
    page_pin: Time = Field(description="CPU time to pin and unpin one page of a user's buffer")
    block_request: Time = Field(description="CPU time of the block layer a request")
    raw_chunk: Limit = Field(
        None, description="largest piece of a raw request submitted at once; none: whole"
    )
    max_request: Limit = Field(
        None, description="largest request the block layer hands to a driver; none: any"
    )


class ParallelBus(Sheet):
    """A bus that is arbitrated burst by burst."""

    clock: Frequency = Field(description="bus clock")
    width: Extent = Field(description="bytes moved a clock")
    burst: Extent = Field(description="bytes moved an arbitrated burst")
    overhead_cycles: Whole = Field(description="clocks of arbitration, address and turn-around a burst")

    @model_validator(mode="after")
    def _burst_holds_a_word(self) -> ParallelBus:
        if self.burst < self.width:
            raise refusal(
                _size(self.burst), f"at least the width of the bus, {_size(self.width)}", field="burst"
            )
        return self


class HippiAdapter(Sheet):
    """A HIPPI card that stores packets up to a size before it sends them."""

    buffer: Extent = Field(description="memory on the card for one direction")
    store_limit: Size = Field(description="packets up to this size are stored whole before they are sent")
    transmit_dma: Rate = Field(description="rate of DMA from host memory to the card")
    receive_dma: Rate = Field(description="rate of DMA from the card to host memory")
    transmit_cost: Time = Field(description="host CPU time of the driver a packet sent")
    receive_cost: Time = Field(description="host CPU time of the driver a packet received")
    ready_window: Count = Field(description="bursts the receiver allows ahead (READY signals)")

    @model_validator(mode="after")
    def _stored_packets_fit(self) -> HippiAdapter:
        if self.store_limit > self.buffer:
            raise refusal(
                _size(self.store_limit),
                f"at most the buffer of the card, {_size(self.buffer)}",
                field="store_limit",
            )
        return self


class FibreChannelAdapter(Sheet):
    """A Fibre Channel host bus adapter with its SCSI driver."""

    frame_payload: Annotated[Extent, Field(description="payload of a full frame it sends")]
    credit: Count = Field(
        description="buffer-to-buffer credit: frames it can receive before it must free one"
    )
    command_cost: Time = Field(description="CPU time of the driver a SCSI command")
    queue_depth: Count = Field(description="commands outstanding to one device")


class HippiLink(Sheet):
    """A HIPPI-PH channel (ISO/IEC 11518-1): bursts of words between READY signals."""

    clock: Frequency = Field(description="clock of the channel; one word a clock")
    word: Extent = Field(description="bytes a word")
    burst_words: Count = Field(description="words a full burst")
    gap_words: Whole = Field(description="clocks between bursts: checksum (LLRC) and least gap")
    connect_words: Whole = Field(description="clocks to connect and to start a packet")
    propagation: DelayPerLength = Field(description="signal delay of the cable")


class FibreChannelLink(Sheet):
    """A Fibre Channel link (FC-PH): serial frames with a line code."""

    signalling: Signalling = Field(description="code bits a second on the line")
    data_bits: Count = Field(8, description="data bits a code word")
    code_bits: Count = Field(10, description="line bits a code word")
    frame_overhead: Size = Field(description="bytes of a frame that are not payload: SOF, header, CRC, EOF")
    gap: Size = Field(description="least idle bytes between frames")
    max_payload: Extent = Field(description="largest payload of a frame")
    propagation: DelayPerLength = Field(description="signal delay of the cable")

    @model_validator(mode="after")
    def _code_carries_data(self) -> FibreChannelLink:
        if self.code_bits < self.data_bits:
            raise refusal(str(self.code_bits), f"at least the data bits, {self.data_bits}", field="code_bits")
        return self


class FibreChannelSwitch(Sheet):
    """A Fibre Channel switch that cuts frames through."""

    ports: Count = Field(description="number of ports")
    latency: Time = Field(description="delay of a frame through the switch")
    credit: Count = Field(description="buffer-to-buffer credit of a port")


class Zone(Values):
    """Neighbouring cylinders of a disk that have equally many sectors a track."""

    cylinders: Count = Field(description="cylinders in the zone")
    sectors: Count = Field(description="sectors a track")


class FibreChannelDisk(Sheet):
    """A disk drive with a Fibre Channel port: mechanism, buffer and interface."""

    rotation: Rotation = Field(description="spindle speed")
    heads: Count = Field(description="heads, that is tracks a cylinder")
    sector: Extent = Field(description="bytes a sector")
    zones: Annotated[tuple[Zone, ...], Field(min_length=1)] = Field(
        description="zones from the outermost (sector address 0) inwards"
    )
    track_skew: Time = Field(description="time from the last sector of a track to the first of the next")
    cylinder_skew: Time = Field(
        description="time from the last sector of a cylinder to the first of the next"
    )
    head_switch: Time = Field(description="time to switch to another head of the cylinder")
    seek_single: Duration = Field(description="seek to the next cylinder, with settling")
    seek_average: Duration = Field(description="mean seek over random pairs of cylinders")
    seek_full: Duration = Field(description="seek across all cylinders")
    buffer: Extent = Field(description="memory of the drive for data")
    segments: Count = Field(description="segments that the buffer is divided into")
    command_overhead: Time = Field(description="time of the drive's controller a command")
    frame_payload: Extent = Field(description="payload of a full frame it sends")
    credit: Count = Field(
        description="buffer-to-buffer credit: frames it can receive before it must free one"
    )

    @model_validator(mode="after")
    def _seeks_grow(self) -> FibreChannelDisk:
        if self.seek_average < self.seek_single:
            raise refusal(
                _time(self.seek_average),
                f"at least seek_single, {_time(self.seek_single)}",
                field="seek_average",
            )
        if self.seek_full < self.seek_average:
            raise refusal(
                _time(self.seek_full), f"at least seek_average, {_time(self.seek_average)}", field="seek_full"
            )
        return self

    @model_validator(mode="after")
    def _segments_hold_sectors(self) -> FibreChannelDisk:
        if self.buffer < self.segments * self.sector:
            raise refusal(
                _size(self.buffer),
                f"room for a sector in each segment, {_size(self.segments * self.sector)}",
                field="buffer",
            )
        return self


class HostSheet(Sheet):
    """A computer: what is not a part of its own."""

    cpus: Count = Field(description="number of CPUs")


register_sheet("cpu", "cpu", Cpu)
register_sheet("memory", "memory", Memory)
register_sheet("kernel", "unix", UnixKernel)
register_sheet("bus", "parallel", ParallelBus)
register_sheet("adapter", "hippi", HippiAdapter)
register_sheet("adapter", "fibre-channel", FibreChannelAdapter)
register_sheet("link", "hippi", HippiLink)
register_sheet("link", "fibre-channel", FibreChannelLink)
register_sheet("switch", "fibre-channel", FibreChannelSwitch)
register_sheet("disk", "fibre-channel", FibreChannelDisk)
register_sheet("host", "host", HostSheet)
