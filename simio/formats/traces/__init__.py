"""Traces of block requests: one file a format, which registers itself by name (`trace.FORMATS`)."""

from simio.formats.traces import (
    alibaba,
    blkparse,
    disksim_ascii,
    disksim_validation,
    fio_iolog,
    msr_cambridge,
    spc,
)

__all__ = [
    "alibaba",
    "blkparse",
    "disksim_ascii",
    "disksim_validation",
    "fio_iolog",
    "msr_cambridge",
    "spc",
]
