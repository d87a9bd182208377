"""The rebuild of a volume onto a spare.

Up to where it is rebuilt, the spare is a member like others; beyond, the volume does without, and so it does where a
chunk could not be rebuilt since more members could not read it than parity makes up for. The rebuild reads a chunk of
all other members, computes that of the lost one, and writes it to the spare; as many chunks as lie in its window are
under way at once, and done in order (Linux md, drivers/md/md.c: md_do_sync; raid5.c: get_active_stripe). It can be
kept below a rate, and above another one gives way to the users of the volume.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

from simio import units
from simio.components.faults.failures import Failures
from simio.components.storage.interfaces import BlockDevice
from simio.components.volumes.requests import Request
from simio.components.volumes.states import Changes
from simio.components.volumes.volume import VolumeDevice
from simio.machines.failing import requests
from simio.machines.variable import load
from simio.machines.volume.layout import CODED, MIRROR, RAID6
from simio.program.builder import Builder, Handle, Register, maximum, since
from simio.program.roles import REBUILD, REBUILT, TO_REBUILD
from simio.program.service import SECOND, ceil_times

if TYPE_CHECKING:
    from simio.description.faults import Failed

MD_WINDOW = 2**20
"""Bytes of each disk that Linux md has under way: 256 stripes of 4 KiB (drivers/md/raid5.c: NR_STRIPES)."""
EVERYTHING = 2**61
"""More bytes than a disk has: all that was to be rebuilt has been."""


@dataclass(frozen=True)
class Rebuild:
    """The process that rebuilds the `lost` member of a volume onto a spare, `extent` bytes of it.

    `noticed` releases the process when the disk is given up; None if it had failed before the run. The rebuild stops
    when one of `words` says that another member is given up, unless that is the only other one of a RAID 6, as
    `also` is, which had failed before the run.
    """

    p: Builder
    volume: VolumeDevice
    changes: Changes
    lost: int
    spare: BlockDevice
    fault: Failed
    extent: int
    failures: Failures
    noticed: Handle | None
    words: Mapping[int, int] = field(default_factory=dict)
    also: int | None = None

    @property
    def _goes_on(self) -> bool:
        """True if the rebuild needs no other member that may be lost."""
        return self.volume.geometry.level == RAID6 and len(self.words) + (self.also is not None) <= 1

    def thread(self) -> None:
        """The thread that rebuilds; it does not keep the run alive if it waits for a failure during that."""
        p, chunk, name = self.p, self.fault.chunk, self.volume.name
        took = p.observation(f"{name}: {REBUILD}", "time", "ps")
        stream = p.observation(f"{name}: {REBUILT}", "sent", "bytes")
        rebuilt, lost, progress = p.variable(f"{name} rebuilt"), self.changes.lost, self.changes.progress
        p.tally(name, REBUILT, rebuilt.offset, "bytes")
        p.tally(name, TO_REBUILD, p.machine(f"{name} {TO_REBUILD}", [self.extent]), "bytes")
        p.tally(name, "chunks that could not be rebuilt", lost, "chunks")
        p.gauge(name, REBUILT, rebuilt.offset, "bytes")
        self._tell()
        with p.thread(f"{name}: rebuild", daemon=self.noticed is not None):
            if self.noticed is not None:
                p.get(self.noticed, 1)
            begun, at, failed, word = p.now(), p.register(0), p.register(), p.register()
            # Condition that always holds: the work may end before, so that the bound must not count on any of it.
            with p.when(begun >= 0), p.loop(self.extent // chunk), self._possible(), self._under_way(at):
                with self.failures.watched(failed), p.scope(), self._in_order():
                    self._chunk(at, chunk)
                with p.when(failed > 0):
                    p.call(word, requests.note, lost, at)
                with p.when(failed == 0):
                    rebuilt.increment(chunk, word)
                    p.mark(stream, chunk)
                at.set(at + chunk)
                progress.maximum(at, word)
                self._next()
            self._drain(at)
            with self._possible():
                begun.set(since(begun))
                p.mark(took, begun)
                progress.maximum(EVERYTHING, word)

    @property
    def _child(self) -> str:
        """The name of threads of a chunk: another where several are at work, which together are not one."""
        return f"{self.volume.name}: rebuild" + (" of a chunk" if self.fault.at_once > 1 else "")

    def _tell(self) -> None:
        """Tell that disks wait for one another between small chunks, which those of md do not."""
        fault = self.fault
        if fault.window is None and fault.rate is None and fault.chunk < MD_WINDOW:
            chunk, window = (units.format_quantity(size, "size") for size in (fault.chunk, MD_WINDOW))
            self.p.tell(
                f"{self.volume.name} is rebuilt by {chunk} at a time, one after another, which its disks wait for; "
                f"Linux md has {window} under way (`window: {window}` of the fault)"
            )

    @cached_property
    def _together(self) -> tuple[Handle, Handle, Handle] | None:
        """Places for chunks under way, the turn of the one that is done next, and those done; None for one at a time.

        All before a place are rebuilt when it is: the spare has no gaps but those that are noted.
        """
        p, name, number = self.p, f"{self.volume.name}: rebuild", self.fault.at_once
        if number == 1:
            return None
        places = p.container(f"{name} places", number, number, "chunks")
        return places, p.container(f"{name} turn", 1, 1, "chunks"), p.container(f"{name} done", unit="chunks")

    @contextmanager
    def _under_way(self, at: Register) -> Iterator[None]:
        """Steps for a chunk, in a thread of its own where others may be under way beside it."""
        p, fault = self.p, self.fault
        if self._together is None:
            with self._paced(fault.chunk, fault.rate, fault.least):
                yield
            return
        places, _, _ = self._together
        with self._paced(fault.chunk, fault.rate, None):
            p.get(places, 1)
            with p.fork(self._child):
                with self._paced(fault.chunk * fault.at_once, None, fault.least):
                    yield
                p.put(places, 1)
            at.set(at + fault.chunk)

    @contextmanager
    def _in_order(self) -> Iterator[None]:
        """Steps for the data of a chunk; those behind them wait for the chunks before."""
        p = self.p
        if self._together is None:
            yield
            return
        with p.fork(self._child, joined=True):
            yield
        p.get(self._together[1], 1)
        p.join()

    def _next(self) -> None:
        """Give the turn to the next chunk."""
        if self._together is not None:
            self.p.put(self._together[1], 1)
            self.p.put(self._together[2], 1)

    def _drain(self, at: Register) -> None:
        """Wait until all before `at` is done."""
        if self._together is not None:
            with self.p.when(at > 0):
                self.p.get(self._together[2], self.p.register(at // self.fault.chunk))

    @contextmanager
    def _possible(self) -> Iterator[None]:
        """Steps for as long as all other members are there."""
        p = self.p
        with ExitStack() as conditions, p.scope():
            for word in () if self._goes_on else self.words.values():
                gone = p.answer(load, word)
                conditions.enter_context(p.when(gone == 0))
            yield

    def _chunk(self, at: Register, chunk: int) -> None:
        """Read the others' parts of it, compute the lost one, and write that; a mirror copies."""
        p, volume = self.p, self.volume
        mirror, request = volume.geometry.level == MIRROR, Request("read", at, chunk, chunk, self.lost)
        others = [member for member in range(volume.members.number) if member not in (self.lost, self.also)]
        # With more than one parity, not all of the others are needed: each is left out in its turn, or the lost one.
        unneeded = volume.geometry.parities - 1 if volume.geometry.level in CODED else 0
        unneeded -= self.also is not None
        first = p.register(at // chunk % len(others)) if unneeded else None
        for member, word in self.words.items() if first is not None and self._goes_on else ():
            with p.scope():
                gone = p.answer(load, word)
                with p.when(gone > 0):
                    assert first is not None
                    first.set(others.index(member))
        if mirror:
            with p.fork(self._child, joined=True):
                volume.serve(request)
            p.join()
        else:
            self._others(request, others, first, unneeded)
            volume.members.compute(len(others) - unneeded, chunk)
        self.spare.write(at, chunk, chunk)

    def _others(self, request: Request, others: list[int], first: Register | None, unneeded: int) -> None:
        """Read what is needed of the others, and what was left out in place of members that cannot read theirs.

        What such a member has is computed, too, and written to it (Linux md, drivers/md/raid5.c: handle_stripe).
        """
        p, members, size = self.p, self.volume.members, request.size
        if first is None or not {*members.failing}.intersection(others):
            for number, member in enumerate(others):
                with self._needed(first, number, unneeded, len(others)), p.fork(self._child, joined=True):
                    members.ask(member, request)
            p.join()
            return
        with p.scope():
            failed, which = p.register(), p.register()
            with self.failures.counted(failed, members.number, which) as fail:
                for number, member in enumerate(others):
                    with self._needed(first, number, unneeded, len(others)), p.fork(self._child, joined=True):
                        missing = p.register()
                        with self.failures.watched(missing), p.scope():
                            members.ask(member, request)
                        with p.when(missing > 0):
                            fail(member)
                p.join()
            with p.when(failed > unneeded):
                self.failures.fail()
            with p.when(failed > 0), p.when(failed <= unneeded), p.scope():
                for number, member in enumerate(others):
                    for each in range(unneeded):
                        place = (number - each) % len(others)
                        with p.when(first == place), p.when(failed > each), p.fork(self._child, joined=True):
                            members.ask(member, request)
                p.join()
                members.compute(len(others) - unneeded, size)
                members.repair(which, request)

    @contextmanager
    def _needed(self, first: Register | None, number: int, unneeded: int, others: int) -> Iterator[None]:
        """Steps unless a member is one of the `unneeded`, the first of which a register has, and which lie around."""
        with ExitStack() as conditions:
            for each in range(unneeded):
                assert first is not None
                conditions.enter_context(self.p.when(first != (number - each) % others))
            yield

    @contextmanager
    def _paced(self, size: int, rate: Fraction | None, least: Fraction | None) -> Iterator[None]:
        """Steps for `size` bytes, and a wait that keeps below a rate, and below another if others use the volume."""
        p, asked = self.p, self.changes.requests
        if rate is None and least is None:
            yield
            return
        with p.scope():
            begun, before = p.now(), asked.load()
            yield
            pause = p.register(_time(size, rate))
            if least is not None:
                with p.when(asked.load() != before):
                    pause.set(maximum(pause, _time(size, least)))
            p.rest(maximum(pause - since(begun), 0), f"{self.volume.name}: pause of the rebuild")


def _time(size: int, rate: Fraction | None) -> int:
    """Time of `size` bytes at a rate, in ps; none where there is no limit."""
    return 0 if rate is None else ceil_times(size, SECOND / rate)
