"""packets: millions of packets a second into an adapter with several queues, and the host's work on each."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, model_validator

from simio.components.block.cores import Core, Cores
from simio.components.host.host import INTERRUPT, Computer
from simio.components.network.multiqueue.adapter import FrameLoad, MultiqueueAdapter
from simio.components.network.multiqueue.hooks import HOOKS
from simio.components.site import Site
from simio.description.arrivals import RequestRate
from simio.description.model import Adapter, Link, Workload, fits
from simio.description.quantities import Count, Extent, OptionalCount, Text, Time, Whole, refusal
from simio.description.sheets.ethernet import EthernetLink
from simio.description.sheets.packets import PacketKernelSheet
from simio.description.sheets.queued import QueuedAdapter
from simio.description.workloads import HostName, WorkloadParams
from simio.errors import RunError, did_you_mean, quote
from simio.machines.nic import driver
from simio.machines.nic import layout as c
from simio.program.builder import Handle, Register
from simio.program.labels import labelled
from simio.program.steps import CPU_TIME
from simio.workloads import register_workload
from simio.workloads.common.ending import check_ends

MOST_FLOWS = 65536
SHOWN = 10_000_000
"""Time in ps after which the link's use is brought up to date."""


def _hook(name: str) -> str:
    if name not in HOOKS:
        raise refusal(quote(name), f"one of {', '.join(HOOKS)}", did_you_mean(name, HOOKS) or "")
    return name


class ArrivingPackets(WorkloadParams):
    """Packets that come off a line into an adapter with a queue for each core, where the same is done with all."""

    host: HostName = Field(description="host that receives them")
    adapter: Text = Field(description="its adapter of kind multiqueue-ethernet, on PCI Express, at the end of a link")
    does: Annotated[Text, AfterValidator(_hook)] = Field(
        "xdp-drop", description=f"what is done with each: {', '.join(HOOKS)} (docs/packet-rates.md says what each is)"
    )
    rate: RequestRate = Field(None, description="packets a second that come; none: as many as the link can carry")
    burst: Count = Field(
        1, description="packets that come together, at the rate of the line; pauses between bursts make up for it"
    )
    window: Time = Field(
        0,
        description="time within which what is due comes together, as a generator in software that has a like "
        "adapter sends it, one packet after another; pauses make up for it; 0 s: none",
    )
    frame: Extent = Field(64, description="bytes of a frame, header and check included")
    flows: Annotated[Count, Field(le=MOST_FLOWS)] = Field(
        1024, description="flows that they belong to, in turn; the adapter's steering gives each a queue"
    )
    cores: Count = Field(1, description="cores that have a queue each")
    first_core: Whole = Field(0, description="the first of these; the others follow in order")
    destinations: Count = Field(1, description="destinations, for hooks that route; packets go to them in no order")
    table: Count = Field(1, description="routes in the routing table")
    packets: OptionalCount = Field(None, description="packets in all; none: until the run's time is over")
    sample: Count = Field(
        101, description="packets for each one whose time is recorded, from the line to the line or to its end"
    )
    stamps: Literal["line", "software"] = Field(
        "line",
        description="where times are taken: on the line, or by the program of a generator that has a like adapter, "
        "before it sends a packet and after it has received it",
    )

    @model_validator(mode="after")
    def _paced(self) -> ArrivingPackets:
        if self.burst > 1 and self.rate is None:
            raise refusal("no rate", "a rate, as bursts of all that the link can carry have no pauses", field="burst")
        if self.window and self.rate is None:
            raise refusal("no rate", "a rate, by which packets are due", field="window")
        if self.window and self.burst > 1:
            raise refusal("both", "burst, of the line, or window, of a generator in software", field="window")
        return self


@register_workload("packets", ArrivingPackets)
def packets(site: Site, workload: Workload[ArrivingPackets]) -> None:
    """A driver on each core, which sleeps until its queue interrupts, or polls for ever.

    Raises RunError for packets that never end, and for fewer queues than cores.
    """
    params = workload.params
    check_ends(site, workload, "packets")
    host = site.host(params.host)
    adapter, kernel = _adapter(site, workload), _kernel(site, params.host)
    if params.cores > adapter.part.sheet.queues:
        raise RunError(
            f"adapter {params.adapter!r} has {adapter.part.sheet.queues} queues, fewer than {params.cores} cores",
            ".cores",
        )
    load = FrameLoad(
        params.frame, params.rate, params.flows, params.packets or c.NEVER, params.sample, params.burst,
        params.window, params.stamps == "software",
    )  # fmt: skip
    made = MultiqueueAdapter(
        host, adapter, host.pcie(adapter.bus), _link(site, params), kernel, HOOKS[params.does], params.cores, load,
        min(params.table, params.destinations),
    )  # fmt: skip
    _check_load(params, made)
    if adapter.part.sheet.gro_flush_timeout:
        raise RunError(
            f"adapter {params.adapter!r} has a timer (gro_flush_timeout), which is not modelled for this workload; "
            "leave it out",
            ".adapter",
        )
    Drivers(site, workload, made).emit()


