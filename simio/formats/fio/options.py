"""The options of a job: each is read into a field of `Job`, ignored with a reason, or refused by name."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar

from simio.errors import Problem, did_you_mean, quote
from simio.formats.fio import patterns
from simio.formats.fio.fields import ALIASES, FIELDS, MODELLED, SWITCHES, Notation, flag, up_to, word
from simio.formats.fio.job import Each, Job
from simio.formats.fio.jobfile import Given, Section, text_of
from simio.formats.fio.unmodelled import IGNORED, REFUSED, WITHOUT_EFFECT, harmless

T = TypeVar("T")


@dataclass(frozen=True)
class Ignored:
    """An option that is ignored, and why."""

    job: str
    name: str
    reason: str


def is_option(name: str) -> bool:
    """True for the name of an option of fio."""
    return any(name in names for names in (MODELLED, ALIASES, IGNORED, REFUSED))


class OptionReader:
    """Reads sections, and notes what is wrong and what is ignored; a user wants those `given_up` ignored."""

    def __init__(self, given_up: Collection[str] = ()) -> None:
        self.given_up = {ALIASES.get(name, name) for name in given_up}
        self.problems: list[Problem] = []
        self.ignored: list[Ignored] = []

    def job(self, section: Section) -> Job:
        """The job of a section; what has a mistake keeps its default."""
        given = self._known(section)
        context = Notation(self._kb_base(section, given))
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
        if given.value is None and name not in SWITCHES:
            self._problem(section, name, given, f"{quote(name)} alone", f"a value, as in {name}=…")
            return
        try:
            values[field] = read(given.value)
        except ValueError as error:
            self._problem(section, name, given, text_of(name, given), str(error))

    def _directions(
        self, section: Section, given: Mapping[str, Given], context: Notation, values: dict[str, Any]
    ) -> None:
        """Options that are of reads and writes apart, or read together."""

        def take(name: str, read: Callable[[str], Any], into: Callable[[Any], dict[str, Any]]) -> None:
            found: dict[str, Any] = {}
            if name in given:
                self._read(section, name, given[name], read, found, name)
            if name in found:
                values.update(into(found[name]))

        take("rw", partial(patterns.order, whole=context.whole), lambda found: found)
        take("rw_sequencer", partial(word("sequential", "identical"), context), _identical)
        take("bs", lambda text: patterns.each(text, context.positive, 4096), _sizes)
        take("bsrange", lambda text: patterns.size_ranges(text, context.positive), lambda found: {"sizes": found})
        take("bssplit", lambda text: patterns.size_split(text, context.positive), lambda found: {"sizes": found})
        take("ba", lambda text: patterns.each(text, context.positive, None), _aligned)
        take("rwmixread", partial(up_to(100, 0), context), lambda found: {"reads_of_100": found})
        take("rwmixwrite", partial(up_to(100, 0), context), lambda found: {"reads_of_100": 100 - found})
        take("percentage_random", lambda text: patterns.each(text, partial(up_to(100, 0), context), 100), _percentage)
        take("rate", lambda text: patterns.each(text, context.whole, None), lambda found: {"rate": _rate(found)})
        sizes: Each[Any] = values.get("sizes", Job("").sizes)
        take(
            "rate_iops",
            lambda text: patterns.each(text, context.whole, None),
            lambda found: {"rate": _rate(found, sizes)},
        )
        take("random_distribution", lambda text: patterns.distribution(text, context.whole), _distribution)
        take("file_service_type", patterns.service, lambda found: found)
        take("hipri", partial(flag, context), lambda found: {"polling": "iopoll"} if found else {})
        take("sqthread_poll", partial(flag, context), lambda found: {"polling": "sqpoll"} if found else {})
        take("fixedbufs", partial(flag, context), lambda found: {"registered": found})
        take("buffered", partial(flag, context), lambda found: {"direct": not found})

    def _checked(self, section: Section, job: Job, given: Mapping[str, Given]) -> Job:
        """The job, with what follows from several options; what does not go together is noted."""

        def refuse(name: str, expected: str, hint: str = "") -> None:
            if name in given:
                self._problem(section, name, given[name], text_of(name, given[name]), expected, hint)

        # A runtime that is no time is told by itself.
        if job.time_based and not job.runtime and "runtime" not in given:
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
