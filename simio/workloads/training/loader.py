"""The steps of training: threads that read samples ahead, accelerators that take batches, and their barrier."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from itertools import cycle
from typing import TYPE_CHECKING

from simio.components.files.cached import Mount
from simio.components.files.objects import ObjectStore
from simio.components.files.streamed import Around, StreamedFile
from simio.components.site import Site
from simio.description.model import Workload
from simio.description.mounts import MountOptions
from simio.machines import order
from simio.program.builder import Register, since
from simio.workloads.common.remote import Servers
from simio.workloads.common.room import check_room
from simio.workloads.training.remote import Remote

if TYPE_CHECKING:
    from simio.workloads.training import Training


nothing: Around = nullcontext


@dataclass(frozen=True)
class Accelerator:
    """An accelerator, and the host that has it."""

    name: str
    host: str


class TrainingJob:
    """The accelerators of one training, over all hosts."""

    def __init__(self, site: Site, workload: Workload[Training]) -> None:
        self.site, self.p, self.workload = site, site.p, workload
        self.params, self.name = workload.params, workload.name
        p, params, name = self.p, self.params, self.name
        self.busy = p.resource(f"{name}: accelerators", params.accelerators)
        self.waited = p.observation(f"{name}: wait for a batch", "time", "ps")
        self.step = p.observation(f"{name}: step", "latency", "ps")
        self.computing = p.observation(f"{name}: computing", "time", "ps")
        self.there = p.variable(f"{name}: accelerators at the barrier")
        self.go = p.container(f"{name}: barrier", unit="accelerators")
        self.file = p.uniform(f"{name}: file", 0, params.files - 1)
        self.stream = site.stream(name)
        self.servers = Servers(site, workload, params.mount or MountOptions()) if params.server else None

    def emit(self) -> None:
        """The threads of all accelerators, which hosts have in turn."""
        params = self.params
        stores = {host: Files(self, host) for host in params.host}
        numbers = range(1, params.accelerators + 1)
        names = [f"{self.name} {number}" for number in numbers] if len(numbers) > 1 else [self.name]
        for own in self.p.each([Accelerator(*each) for each in zip(names, cycle(params.host), strict=False)]):
            feed = SampleFeed(self, own.name)
            feed.read(stores[own.host])
            with self.p.thread(f"{own.name}: accelerator"):
                self._train(feed, first=True)
                with self.p.loop(params.steps - 1):
                    self._train(feed)

    def _train(self, feed: SampleFeed, first: bool = False) -> None:
        """One step: wait for a batch and for the other accelerators, and compute.

        The first is in no observation of steps, as it waits until anything has been read at all.
        """
        p = self.p
        with p.scope():
            begun = p.now()
            feed.take()
            p.mark(self.waited, since(begun))
            self._meet()
            with p.label("framework", self.name):
                p.advance(self.params.between)
            with p.hold(self.busy):
                p.advance(self.params.compute)
            if not first:
                p.mark(self.computing, self.params.compute)
                p.mark(self.step, since(begun))

    def _meet(self) -> None:
        """A barrier: the last accelerator releases all of them."""
        p, number = self.p, self.params.accelerators
        if number == 1:
            return
        with p.scope():
            there = p.register()
            there.set(self.there.increment(1) + 1)
            with p.when(there == number):
                self.there.store(0)
                p.put(self.go, number)
        p.get(self.go, 1)


class SampleFeed:
    """Samples that the threads of one accelerator have read for it.

    `room` is what they may still begin to read, `ready` what the accelerator may take: both in batches with the
    loader batches, and else in samples, or in bytes where files have several.
    """

    def __init__(self, job: TrainingJob, name: str) -> None:
        self.job, self.p, self.params, self.name = job, job.p, job.params, name
        p, params = self.p, self.params
        self.whole = params.loader == "batches"
        self.unit = "batches" if self.whole else "samples" if params.per_file == 1 else "bytes"
        self.batch = 1 if self.whole else params.batch * (params.sample if self.unit == "bytes" else 1)
        # A read() may begin while less than that is ahead, whatever it brings.
        over = params.transfer - 1 if self.unit == "bytes" else 0
        self.room = p.container(f"{name}: room", level=params.ahead * self.batch + over, unit=self.unit)
        self.ready = p.container(f"{name}: ready", unit=self.unit)
        if self.whole:
            self.left = params.steps if params.epoch else None
            self.begun = p.variable(f"{name}: batches begun")
            self.order = p.machine(f"{name}: order of batches", order.order(params.ahead + 1))

    def take(self) -> None:
        """Have the next batch, and let the threads read another."""
        # PyTorch asks for another batch when it hands one over; TensorFlow's buffer is beside the batch that is
        # waited for.
        if not self.whole:
            self.p.put(self.room, self.batch)
        self.p.get(self.ready, self.batch)
        if self.whole:
            self.p.put(self.room, self.batch)

    def read(self, files: Files) -> None:
        """The threads that read for the accelerator, for as long as it computes."""
        p, params = self.p, self.params
        with p.thread(f"{self.name}: reader", count=params.threads, daemon=True), p.forever(), p.scope():
            if self.unit == "batches":
                self._batch(files)
            elif self.unit == "samples":
                p.get(self.room, 1)
                files.next(nothing)
                p.put(self.ready, 1)
            else:
                files.next(self._transfer)

    def _batch(self, files: Files) -> None:
        """A whole batch by one thread; batches are handed over in the order in which they were begun."""
        p = self.p
        p.get(self.room, 1)
        number = p.register()
        number.set(self.begun.increment(1))
        with p.when(number < self.left) if self.left else nullcontext():
            with p.loop(self.params.batch), p.scope():
                files.next(nothing)
            p.put(self.ready, p.answer(order.arrive, self.order, number))

    @contextmanager
    def _transfer(self, amount: int) -> Iterator[None]:
        """Around the read() of some of a file with several samples."""
        self.p.get(self.room, amount)
        yield
        self.p.put(self.ready, amount)


class Files:
    """The files that one host reads: each is drawn anew, and read from its beginning to its end."""

    def __init__(self, job: TrainingJob, host: str) -> None:
        self.job, self.p, self.params = job, job.p, job.params
        site, params = job.site, job.params
        self.kernel, self.host = site.kernel(host), site.host(host)
        name = job.name if len(params.host) == 1 else f"{job.name} on {host}"
        self.remote = Remote(job.servers, name, host) if job.servers else None
        if self.remote:
            self.devices = self.remote.devices
        else:
            self.devices = [site.device(host, target) for target in site.targets(params.from_ or "")]
        self.store = ObjectStore(self.kernel, name, params.files, params.file_sizes, self.devices)
        for device in self.devices:
            check_room(job.workload, device, self.store.extent)
        self.mounts = self.remote.mounts if self.remote else []
        if not self.remote and params.access in ("buffered", "nocopy"):
            self.mounts = [
                Mount(self.kernel, site.file_system(job.workload, device.name).sheet, device)
                for device in self.devices
            ]

    def next(self, around: Around) -> None:
        """Read a file that is drawn, in the thread that calls this; `around` each read() of this many bytes."""
        p, params, store = self.p, self.params, self.store
        number = p.register()
        p.draw(number, self.job.file)
        for kind in store.kinds(number):
            for device, at in store.each(number):
                self._read(device, at, kind, around)
        if params.work:
            with p.label("the program", self.host.name):
                self.host.work(params.work * params.per_file)

    def _counted(self, around: Around) -> Around:
        """Around each read() of a file that lasts for many batches: its bytes are delivered then."""

        @contextmanager
        def each(amount: int) -> Iterator[None]:
            with around(amount):
                yield
                self.p.mark(self.job.stream, amount)

        return each

    def _read(self, device: int, at: Register, kind: int, around: Around) -> None:
        p, params, store = self.p, self.params, self.store
        size, stored = store.slots.sizes[kind], store.slots.stored[kind]
        if self.mounts:
            file = StreamedFile(self.mounts[device], size)
            each = self._counted(around) if params.per_file > 1 else around
            with self.remote.opened(device) if self.remote else nullcontext():
                file.read(at, params.transfer, store.grain, params.access == "buffered", each)
            if params.per_file == 1:
                p.mark(self.job.stream, size)
            return
        place = p.register(at)
        for amount in p.pieces(stored, params.transfer):
            with around(amount):
                direct = params.access == "direct"
                self.kernel.read_unbuffered(self.devices[device], place, amount, store.grain, direct)
            place.set(place + amount)
            p.mark(self.job.stream, amount)
