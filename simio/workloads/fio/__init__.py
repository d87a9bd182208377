"""Jobs of fio: processes that read and write files and devices as a job file says."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from os.path import normpath
from pathlib import Path
from typing import Annotated, Self

from pydantic import BeforeValidator, Field, PrivateAttr, model_validator

from simio.components.site import Site
from simio.description.model import Workload
from simio.description.quantities import Text, Time, refusal, show
from simio.description.workloads import HostName, Storage, WorkloadParams
from simio.errors import quote
from simio.formats.fio.job import ASYNCHRONOUS, Job
from simio.formats.fio.options import is_option
from simio.formats.fio.reading import Jobs, includes, inline_job, read_jobs
from simio.reading import read_file
from simio.workloads import register_workload

MOST_BYTES = 2**26
"""Bytes of a job file, or of fio's JSON."""


def _texts(value: object) -> object:
    return (value,) if isinstance(value, str) else value


def _options(value: object) -> object:
    """Options with their values as fio would be given them: a text, or none for a switch."""
    if not isinstance(value, Mapping):
        raise refusal(show(value), "a mapping of fio's options, such as {rw: randread, bs: 4k}")
    found: dict[str, str | None] = {}
    for name, given in value.items():
        if isinstance(given, (list, tuple, Mapping)):
            raise refusal(show(given), f"the value of {name} as fio takes it, such as 4k")
        found[str(name)] = None if given is None else "01"[given] if isinstance(given, bool) else str(given)
    return found


Texts = Annotated[tuple[Text, ...], BeforeValidator(_texts)]
"""A text or a list of them."""
Options = Annotated[dict[str, str | None], BeforeValidator(_options)]


class Fio(WorkloadParams):
    """The jobs of fio, of a job file or as the scenario says."""

    routes = (("host", "storage"),)

    host: HostName = Field(description="host that fio runs on")
    storage: Storage = Field(
        description="disk, group of disks or volume that has fio's files; of a group, each in turn"
    )
    job: Text = Field("", description="job file of fio, or its JSON output, relative to the file that names it")
    section: Texts = Field((), description="jobs of the file that are run; none: all")
    options: Options = Field(
        {}, description="options of fio that hold for all jobs, or that make one job by themselves"
    )
    ignore: Texts = Field((), description="options of the job file that are left out, though they are not modelled")
    files: dict[Text, Text] = Field({}, description="files and devices of fio, each with the disk or volume it is on")
    program: Time = Field(
        300_000, description="CPU time of fio itself a request, on a CPU of its kernel's reference_clock"
    )
    _jobs: Jobs = PrivateAttr(default=Jobs(()))

    @classmethod
    def elsewhere(cls, key: str) -> str:
        """Options of fio are in `options`."""
        return f"did you mean {quote(f'options.{key}')}?" if is_option(key) else ""

    @model_validator(mode="after")
    def _has_a_job(self) -> Fio:
        if not self.job and not self.options:
            raise refusal("nothing", "a job file of fio, or options", field="job")
        if self.section and not self.job:
            raise refusal("a section", "none without a job file", field="section")
        return self

    def with_files(self, find: Callable[[str], Path]) -> Self:
        """See `WorkloadParams.with_files`."""
        filled = self.model_copy()
        if not self.job:
            filled._jobs = inline_job(self.options, self.ignore)
            return filled
        path = Path(normpath(find(self.job)))
        text = read_file(path, what="job file of fio", most=MOST_BYTES)
        filled._jobs = read_jobs(text, str(path), includes, self.options, self.section, self.ignore)
        return filled

    @property
    def jobs(self) -> tuple[Job, ...]:
        """The jobs, once the file has been read."""
        return self._jobs.jobs

    def variations(self) -> Iterator[tuple[str, Self]]:
        """See `WorkloadParams.variations`."""
        if any(job.engine in ASYNCHRONOUS for job in self.jobs):
            yield "iodepth of fio's jobs doubled", self._changed(lambda job: replace(job, iodepth=2 * job.iodepth))
        yield "numjobs of fio's jobs doubled", self._changed(lambda job: replace(job, numjobs=2 * job.numjobs))

    def _changed(self, change: Callable[[Job], Job]) -> Self:
        filled = self.model_copy()
        filled._jobs = replace(self._jobs, jobs=tuple(map(change, self.jobs)))
        return filled

    @property
    def ignored(self) -> Mapping[str, str]:
        """The options that are ignored, each with the reason."""
        return {each.name: each.reason for each in self._jobs.ignored}


@register_workload("fio", Fio)
def fio(site: Site, workload: Workload[Fio]) -> None:
    """The processes of all jobs, those behind a stonewall after those before it."""
    from simio.workloads.fio.calls import make_calls
    from simio.workloads.fio.layout import laid_out
    from simio.workloads.fio.process import FioProcess, Gates, name_of

    clones = laid_out(site, workload)
    gates = Gates(site.p, workload.name, clones)
    only = len(workload.params.jobs) == 1
    if len(clones) == 1 and clones[0].reads_once:
        site.goes_over_once([span.device for span in clones[0].spans])
    names = [name_of(workload, clone) for clone in clones]
    for clone, calls in zip(clones, make_calls(site, workload, names, clones), strict=True):
        FioProcess(site, workload, clone, calls, gates, only).emit()
