"""The steps of one process of fio: it issues requests, keeps some outstanding, and looks at completions."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from math import gcd
from typing import TYPE_CHECKING

from simio import units
from simio.components.files.cached import CachedFile, MappedFile, Mount
from simio.components.files.looped import LoopedFile
from simio.components.site import Site
from simio.components.storage.interfaces import BlockDevice
from simio.description.model import Workload
from simio.errors import RunError, quote
from simio.formats.fio import NAMES
from simio.formats.fio.job import ASYNCHRONOUS, READ, WRITE, Job
from simio.program.builder import Builder, Register
from simio.workloads.common.streams import Access
from simio.workloads.fio.calls import Calls
from simio.workloads.fio.layout import Clone, DevicePart
from simio.workloads.fio.outstanding import Outstanding, RequestTimes
from simio.workloads.fio.pace import Pace
from simio.workloads.fio.places import ProcessPlaces
from simio.workloads.fio.syncing import Syncing
from simio.workloads.reader import Cached, Mapped
from simio.workloads.writer import Behind

if TYPE_CHECKING:
    from simio.workloads.fio import Fio

ENDLESS = 10**7
"""Requests of a process that only its runtime ends, as the bound counts them: what is done once is nothing then."""


def bytes_of(workload: str, label: str, direction: int) -> str:
    """Name of the stream of a job's bytes."""
    return f"{workload}: {label} {NAMES[direction]}s"


def times_of(workload: str, label: str, direction: int) -> tuple[str, str, str]:
    """Names of the observations of a job's times: fio's lat, slat and clat."""
    name = f"{workload}: {label} {NAMES[direction]}"
    return name, f"{name} submission", f"{name} completion"


def name_of(workload: Workload[Fio], clone: Clone) -> str:
    """Name of the thread of a process."""
    which = f" {clone.number + 1}" if clone.share > 1 else ""
    return f"{workload.name}: {clone.label}{which}"


class Gates:
    """The barrier at which processes behind a stonewall wait for all before it."""

    def __init__(self, p: Builder, name: str, clones: list[Clone]) -> None:
        self.p = p
        self.sizes: dict[int, int] = {}
        for clone in clones:
            self.sizes[clone.stage] = self.sizes.get(clone.stage, 0) + 1
        self.gates = {stage: p.container(f"{name}: stonewall {stage}", unit="jobs") for stage in self.sizes if stage}
        self.ended = {stage: p.variable(f"{name}: ended {stage}") for stage in self.sizes}

    def enter(self, stage: int) -> None:
        """Wait until all earlier stages have ended."""
        if stage:
            self.p.get(self.gates[stage], 1)

    def leave(self, stage: int) -> None:
        """A process ends; the last of a stage lets the next one in."""
        if stage + 1 not in self.gates:
            return
        p = self.p
        with p.scope():
            before = self.ended[stage].increment()
            with p.when(before == self.sizes[stage] - 1, share=0):
                p.put(self.gates[stage + 1], self.sizes[stage + 1])


