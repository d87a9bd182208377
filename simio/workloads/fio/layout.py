"""The part of a device that each process of fio goes to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from simio.components.site import Site
from simio.description.model import Workload
from simio.errors import RunError, quote
from simio.formats.fio.job import READ, Job
from simio.workloads.common.copying import PLACE

if TYPE_CHECKING:
    from simio.workloads.fio import Fio

DEVICES = "/dev/"
"""Names of files that begin so are devices, which have a size of their own."""


@dataclass(frozen=True)
class DevicePart:
    """A part of a disk or volume: first byte and bytes."""

    device: str
    start: int
    size: int
    file: str = ""
    whole: tuple[int, int] = (0, 0)
    """First byte and size of the file that it is of."""
    is_device: bool = False


@dataclass(frozen=True)
class Clone:
    """A process of a job: which clone of it, in which group between stonewalls, and its part of each of its files."""

    job: Job
    number: int
    stage: int
    group: int
    label: str
    """The job's name, and for one of several clones with reports of their own its number."""
    spans: tuple[DevicePart, ...]
    share: int = 1
    """Processes that have the same label."""

    @property
    def reads_once(self) -> bool:
        """True if it reads one file, at the beginning of its device, once and in order."""
        job = self.job
        plain = job.directions == (READ,) and not (job.random or job.hole) and job.one_size
        once = job.loops == 1 and not job.time_based and job.io_size is None and job.number_ios is None
        if not (plain and once and len(self.spans) == 1):
            return False
        # A request that does not fit the end of the file would begin it again.
        return self.spans[0].start == 0 and self.spans[0].size % job.largest == 0

    @property
    def size(self) -> int:
        """Bytes of its files that it goes to."""
        return sum(span.size for span in self.spans)


@dataclass
class _File:
    """A file: the disk or volume that it is on, its first byte there, and its size."""

    device: str
    is_device: bool
    size: int = 0
    start: int = 0
    of: Job | None = field(default=None, repr=False)


def laid_out(site: Site, workload: Workload[Fio]) -> list[Clone]:
    """All processes, in the order of the job file. Raises RunError where files do not fit, or have no size."""
    files = _Files(site, workload)
    pending = []
    for job, stage, group, label in _labelled(workload.params.jobs):
        for number in range(job.numjobs):
            pending.append((job, stage, group, label, number, files.take(job, number)))
    files.place()
    clones = []
    for job, stage, group, label, number, names in pending:
        apart = job.numjobs > 1 and not job.group_reporting
        own = f"{label} {number + 1}" if apart else label
        spans = tuple(files.span(job, number, name) for name in names)
        clones.append(Clone(job, number, stage, group, own, spans, 1 if apart else job.numjobs))
    return clones


def _labelled(jobs: Sequence[Job]) -> Iterator[tuple[Job, int, int, str]]:
    """Each job with the numbers of its stage between stonewalls and of its group of reports, and its own name."""
    seen: dict[str, int] = {}
    stage = group = 0
    for number, job in enumerate(jobs):
        stage += bool(job.stonewall and number)
        group += bool((job.stonewall or job.new_group) and number)
        seen[job.name] = seen.get(job.name, 0) + 1
        yield job, stage, group, job.name if seen[job.name] == 1 else f"{job.name} ({seen[job.name]})"


def labels(jobs: Sequence[Job]) -> Iterator[tuple[Job, int, str, int]]:
    """Entries of the report: each job or clone with the number of its group, its label, and its processes."""
    for job, _, group, label in _labelled(jobs):
        if job.numjobs > 1 and not job.group_reporting:
            for number in range(job.numjobs):
                yield job, group, f"{label} {number + 1}", 1
        else:
            yield job, group, label, job.numjobs


class _Files:
    """The files of all jobs, by name; those that are no devices lie one after another."""

    def __init__(self, site: Site, workload: Workload[Fio]) -> None:
        self.site, self.workload, self.params = site, workload, workload.params
        self.targets = site.targets(self.params.storage)
        self.found: dict[str, _File] = {}
        self.turn = 0

    def take(self, job: Job, number: int) -> tuple[str, ...]:
        """The names of a clone's files, which are known from now on, and as large as it needs them."""
        names = job.files(number)
        for name in names:
            if name not in self.found:
                self.found[name] = self._file(name)
            one = self.found[name]
            if not one.is_device:
                one.size = max(one.size, self._needed(job, number, len(names)))
        return names

    def _file(self, name: str) -> _File:
        system = self.site.system
        base = PurePosixPath(name).name
        given = self.params.files.get(name) or self.params.files.get(base)
        known: Mapping[str, object] = {**system.disks, **system.volumes}
        if given is not None and given not in known:
            raise RunError(
                f"{quote(name)} is to be on {quote(given)}, which is no disk or volume; there are {', '.join(known)}",
                at=".files",
            )
        if given is None and base in known:
            given = base
        if given is not None:
            return _File(given, name.startswith(DEVICES) or given == base)
        target = self.targets[self.turn % len(self.targets)]
        self.turn += 1
        return _File(target, name.startswith(DEVICES))

    def _needed(self, job: Job, number: int, files: int) -> int:
        """Bytes of a regular file for a clone. Raises RunError if nothing says how many."""
        if isinstance(job.filesize, int):
            return job.filesize
        if isinstance(job.size, int):
            offset, more = (each if isinstance(each, int) else 0 for each in (job.offset, job.offset_increment))
            return offset + number * more + job.size // files
        raise RunError(f"job {quote(job.name)} has a file of no size; give its job a size in bytes, or a filesize")

    def place(self) -> None:
        """Lay the files out, once their sizes are known.

        Raises RunError for files that their device has no room for.
        """
        ends: dict[str, int] = {}
        for one in self.found.values():
            if one.is_device:
                one.size = self._capacity(one.device)
                continue
            one.start = -(-ends.get(one.device, 0) // PLACE) * PLACE
            ends[one.device] = one.start + one.size
        for device, end in ends.items():
            if end > self._capacity(device):
                raise RunError(
                    f"the files of fio need {end:,} bytes of {device!r}, which holds {self._capacity(device):,}",
                    at=".storage",
                )

    def _capacity(self, device: str) -> int:
        return self.site.device(self.params.host, device, reports_failures=True).capacity

    def span(self, job: Job, number: int, name: str) -> DevicePart:
        """The part of a file that a clone goes to. Raises RunError if there is none."""
        one = self.found[name]
        grain = job.offset_align or job.smallest
        offset = _part(job.offset, one.size, grain) + number * _part(job.offset_increment, one.size, grain)
        room = one.size - offset
        wanted = job.size
        if isinstance(wanted, Fraction):
            wanted = int(one.size * wanted)
        elif wanted is not None:
            wanted //= len(job.files(number))
        size = room if wanted is None else min(wanted, room)
        if size < job.largest:
            raise RunError(
                f"job {quote(job.name)}: {max(size, 0):,} bytes of {quote(name)} are left for requests of "
                f"{job.largest:,}; see its size and offset"
            )
        return DevicePart(one.device, one.start + offset, size, name, (one.start, one.size), one.is_device)


def _part(amount: int | Fraction, whole: int, grain: int) -> int:
    """Bytes that an amount is of a whole: as it is, or as a share of it in whole grains."""
    return amount if isinstance(amount, int) else int(whole * amount) // grain * grain