class Drivers:
    """The threads of the drivers, and what they report."""

    def __init__(self, site: Site, workload: Workload[ArrivingPackets], adapter: MultiqueueAdapter) -> None:
        self.site, self.p, self.params, self.name = site, site.p, workload.params, workload.name
        self.adapter = adapter
        self.host: Computer = adapter.host
        self.state = self.p.machine(f"{self.params.host}.{self.params.adapter}", adapter.state())
        self.stream = site.stream(self.name)
        self.counted = self.p.observation(f"{self.name}: packets", "counted", "packets")
        self.took = self.p.observation(f"{self.name}: packet", "latency", "ps")

    def emit(self) -> None:
        """A thread for each core, and one for each direction of the link to the host."""
        self._tallies()
        self.p.load(self.name, self.counted, Fraction(10**12) / self.adapter.gap, lossy=True)
        cores = Cores(self.p, self.host)
        for number in range(self.params.cores):
            core = cores.core(self.params.first_core + number)
            with self.p.thread(f"{self.name}: driver {number} on {self.params.host}"):
                self._driver(number, core)
        for function, way in ((driver.used_up, self.adapter.bus.up), (driver.used_down, self.adapter.bus.down)):
            with self.p.thread(f"{self.name}: link", daemon=True):
                self._link(function, way)
        if self.params.packets:
            self._bound(self.params.packets)

    @labelled("packet processing", "host.name")
    def _driver(self, number: int, core: Core) -> None:
        p = self.p
        wait, more = p.register(), p.register(1)
        gate = p.container(f"{self.name}: interrupt {number}", unit="interrupts")
        with p.while_(more > 0):
            if not self.adapter.hook.user:
                p.call(wait, driver.asleep, self.state, number)
                with p.while_(wait > 0):
                    with p.when(wait == c.NEVER):
                        more.set(0)
                        wait.set(0)
                    # The driver does not work while it waits.
                    with p.fork("line", daemon=True):
                        p.wait(wait)
                        p.put(gate, 1)
                    p.get(gate, 1)
                    with p.when(more > 0):
                        p.call(wait, driver.asleep, self.state, number)
            with p.when(more > 0), p.scope():
                if not self.adapter.hook.user:
                    p.wait(p.answer(driver.wake, self.state, number))
                self._session(number, core)
                if self.adapter.hook.user:
                    more.set(0)

    def _session(self, number: int, core: Core) -> None:
        """Polls, holding the core, until there is nothing more to do."""
        p = self.p
        time, done = p.register(), p.register()
        with p.hold(core.resource, priority=INTERRUPT):
            p.call(time, driver.work, self.state, number)
            with p.while_(time > 0):
                core.spend(time)
                p.call(time, driver.work, self.state, number)
                self._report(number, done)
        self._report(number, done)

    def _report(self, number: int, done: Register) -> None:
        """Mark the packets of polls that are over, and times of packets."""
        p = self.p
        p.call(done, driver.finished, self.state, number)
        with p.when(done > 0):
            p.mark(self.counted, done)
            p.mark(self.stream, done * self.params.frame)
            p.call(done, driver.recorded, self.state)
            with p.while_(done > 0):
                p.mark(self.took, done)
                p.call(done, driver.recorded, self.state)

    def _link(self, function: Callable[..., int], way: Handle) -> None:
        """Hold a direction of the link as long as it was used; by a child, whose time is no work of a workload."""
        p = self.p
        with p.fork("link", daemon=True), p.forever(), p.scope():
            begun = p.now()
            with p.hold(way):
                p.wait(p.answer(function, self.state))
            p.wait_until(begun + SHOWN)

    def _bound(self, number: int) -> None:
        """All packets take their time of the line, and of the link to the host."""
        p, line = self.p, self.p.resource(f"{self.params.host}.{self.params.adapter} line in")
        with p.thread(f"{self.name}: line"):
            p.promise(number * self.params.frame)
            adapter = self.adapter
            bursts, last = divmod(number - 1, adapter.together)
            p.demand(line, bursts * int(adapter.together * adapter.gap) + last * adapter.inner + adapter.frame_time)
            p.demand(self.adapter.bus.up, number * self.adapter.received)

    def _tallies(self) -> None:
        p, where = self.p, f"{self.params.host}.{self.params.adapter}"
        for what, word, unit in (
            ("came", c.CAME, "packets"),
            ("dropped, no memory on the adapter", c.NO_ROOM, "packets"),
            ("dropped, no buffer in the ring", c.NO_BUFFER, "packets"),
            ("dropped, no place to send", c.NO_PLACE, "packets"),
            ("read", c.READ, "packets"),
            ("read from memory", c.MISSED, "packets"),
            ("interrupts", c.INTERRUPTS, "interrupts"),
            ("polls", c.POLLED, "polls"),
            ("full polls", c.FULL, "polls"),
        ):
            p.tally(where, what, self.state + word, unit)
        p.tally(self.name, CPU_TIME, self.state + self.adapter.first_queue + c.WORKED, "ns")


