"""Datasheets of PCI Express: a link of a slot or switch, and the root complex that links end in."""

from collections.abc import Iterable
from fractions import Fraction
from typing import Annotated, ClassVar, Self

from pydantic import AfterValidator, Field, model_validator

from simio.description.quantities import (
    Count,
    Extent,
    Flag,
    Limit,
    OptionalCount,
    OptionalRate,
    Rate,
    Share,
    Text,
    Time,
    Whole,
    refusal,
)
from simio.description.sheets.base import Sheet, register_sheet, size_text

TRANSFERS = {1: 25, 2: 50, 3: 80, 4: 160, 5: 320, 6: 640, 7: 1280}
"""Transfers a second of a lane by generation, in units of 100 million (PCI Express Base 1.1 to 7.0)."""
WIDTHS = (1, 2, 4, 8, 12, 16, 32)
"""Lanes that a link can have (PCI Express Base 3.0, 1.2)."""
FLITS = 6
"""The first generation that sends flits."""
FLIT, FLIT_PACKETS = 256, 236
"""Bytes of a flit, and those that hold transaction packets; 6 are for DLLPs, 14 for CRC and FEC (Base 6.0)."""
FRAMING = 8
"""Bytes around a packet outside of flits: start and sequence number, LCRC, and end where there is one."""
REQUEST_HEADER, COMPLETION_HEADER = 16, 12
"""Bytes of the header of a request with a 64-bit address, and of a completion."""


def _known(generation: int | None) -> int | None:
    if generation is not None and generation not in TRANSFERS:
        raise refusal(str(generation), "a generation of PCI Express, 1 to 7")
    return generation


def _wide(lanes: int | None) -> int | None:
    if lanes is not None and lanes not in WIDTHS:
        raise refusal(str(lanes), "1, 2, 4, 8, 12, 16 or 32 lanes")
    return lanes


Generation = Annotated[Count, AfterValidator(_known)]
Lanes = Annotated[Count, AfterValidator(_wide)]


class PcieDevice(Sheet):
    """A device at its own end of a PCI Express link."""

    generation: Annotated[OptionalCount, AfterValidator(_known)] = Field(
        None,
        description="highest generation of PCI Express of its own end, 1 to 7; none: any that the host's end has",
    )
    lanes: Annotated[OptionalCount, AfterValidator(_wide)] = Field(
        None, description="lanes of its own end; none: as many as the host's end has"
    )

    alternatives: ClassVar[tuple[str, ...]] = ("generation", "lanes")


