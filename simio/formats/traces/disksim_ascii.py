"""DiskSim's default input, which MQSim and others read, too.

J. S. Bucy et al., "The DiskSim Simulation Environment Version 4.0 Reference Manual", CMU-PDL-08-101, section 4.1: a
request a line, with arrival in ms, device, first block, blocks of 512 B, and flags in hexadecimal, bit 0 of which is
set for a read.
"""

from __future__ import annotations

from simio.formats.traces.columns import Columns, DirectionColumn, SizeColumn, TimeColumn
from simio.formats.traces.lines import ColumnsFormat
from simio.formats.traces.trace import register_format

register_format(
    "disksim-ascii",
    ColumnsFormat(
        Columns(
            separator="space",
            count=5,
            clock="zero",
            arrival=TimeColumn(column=1, unit=10**9),
            device=(2,),
            offset=SizeColumn(column=3, unit=512),
            size=SizeColumn(column=4, unit=512),
            direction=DirectionColumn(column=5, read_bit=0),
        ),
        "DiskSim: arrival in ms, device, first block of 512 B, blocks, flags (bit 0 for a read)",
    ),
)
