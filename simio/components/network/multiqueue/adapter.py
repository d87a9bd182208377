"""The state of an adapter with several queues: times of transfers, costs of the driver, rings, sets of the cache."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from simio.components.host.host import Computer
from simio.components.host.pcie import PcieBus
from simio.components.network.multiqueue.hooks import Hook, looked_up
from simio.description.model import Adapter, Link
from simio.description.sheets.ethernet import EthernetLink
from simio.description.sheets.packets import PacketKernelSheet
from simio.description.sheets.queued import QueuedAdapter
from simio.machines.layout import State
from simio.machines.nic import layout as c
from simio.machines.nic import moderation
from simio.machines.nic.cache import scattered
from simio.program.service import ceil_times, per_byte

INDIRECTION = 128
"""Entries of the table that a hash of a flow leads to (Linux, mlx5/core/en.h, MLX5E_INDIR_RQT_SIZE)."""
CACHE_LINE = 64
COUNTS_FROM = {"first": c.FROM_FIRST, "last": c.FROM_LAST, "event": c.FROM_EVENT}


@dataclass(frozen=True)
class FrameLoad:
    """Frames of `frame` bytes, header and check included, `rate` a second (None: all that the line can).

    They come `burst` at a time, at the rate of the line; or as software sends them that hands to a like adapter,
    one by one, all that is due within `window` ps. With `stamps` their times are those that such software tells.
    """

    frame: int
    rate: Fraction | None
    flows: int
    packets: int
    sample: int
    burst: int
    window: int
    stamps: bool


class MultiqueueAdapter:
    """An adapter with a driver on each of `queues` cores, which does the same with every packet."""

    def __init__(
        self,
        host: Computer,
        adapter: Adapter[QueuedAdapter],
        bus: PcieBus,
        link: Link[EthernetLink],
        kernel: PacketKernelSheet,
        hook: Hook,
        queues: int,
        load: FrameLoad,
        routes: int,
    ) -> None:
        self.host, self.sheet, self.bus, self.link = host, adapter.part.sheet, bus, link
        self.kernel, self.hook, self.queues, self.load, self.routes = kernel, hook, queues, load, routes
        self.first_queue = 0

    # --- the line ----------------------------------------------------------------------------------------

    @property
    def frame_time(self) -> int:
        """Time of a frame on the line, with preamble and gap, in ps."""
        line = self.link.part.sheet
        return ceil_times(self.load.frame + line.preamble + line.gap, per_byte(line.rate))

    @property
    def gap(self) -> Fraction:
        """Time between two packets that arrive, in ps."""
        return Fraction(10**12) / self.load.rate if self.load.rate else Fraction(self.frame_time)

    @property
    def together(self) -> int:
        """Packets that come one behind another, before a pause."""
        return max(ceil(self.load.window / self.gap), self.load.burst)

    @property
    def inner(self) -> int:
        """Time from one of these to the next, in ps: that of a frame, or of software that sends it by itself."""
        alone = self.host.span(self.sheet.transmit_cost) + self.sheet.doorbell
        return max(self.frame_time, alone if self.load.window else 0)

    @property
    def carried(self) -> int:
        """Bytes of a packet in host memory: the frame without its check."""
        return self.load.frame - self.link.part.sheet.check

    # --- the link to the host ----------------------------------------------------------------------------

    def _up(self, carried: int) -> int:
        return ceil_times(carried, self.bus.byte)

    def written(self, amount: int) -> int:
        """Time of the link for a write of `amount` bytes, in ps."""
        return self._up(self.bus.carried(amount))

    @property
    def received(self) -> int:
        """Least time of the link's direction to the host for a packet received, in ps."""
        time = self.written(self.carried)
        if not self.sheet.compression:
            return time + self.written(self.sheet.completion)
        return time + 2 * self.written(self.sheet.completion) // self.sheet.session

    def _link_times(self) -> dict[str, int]:
        bus, sheet = self.bus, self.sheet
        of_fetch = Fraction(1, sheet.fetch)
        descriptors = sheet.fetch * sheet.receive_descriptor
        told = sheet.fetch * sheet.transmit_descriptor
        asked = bus.requests(self.carried) + of_fetch * bus.requests(told)
        brought = bus.carried(self.carried, read=True) + of_fetch * bus.carried(told, read=True)
        return {
            "data": self.written(self.carried),
            "completion": self.written(sheet.completion),
            "session": sheet.session if sheet.compression else 0,
            "descriptors": sheet.fetch,
            "ask": self._up(bus.requests(descriptors) * bus.sheet.request),
            "bring": self._up(bus.carried(descriptors, read=True)),
            "send_ask": ceil(asked * bus.sheet.request * bus.byte),
            "send_bring": ceil(brought * bus.byte),
            "visible": bus.delay,
            "fetch_round": bus.latency(cached=True),
        }

    # --- the driver --------------------------------------------------------------------------------------

    @property
    def packet_time(self) -> int:
        """CPU time of a packet that is in the cache, without polls and doorbells, in ps."""
        kernel, sheet, hook = self.kernel, self.sheet, self.hook
        cost: int = sum(getattr(kernel, name) for name in hook.costs)
        if not hook.user:
            cost += sheet.receive_cost + (sheet.transmit_cost if hook.sends else 0)
            cost += kernel.decompress_cost if sheet.compression else 0
        if hook.routes and self.routes > 1:
            cost += kernel.lookup_branches
        found = looked_up(self.host.description, kernel, self.routes) if hook.routes else 0
        return self.host.span(cost) + found

    def _costs(self) -> dict[str, int]:
        kernel, sheet, hook, span = self.kernel, self.sheet, self.hook, self.host.span
        cpu = self.host.description.cpu.sheet
        lines = getattr(kernel, hook.lines) if hook.lines and self.queues > 1 else 0
        return {
            "polls": int(hook.user),
            "sends": int(hook.sends),
            "budget": kernel.user_budget if hook.user else kernel.budget,
            "batch": getattr(kernel, hook.batch) if hook.batch else 0,
            "start": span(kernel.interrupt + kernel.softirq_cost),
            "poll": span(kernel.user_poll if hook.user else kernel.poll_cost),
            "packet": self.packet_time,
            "bell": sheet.doorbell,
            "miss": kernel.miss_send if hook.sends else kernel.miss_read,
            "line": lines * cpu.line_near,
            "exit": cpu.idle_exit,
            "long": cpu.idle_deep or c.NEVER,
            "long_exit": cpu.idle_deep_exit,
            "long_cold": cpu.idle_deep_cold,
            "least": int(1000 * cpu.clock_least / cpu.clock) if cpu.clock_least else 1000,
            "period": cpu.clock_period,
            "count": sheet.coalesce_count,
            "delay": sheet.coalesce_delay,
            "counts_from": COUNTS_FROM[sheet.coalesce_from],
            "adaptive": int(sheet.adaptive and hook.adapts),
        }

    @property
    def distance(self) -> int:
        """Bytes from one packet buffer to the next: a page with XDP (Linux, mlx5/core/en_main.c)."""
        if self.hook.xdp:
            return max(self.kernel.page, self.sheet.buffer)
        return self.kernel.user_buffer if self.hook.user else self.sheet.buffer

    def _cache(self) -> dict[str, int]:
        """The sets that first lines of buffers can be in: all, or a part where buffers are at such distances."""
        root = self.bus.root.sheet
        ways = root.cache_ways
        step = max((self.distance & -self.distance) // CACHE_LINE, 1)
        sets = max(root.cache // (CACHE_LINE * ways * step), 1) if self.hook.reads else 0
        return {
            "sets": sets,
            "ways": ways,
            "device_ways": min(max(round(ways * (root.device_share or 0)), 1), ways),
        }

    def _kept(self, sets: int, ways: int) -> list[int]:
        """The last use of each line of these sets: never yet, or for ever where it belongs to the rings themselves.

        Rings lie in all sets alike, and each of their lines is used as often as a buffer's first.
        """
        sheet = self.sheet
        ring = sheet.receive_ring * (sheet.completion + sheet.receive_descriptor)
        ring += sheet.transmit_ring * sheet.transmit_descriptor if self.hook.sends else 0
        kept = Fraction(self.queues * ring * ways, self.bus.root.sheet.cache)
        used = [0] * (sets * ways)
        for number in range(sets):
            own = min(int(kept * (number + 1)) - int(kept * number), ways - 1)
            for way in range(own):
                used[(number + 1) * ways - 1 - way] = c.NEVER
        return used

    # --- the state ---------------------------------------------------------------------------------------

    def state(self) -> State:
        """The initial state: rings full of buffers, an empty cache, and the first packet about to come."""
        sheet, load = self.sheet, self.load
        cache = self._cache()
        room = max(sheet.receive_buffer // load.frame, 1)
        send_room = self.queues * sheet.transmit_ring
        lines = cache["sets"] * cache["ways"]
        tables = {
            "flow_at": [self._queue(flow) for flow in range(load.flows)],
            "done_at": [0] * room,
            "send_at": [0] * send_room * c.SEND_WORDS,
            "tags_at": [0] * lines,
            "used_at": self._kept(cache["sets"], cache["ways"]),
            "times_at": [0] * c.TIMES,
        }
        words: list[int] = []
        places: dict[str, int] = {}
        for name, table in tables.items():
            places[name] = c.TABLES + len(words)
            words += table
        self.first_queue = places["queue_at"] = c.TABLES + len(words)
        for number in range(self.queues):
            own = self._own(number, c.TABLES + len(words))
            places["queue_size"] = len(own)
            words += own
        gap = self.gap * self.together - self.inner * (self.together - 1)
        line = self.link.part.sheet
        way = ceil_times(int(self.link.length * 1000), Fraction(line.propagation) / 1000) + line.coding
        return c.NIC.initial(
            **places, **cache, **self._link_times(), **self._costs(),
            inner=self.inner, burst=self.together, stamps=self._stamps(way) if load.stamps else 0,
            stamp=self.host.span(self.kernel.user_receive) if load.stamps else 0,
            gap=int(gap), gap_rest=gap.numerator % gap.denominator, gap_parts=gap.denominator,
            next=self.frame_time, left=load.packets, flows=load.flows, queues=self.queues,
            inward=sheet.latency, outward=sheet.latency + way, pipe=sheet.packet_time, frame=self.frame_time,
            room=room, ring=sheet.receive_ring, send_ring=sheet.transmit_ring, send_room=send_room,
            sample=load.sample, tables=words,
        )  # fmt: skip

    def _stamps(self, way: int) -> int:
        """Time in ps of a generator with a like adapter, which reads its clock before it sends and after it receives.

        A doorbell, the descriptor and the packet to its adapter, and both ways through that and along the line; then
        the packet and its completion to memory, and a look at these by a program that polls, which has its own turn.
        """
        bus, times = self.bus, self._link_times()
        sent = self.sheet.doorbell + bus.delay + times["fetch_round"] + times["send_ask"] + times["send_bring"]
        received = times["data"] + times["completion"] + bus.delay + self.host.span(self.kernel.user_poll)
        return sent + received + 2 * self.sheet.latency + self.frame_time + way

    def _queue(self, flow: int) -> int:
        """The queue of a flow: by a hash, or by a rule for each."""
        if self.sheet.steering == "flow":
            return flow % self.queues
        return scattered(flow) % INDIRECTION % self.queues

    def _own(self, number: int, at: int) -> State:
        """The state of a queue, which begins at word `at`; its buffers have numbers that no other queue's have."""
        ring, sends = self.sheet.receive_ring, self.sheet.transmit_ring
        free = ring + sends + self.kernel.budget
        first = number * 2**20
        tables = {
            "seen_at": [0] * ring,
            "came_at": [0] * ring,
            "page_at": range(first, first + ring),
            "bell_end_at": [0] * sends,
            "bell_time_at": [0] * sends,
            "sent_page_at": [0] * sends,
            "sent_came_at": [0] * sends,
            "free_at": [0] * free,
        }
        words: list[int] = []
        places: dict[str, int] = {}
        for name, table in tables.items():
            places[name] = at + c.QUEUE.size + len(words)
            words += table
        own = c.QUEUE.initial(
            **places, posted=ring, pages=first + ring, free_room=free,
            idle=-self.host.description.cpu.sheet.idle_deep,
            own_count=self.sheet.coalesce_count, own_delay=self.sheet.coalesce_delay,
            table=moderation.TABLES[self.sheet.profiles],
        )  # fmt: skip
        return own + words