def _adapter(site: Site, workload: Workload[ArrivingPackets]) -> Adapter[QueuedAdapter]:
    """The adapter that the workload names. Raises RunError where the host has no such one."""
    params = workload.params
    adapters = site.system.hosts[params.host].adapters
    if params.adapter not in adapters:
        hint = did_you_mean(params.adapter, adapters)
        raise RunError(
            f"host {params.host!r} has no adapter {params.adapter!r}; it has {', '.join(adapters) or 'none'}"
            + (f"; {hint}" if hint else ""),
            ".adapter",
        )
    adapter = adapters[params.adapter]
    if not fits(adapter, QueuedAdapter):
        raise RunError(
            f"adapter {params.adapter!r} ({adapter.part.model}) has no queues for cores; use one of kind "
            "'multiqueue-ethernet', such as adapters/connectx-5",
            ".adapter",
        )
    return adapter


def _kernel(site: Site, host: str) -> PacketKernelSheet:
    """The kernel's costs of packets. Raises RunError where its datasheet has none."""
    sheet = site.system.hosts[host].kernel.sheet
    if not isinstance(sheet, PacketKernelSheet):
        raise RunError(
            f"the kernel of {host!r} has no costs of packets; use one of kind 'linux-packets', such as "
            "kernels/linux-4.18-packets",
            ".host",
        )
    return sheet


def _link(site: Site, params: ArrivingPackets) -> Link[EthernetLink]:
    """The link at the adapter's port. Raises RunError where there is none, or one that is not Ethernet."""
    port = f"{params.host}.{params.adapter}"
    for link in site.system.links:
        if port in link.ends and isinstance(link.part.sheet, EthernetLink):
            if link.member:
                raise RunError(
                    f"the bond {link.member.of!r} ends at {port!r}; packets by the million come over a single link",
                    ".adapter",
                )
            return link  # type: ignore[return-value]
    raise RunError(f"no Ethernet link ends at {port!r}; packets come over one", ".adapter")


def _check_load(params: ArrivingPackets, adapter: MultiqueueAdapter) -> None:
    """Raise RunError for frames that the link cannot have, or a rate that it cannot carry."""
    line = adapter.link.part.sheet
    most = line.header + line.mtu + line.check
    if not line.minimum <= params.frame <= most:
        raise RunError(
            f"found frames of {params.frame} B; the link carries frames of {line.minimum} to {most} B", ".frame"
        )
    if adapter.gap < adapter.frame_time:
        carried = float(Fraction(10**12, adapter.frame_time)) / 1e6
        raise RunError(
            f"found {float(params.rate or 0) / 1e6:.4g} Mpackets/s; the link carries {carried:.4g} Mpackets/s of "
            f"{params.frame} B",
            ".rate",
        )
    if params.window and adapter.gap < adapter.inner:
        sent = float(Fraction(10**12, adapter.inner)) / 1e6
        raise RunError(
            f"found {float(params.rate or 0) / 1e6:.4g} Mpackets/s; a generator that sends packets one by one "
            f"(window) sends {sent:.4g} Mpackets/s",
            ".rate",
        )
    if params.stamps == "software" and not adapter.hook.sends:
        raise RunError(
            f"packets do not come back from {params.does!r}, so that a generator has no times of them; "
            "use stamps: line",
            ".stamps",
        )
