"""A database: transactions that read pages at random and are over when their records are in the log on the device."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field, model_validator

from simio.components.site import Site
from simio.components.storage.interfaces import BlockDevice
from simio.components.turns import Turns
from simio.description.arrivals import Arrivals, check_think
from simio.description.model import Workload
from simio.description.quantities import Count, Extent, Size, Time, Whole, refusal
from simio.description.sheets.base import size_text
from simio.description.workloads import HostName, Storage, WorkloadParams
from simio.program.builder import Register
from simio.workloads import register_workload
from simio.workloads.common.arrivals import ArrivalProcess, declare_load, pause
from simio.workloads.common.room import check_room, check_sectors


class Database(WorkloadParams):
    """Clients whose transactions read pages, change some, and wait for the log.

    Records of all transactions that end while the log is written go with the next write (group commit): the first
    to come writes for all, and flushes the device. Changed pages are written later by threads in the background.
    """

    users: ClassVar[str | None] = "clients"
    routes = (("host", "data"), ("host", "log"))

    host: HostName = Field(description="host of the database")
    data: Storage = Field(description="disk or volume with its pages, or group that has them in turn")
    log: Storage = Field(description="disk or volume with its log; the same as data, or one of its own")
    clients: Annotated[Count, Field(le=4096)] = Field(8, description="transactions at a time")
    reads: Whole = Field(4, description="pages that a transaction reads from storage, one after another")
    writes: Whole = Field(1, description="pages of a transaction that are written to storage later")
    page: Extent = Field(8192, description="bytes a page")
    pages: Annotated[Count, Field(ge=2)] = Field(1_000_000, description="pages on each disk or volume of data")
    record: Size = Field(1024, description="bytes of a transaction in the log; 0 B: it changes nothing")
    log_block: Extent = Field(4096, description="bytes of which the log is written in multiples")
    log_size: Extent = Field(2**30, description="bytes of the log, which begins anew where it ends")
    work: Time = Field(100_000_000, description="CPU time of a transaction, on a CPU of its kernel's reference_clock")
    think: Time = Field(0, description="mean of an exponential pause of a client between transactions; 0 s for none")
    arrivals: Arrivals | None = Field(
        None, description="when transactions arrive, at each client its share; none: one after another"
    )
    writers: Annotated[Count, Field(le=4096)] = Field(8, description="threads that write changed pages")
    backlog: Count = Field(10_000, description="changed pages that may wait for them; then transactions wait")
    transactions: Count = Field(10_000_000, description="transactions a client")

    @model_validator(mode="after")
    def _consistent(self) -> Database:
        check_think(self.arrivals, self.think)
        if self.backlog < self.writes:
            raise refusal(str(self.backlog), f"at least writes, {self.writes}", field="backlog")
        if self.log_size % self.log_block:
            raise refusal(size_text(self.log_size), "a multiple of log_block", field="log_size")
        return self


@register_workload("database", Database)
def database(site: Site, workload: Workload[Database]) -> None:
    """The clients, and the threads in the background; as `Database` says."""
    _Database(site, workload).emit()


class _Database:
    """The parts of one database."""

    def __init__(self, site: Site, workload: Workload[Database]) -> None:
        self.site, self.p, self.name, self.params = site, site.p, workload.name, workload.params
        params, p = workload.params, site.p
        self.kernel, self.host = site.kernel(params.host), site.host(params.host)
        self.data = [site.device(params.host, target) for target in site.targets(params.data)]
        self.log = site.device(params.host, site.targets(params.log)[0])
        for each in self.data:
            check_sectors(workload, each, "page", params.page)
        check_sectors(workload, self.log, "log_block", params.log_block)
        shared = self.log in self.data
        self.log_start = params.pages * params.page if shared else 0
        for device in dict.fromkeys([*self.data, self.log]):
            needed = params.pages * params.page * (device in self.data) + params.log_size * (device is self.log)
            check_room(workload, device, needed, "pages")
        self.turns = Turns(p, self, self.name, "log writes")
        self.pending = p.variable(f"{self.name} pending records")
        self.at = p.variable(f"{self.name} log position")
        self.changed = p.container(f"{self.name} changed pages", params.backlog, unit="pages")
        self.places = p.uniform(f"{self.name} page", 0, params.pages - 1)
        self.which = p.uniform(f"{self.name} disk", 0, len(self.data) - 1) if len(self.data) > 1 else None
        self.took = p.observation(f"{self.name}: transaction", "latency", "ps")
        self.commits = p.observation(f"{self.name}: commit", "other", "ps")

    def emit(self) -> None:
        """All threads."""
        p, params, name = self.p, self.params, self.name
        declare_load(p, name, self.took, params, params.clients, params.clients * params.transactions)
        think = p.exponential(f"{name} think", params.think) if params.think else None
        if params.writes:
            with p.thread(f"{name}: writer", count=params.writers, daemon=True), p.forever():
                p.get(self.changed, 1)
                self._page(writes=True)
        for own in self.site.streams(name, params.clients):
            arrivals = ArrivalProcess(p, own, params.arrivals, params.clients) if params.arrivals else None
            with p.thread(f"{own}: client"), p.loop(params.transactions), p.scope():
                with p.timed(self.took, arrivals.wait() if arrivals else None):
                    self._transaction()
                p.mark(self.site.delivered, max(params.reads * params.page + params.record, 1))
                pause(p, think)

    def _transaction(self) -> None:
        p, params = self.p, self.params
        if params.work:
            with p.label("the program", params.host):
                self.host.work(params.work)
        if params.reads:
            with p.loop(params.reads):
                self._page(writes=False)
        if params.writes:
            p.put(self.changed, params.writes)
        if params.record:
            with p.timed(self.commits), p.scope():
                self.pending.increment(params.record)
                self.turns.serve(self.turns.next(), self._write_log, self.kernel.wake)

    def _page(self, writes: bool) -> None:
        """Read or write a page at random."""
        p, params = self.p, self.params
        call = self.kernel.write_unbuffered if writes else self.kernel.read_unbuffered
        with p.scope():
            at = p.register()
            p.draw(at, self.places)
            at.set(at * params.page)
            if self.which is None:
                call(self.data[0], at, params.page, params.page, True)
                return
            disk = p.register()
            p.draw(disk, self.which)
            for number, device in enumerate(self.data):
                with p.when(disk == number):
                    call(device, at, params.page, params.page, True)

    def _write_log(self) -> None:
        """The records that wait, in whole blocks, and a flush: pwrite() and fdatasync() of a file that was written
        before."""
        p, params, block = self.p, self.params, self.params.log_block
        with p.scope():
            amount, at = p.register(), p.register()
            self.pending.swap(0, into=amount)
            amount.set((amount + (block - 1)) // block * block)
            self.at.increment(amount, into=at)
            at.set(at % params.log_size + self.log_start)
            self._append(self.log, at, amount)
            self.kernel.system_call()
            self.log.flush()

    def _append(self, device: BlockDevice, at: Register, amount: Register) -> None:
        """One write, or one after another of a block each where a device takes constants only."""
        p, block = self.p, self.params.log_block
        if device.any_size:
            self.kernel.write_unbuffered(device, at, amount, block, True)
            return
        with p.until(amount == 0):
            self.kernel.write_unbuffered(device, at, block, block, True)
            at.set(at + block)
            amount.set(amount - block)
