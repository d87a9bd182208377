"""Job files, and the jobs that a JSON of fio was measured with, as `Job`s."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from simio.errors import Place, Problem, ScenarioError, did_you_mean, quote
from simio.formats.fio.fields import ALIASES
from simio.formats.fio.job import Job
from simio.formats.fio.jobfile import Given, Read, Section, sections
from simio.formats.fio.options import Ignored, OptionReader
from simio.formats.fio.results import apart
from simio.formats.rows import first_object
from simio.reading import read_file

INLINE = "fio"
"""Name of the job that a scenario describes without a job file."""


@dataclass(frozen=True)
class Jobs:
    """The jobs of a file, in order, and the options of them that are ignored."""

    jobs: tuple[Job, ...]
    ignored: tuple[Ignored, ...] = ()


def read_jobs(
    text: str,
    file: str,
    read: Read,
    over: Mapping[str, str | None] | None = None,
    only: Sequence[str] = (),
    given_up: Collection[str] = (),
) -> Jobs:
    """The jobs of a job file, or of fio's JSON if `file` ends in .json.

    `over` are options that hold for all jobs, whatever the file says; `only` names the sections that are wanted (all
    without it), `given_up` options that are ignored. Raises ScenarioError with all mistakes; those in `over` have the
    path `options.<name>` and no place.
    """
    found = _of_json(text, file) if file.endswith(".json") else sections(text, file, read)
    return _read(_wanted(found, only, file), over or {}, given_up)


def inline_job(over: Mapping[str, str | None], given_up: Collection[str] = ()) -> Jobs:
    """The one job that `over` describes by itself. Raises as `read_jobs` does."""
    return _read([Section(over.get("name") or INLINE, None, {})], over, given_up)


def _read(found: Sequence[Section], over: Mapping[str, str | None], given_up: Collection[str]) -> Jobs:
    reader = OptionReader(given_up)
    jobs = []
    for section in found:
        # Options of the scenario come last, and take the place of those with another name for the same.
        names = {ALIASES.get(name, name) for name in over}
        own = {name: given for name, given in section.options.items() if ALIASES.get(name, name) not in names}
        jobs.append(
            reader.job(Section(section.name, section.place, own | {n: Given(v, None) for n, v in over.items()}))
        )
    if reader.problems:
        raise ScenarioError(reader.problems)
    return Jobs(tuple(jobs), tuple(dict.fromkeys(reader.ignored)))


def _wanted(found: Sequence[Section], only: Sequence[str], file: str) -> Sequence[Section]:
    names = [section.name for section in found]
    for name in only:
        if name not in names:
            expected = f"one of {', '.join(names)}" if len(names) > 1 else quote(names[0])
            hint = did_you_mean(name, names)
            raise ScenarioError(Problem("section", f"{quote(name)}, which {file} does not have", expected, hint))
    return [section for section in found if not only or section.name in only]


def measured(text: str, file: str) -> dict[str, Any]:
    """The JSON of a fio run; what precedes it, as warnings do, is skipped. Raises ScenarioError if it is none."""
    found = first_object(text)
    jobs = found.get("jobs") if found else None
    if not isinstance(jobs, list) or not jobs or not all(isinstance(job, dict) and "jobname" in job for job in jobs):
        expected = "the output of fio --output-format=json, with its jobs"
        raise ScenarioError(Problem("", "no JSON of fio", expected, place=Place(file, 1, 1)))
    assert isinstance(found, dict)
    return found


def _of_json(text: str, file: str) -> list[Section]:
    """The jobs that a run had, each once, with its options."""
    found = measured(text, file)
    common = found.get("global options") or {}
    reports = Counter(job["jobname"] for job in found["jobs"])
    jobs: dict[str, Section] = {}
    place = Place(file, 1, 1)
    group = 0
    for job in found["jobs"]:
        options = {**common, **(job.get("job options") or {})}
        given = {name: Given(str(value), place) for name, value in options.items() if name != "name"}
        if "numjobs" in options and not apart(options, reports[job["jobname"]]):
            given["group_reporting"] = Given(None, place)
        # A stonewall begins a new group, and the JSON has no other trace of one that is in [global].
        if job.get("groupid", 0) != group:
            group = job["groupid"]
            given["stonewall"] = Given(None, place)
        jobs.setdefault(job["jobname"], Section(job["jobname"], place, given))
    return list(jobs.values())


def includes(path: Path) -> str:
    """The text of a file that a job file includes, or of that itself. Raises ScenarioError if it cannot be read."""
    return read_file(path, what="job file of fio")
