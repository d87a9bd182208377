"""The options that are modelled, by name: the field of a job that each is read into, and how its text is read.

A reader raises ValueError that says what was expected.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from simio.errors import did_you_mean
from simio.formats.fio import numbers
from simio.formats.fio.job import ASYNCHRONOUS, SYNCHRONOUS

ALIASES: Mapping[str, str] = {
    "readwrite": "rw", "blocksize": "bs", "blockalign": "ba", "blocksize_range": "bsrange", "io_limit": "io_size",
    "fileoffset": "offset", "timeout": "runtime", "nr_files": "nrfiles", "wait_for_previous": "stonewall",
    "iodepth_batch_submit": "iodepth_batch", "iodepth_batch_complete": "iodepth_batch_complete_min",
    "start_delay": "startdelay", "ss": "steadystate", "ss_dur": "steadystate_duration",
    "ss_ramp": "steadystate_ramp_time", "ratemin": "rate_min", "ratecycle": "rate_cycle",
    "disable_bw": "disable_bw_measurement", "fill_fs": "fill_device", "blocksize_unaligned": "bs_unaligned",
}  # fmt: skip
"""Other names of options."""
MOST_JOBS = 4096
_NO = ("0", "none")


@dataclass(frozen=True)
class Notation:
    """The way in which a job file writes numbers."""

    kb_base: int

    def whole(self, text: str) -> int:
        """Read a whole number."""
        return numbers.whole(text, self.kb_base)

    def amount(self, text: str) -> int | Fraction:
        """Read a whole number, or a share of a size."""
        share = numbers.percentage(text)
        return self.whole(text) if share is None else share

    def positive(self, text: str) -> int:
        """Read a whole number above zero. Raises ValueError for zero."""
        value = self.whole(text)
        if not value:
            raise ValueError("a number above zero")
        return value


Read = Callable[[Notation, Any], Any]


def up_to(most: int, least: int = 1) -> Read:
    """The reader of a whole number in these limits."""

    def read(context: Notation, text: str) -> int:
        try:
            value = context.whole(text)
        except ValueError:
            raise ValueError(f"a whole number from {least} to {most}") from None
        if not least <= value <= most:
            raise ValueError(f"a whole number from {least} to {most}")
        return value

    return read


def _time(default: str) -> Read:
    return lambda _context, text: numbers.time(text, default)


def word(*known: str) -> Read:
    """The reader of one of these words."""

    def read(_context: Notation, text: str) -> str:
        if text not in known:
            raise ValueError(f"one of {', '.join(known)}; {did_you_mean(text, known)}".rstrip("; "))
        return text

    return read


def _names(_context: Notation, text: str) -> tuple[str, ...]:
    # A colon of a name is written with a backslash before it.
    parts = text.replace("\\:", "\0").split(":")
    names = tuple(part.replace("\0", ":") for part in parts if part)
    if not names:
        raise ValueError("the name of a file or device")
    return names


def _delay(_context: Notation, text: str) -> tuple[int, int]:
    first, dash, last = text.partition("-")
    low = numbers.time(first)
    high = numbers.time(last) if dash else low
    return min(low, high), max(low, high)


def _cpus(_context: Notation, text: str) -> tuple[int, ...]:
    found: dict[int, None] = {}
    for part in text.replace(":", ",").split(","):
        first, dash, last = part.partition("-")
        if not first.strip().isdecimal() or (dash and not last.strip().isdecimal()):
            raise ValueError("numbers of CPUs from 0 on, such as 0,5,8-15")
        found |= dict.fromkeys(range(int(first), int(last if dash else first) + 1))
    return tuple(found)


def _mask(context: Notation, text: str) -> tuple[int, ...]:
    mask = context.positive(text)
    return tuple(number for number in range(mask.bit_length()) if mask >> number & 1)


def _percentiles(_context: Notation, text: str) -> tuple[Fraction, ...]:
    found = tuple(sorted({numbers.decimal(part) for part in text.split(":")}))
    if not all(0 < each <= 100 for each in found):
        raise ValueError("percentages such as 50:99:99.9")
    return found


def flag(_context: Notation, text: str | None) -> bool:
    """Read an option that is on or off."""
    return numbers.switch(text)


def _sync(_context: Notation, text: str) -> str:
    found = word("none", "0", "sync", "1", "dsync")(_context, text)
    return "" if found in _NO else "dsync" if found == "dsync" else "sync"


def _share(context: Notation, text: str) -> int | Fraction:
    return context.amount(text)


def _file_size(context: Notation, text: str) -> int | Fraction:
    if re.search(r"\w-\w", text):
        raise ValueError("one size, as files of a range of sizes are not modelled")
    return context.amount(text)


def _plain(context: Notation, text: str) -> int:
    return context.whole(text)


FIELDS: Mapping[str, tuple[str, Read]] = {
    "numjobs": ("numjobs", up_to(MOST_JOBS)), "iodepth": ("iodepth", up_to(65536)),
    "iodepth_low": ("low", up_to(65536)), "iodepth_batch_complete_min": ("reap", up_to(65536, 0)),
    "iodepth_batch": ("submit", up_to(65536, 0)),
    "ioengine": ("engine", word(*SYNCHRONOUS, *ASYNCHRONOUS)), "direct": ("direct", flag),
    "size": ("size", _share), "io_size": ("io_size", _share), "filesize": ("filesize", _file_size),
    "offset": ("offset", _share), "offset_align": ("offset_align", _plain),
    "offset_increment": ("offset_increment", _share), "number_ios": ("number_ios", up_to(2**62)),
    "loops": ("loops", up_to(2**31)),
    "rate_process": ("poisson", lambda c, t: word("linear", "poisson")(c, t) == "poisson"),
    "rate_ignore_thinktime": ("ignore_thinktime", flag), "thinktime": ("thinktime", _time("us")),
    "thinktime_spin": ("thinktime_spin", _time("us")), "thinktime_blocks": ("thinktime_blocks", up_to(2**31)),
    "norandommap": ("random_map", lambda c, t: not flag(c, t)), "ramp_time": ("ramp_time", _time("s")),
    "runtime": ("runtime", _time("s")), "time_based": ("time_based", flag), "startdelay": ("start_delay", _delay),
    "stonewall": ("stonewall", flag), "new_group": ("new_group", flag), "group_reporting": ("group_reporting", flag),
    "filename": ("filenames", _names), "directory": ("directory", lambda _c, t: t),
    "filename_format": ("filename_format", lambda _c, t: t), "nrfiles": ("nrfiles", up_to(1024)),
    "fsync": ("fsync", up_to(2**31, 0)), "fdatasync": ("fdatasync", up_to(2**31, 0)),
    "end_fsync": ("end_fsync", flag),
    "fsync_on_close": ("end_fsync", flag), "sync": ("sync", _sync), "percentile_list": ("percentiles", _percentiles),
    "cpus_allowed": ("cpus", _cpus), "cpumask": ("cpus", _mask), "sqthread_poll_cpu": ("helper", up_to(4095, 0)),
    "clat_percentiles": ("clat_percentiles", flag), "lat_percentiles": ("lat_percentiles", flag),
}  # fmt: skip
"""Options that are one field of a job, and how their text is read."""
PATTERNS = (
    "rw", "rw_sequencer", "bs", "bssplit", "bsrange", "ba", "rwmixread", "rwmixwrite", "rate", "rate_iops",
    "random_distribution", "percentage_random", "file_service_type", "buffered",
    "invalidate", "kb_base", "name", "hipri", "sqthread_poll", "fixedbufs",
)  # fmt: skip
"""Options that are read together with others, in `patterns` and here."""
MODELLED = frozenset({*FIELDS, *PATTERNS})
SWITCHES = {name for name, (_, read) in FIELDS.items() if read is flag} | {
    "norandommap", "hipri", "sqthread_poll", "fixedbufs"
}  # fmt: skip
"""Options that may stand without a value."""