class PcieBusSheet(Sheet):
    """A PCI Express link and what crosses it: packets in both directions at once, each with its headers."""

    generation: Generation = Field(
        description="highest generation of the host's end, 1 to 7; a device of a lower one has the link at its own"
    )
    lanes: Lanes = Field(description="lanes of the host's end; a device with fewer has the link at its own")
    payload: Extent = Field(description="largest payload of a packet (MPS)")
    read_request: Extent = Field(description="most bytes that one read request asks for (MRRS)")
    completion: Limit = Field(
        None, description="largest completion of the root complex, which cuts at multiples of it; none: payload"
    )
    tags: Count = Field(description="read requests of a device that may be outstanding")
    long_addresses: Flag = Field(
        True, description="whether requests carry 64-bit addresses, which are 4 bytes longer than 32-bit ones"
    )
    overhead: Share = Field(
        None, description="share of the link's time for acknowledgements, credits and skips; none: nothing"
    )
    latency: Time = Field(
        description="time from a packet's end at one end of the link to its start at the other's core"
    )
    socket: Whole = Field(0, description="socket of the host whose root complex the link ends in, from 0 on")
    behind: Text = Field(
        "root", description="bus of the host that is the uplink of the switch which this link hangs on; root: none"
    )
    switch_latency: Time = Field(0, description="time of a packet in the switch that it hangs on")

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        for field, most in (("payload", 4096), ("read_request", 4096)):
            value = getattr(self, field)
            if not 128 <= value <= most or value & (value - 1):
                raise refusal(size_text(value), "128, 256, 512, 1024, 2048 or 4096 B", field=field)
        if self.completion is not None and (self.completion > self.payload or self.completion % 64):
            expected = f"a multiple of 64 B, at most the payload, {size_text(self.payload)}"
            raise refusal(size_text(self.completion), expected, field="completion")
        if self.overhead is not None and self.overhead >= 1:
            raise refusal(f"{float(self.overhead):g}", "a share below one", field="overhead")
        return self

    def trained(self, devices: Iterable[PcieDevice]) -> Self:
        """The link as it is with devices at its other end.

        Both ends train to the highest generation and the most lanes that they share (PCI Express Base 3.0, 4.2.4 and
        4.2.6). Of several devices, which share the link as behind a switch, the fastest counts.
        """
        ends = [(each.generation or self.generation, each.lanes or self.lanes) for each in devices]
        if not ends:
            return self
        generation, lanes = (
            min(own, max(values)) for own, values in zip(self._end, zip(*ends, strict=True), strict=True)
        )
        return self.model_copy(update={"generation": generation, "lanes": lanes})

    @property
    def _end(self) -> tuple[int, int]:
        return self.generation, self.lanes

    @property
    def rate(self) -> Fraction:
        """Bytes a second that packets can have of a direction, after coding (8b/10b, 128b/130b or flits)."""
        coding = Fraction(4, 5) if self.generation < 3 else Fraction(128, 130)
        if self.generation >= FLITS:
            coding = Fraction(FLIT_PACKETS, FLIT)
        raw = TRANSFERS[self.generation] * 10**8 * coding * self.lanes / 8
        return raw * (1 - Fraction(self.overhead or 0))

    @property
    def framing(self) -> int:
        """Bytes of a packet beside its header and payload."""
        return 0 if self.generation >= FLITS else FRAMING

    @property
    def request(self) -> int:
        """Bytes of a read request, and of a write beside its payload."""
        return self.framing + REQUEST_HEADER - (0 if self.long_addresses else 4)

    @property
    def answer(self) -> int:
        """Bytes of a completion beside its payload."""
        return self.framing + COMPLETION_HEADER

    @property
    def largest_completion(self) -> int:
        """Most bytes of a completion."""
        return self.completion or self.payload


class RootComplexSheet(Sheet):
    """The root complex of each socket: the way from a link to caches and memory, and the IOMMU."""

    read_latency: Time = Field(
        description="time from a read request's arrival to its completion, of a line that the last-level cache has"
    )
    snoop_latency: Time = Field(0, description="more for a line that a core wrote last, which has to be asked for it")
    memory_latency: Time = Field(description="more for a line that only memory has")
    socket_latency: Time = Field(0, description="more for a line whose memory belongs to another socket")
    cache: Extent = Field(description="last-level cache of a socket")
    device_share: Share = Field(
        description="share of the last-level cache for lines that devices write (DDIO); none: they go to memory"
    )
    cache_ways: Count = Field(20, description="ways of a set of that cache")
    write_time: Time = Field(
        0, description="time that a posted write keeps the root complex, which takes one at a time"
    )
    posted: Count = Field(64, description="posted writes that may wait in the root complex (header credits)")
    socket_rate: OptionalRate = Field(None, description="bytes a second between two sockets, a direction")
    iommu: Flag = Field(False, description="whether the IOMMU translates addresses of devices")
    iommu_page: Extent = Field(4096, description="page size of its tables: 4 KiB, or 2 MiB with large pages")
    iommu_entries: Count = Field(64, description="translations that its cache (IOTLB) holds")
    iommu_walk: Time = Field(0, description="time of a walk through its tables")
    iommu_walks: Count = Field(1, description="walks at a time")


class DmaEngineSheet(PcieDevice):
    """A programmable card whose DMA engine carries out transactions of a program on the card."""

    sockets = True

    issue: Time = Field(
        description="time from the program's instruction to the engine, and from its end to the program"
    )
    reads: Count = Field(description="read requests that the engine has outstanding")
    transaction: Time = Field(description="time of the engine a transaction, beside its bytes")
    rate: Rate = Field(
        description="rate of the engine's path between link and memory of the card, for both directions"
    )
    line: Extent = Field(description="bytes that a read occupies of that path at least, and in multiples")
    write_time: Time = Field(0, description="least time of the engine for a write")
    turn: Time = Field(0, description="time of the engine to change from reads to writes, or back")


register_sheet("bus", "pcie", PcieBusSheet)
register_sheet("adapter", "dma", DmaEngineSheet)
register_sheet("root", "pcie", RootComplexSheet)
