"""Alibaba's block traces of 2020.

https://github.com/alibaba/block-traces, README: device, R or W, offset and length in bytes, time stamp in us.
"""

from __future__ import annotations

from simio.formats.traces.columns import Columns, DirectionColumn, SizeColumn, TimeColumn
from simio.formats.traces.lines import ColumnsFormat
from simio.formats.traces.trace import register_format

register_format(
    "alibaba",
    ColumnsFormat(
        Columns(
            count=5,
            device=(1,),
            direction=DirectionColumn(column=2, reads=("R",), writes=("W",)),
            offset=SizeColumn(column=3),
            size=SizeColumn(column=4),
            arrival=TimeColumn(column=5, unit=10**6),
        ),
        "Alibaba: device, R or W, offset, bytes, arrival in us",
    ),
)
