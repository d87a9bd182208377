"""The receive side of a queue: interrupts, polls that merge what they find (NAPI, GRO), and the timer of these."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol

from simio.components.host.host import INTERRUPT, PROCESS
from simio.components.network.packet import DropQueue
from simio.components.network.place import CorePlace
from simio.description.sheets.queued import QueuedAdapter
from simio.errors import RunError
from simio.machines.door import Called
from simio.machines.network import napi
from simio.machines.nic import moderation
from simio.machines.nic.layout import FROM_EVENT, FROM_FIRST, FROM_LAST
from simio.program.builder import Builder, Handle, Register, since

COUNTS_FROM = {"first": FROM_FIRST, "last": FROM_LAST, "event": FROM_EVENT}


class Rule(Protocol):
    """A rule by which packets are merged, whose state knows when the buffer that it holds was begun."""

    date: Callable[..., int]
    begun: Callable[..., int]


class Napi:
    """The receive side of one queue: interrupts of a core, which polls the ring until it is empty.

    Packets are threads that get their turn one after another, with the core in hand. What is merged waits for the
    end of the poll (`held`).
    """

    def __init__(self, p: Builder, name: str, place: CorePlace, sheet: QueuedAdapter) -> None:
        self.p = p
        self.ring = DropQueue(p, f"{name} ring", sheet.receive_ring, name, "packets")
        self.name = name
        self.place = place
        self.gathers = sheet.coalesce_count > 1 or sheet.adaptive
        self.from_last = sheet.coalesce_from == "last"
        self.state = p.machine(
            name,
            napi.WORDS.initial(
                adaptive=int(sheet.adaptive), own_count=sheet.coalesce_count, own_delay=sheet.coalesce_delay,
                table=moderation.TABLES[sheet.profiles],
                counts_from=COUNTS_FROM[sheet.coalesce_from],
                timeout=sheet.gro_flush_timeout, defer=sheet.napi_defer_hard_irqs,
                sent_count=sheet.transmit_coalesce_count or 0, sent_delay=sheet.transmit_coalesce_delay,
            ),
        )  # fmt: skip
        self.spinner = place.spinner
        self.polled = p.container(f"{name} polled", unit="turns") if self.spinner else None
        self.turn = p.container(f"{name} turn", 1, 0, "turns")
        self.ends = p.container(f"{name} end of poll", unit="turns")
        self.went = p.container(f"{name} went up", unit="turns")
        p.tally(name, "polls", self.state + napi.POLLS, "polls")
        p.tally(name, "interrupts", self.state + napi.INTERRUPTS, "interrupts")
        self.reaps: tuple[Handle, Handle] | None = None
        if sheet.transmit_coalesce_count:
            raised, timed = (p.container(f"{name} completions {what}", unit="starts") for what in ("raised", "timed"))
            self.reaps = raised, timed
        self.timed = p.container(f"{name} timer", unit="starts") if sheet.gro_flush_timeout else None
        if self.timed is not None:
            p.tally(name, "polls by the timer", self.state + napi.TIMERS, "polls")
            self._watch(self.timed)
        if self.reaps:
            self._reap(*self.reaps)

    def _watch(self, timed: Handle) -> None:
        """The timer of the queue, which polls when its time is over (napi_watchdog)."""
        p = self.p
        if self.spinner:
            raise RunError(
                f"{self.name!r} has a timer (gro_flush_timeout), and programs that poll (busy_read): both together "
                "are not modelled; leave out one",
                ".gro_flush_timeout",
            )
        with self._timer(f"{self.name} timer", timed, napi.rest) as due:
            p.call(due, napi.fires, self.state)
            with p.when(due > 0):
                self._interrupted(due, "empty")

    @contextmanager
    def _timer(self, name: str, started: Handle, rest: Called) -> Iterator[Register]:
        """Run the body when the time that `rest` gives is over; a turn in `started` begins it."""
        p = self.p
        rung = p.container(f"{name}'s end", unit="turns")
        with p.thread(name, daemon=True), p.forever(), p.scope():
            p.get(started, 1)
            left = p.answer(rest, self.state)
            with p.while_(left > 0):
                # A child waits, as that is no work of the timer.
                with p.fork("timer", daemon=True):
                    p.wait(left)
                    p.put(rung, 1)
                p.get(rung, 1)
                p.call(left, rest, self.state)
            yield left

    def _interrupted(self, there: Register, empty: str = "") -> None:
        """An interrupt with a poll: of packets, if any are there, else at the cost of one that is `empty`, if any."""
        p = self.p
        p.seize(self.place.core.resource, priority=INTERRUPT)
        with self.place.in_hand():
            self.place.spend("interrupt")
        p.call(there, napi.waiting, self.state)
        with p.when(there > 0):
            p.put(self.turn, 1)
        with p.when(there == 0):
            if empty:
                with self.place.in_hand():
                    self.place.spend(empty)
            self._end()

    def joined(self, packets: Register) -> None:
        """The ring's next entry is a buffer of so many packets; adaptive moderation counts each of them."""
        with self.p.scope():
            self.p.answer(napi.joined, self.state, packets)

    def arrived(self, length: Register) -> None:
        """A packet of `length` bytes is in the ring; returns when it is its turn, with the core in hand."""
        p = self.p
        with p.scope():
            what = p.answer(napi.arrive, self.state, length)
            with p.when(what == napi.RAISE), p.fork("interrupt"):
                self._enter()
            if self.gathers:
                with p.when(what == napi.FIRST):
                    self._expire_later()
            if self.spinner:
                self.spinner.tell()
            p.get(self.turn, 1)

    def _expire_later(self) -> None:
        p = self.p
        batch = p.answer(napi.gathering, self.state)
        with p.fork("coalesce"), p.scope():
            left = p.answer(napi.longest, self.state)
            p.wait(left)
            if self.from_last:
                p.call(left, napi.longer, self.state, batch)
                with p.while_(left > 0):
                    p.wait(left)
                    p.call(left, napi.longer, self.state, batch)
            p.call(batch, napi.expire, self.state, batch)
            with p.when(batch == napi.RAISE):
                self._enter()

    def _enter(self) -> None:
        """The interrupt takes the core, and the first packet its turn."""
        self.p.seize(self.place.core.resource, priority=INTERRUPT)
        with self.place.in_hand():
            self.place.spend("interrupt")
        self.p.put(self.turn, 1)

    def _reap(self, raised: Handle, timed: Handle) -> None:
        """The interrupts for what was sent: one begins a poll, and a timer has it raised."""
        p = self.p
        with self._timer(f"{self.name} completions' timer", timed, napi.sent_rest) as due:
            p.call(due, napi.sent_expire, self.state)
            with p.when(due == napi.RAISE):
                p.put(raised, 1)
        with p.thread(f"{self.name} completions", daemon=True), p.forever(), p.scope():
            p.get(raised, 1)
            self._interrupted(p.register())

    def sent(self) -> None:
        """A buffer that its core has sent; its completion is found by a poll, for which there is an interrupt."""
        if self.reaps:
            raised, _ = self.reaps
            with self.p.scope():
                what = self.p.answer(napi.sent, self.state)
                with self.p.when(what == napi.RAISE):
                    self.p.put(raised, 1)
                self._complete_later(what)

    def _complete_later(self, what: Register) -> None:
        """Completions gather for an interrupt, if `what` says so."""
        if self.reaps:
            with self.p.when(what == napi.FIRST):
                self.p.put(self.reaps[1], 1)

    def next(self) -> None:
        """A packet has been dealt with: the next has its turn, or the poll ends."""
        p = self.p
        with p.scope():
            ends = p.answer(napi.polled, self.state)
            with p.when(ends == napi.MORE):
                p.put(self.turn, 1)
            with p.when(ends == napi.ENDS):
                self._end()

    def _end(self) -> None:
        p, core = self.p, self.place.core.resource
        held = p.answer(napi.flushed, self.state)
        with p.while_(held > 0):
            p.put(self.ends, 1)
            p.get(self.went, 1)
            held.set(held - 1)
        if self.reaps:
            p.call(held, napi.found, self.state)
            with p.when(held > 0), self.place.in_hand():
                self.place.spend("completion", held)
        p.call(held, napi.complete, self.state)
        if self.timed is not None:
            with p.scope():
                starts = p.answer(napi.starts, self.state)
                with p.when(starts > 0):
                    p.put(self.timed, 1)
        with p.when(held == napi.YIELD):
            self._yield()
        with p.when(held <= napi.YIELD), p.when(held != napi.DONE):
            p.put(self.turn, 1)
        self._armed(held)
        if self.polled:
            with p.when(held == napi.PROGRAM):
                p.put(self.polled, 1)
                held.set(napi.AGAIN)
        with p.when(held != napi.AGAIN), p.when(held != napi.YIELD):
            p.release(core)
            self._completed()

    def _yield(self) -> None:
        """Processes that want the core have it for as long as the softirq had (ksoftirqd)."""
        p, core = self.p, self.place.core.resource
        with p.scope():
            more, begun = p.register(1), p.register()
            with p.while_(more > 0):
                p.release(core)
                begun.set(since(0))
                p.seize(core, priority=PROCESS)
                p.call(more, napi.rested, self.state, begun)

    def _armed(self, what: Register) -> None:
        """The driver has asked for an interrupt, and packets wait for it already, if `what` says so."""
        p = self.p
        with p.when(what == napi.RAISED), p.fork("interrupt"):
            self._enter()
        if self.gathers:
            with p.when(what == napi.GATHERS):
                self._expire_later()

    def _completed(self) -> None:
        """Completions may have come since the poll that is over."""
        if self.reaps:
            with self.p.scope():
                self._complete_later(self.p.answer(napi.sent_since, self.state))

    def poll(self) -> None:
        """A program polls, with its core in hand, and packets wait."""
        assert self.polled
        self.p.put(self.turn, 1)
        self.p.get(self.polled, 1)

    def leave(self) -> None:
        """A program polls no more, and the driver asks for an interrupt."""
        with self.p.scope():
            self._armed(self.p.answer(napi.give_up, self.state))
        self._completed()

    @contextmanager
    def held(self, rule: Rule, buffer: int) -> Iterator[None]:
        """A packet begins a buffer; the body runs at the end of the poll that gives it up, with the core in hand.

        `buffer` is the state of `rule`, by which packets are merged.
        """
        p = self.p
        lasts = self.timed is not None
        with p.scope():
            p.answer(napi.hold, self.state)
            if lasts:
                p.answer(rule.date, buffer)
                p.answer(napi.gather, self.state)
        with p.fork("held"):
            if lasts:
                self._stay(rule, buffer)
            else:
                p.get(self.ends, 1)
            yield
            p.put(self.went, 1)

    def _stay(self, rule: Rule, buffer: int) -> None:
        """Wait for the end of a poll that does not leave the buffer where it is."""
        p = self.p
        with p.scope():
            begun, stays = p.register(), p.register(1)
            with p.while_(stays > 0):
                p.get(self.ends, 1)
                stays.set(0)
                p.call(begun, rule.begun, buffer)
                with p.when(begun > 0):
                    p.call(stays, napi.stays, self.state, begun)
                    with p.when(stays == 0):
                        p.answer(napi.gathered, self.state)
                with p.when(stays > 0):
                    p.answer(napi.hold, self.state)
                    p.put(self.went, 1)

    def went_up(self, rule: Rule, buffer: int) -> None:
        """A packet has had a buffer go up before the end of a poll."""
        p = self.p
        if self.timed is not None:
            with p.scope():
                begun = p.answer(rule.begun, buffer)
                with p.when(begun == 0):
                    p.answer(napi.gathered, self.state)
