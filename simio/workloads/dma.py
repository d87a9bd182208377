"""dma: transactions of a card's DMA engine to and from host memory, as pcie-bench measures them."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from simio import units
from simio.components.host.dma import DmaEngine, DmaWindow
from simio.components.site import Site
from simio.description.arrivals import Arrivals
from simio.description.model import Workload, fits
from simio.description.quantities import Count, Extent, Size, Text, Whole, refusal
from simio.description.sheets.pcie import DmaEngineSheet
from simio.description.workloads import HostName, WorkloadParams
from simio.errors import RunError, did_you_mean
from simio.program.builder import Register
from simio.workloads import register_workload
from simio.workloads.common.arrivals import ArrivalProcess

LINE = 64
"""Bytes of a cache line, on which addresses begin."""


class Dma(WorkloadParams):
    """Transactions of a programmable card's DMA engine, at addresses in a window of host memory."""

    host: HostName = Field(description="host whose memory it is")
    adapter: Text = Field(description="card of that host with a DMA engine (kind dma)")
    does: Literal["read", "write", "write-read", "mixed"] = Field(
        "read",
        description="read; write; write-read: a write and then a read of the same address, timed as one; mixed: "
        "reads and writes in turns",
    )
    size: Extent = Field(description="bytes of a transaction")
    window: Extent = Field(8192, description="range of memory that the addresses are in")
    offset: Size = Field(0, description="bytes by which addresses are off the beginning of a cache line")
    pattern: Literal["random", "sequential"] = Field("random", description="order of the addresses")
    written: Literal["cold", "host", "device"] = Field(
        "host", description="last writer of the window: a core of the host, the device, or nobody of late"
    )
    memory: Whole = Field(0, description="socket that the memory belongs to")
    core: Whole = Field(0, description="socket of the core that wrote the window, with written: host")
    depth: Annotated[Count, Field(le=4096)] = Field(1, description="transactions under way")
    arrivals: Arrivals | None = Field(
        None, description="when transactions arrive, of which `depth` are under way at most; none: one after another"
    )
    transactions: Count = Field(description="transactions in all")

    @model_validator(mode="after")
    def _fits_the_window(self) -> Dma:
        if self.unit > self.window:
            wanted = f"a window of at least {units.format_quantity(self.unit, 'size')}, for one transaction"
            raise refusal(units.format_quantity(self.window, "size"), wanted, field="window")
        if self.offset >= LINE:
            raise refusal(units.format_quantity(self.offset, "size"), "less than a cache line, 64 B", field="offset")
        return self

    @property
    def unit(self) -> int:
        """Bytes from one address to the next: whole cache lines."""
        return -(-(self.offset + self.size) // LINE) * LINE


@register_workload("dma", Dma)
def dma(site: Site, workload: Workload[Dma]) -> None:
    """`depth` threads of the card's program, each with one transaction under way, as it is free or as they arrive."""
    p, params, name = site.p, workload.params, workload.name
    engine = _engine(site, workload)
    places = params.window // params.unit
    where = p.uniform(f"{name}: address", 0, places - 1) if params.pattern == "random" else None
    turn = p.variable(f"{name}: next address") if where is None else None
    took = p.observation(f"{name}: transaction", "latency", "ps")
    rounds = params.transactions // (2 if params.does == "mixed" else 1)

    def address() -> Register:
        at = p.register()
        if where is not None:
            p.draw(at, where)
        elif turn is not None:
            turn.increment(into=at)
        at.set(at % places * params.unit + params.offset)
        return at

    arrivals = ArrivalProcess(p, name, params.arrivals) if params.arrivals else None
    if params.arrivals:
        p.load(name, took, params.arrivals.mean, count=rounds * (2 if params.does == "mixed" else 1))

    def emit() -> None:
        at = address()
        with p.timed(took, arrivals.wait() if arrivals else None):
            if params.does != "read":
                engine.write(at, params.size)
            if params.does in ("read", "write-read"):
                engine.read(at, params.size)
        p.mark(site.delivered, params.size)
        if params.does == "mixed":
            at = address()
            with p.timed(took, arrivals.wait() if arrivals else None):
                engine.read(at, params.size)
            p.mark(site.delivered, params.size)

    threads = min(params.depth, max(rounds, 1))
    each, more = divmod(max(rounds, 1), threads)
    for count, loops in ((more, each + 1), (threads - more, each)):
        if count:
            with p.thread(f"{name}: card on {params.host}", count=count), p.loop(loops), p.scope():
                emit()


def _engine(site: Site, workload: Workload[Dma]) -> DmaEngine:
    """The engine that the workload names. Raises RunError where the host has no such card or sockets."""
    params = workload.params
    host = site.host(params.host)
    adapters = host.description.adapters
    if params.adapter not in adapters:
        hint = did_you_mean(params.adapter, adapters)
        expected = f"{', '.join(adapters) or 'none'}"
        raise RunError(
            f"host {params.host!r} has no adapter {params.adapter!r}; it has {expected}"
            + (f"; {hint}" if hint else ""),
            at=".adapter",
        )
    adapter = adapters[params.adapter]
    if not fits(adapter, DmaEngineSheet):
        raise RunError(
            f"adapter {params.adapter!r} ({adapter.part.model}) has no DMA engine that a workload can use; "
            "one of kind 'dma' has",
            at=".adapter",
        )
    window = DmaWindow(params.window, params.written, params.memory, params.core)
    return DmaEngine(site.p, adapter, host.pcie(adapter.bus), window)
