"""Datasheets of computers: processor, memory, and the host's own values."""

from __future__ import annotations

from pydantic import Field

from simio.description.quantities import Count, Extent, Flag, Frequency, Rate
from simio.description.sheets.base import Sheet, register_sheet


class Cpu(Sheet):
    """A processor."""

    work = {"clock": "CPU clock"}

    clock: Frequency = Field(description="clock rate; kernel costs scale with it")
    cache: Extent = Field(description="largest cache of one CPU")
    whole_lines: Flag = Field(
        False, description="whether copies write whole cache lines without fetching them from memory before"
    )


class Memory(Sheet):
    """Main memory as the I/O path sees it: one server that bytes pass through."""

    work = {"copy_rate": "copies", "xor_rate": "parity"}

    size: Extent = Field(description="capacity")
    rate: Rate = Field(description="bytes a second that memory moves for reads and writes together")
    copy_rate: Rate = Field(
        description="rate at which one CPU, alone, copies from the kernel's memory to a program's"
    )
    xor_rate: Rate = Field(description="rate at which one CPU, alone, works through buffers to compute parity")


class HostSheet(Sheet):
    """A computer: the values that belong to no part of it."""

    cpus: Count = Field(description="number of CPUs")


register_sheet("cpu", "cpu", Cpu)
register_sheet("memory", "memory", Memory)
register_sheet("host", "host", HostSheet)
