"""The flows of all pairs of hosts: their arrivals, connections and records."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

from simio.components.network.agreement import Dialogue, agreed
from simio.components.network.bond import BondWire
from simio.components.network.demand import wire_times
from simio.components.network.stack import IP_HEADER, TCP_HEADER, TIMESTAMPS
from simio.components.network.tcp import Endpoint
from simio.components.passage import claim
from simio.components.site import Site
from simio.description.arrivals import Arrivals
from simio.description.model import Workload
from simio.errors import RunError
from simio.machines.tcp import layout
from simio.machines.tcp.layout import END_OF_FILE
from simio.machines.tcp.settings import initial
from simio.program.builder import Builder, Handle, Register, Variable, since
from simio.program.roles import THOUSANDTHS
from simio.workloads.common.arrivals import ArrivalProcess
from simio.workloads.common.sizes import SizeClasses, mean, weighted
from simio.workloads.common.sockets import ENDLESS

if TYPE_CHECKING:
    from simio.workloads.flows import Flows as Params


class FlowWords:
    """Words that the two threads of a connection share: the present flow's size and when it arrived.

    Where the way of a flow depends on it, they have its `number`, too.
    """

    def __init__(self, p: Builder, own: str, numbered: bool) -> None:
        self.size, self.arrived = p.variable(f"{own} size"), p.variable(f"{own} arrived")
        self.number = p.variable(f"{own} number") if numbered else None
        self.renewed = p.container(f"{own} renewed", unit="connections")


class HostPair:
    """A host that sends, one that receives, and the connections between them.

    Raises RunError for stacks without timestamps, or an adapter with queues.
    """

    def __init__(self, flows: AllFlows, hosts: tuple[str, str], name: str) -> None:
        self.flows, self.p, self.params, self.name = flows, flows.p, flows.params, name
        site, window = flows.site, flows.params.window
        stacks = [site.sockets.stack(host) for host in hosts]
        paths = [site.network.path(*hosts), site.network.path(*reversed(hosts))]
        self.numbers = flows.numbers if any(path.by_ports for path in paths) else None
        self.paths = [path.of(None, self.numbers) for path in paths]
        self.ends = Dialogue(*hosts, window, nodelay=False)
        mtu = min(path.mtu for path in self.paths)
        self.settings = agreed([stack.sheet for stack in stacks], mtu, self.ends)
        if not self.settings[0].timestamps:
            raise RunError(
                f"flows between {hosts[0]!r} and {hosts[1]!r} have no timestamps, by which a new connection knows "
                "the segments of an old one; use stacks with rfc1323: always"
            )
        if any(path.source.cores for path in self.paths):
            raise RunError(
                f"flows between {hosts[0]!r} and {hosts[1]!r} go over an adapter with queues, which they cannot use; "
                "take adapters without, as hosts/linux-namespace has"
            )

    @cached_property
    def bytes_times(self) -> dict[Handle, Fraction]:
        """Least time in ps that a byte takes of each link on the way."""
        headers = IP_HEADER + TCP_HEADER + TIMESTAMPS
        return dict(wire_times(self.paths[0].wires, self.settings[0].mss, headers))

    @cached_property
    def lines(self) -> dict[Handle, int]:
        """The number of flows that each wire can carry at once: a bond has one for each member."""
        wires = self.paths[0].wires
        return {wire.wire: len(wire.wires) if isinstance(wire, BondWire) else 1 for wire in wires}

    def alone(self, size: Register) -> Register:
        """A register with the least time of a flow: a round trip, the way there, and the slowest link."""
        there, back = (sum(wire.delay + wire.head() for wire in path.wires) for path in self.paths)
        per = max(self.bytes_times.values())
        found: Register = self.p.register(size * per.numerator // per.denominator + (2 * there + back))
        return found

    def emit(self, arrivals: Arrivals, pairs: int) -> None:
        """The threads of all connections, between which one process of arrivals is shared."""
        p, count = self.p, self.params.connections
        arriving = ArrivalProcess(p, self.name, arrivals, pairs)
        pristine = [self._pristine(end) for end in (0, 1)]
        for own in self.flows.site.streams(self.name, count):
            buffers = self.params.buffer, self.params.buffer
            flow = FlowWords(p, own, self.numbers is not None)
            ends = self.flows.site.sockets.connection(self.ends, own, buffers, True, number=flow.number)
            self._sender(own, ends, pristine, arriving, flow)
            self._receiver(own, ends[1], flow)

    def _pristine(self, end: int) -> int:
        """The words of a connection that has not been opened, without its tables; for `Endpoint.renew`."""
        words = initial(self.settings[end])
        return self.p.machine(f"{self.name} as it begins {end + 1}", words[: words[layout.RING]])

    def _sender(
        self,
        own: str,
        ends: tuple[Endpoint, Endpoint],
        pristine: list[int],
        arriving: ArrivalProcess,
        flow: FlowWords,
    ) -> None:
        """A thread that sends one flow after another: connect, write, close, until both ends have closed."""
        p, flows, sender = self.p, self.flows, ends[0]
        with p.thread(f"{own}: sender on {self.ends.from_}", daemon=True), p.forever(), p.scope():
            arrived = arriving.wait()
            flows.begin()
            size = flows.draw()
            flow.size.store(size)
            flow.arrived.store(arrived)
            if self.numbers and flow.number:
                flow.number.store(self.numbers.increment() + 1)
            sender.connect()
            sender.reached(layout.ESTABLISHED)
            sender.write(size)
            sender.close()
            sender.reached(layout.TIME_WAIT)
            for end, origin in zip(ends, pristine, strict=True):
                end.renew(origin)
            # Segments of the next connection have later timestamps than all of this one.
            p.rest(2 * self.settings[0].timestamp_tick)
            p.put(flow.renewed, 1)

    def _receiver(self, own: str, receiver: Endpoint, flow: FlowWords) -> None:
        """A thread that reads one flow after another to its end, and records it."""
        p, flows = self.p, self.flows
        with p.thread(f"{own}: receiver on {self.ends.to}", daemon=True), p.forever(), p.scope():
            receiver.accept()
            receiver.reached(layout.ESTABLISHED)
            got, left = p.register(), flow.size.load()
            with p.until(got >= END_OF_FILE):
                receiver.read(got, self.params.buffer)
                with p.when(got < END_OF_FILE):
                    p.mark(flows.site.delivered, got)
                    left.set(left - got)
                    with p.when(left == 0):
                        flows.record(self, flow)
            receiver.close()
            p.get(flow.renewed, 1)


class AllFlows:
    """Common parts of the flows of all pairs: sizes, their number, and observations."""

    def __init__(self, site: Site, workload: Workload[Params]) -> None:
        self.site, self.p, self.workload = site, site.p, workload
        self.name, self.params = workload.name, workload.params
        p, params = self.p, self.params
        self.weighted = weighted(params.size, params.sizes)
        self.sizes = p.discrete(f"{self.name}: size", self.weighted) if len(self.weighted) > 1 else None
        self.took = p.observation(f"{self.name}: flow", "latency", "ps")
        self.begun = p.variable(f"{self.name} flows begun")
        self.done = p.container(f"{self.name} flows done", unit="flows")
        self.parked = p.container(f"{self.name} connections that are not needed", unit="flows")
        self.classes = SizeClasses(p, params.classes, self.weighted)

    @cached_property
    def numbers(self) -> Variable:
        """Counts flows, which have no ports of their own."""
        return self.p.variable(f"{self.name} flows numbered")

    def emit(self) -> None:
        """The threads of all pairs, and one that ends when all flows are done."""
        p, params = self.p, self.params
        several = len(params.pairs) > 1
        pairs = [
            HostPair(self, hosts, f"{self.name} {'>'.join(hosts)}" if several else self.name)
            for hosts in params.pairs
        ]
        arrivals = params.arrivals or Arrivals.model_construct(rate=self._rate(pairs))
        p.load(self.name, self.took, arrivals.mean, count=params.count or 0)
        with p.thread(f"{self.name}: flows"), p.loop(params.count or ENDLESS):
            self._declare(pairs)
            p.get(self.done, 1)
        for pair in pairs:
            pair.emit(arrivals, len(pairs))

    def _declare(self, pairs: list[HostPair]) -> None:
        """Declare the mean demand of a flow on the links that all flows share, for the bound."""
        amount = mean(self.weighted)
        self.p.promise(amount)
        shared = set.intersection(*(set(pair.bytes_times) for pair in pairs))
        for wire, byte in pairs[0].bytes_times.items():
            if wire in shared:
                claim(self.p, wire, int(amount * byte))

    def _rate(self, pairs: list[HostPair]) -> Fraction:
        """Flows a second that load the link which they load most to the share that is asked for."""
        times: dict[Handle, Fraction] = {}
        for pair in pairs:
            for wire, byte in pair.bytes_times.items():
                times[wire] = times.get(wire, Fraction(0)) + byte / (len(pairs) * pair.lines[wire])
        assert self.params.load is not None
        return self.params.load * 10**12 / (max(times.values()) * mean(self.weighted))

    def begin(self) -> None:
        """A flow has arrived; one beyond the number of all flows ends here."""
        if self.params.count is None:
            return
        p = self.p
        with p.scope():
            before = self.begun.increment(1)
            with p.when(before >= self.params.count):
                p.get(self.parked, 1)

    def draw(self) -> Register:
        """A register with the size of a flow in bytes."""
        if self.sizes is None:
            return self.p.register(self.weighted[0][0])
        size = self.p.register()
        self.p.draw(size, self.sizes)
        return size

    def record(self, pair: HostPair, flow: FlowWords) -> None:
        """Note that a flow is done: its time, its time over the least that it can take, and these by class."""
        p = self.p
        with p.scope():
            size, took = flow.size.load(), p.register(since(flow.arrived.load()))
            slowdown = p.register(took * 1000 // pair.alone(size))
            p.mark(self.took, took)
            p.mark(p.observation(f"{self.name}: slowdown", "other", THOUSANDTHS), slowdown)
            for which in self.classes.of(size):
                p.mark(p.observation(f"{self.name}: {which}", "time", "ps"), took)
                p.mark(p.observation(f"{self.name}: slowdown, {which}", "other", THOUSANDTHS), slowdown)
            p.put(self.done, 1)