class FioProcess:
    """One process of a job; `emit` writes its thread."""

    def __init__(
        self, site: Site, workload: Workload[Fio], clone: Clone, calls: Calls, gates: Gates, only: bool
    ) -> None:
        """`only`: all processes of the workload are clones of one job, and do the same."""
        self.site, self.p, self.workload, self.clone = site, site.p, workload, clone
        self.calls, self.gates, self.only = calls, gates, only
        self.job: Job = clone.job
        self.name = name_of(workload, clone)
        p, self.kernel = self.p, calls.kernel
        self.devices = list(dict.fromkeys(span.device for span in clone.spans))
        self.places = ProcessPlaces(
            p, self.name, clone, {device: number for number, device in enumerate(self.devices)}
        )
        self.begun = p.observation(f"{workload.name}: begun", "begun")
        self.ended = p.observation(f"{workload.name}: ended", "ended")
        self.aligned = gcd(
            self.job.hole,
            *(span.start for span in clone.spans),
            *(size for d in self._ways for size, _ in self.job.sizes[d]),
            *(self.job.align[d] or 0 for d in self._ways),
        )
        self._check()
        self.syncing = Syncing(site, workload, clone, calls)
        self.accesses = {(n, d): self._access(span, d) for n, span in self._spans() for d in self._ways}
        depth = self.job.depth if self.job.direct else 1
        times = {d: self._times(d) for d in self._ways}
        self.outstanding = Outstanding(p, self.name, calls, self.job, depth, times)
        self.outstanding.syncs = self.syncing.observation()
        self.pace = Pace(p, self.name, calls, self.job, self.outstanding)

    def _times(self, direction: int) -> RequestTimes:
        asynchronous = self.job.engine in ASYNCHRONOUS and self.job.direct
        names = times_of(self.workload.name, self.clone.label, direction)
        lat, *parts = names[: 3 if asynchronous else 1]
        return RequestTimes(
            self.p.observation(lat, "latency", "ps"), *(self.p.observation(n, "time", "ps") for n in parts)
        )

    @property
    def _ways(self) -> tuple[int, ...]:
        return self.job.directions

    def _spans(self) -> Iterator[tuple[int, DevicePart]]:
        """The first span on each device; files that go through the cache have each their own."""
        seen = set()
        for span in self.clone.spans:
            if span.device not in seen:
                seen.add(span.device)
                yield self.devices.index(span.device), span

    # --- targets -------------------------------------------------------------------------------------------

    def _check(self) -> None:
        job = self.job
        for span in self.clone.spans:
            sector = self._device(span).sector
            sizes = [size for d in self._ways for size, _ in job.sizes[d]]
            for size in (*sizes, span.start, *(each for each in (job.align.read, job.align.write) if each)):
                if size % sector and job.direct:
                    found, whole = (units.format_quantity(n, "size") for n in (size, sector))
                    raise RunError(
                        f"job {quote(job.name)} asks for {found} with direct=1; {span.device!r} takes whole "
                        f"sectors of {whole}"
                    )
        if not job.direct and len(self.clone.spans) > 1:
            raise RunError(f"job {quote(job.name)} has several files and goes through the cache; use direct=1")
        mixed = any(len(job.sizes[d]) > 1 for d in self._ways)
        if not job.direct and mixed:
            raise RunError(f"job {quote(job.name)} has several block sizes and goes through the cache; use direct=1")

    def _device(self, span: DevicePart) -> BlockDevice:
        return self.calls.device(span.device)

    def _access(self, span: DevicePart, direction: int) -> Access:
        site, job = self.site, self.job
        delivered = site.stream(bytes_of(self.workload.name, self.clone.label, direction))
        device = self._device(span)
        if job.direct:
            access: Access = self.calls.unbuffered(device, direction, delivered)
            return access if direction == READ else self.syncing.past_cache(access, span)
        try:
            system = site.file_system(self.workload, device.name)
        except RunError:
            raise RunError(
                f"job {quote(job.name)} goes through the cache, and {device.name!r} has no file_system; give it one, "
                "or use direct=1"
            ) from None
        mount = Mount(self.kernel, system.sheet, device)
        if job.engine == "mmap":
            return Mapped(self.p, MappedFile(mount, (self.name, 1)), None, delivered)
        if direction == WRITE and mount.sheet.dirty_background is not None:
            return self.syncing.through_cache(mount, span, delivered)
        looped = direction == READ and not job.random and self._repeats(span)
        kind = LoopedFile if looped else CachedFile
        file = kind(mount, f"{self.name} {NAMES[direction]}", (span.start, span.size), not job.random)
        if direction == READ:
            return Cached(self.p, file, True, delivered)
        if job.sync or job.synced[0] or job.end_fsync:
            raise RunError(
                f"job {quote(job.name)} stores its writes by fsync() or O_SYNC, which the file system of "
                f"{device.name!r} does not model (its datasheet has no dirty_background); "
                "use filesystems/ext4 or filesystems/xfs, or direct=1"
            )
        return Behind(self.p, file, False, delivered)

    def _repeats(self, span: DevicePart) -> bool:
        """True if the process may come to the beginning of its part of a file again."""
        return self.requests is None or self.requests * self.job.largest > span.size

    # --- its thread ----------------------------------------------------------------------------------------

    def emit(self) -> None:
        """The thread of the process."""
        p = self.p
        with p.thread(self.name):
            self.gates.enter(self.clone.stage)
            self.pace.delay()
            self._begin()
            for access in self.accesses.values():
                access.open()
                access.rewind()
            self.places.open()
            self.outstanding.open()
            self.syncing.open()
            self.pace.open()
            with self._loop():
                self._one()
            self.outstanding.quiesce()
            self.syncing.end(self.outstanding)
            for access in self.accesses.values():
                access.finish()
            p.mark(self.ended, 1)
            self.gates.leave(self.clone.stage)

    def _begin(self) -> None:
        """Start of the measured time, behind the ramp."""
        p = self.p
        if not self.job.ramp_time:
            p.mark(self.begun, 1)
            return
        with p.fork("ramp", daemon=True):
            p.wait(self.job.ramp_time)
            p.mark(self.begun, 1)

    @property
    def requests(self) -> int | None:
        """Requests of the process, by its bytes; None where only its runtime ends it."""
        job = self.job
        if job.time_based and job.number_ios is None:
            return None
        io_size = job.io_size if job.io_size is not None else self.clone.size
        if not isinstance(io_size, int):
            io_size = int(self.clone.size * io_size)
        least = len(self.clone.spans)
        if job.one_size and job.io_size is None:
            # The rest of each file behind its last whole block is not touched.
            number = sum(span.size // job.largest for span in self.clone.spans)
        else:
            number = max(io_size // job.mean_size, least)
        number *= job.loops
        if job.time_based:
            return job.number_ios
        return number if job.number_ios is None else min(number, job.number_ios)

    @contextmanager
    def _loop(self) -> Iterator[None]:
        """All requests, one after another, until there are enough or the time is over."""
        p, job, number = self.p, self.job, self.requests
        if number is not None and not job.runtime:
            with p.loop(number):
                yield
            return
        with p.scope():
            limit = job.ramp_time + job.runtime
            deadline = p.register(p.now() + limit)
            left = p.register(number if number is not None else 1)
            expected = ENDLESS if number is None else number
            with p.until(left == 0, least=expected if self.only else 0):
                yield
                if number is not None:
                    left.set(left - 1)
                with p.when(deadline <= p.now()):
                    left.set(0)

    def _one(self) -> None:
        """One request: its direction, its time, its place, and its way to the device."""
        p = self.p
        with p.scope():
            which = self._direction()
            self.pace.wait(which)
            file = self.places.file()
            at = p.register()
            for direction in self._ways:
                with p.when(which == direction) if which is not None else nullcontext():
                    for size in self._sizes(direction):
                        self.places.place(at, file, direction, size)
                        self.pace.count(direction, size)
                        for access in self._chosen(file, direction):
                            self.outstanding.issue(access, at, direction, size, self.aligned)
                            if direction == WRITE:
                                self.syncing.after(access, self.outstanding)
            self.pace.think()

    def _direction(self) -> Register | None:
        """A register with the direction, None where there is one only."""
        if len(self._ways) == 1:
            return None
        p, reads = self.p, self.job.reads_of_100
        which = p.register()
        weights = [(d, share) for d, share in ((READ, reads), (WRITE, 100 - reads)) if share]
        p.draw(which, p.discrete(f"{self.name}: direction", weights))
        return which

    def _sizes(self, direction: int) -> Iterator[int]:
        """Run a for loop's body for each size, of which the next request draws one."""
        p, sizes = self.p, self.job.sizes[direction]
        if len(sizes) == 1:
            yield sizes[0][0]
            return
        with p.scope():
            drawn = p.register()
            numbered = [(number, weight) for number, (_, weight) in enumerate(sizes)]
            p.draw(drawn, p.discrete(f"{self.name}: {NAMES[direction]} size", numbered))
            for number, (size, _) in enumerate(sizes):
                with p.when(drawn == number):
                    yield size

    def _chosen(self, file: Register | int, direction: int) -> Iterator[Access]:
        """Run a for loop's body for each device, on one of which the file is."""
        if len(self.devices) == 1:
            yield self.accesses[0, direction]
            return
        p = self.p
        with p.scope():
            device = self.places.device(file)
            for number in range(len(self.devices)):
                with p.when(device == number):
                    yield self.accesses[number, direction]
