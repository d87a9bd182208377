"""The rebuild of a volume onto a spare.

Up to where it is rebuilt, the spare is a member like others; beyond, the volume does without, and so it does where a
chunk could not be rebuilt since another member could not read it. The rebuild reads a chunk of all other members,
computes that of the lost one, and writes it to the spare, and then goes to the next (Linux md, drivers/md/md.c:
md_do_sync). It can be kept below a rate, and above another one gives way to who uses the volume.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING

from simio.components.faults.failures import Failures
from simio.components.storage.interfaces import BlockDevice
from simio.components.volumes.requests import Request
from simio.components.volumes.states import Changes
from simio.components.volumes.volume import VolumeDevice
from simio.machines.failing import requests
from simio.machines.variable import load
from simio.machines.volume.layout import CODED, MIRROR, RAID6
from simio.program.builder import Builder, Handle, Register, maximum, since
from simio.program.service import SECOND, ceil_times

if TYPE_CHECKING:
    from simio.description.faults import Failed

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
        took = p.observation(f"{name}: rebuild", "time", "ps")
        stream = p.observation(f"{name}: rebuilt", "sent", "bytes")
        rebuilt, lost, progress = p.variable(f"{name} rebuilt"), self.changes.lost, self.changes.progress
        p.tally(name, "rebuilt", rebuilt.offset, "bytes")
        p.tally(name, "chunks that could not be rebuilt", lost, "chunks")
        p.gauge(name, "rebuilt", rebuilt.offset, "bytes")
        with p.thread(f"{name}: rebuild", daemon=self.noticed is not None):
            if self.noticed is not None:
                p.get(self.noticed, 1)
            begun, at, failed, word = p.now(), p.register(0), p.register(), p.register()
            # Condition that always holds: the work may end before, so that the bound must not count on any of it.
            with p.when(begun >= 0), p.loop(self.extent // chunk), self._possible(), self._paced():
                with self.failures.watched(failed), p.scope():
                    self._chunk(at, chunk)
                with p.when(failed > 0):
                    p.call(word, requests.note, lost, at)
                with p.when(failed == 0):
                    rebuilt.increment(chunk, word)
                    p.mark(stream, chunk)
                at.set(at + chunk)
                progress.maximum(at, word)
            with self._possible():
                begun.set(since(begun))
                p.mark(took, begun)
                progress.maximum(EVERYTHING, word)

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
        for number, member in enumerate(others[:1] if mirror else others):
            with self._needed(first, number, unneeded, len(others)), p.fork(f"{volume.name}: rebuild", joined=True):
                if mirror:
                    volume.serve(request)
                else:
                    volume.members.ask(member, request)
        p.join()
        if not mirror:
            volume.members.compute(len(others) - unneeded, chunk)
        self.spare.write(at, chunk, chunk)

    @contextmanager
    def _needed(self, first: Register | None, number: int, unneeded: int, others: int) -> Iterator[None]:
        """Steps unless a member is one of the `unneeded`, the first of which a register has, and which lie around."""
        with ExitStack() as conditions:
            for each in range(unneeded):
                assert first is not None
                conditions.enter_context(self.p.when(first != (number - each) % others))
            yield

    @contextmanager
    def _paced(self) -> Iterator[None]:
        """Steps for a chunk, and a wait until the next may begin."""
        p, fault, asked = self.p, self.fault, self.changes.requests
        with p.scope():
            begun, before = p.now(), asked.load()
            yield
            least = p.register(_time(fault.chunk, fault.rate))
            if fault.least is not None:
                with p.when(asked.load() != before):
                    least.set(maximum(least, _time(fault.chunk, fault.least)))
            p.wait(maximum(least - since(begun), 0))


def _time(size: int, rate: Fraction | None) -> int:
    """Time of `size` bytes at a rate, in ps; none where there is no limit."""
    return 0 if rate is None else ceil_times(size, SECOND / rate)
