"""The traces of DiskSim's validation (`valid/*.trace` of DiskSim 4.0), with measured responses of real drives."""

from __future__ import annotations

from simio.formats.traces.columns import Columns, DirectionColumn, SizeColumn, TimeColumn
from simio.formats.traces.lines import ColumnsFormat
from simio.formats.traces.trace import register_format

register_format(
    "disksim-validation",
    ColumnsFormat(
        Columns(
            separator="space",
            count=6,
            clock="zero",
            direction=DirectionColumn(column=1, reads=("R",), writes=("W",)),
            offset=SizeColumn(column=3, unit=512),
            size=SizeColumn(column=4, unit=512),
            response=TimeColumn(column=5, unit=10**6),
            pause=TimeColumn(column=6, unit=10**6),
        ),
        "DiskSim's validation: R or W, Hit or Miss, first block of 512 B, blocks, response in us, pause in us",
    ),
)
