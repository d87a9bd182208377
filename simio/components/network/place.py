"""Work of the network path on a core, counted by class, as in a profile of the kernel."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from simio.components.block.cores import Core
from simio.components.host.host import INTERRUPT, PROCESS, Computer
from simio.components.host.kernel import UnixKernel
from simio.components.network.polling import Spinner
from simio.description.sheets.queued import QueuedAdapter
from simio.description.sheets.stacks import TcpIpStack
from simio.machines.network import profile
from simio.machines.network.profile import (
    BUFFERED,
    CACHED,
    COPY,
    ETC,
    FAR,
    KIB,
    LOCK,
    MEMORY,
    MEMORY_NEAR,
    NETDEV,
    SCHEDULING,
    SKB,
    TCP_IP,
)  # fmt: skip
from simio.program.builder import Builder, Operand, Register, since
from simio.program.service import ceil_times, per_byte
from simio.program.steps import PROFILED

WORDS_OF = {
    "call": "system calls", "interrupt": "interrupts", "wake": "process switches", "switch": "process switches",
    "packet": "network drivers", "merge": "network drivers", "up": "protocols", "send": "protocols",
    "data": "protocols", "ack": "protocols", "datagram out": "protocols", "packet out": "network drivers",
    "datagram in": "protocols", "datagram read": "protocols", "steer": "network drivers",
    "empty": "network drivers", "completion": "network drivers",
}  # fmt: skip
"""Operations, as reports of where time goes name them; others are work on buffers."""


def operations(stack: TcpIpStack, kernel: UnixKernel, adapter: QueuedAdapter) -> dict[str, dict[int, int]]:
    """Times in ps of all operations, by class, on the CPU of a host."""
    sheet, host = kernel.sheet, kernel.host
    cpu = host.description.cpu.sheet
    skb = {SKB: stack.skb_cost, MEMORY: stack.skb_memory}
    half = stack.skb_cost // 2
    # Locks of the queue discipline and of the transmit queue (Linux net/core/dev.c, __dev_xmit_skb and HARD_TX_LOCK).
    queues = 2 * stack.lock_cost
    costs: dict[str, dict[int, int]] = {
        "call": {ETC: sheet.system_call + stack.socket_call, LOCK: stack.lock_cost},
        "interrupt": {ETC: sheet.interrupt},
        "wake": {SCHEDULING: stack.wake_cost},
        "switch": {SCHEDULING: sheet.context_switch},
        # Half to build a description, and half to free it where it goes up: one that is merged gives up less.
        "packet": {NETDEV: adapter.receive_cost, SKB: half, MEMORY: stack.skb_memory},
        "merge": {NETDEV: stack.merge_cost},
        "up": {TCP_IP: stack.ip_receive, NETDEV: stack.device_receive},
        "data": {TCP_IP: stack.tcp_receive, LOCK: stack.lock_cost, SKB: half},
        "ack": {TCP_IP: stack.ack_cost, LOCK: stack.lock_cost, SKB: half},
        "send": {
            TCP_IP: stack.tcp_send + stack.ip_send,
            NETDEV: stack.device_send + adapter.transmit_cost + adapter.doorbell,
            LOCK: stack.lock_cost + queues,
            **skb,
        },
        "cut": {NETDEV: adapter.transmit_cost, TCP_IP: stack.cut_cost, **skb},
        "completion": {NETDEV: adapter.completion_cost},
        "fragment in": {MEMORY: stack.fragment_cost},
        # A fragment is a segment of the descriptor, mapped before and unmapped after.
        "fragment out": {MEMORY: stack.fragment_cost, NETDEV: adapter.transmit_cost},
        "pin": {MEMORY: sheet.page_pin + stack.fragment_cost, NETDEV: adapter.transmit_cost},
        "page": {MEMORY: stack.page_cost},
        "buddy": {MEMORY: stack.buddy_cost},
        "block": {MEMORY: stack.block_cost},
        "notice": {ETC: sheet.system_call, SKB: stack.notice_cost},
        "datagram out": {TCP_IP: stack.udp_send},
        "packet out": {
            TCP_IP: stack.ip_send,
            NETDEV: stack.device_send + adapter.transmit_cost + adapter.doorbell,
            LOCK: queues,
            **skb,
        },
        "datagram in": {TCP_IP: stack.udp_receive, LOCK: stack.lock_cost},
        "datagram read": {LOCK: stack.lock_cost, SKB: half},
        "steer": {NETDEV: stack.rfs_cost},
        "empty": {NETDEV: stack.poll_cost},
    }
    scaled = {name: {cls: host.span(time) for cls, time in times.items()} for name, times in costs.items()}
    # Lines move at the speed of the caches, whatever the clock.
    for far, line in (("", cpu.line_near), (" far", cpu.line_far)):
        scaled[f"hand over{far}"] = {TCP_IP: stack.skb_lines * line}
        scaled[f"fragments{far}"] = {SKB: line}
        scaled[f"move{far}"] = {TCP_IP: stack.socket_lines * line, LOCK: stack.lock_lines * line}
    return scaled


class Profile:
    """The CPU time of one host by class, and the time of each operation of its network path."""

    def __init__(self, p: Builder, kernel: UnixKernel, stack: TcpIpStack, adapter: QueuedAdapter) -> None:
        self.p = p
        self.host: Computer = kernel.host
        self.page: int = kernel.sheet.page
        """Bytes of a page."""
        here = self.host.description
        cpu, root = here.cpu.sheet, here.root.sheet if here.root else None
        slow = here.memory.sheet.copy_rate
        near = cpu.copy_llc or slow
        rates = {BUFFERED: cpu.copy_l2 or near, CACHED: near, MEMORY_NEAR: slow, FAR: cpu.copy_far or slow}
        share = root.cache * (root.device_share or 0) if root else 0
        self.state = p.machine(
            f"{self.host.name} CPU profile",
            profile.initial(
                operations(stack, kernel, adapter),
                {place: ceil_times(KIB, per_byte(rate)) for place, rate in rates.items()},
                share // 1,
            ),
        )
        for number, cls in enumerate(profile.CLASSES):
            p.tally(self.host.name, f"{PROFILED}{cls}", self.state + profile.TIME + number, "ns")
            p.gauge(self.host.name, f"{PROFILED}{cls}", self.state + profile.TIME + number, "ns")


class CorePlace:
    """A core as something runs on it: a process, or a softirq."""

    def __init__(self, spent: Profile, core: Core, priority: int, spinner: Spinner | None) -> None:
        self.p = spent.p
        self.spent = spent
        self.core = core
        self.priority = priority
        self.spinner = spinner
        """The poll loop, which never leaves the core, if programs poll."""
        self.held = False
        """True while steps are emitted that run with the core in hand."""

    @property
    def socket(self) -> int:
        """The socket of the core."""
        return self.spent.host.cores.socket(self.core.number)

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Run the body with the core in hand; nothing in it may wait for what needs the core."""
        if self.held:
            yield
            return
        if self.spinner:
            self.spinner.tell()
        with self.p.hold(self.core.resource, priority=self.priority), self.in_hand():
            yield

    @contextmanager
    def in_hand(self) -> Iterator[None]:
        """The body is emitted for threads that have the core already."""
        before, self.held = self.held, True
        yield
        self.held = before

    def spend(self, operation: str, count: Operand = 1) -> None:
        """Repeat an operation."""
        number = profile.OPERATIONS.index(operation)
        where = WORDS_OF.get(operation, "skbs")
        with self.kept(), self.p.label(where, self.spent.host.name), self.p.scope():
            self._pass(self.p.answer(profile.spend, self.spent.state, number, count), number)

    def copy(self, where: int, amount: Operand) -> None:
        """Copy bytes that are at a place that `profile` numbers."""
        with self.kept(), self.p.label("copies", self.spent.host.name), self.p.scope():
            self._pass(self.p.answer(profile.copy, self.spent.state, where, amount))

    def take(self, amount: Operand) -> None:
        """Copy the oldest bytes that have arrived, from cache or memory."""
        with self.kept(), self.p.label("copies", self.spent.host.name), self.p.scope():
            self._pass(self.p.answer(profile.take, self.spent.state, amount))

    def _pass(self, time: Register, operation: int | None = None) -> None:
        """Let the counted time of an operation, or of a copy, pass; delay by a busy sibling is counted as well."""
        p = self.p
        if not self.core.shares:
            p.wait(time)
            return
        begun = p.now()
        self.core.spend(time)
        more = p.register(since(begun) - time)
        if operation is None:
            p.call(more, profile.charge, self.spent.state, COPY, more)
        else:
            p.call(more, profile.stretch, self.spent.state, operation, more)

    def spun(self, begun: Register) -> None:
        """Count the time since an instant as that of waiting for a lock."""
        with self.p.scope():
            waited = self.p.register(since(begun))
            with self.p.when(waited > 0):
                self.p.call(waited, profile.charge, self.spent.state, LOCK, waited)


class Places:
    """The profile of a host, and places on its cores."""

    def __init__(self, p: Builder, kernel: UnixKernel, stack: TcpIpStack, adapter: QueuedAdapter) -> None:
        self.spent = Profile(p, kernel, stack, adapter)
        self.cores = kernel.host.cores
        self._polls = bool(stack.busy_read)
        self._each = kernel.host.span(stack.poll_cost)
        self._spinners: dict[int, Spinner] = {}

    def process(self, core: int) -> CorePlace:
        """A process on a core."""
        return CorePlace(self.spent, self.cores.core(core), PROCESS, self._spinner(core))

    def softirq(self, core: int) -> CorePlace:
        """Softirqs on a core."""
        return CorePlace(self.spent, self.cores.core(core), INTERRUPT, self._spinner(core))

    def _spinner(self, core: int) -> Spinner | None:
        if not self._polls:
            return None
        if core not in self._spinners:
            self._spinners[core] = Spinner(self.spent.p, self.spent, core, self._each)
        return self._spinners[core]
