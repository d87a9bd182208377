"""The block layer of one host: cores, the schedulers of its drives, and processes that issue requests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import log2

from simio.components.block.cores import Core
from simio.components.block.interfaces import INTERFACES, RequestInterface, Way
from simio.components.block.schedulers import SCHEDULED, SCHEDULERS, Scheduler
from simio.components.host.host import INTERRUPT, PROCESS
from simio.components.host.kernel import UnixKernel
from simio.components.storage.attachment import Attachments
from simio.components.storage.devices import Devices
from simio.components.storage.interfaces import BlockDevice
from simio.description.model import Adapter
from simio.description.sheets.adapters import StorageAdapter
from simio.description.sheets.linux import LinuxKernelSheet
from simio.errors import RunError, quote
from simio.machines.block import layout as c
from simio.machines.block import processes
from simio.program.builder import Builder, Operand
from simio.program.labels import labelled
from simio.program.steps import CPU_TIME, UNBOUNDED

Slot = tuple[int, int]
"""The place of a process that polls among those on its core, and their number."""
ALONE: Slot = (0, 1)
MakeDevices = Callable[[Callable[[Adapter[StorageAdapter], str], "CoreInitiator"]], Devices]
"""Makes the devices of a host, with this initiator for each disk."""


class BlockLayer:
    """The parts of a host's block layer that processes share."""

    def __init__(self, p: Builder, kernel: UnixKernel, attachments: Attachments, devices: MakeDevices) -> None:
        """Raises RunError for a kernel whose datasheet knows no interfaces and schedulers."""
        if not isinstance(kernel.sheet, LinuxKernelSheet):
            raise RunError(
                f"the kernel of {kernel.host.name!r} has no multi-queue block layer; such as kernels/linux-6.3 has",
                ".host",
            )
        self.p = p
        self.kernel = kernel
        self.sheet = kernel.sheet
        self.host = kernel.host
        self.cores = kernel.host.cores
        self.attachments = attachments
        self.devices = devices
        self._schedulers: dict[str, Scheduler] = {}
        self._queues: dict[tuple[int, str], str] = {}
        if self.sheet.scheduler not in SCHEDULERS:
            raise RunError(
                f"found {quote(self.sheet.scheduler)}; expected an I/O scheduler: {', '.join(SCHEDULERS)}",
                f"hosts.{self.host.name}.kernel.scheduler",
            )

    def way(
        self,
        disk: str,
        program: int,
        size: int,
        registered: bool,
        scheduler: Scheduler,
        batch: int,
        align: int | None = None,
    ) -> Way:
        """The way between a program and a disk, for requests of `size` bytes.

        Buffers begin at any multiple of `align` bytes, each as likely; None: where pages begin.
        """
        unit = min(align or self.sheet.page, self.sheet.page)
        adapter = self.attachments.adapter(self.host.name, disk).part.sheet
        limit = self.kernel.largest_request()
        return Way(
            self.sheet,
            adapter.command_cost,
            program,
            (size - 1) // unit * unit,
            registered,
            scheduler.cost,
            -(-size // limit) if limit else 1,
            batch,
        )

    def queue(self, core: Core, disk: str, process: str) -> str:
        """The name of the hardware queue of a core and a drive, after the first process that uses it."""
        return self._queues.setdefault((core.number, disk), f"{process}: {disk}")

    @property
    def tags(self) -> int:
        """Requests that a hardware queue holds at most, but for its own depth."""
        return self.sheet.nr_requests or (UNBOUNDED if self.sheet.scheduler == "none" else SCHEDULED)

    def scheduler(self, drive: str, interface: RequestInterface, users: int) -> Scheduler:
        """The scheduler of a drive that so many processes use, as requests through an interface meet it."""
        if not interface.kernel:
            return Scheduler(self.p, self.cores, drive, users)
        if drive not in self._schedulers:
            self._schedulers[drive] = SCHEDULERS[self.sheet.scheduler](self.p, self.cores, drive, users)
        return self._schedulers[drive]


class Process:
    """A process on a core, with requests outstanding through one interface.

    Each of its places for a request is a thread. A thread takes the core, and then carries its request to the drive
    and back; done requests stand in line for the core, as they do in a completion queue.
    """

    def __init__(self, layer: BlockLayer, name: str, core: int, interface: str, helper: int | None) -> None:
        """`helper` is the core of the kernel thread that submits, where the interface has one."""
        self.layer, self.p, self.name = layer, layer.p, name
        self.interface: RequestInterface = INTERFACES[interface]
        self.core: Core = layer.cores.core(core)
        self.helper: Core | None = None if helper is None else layer.cores.core(helper)
        self.devices = layer.devices(self._initiator)
        self.state = -1
        self.helper_state = -1
        self._clock = -1
        self._host = layer.host

    def start(self, way: Way, depth: int, companions: int, polling: Slot = ALONE, helping: Slot = ALONE) -> None:
        """Make the state of the process, which submits `depth` requests at once, or none before any arrives.

        `companions` processes share its core, itself included.

        `polling` is its own place among those that poll on its core, and `helping` that of its helper.
        """
        span, sheet = self._host.span, self.layer.sheet
        growth = sheet.switch_growth * round(1000 * log2(companions)) // 1000
        self.state = self.p.machine(
            self.name,
            c.PROCESS.initial(
                core=self.core.state,
                ready=depth,
                cost=span(self.interface.cost(way)),
                look=span(self.interface.look(way)),
                switch=span(sheet.context_switch + growth + self.interface.sleep(way)),
                wake=span(sheet.wake),
                polls=int(self.interface.polls),
            ),
        )
        if self.name.endswith(" 1") or " " not in self.name:
            self.p.tally(self.name, CPU_TIME, self.state + c.WORKED, "ns")
        self._slices = self._slice(self.name, polling), self._slice(f"{self.name} helper", helping)
        if self.helper:
            self.helper_state = self.p.machine(
                f"{self.name} helper",
                c.PROCESS.initial(
                    core=self.helper.state, ready=depth, cost=span(self.interface.submits(way)), polls=1
                ),
            )

    def _slice(self, name: str, slot: Slot) -> int | None:
        """The machine of the time slices of a process that polls; None if it has the core for itself."""
        place, sharers = slot
        if not self.interface.polls or sharers < 2:
            return None
        initial = c.SLICES.initial(slice=self.layer.sheet.time_slice, sharers=sharers, place=place)
        return self.p.machine(f"{name}: time slices", initial)

    def _await_slice(self, slices: int | None) -> None:
        if slices is not None:
            with self.p.scope():
                self.p.wait(self.p.answer(processes.until_slice, slices))

    @property
    def submitter(self) -> tuple[Core, int]:
        """The core on which requests are submitted and completed, and the state of the process there."""
        return (self.helper, self.helper_state) if self.helper else (self.core, self.state)

    @labelled("submission", "name")
    def submit(self, scheduler: Scheduler) -> None:
        """Holding its core: take a done request and submit the next, through the scheduler; then leave the core."""
        self._turn(self.state, None if self.helper else scheduler, self.core.number)
        self.p.release(self.core.resource)
        if self.helper:
            self._await_slice(self._slices[1])
            self.p.seize(self.helper.resource, priority=PROCESS)
            self._turn(self.helper_state, scheduler, self.helper.number)
            self.p.release(self.helper.resource)

    @labelled("arrivals", "name")
    def arrive(self) -> None:
        """A request comes to the process: an interrupt on its core, as of a timer; one that polls finds it."""
        p, layer = self.p, self.layer
        if self.interface.polls:
            self.find()
            return
        if self._clock < 0:
            clock = c.QUEUE.initial(owner=self.state, interrupt=layer.host.span(layer.sheet.interrupt))
            self._clock = p.machine(f"{self.name}: arrivals", clock)
        with p.scope():
            time = p.answer(processes.interrupt, self._clock)
            with p.hold(self.core.resource, priority=INTERRUPT):
                self.core.spend(time)

    def find(self) -> None:
        """A request is there that the process finds at its next look."""
        with self.p.scope():
            self.p.answer(processes.done, self.state)

    @labelled("completions", "name")
    def take(self) -> None:
        """Holding its core: take a done request; then leave the core."""
        with self.p.scope():
            self.core.spend(self.p.answer(processes.take, self.state), self.state)
        self.p.release(self.core.resource)

    def _turn(self, state: int, scheduler: Scheduler | None, core: int) -> None:
        p = self.p
        with p.scope():
            time = p.answer(processes.begin, state)
            self.layer.cores.core(core).spend(time, state)
        if scheduler:
            scheduler.submit(state, core)

    def take_core(self) -> None:
        """Wait for the core, to take a request that is done."""
        self._await_slice(self._slices[0])
        self.p.seize(self.core.resource, priority=PROCESS)

    def device(self, name: str) -> BlockDevice:
        """A disk or volume as this process sees it, its commands going through queues of its own core."""
        return self.devices.device(name)

    def _initiator(self, adapter: Adapter[StorageAdapter], disk: str) -> CoreInitiator:
        return CoreInitiator(self, disk)


class CoreInitiator:
    """Commands of a process through the hardware queue of its core: what they cost it has paid for in its turn."""

    def __init__(self, process: Process, disk: str) -> None:
        self.process = process
        self.p = process.p
        layer = process.layer
        self.alone: int = layer.kernel.largest_request() or UNBOUNDED
        core, state = process.submitter
        self.core = core
        kernel = process.interface.kernel
        self.queue = layer.queue(core, disk, process.name) if kernel else f"{process.name}: {disk}"
        self.tags = layer.tags if kernel else UNBOUNDED
        self.state = -1
        if process.interface.interrupts:
            span = layer.host.span
            self.state = self.p.machine(
                f"{process.name}: queue of {disk}",
                c.QUEUE.initial(
                    owner=state, interrupt=span(layer.sheet.interrupt), end=span(layer.sheet.request_end)
                ),
            )

    def requests(self, size: Operand) -> Iterator[Operand]:
        """The commands that the block layer makes of a request."""
        limit = self.process.layer.kernel.largest_request() if self.process.interface.kernel else None
        return self.p.pieces(size, limit)

    def issue(self, size: Operand) -> None:
        """Nothing: the process has paid."""

    def start(self) -> None:
        """Nothing: the drive learns of it by its doorbell."""

    @labelled("completions", "process.name")
    def complete(self, size: Operand) -> None:
        """An interrupt on the core of the queue; a process that polls finds out by itself."""
        p, process = self.p, self.process
        if self.state >= 0:
            with p.scope():
                time = p.answer(processes.interrupt, self.state)
                with p.hold(self.core.resource, priority=INTERRUPT):
                    self.core.spend(time)
        if process.interface.polls:
            process.find()
