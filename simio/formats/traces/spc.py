"""Traces of the Storage Performance Council, as those of the UMass repository (Financial, WebSearch).

Storage Performance Council, "SPC Trace File Format Specification", revision 1.0.1, 2002: application specific unit
(ASU), first block, bytes, opcode in either case, seconds from the start of the trace, and fields that are optional.
The size of a block is part of a trace's description: 512 B for those of the UMass repository.
"""

from __future__ import annotations

from simio.formats.traces.columns import Columns, DirectionColumn, SizeColumn, TimeColumn
from simio.formats.traces.lines import ColumnsFormat
from simio.formats.traces.trace import register_format

register_format(
    "spc",
    ColumnsFormat(
        Columns(
            clock="zero",
            device=(1,),
            offset=SizeColumn(column=2, unit=512),
            size=SizeColumn(column=3),
            direction=DirectionColumn(column=4, reads=("r", "R"), writes=("w", "W")),
            arrival=TimeColumn(column=5, unit=10**12),
        ),
        "SPC: ASU, first block of 512 B, bytes, R or W, arrival in s; more fields are ignored",
    ),
)
