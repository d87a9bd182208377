"""The traces of the servers of Microsoft Research Cambridge.

README of the traces (D. Narayanan, A. Donnelly and A. Rowstron, "Write Off-Loading", FAST '08): time stamp in
Windows file time (units of 100 ns), host name, disk number, Read or Write, offset and size in bytes, response time in
the same units.
"""

from __future__ import annotations

from simio.formats.traces.columns import Columns, DirectionColumn, SizeColumn, TimeColumn
from simio.formats.traces.lines import ColumnsFormat
from simio.formats.traces.trace import register_format

_TICK = 100_000
"""A unit of Windows file time in ps."""

register_format(
    "msr-cambridge",
    ColumnsFormat(
        Columns(
            count=7,
            arrival=TimeColumn(column=1, unit=_TICK),
            device=(2, 3),
            direction=DirectionColumn(column=4, reads=("Read",), writes=("Write",)),
            offset=SizeColumn(column=5),
            size=SizeColumn(column=6),
            response=TimeColumn(column=7, unit=_TICK),
        ),
        "MSR Cambridge: time of 100 ns, host, disk, Read or Write, offset, bytes, response of 100 ns",
    ),
)
