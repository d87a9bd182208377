"""The options of a job: each is read into a field of `Job`, ignored with a reason, or refused by name."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any, TypeVar

from simio.errors import Problem, did_you_mean, quote
from simio.formats.fio import numbers, patterns
from simio.formats.fio.job import ASYNCHRONOUS, SYNCHRONOUS, Each, Job
from simio.formats.fio.jobfile import Given, Section, text_of
from simio.formats.fio.unmodelled import IGNORED, REFUSED, WITHOUT_EFFECT, harmless

T = TypeVar("T")

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
class Ignored:
    """An option that is ignored, and why."""

    job: str
    name: str
    reason: str


@dataclass(frozen=True)
class _Context:
    """The pattern of a number."""

    kb_base: int

    def whole(self, text: str) -> int:
        return numbers.whole(text, self.kb_base)

    def amount(self, text: str) -> int | Fraction:
        share = numbers.percentage(text)
        return self.whole(text) if share is None else share

    def positive(self, text: str) -> int:
        value = self.whole(text)
        if not value:
            raise ValueError("a number above zero")
        return value


Read = Callable[[_Context, Any], Any]


def _up_to(most: int, least: int = 1) -> Read:
    def read(context: _Context, text: str) -> int:
        value = context.whole(text)
        if not least <= value <= most:
            raise ValueError(f"a whole number from {least} to {most}")
        return value

    return read


def _time(default: str) -> Read:
    return lambda _context, text: numbers.time(text, default)


def _word(*known: str) -> Read:
    def read(_context: _Context, text: str) -> str:
        if text not in known:
            raise ValueError(f"one of {', '.join(known)}; {did_you_mean(text, known)}".rstrip("; "))
        return text

    return read


def _names(_context: _Context, text: str) -> tuple[str, ...]:
    # A colon of a name is written with a backslash before it.
    parts = text.replace("\\:", "\0").split(":")
    names = tuple(part.replace("\0", ":") for part in parts if part)
    if not names:
        raise ValueError("the name of a file or device")
    return names


def _delay(_context: _Context, text: str) -> tuple[int, int]:
    first, dash, last = text.partition("-")
    low = numbers.time(first)
    high = numbers.time(last) if dash else low
    return min(low, high), max(low, high)


def _cpus(_context: _Context, text: str) -> tuple[int, ...]:
    found: dict[int, None] = {}
    for part in text.replace(":", ",").split(","):
        first, dash, last = part.partition("-")
        if not first.strip().isdecimal() or (dash and not last.strip().isdecimal()):
            raise ValueError("numbers of CPUs from 0 on, such as 0,5,8-15")
        found |= dict.fromkeys(range(int(first), int(last if dash else first) + 1))
    return tuple(found)


def _mask(context: _Context, text: str) -> tuple[int, ...]:
    mask = context.positive(text)
    return tuple(number for number in range(mask.bit_length()) if mask >> number & 1)


def _percentiles(_context: _Context, text: str) -> tuple[Fraction, ...]:
    found = tuple(sorted({numbers.decimal(part) for part in text.split(":")}))
    if not all(0 < each <= 100 for each in found):
        raise ValueError("percentages such as 50:99:99.9")
    return found


def _on(_context: _Context, text: str | None) -> bool:
    return numbers.switch(text)


def _sync(_context: _Context, text: str) -> str:
    found = _word("none", "0", "sync", "1", "dsync")(_context, text)
    return "" if found in _NO else "dsync" if found == "dsync" else "sync"


def _share(context: _Context, text: str) -> int | Fraction:
    return context.amount(text)


def _plain(context: _Context, text: str) -> int:
    return context.whole(text)


FIELDS: Mapping[str, tuple[str, Read]] = {
    "numjobs": ("numjobs", _up_to(MOST_JOBS)), "iodepth": ("iodepth", _up_to(65536)),
    "iodepth_low": ("low", _up_to(65536)), "iodepth_batch_complete_min": ("reap", _up_to(65536, 0)),
    "iodepth_batch": ("submit", _up_to(65536, 0)),
    "ioengine": ("engine", _word(*SYNCHRONOUS, *ASYNCHRONOUS)), "direct": ("direct", _on),
    "size": ("size", _share), "io_size": ("io_size", _share), "filesize": ("filesize", _share),
    "offset": ("offset", _share), "offset_align": ("offset_align", _plain),
    "offset_increment": ("offset_increment", _share), "number_ios": ("number_ios", _up_to(2**62)),
    "loops": ("loops", _up_to(2**31)),
    "rate_process": ("poisson", lambda c, t: _word("linear", "poisson")(c, t) == "poisson"),
    "rate_ignore_thinktime": ("ignore_thinktime", _on), "thinktime": ("thinktime", _time("us")),
    "thinktime_spin": ("thinktime_spin", _time("us")), "thinktime_blocks": ("thinktime_blocks", _up_to(2**31)),
    "norandommap": ("random_map", lambda c, t: not _on(c, t)), "ramp_time": ("ramp_time", _time("s")),
    "runtime": ("runtime", _time("s")), "time_based": ("time_based", _on), "startdelay": ("start_delay", _delay),
    "stonewall": ("stonewall", _on), "new_group": ("new_group", _on), "group_reporting": ("group_reporting", _on),
    "filename": ("filenames", _names), "directory": ("directory", lambda _c, t: t),
    "filename_format": ("filename_format", lambda _c, t: t), "nrfiles": ("nrfiles", _up_to(1024)),
    "fsync": ("fsync", _up_to(2**31, 0)), "fdatasync": ("fdatasync", _up_to(2**31, 0)),
    "end_fsync": ("end_fsync", _on),
    "fsync_on_close": ("end_fsync", _on), "sync": ("sync", _sync), "percentile_list": ("percentiles", _percentiles),
    "cpus_allowed": ("cpus", _cpus), "cpumask": ("cpus", _mask), "sqthread_poll_cpu": ("helper", _up_to(4095, 0)),
    "clat_percentiles": ("clat_percentiles", _on), "lat_percentiles": ("lat_percentiles", _on),
}  # fmt: skip
"""Options that are one field of a job, and how their text is read."""
PATTERNS = (
    "rw", "rw_sequencer", "bs", "bssplit", "bsrange", "ba", "rwmixread", "rwmixwrite", "rate", "rate_iops",
    "random_distribution", "percentage_random", "file_service_type", "buffered",
    "invalidate", "kb_base", "name", "hipri", "sqthread_poll", "fixedbufs",
)  # fmt: skip
"""Options that are read together with others, in `patterns` and here."""
MODELLED = frozenset({*FIELDS, *PATTERNS})


class OptionReader:
    """Reads sections, and notes what is wrong and what is ignored; a user wants those `given_up` ignored."""

    def __init__(self, given_up: Collection[str] = ()) -> None:
        self.given_up = {ALIASES.get(name, name) for name in given_up}
        self.problems: list[Problem] = []
        self.ignored: list[Ignored] = []

    def job(self, section: Section) -> Job:
        """The job of a section; what has a mistake keeps its default."""
        given = self._known(section)
        context = _Context(self._kb_base(section, given))
        values: dict[str, Any] = {}
        for name, (field, read) in FIELDS.items():
            if name in given:
                self._read(section, name, given[name], partial(read, context), values, field)
        self._directions(section, given, context, values)
        job = Job(section.name, section.place, options=section.written, **values)
        return self._checked(section, job, given)

    def _known(self, section: Section) -> dict[str, Given]:
        """The options that are modelled, by their usual names; the others are noted."""
        found: dict[str, Given] = {}
        for written, given in section.options.items():
            name = ALIASES.get(written, written)
            if name in self.given_up:
                self.ignored.append(Ignored(section.name, written, "the scenario says so"))
            elif name in MODELLED:
                found[name] = given
            elif name in IGNORED:
                self.ignored.append(Ignored(section.name, written, IGNORED[name]))
            elif name in WITHOUT_EFFECT:
                reason = f"it does nothing without {WITHOUT_EFFECT[name]}"
                self.ignored.append(Ignored(section.name, written, reason))
            elif name in REFUSED:
                if not harmless(name, given.value):
                    hint = f"leave it out, or list it in 'ignore'; {REFUSED[name]}"
                    self._problem(
                        section, written, given, text_of(written, given), "an option that is modelled", hint
                    )
            else:
                known = [*MODELLED, *ALIASES, *IGNORED, *REFUSED]
                hint = did_you_mean(written, known)
                self._problem(
                    section, written, given, f"the unknown option {quote(written)}", "an option of fio", hint
                )
        return found

    def _kb_base(self, section: Section, given: Mapping[str, Given]) -> int:
        if "kb_base" not in given:
            return 1024
        value = given["kb_base"].value
        if value in ("1000", "1024"):
            return int(value)
        self._problem(section, "kb_base", given["kb_base"], text_of("kb_base", given["kb_base"]), "1000 or 1024")
        return 1024

    def _read(
        self,
        section: Section,
        name: str,
        given: Given,
        read: Callable[[Any], Any],
        values: dict[str, Any],
        field: str,
    ) -> None:
        if given.value is None and name not in _SWITCHES:
            self._problem(section, name, given, f"{quote(name)} alone", f"a value, as in {name}=…")
            return
        try:
            values[field] = read(given.value)
        except ValueError as error:
            self._problem(section, name, given, text_of(name, given), str(error))

    def _directions(
        self, section: Section, given: Mapping[str, Given], context: _Context, values: dict[str, Any]
    ) -> None:
        """Options that are of reads and writes apart, or read together."""

        def take(name: str, read: Callable[[str], Any], into: Callable[[Any], dict[str, Any]]) -> None:
            found: dict[str, Any] = {}
            if name in given:
                self._read(section, name, given[name], read, found, name)
            if name in found:
                values.update(into(found[name]))

        take("rw", partial(patterns.order, whole=context.whole), lambda found: found)
        take("rw_sequencer", partial(_word("sequential", "identical"), context), _identical)
        take("bs", lambda text: patterns.each(text, context.positive, 4096), _sizes)
        take("bsrange", lambda text: patterns.size_ranges(text, context.positive), lambda found: {"sizes": found})
        take("bssplit", lambda text: patterns.size_split(text, context.positive), lambda found: {"sizes": found})
        take("ba", lambda text: patterns.each(text, context.positive, None), _aligned)
        take("rwmixread", partial(_up_to(100, 0), context), lambda found: {"reads_of_100": found})
        take("rwmixwrite", partial(_up_to(100, 0), context), lambda found: {"reads_of_100": 100 - found})
        take(
            "percentage_random", lambda text: patterns.each(text, partial(_up_to(100, 0), context), 100), _percentage
        )
        take("rate", lambda text: patterns.each(text, context.whole, None), lambda found: {"rate": _rate(found)})
        sizes: Each[Any] = values.get("sizes", Job("").sizes)
        take(
            "rate_iops",
            lambda text: patterns.each(text, context.whole, None),
            lambda found: {"rate": _rate(found, sizes)},
        )
        take("random_distribution", lambda text: patterns.distribution(text, context.whole), _distribution)
        take("file_service_type", patterns.service, lambda found: found)
        take("hipri", partial(_on, context), lambda found: {"polling": "iopoll"} if found else {})
        take("sqthread_poll", partial(_on, context), lambda found: {"polling": "sqpoll"} if found else {})
        take("fixedbufs", partial(_on, context), lambda found: {"registered": found})
        take("buffered", partial(_on, context), lambda found: {"direct": not found})

    def _checked(self, section: Section, job: Job, given: Mapping[str, Given]) -> Job:
        """The job, with what follows from several options; what does not go together is noted."""

        def refuse(name: str, expected: str, hint: str = "") -> None:
            if name in given:
                self._problem(section, name, given[name], text_of(name, given[name]), expected, hint)

        if job.time_based and not job.runtime:
            refuse("time_based", "a runtime beside it")
        if given.get("invalidate", Given("1", None)).value == "0" and not job.direct:
            hint = "leave it out, or list it in 'ignore'; what is in memory before the run is not modelled"
            refuse("invalidate", "1", hint)
        if (job.polling or job.registered) and job.engine != "io_uring":
            for name in ("hipri", "sqthread_poll", "fixedbufs"):
                refuse(name, "ioengine=io_uring beside it")
        if job.engine == "mmap" and job.writes:
            refuse("ioengine", "an engine other than mmap", "only reading maps files")
        if job.hole and job.random:
            refuse("rw", "sequential requests with an offset modifier, or a count of requests")
        if job.low is not None and job.low > job.iodepth:
            refuse("iodepth_low", f"at most iodepth, {job.iodepth}")
        if job.distribution.kind != "random" or any(each is not None for each in (job.align.read, job.align.write)):
            job = replace(job, random_map=False)
        return job

    def _problem(self, section: Section, name: str, given: Given, found: str, expected: str, hint: str = "") -> None:
        problem = Problem(section.path_of(name, given), found, expected, hint, given.place)
        if problem not in self.problems:  # as a line of [global] is read with each job
            self.problems.append(problem)


_SWITCHES = {name for name, (_, read) in FIELDS.items() if read is _on} | {
    "norandommap", "hipri", "sqthread_poll", "fixedbufs"
}  # fmt: skip


def _identical(found: str) -> dict[str, Any]:
    return {"identical": found == "identical"}


def _sizes(found: Each[int]) -> dict[str, Any]:
    return {"sizes": Each(((found.read, 1),), ((found.write, 1),))}


def _aligned(found: Each[int | None]) -> dict[str, Any]:
    return {"align": found}


def _percentage(found: Each[int]) -> dict[str, Any]:
    return {"percentage_random": found}


def _distribution(found: Any) -> dict[str, Any]:
    return {"distribution": found}


def _rate(found: Each[int | None], sizes: Each[Any] | None = None) -> Each[int | None]:
    """Bytes a second; of requests a second, by the smallest request, as fio counts them. None for no limit."""

    def one(direction: int) -> int | None:
        rate = found[direction]
        return None if not rate else rate * (sizes[direction][0][0] if sizes else 1)

    return Each(one(0), one(1))
