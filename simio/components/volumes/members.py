"""The members of a volume: the one that serves a piece, and the replacement of one that fails.

A read that a member fails is made of the others, and what they gave is written to the member, which then can read it
(as Linux md does: drivers/md/raid1.c, fix_read_error; drivers/md/raid5.c, raid5_end_read_request). A write that a
member fails is on the others, which is enough, unless too many of them fail it. A disk that its driver has given up
is not asked any more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import TYPE_CHECKING

from simio.components.faults.failures import Failures
from simio.components.passage import Passage, common
from simio.components.storage.interfaces import BlockDevice
from simio.components.volumes.parity import ParityEngine
from simio.components.volumes.requests import Request
from simio.machines.variable import load
from simio.machines.volume.layout import CODED, ERASURE, MIRROR, RAID3, RAIDZ
from simio.machines.volume.levels import after
from simio.program.builder import Builder, Handle, Register, maximum

if TYPE_CHECKING:
    from simio.components.volumes.geometry import Geometry
    from simio.description.faults import Failed


@dataclass(frozen=True)
class Losses:
    """Losses that a volume can have, by places of members.

    `failing` are the members that can fail, with the word that says that the driver has given it up, or None if it
    never will. `noticed` are the containers that release threads waiting for that.
    """

    failures: Failures
    failing: Mapping[int, int | None] = field(default_factory=dict)
    noticed: Mapping[int, Handle] = field(default_factory=dict)
    spares: Mapping[int, BlockDevice] = field(default_factory=dict)
    faults: Mapping[int, Failed] = field(default_factory=dict)


class Members:
    """Block devices by their places in a volume; a device is None if it is lost from the start."""

    def __init__(
        self,
        p: Builder,
        name: str,
        geometry: Geometry,
        devices: Sequence[BlockDevice | None],
        parity: ParityEngine | None = None,
        losses: Losses | None = None,
        spares: Mapping[int, BlockDevice] | None = None,
        losable: Sequence[int] = (),
    ) -> None:
        """`losable` are the members that may be lost when a request begins, if that changes during the run."""
        self.p = p
        self.name = name
        self.level, self.parities = geometry.level, geometry.parities
        self.devices = tuple(devices)
        self.number = len(devices)
        self._parity = parity
        self._losses = losses
        self.failing = losses.failing if losses else {}
        self.spares = spares or {}
        self.losable = losable
        self._fail: Callable[[int], None] | None = None
        """Emits that a member has failed, while a request is emitted that counts those."""
        for writes in (False, True):
            # Declared here, as a thread that is one of many alike declares nothing that they share.
            passage = self.passage(writes)
            for handles in (*passage.sets, *(each for each in passage.visits if len(each) > 1)):
                p.together(handles)

    @property
    def parity(self) -> ParityEngine:
        """The engine that computes parity."""
        assert self._parity is not None
        return self._parity

    def compute(self, sources: int, size: int) -> None:
        """Compute parity of `sources` blocks of `size` bytes, or lost data; codes with several have weights."""
        self.parity.xor(sources, size, self.level in (ERASURE, RAIDZ) and self.parities > 1)

    @property
    def _survived(self) -> int:
        """Members more without which parity makes up for what they had, beside those that are lost from the start."""
        lost = sum(not self.exists(member) for member in range(self.number))
        return self.parities - lost if self.level in CODED else 1

    @property
    def failures(self) -> Failures:
        """The requests of the system that can fail."""
        assert self._losses is not None
        return self._losses.failures

    def passage(self, writes: bool) -> Passage:
        """The passage of a byte, whichever members serve it."""
        devices = [*filter(None, self.devices), *self.spares.values()]
        return common(device.passage(writes) for device in devices)

    def written(self) -> Passage:
        """The passage of a byte that a caller writes: in a mirror whose members all stay, that of each of them."""
        if self.level != MIRROR or self.failing or self.losable or self.spares:
            return self.passage(True)
        return reduce(Passage.__add__, (device.passage(True) for device in filter(None, self.devices)))

    def survive(self, lost: Sequence[int]) -> bool:
        """True if no request can fail while one of `lost` is lost: members never fail, or only one can."""
        able = {*self.failing, *self.losable, *(member for member in lost if member < self.number)}
        return not self.failing or (self.level in (MIRROR, *CODED) and len(able) == 1)

    def exists(self, member: int) -> bool:
        """True if anything is ever in a member's place."""
        return self.devices[member] is not None or member in self.spares

    def ask(self, member: int, request: Request) -> None:
        """One request of one member or of the spare in its place, in the calling thread."""
        spare, device = self.spares.get(member), self.devices[member]
        if spare is None or device is None or isinstance(request.present, int):
            chosen = spare if device is None else device
            assert chosen is not None
            request.emit(chosen)
            return
        for comparison, chosen in ((">", spare), ("<=", device)):
            with self._when(request.present, comparison):
                request.emit(chosen)

    def issue(self, member: int, request: Request) -> None:
        """A piece of a request, in the calling thread; parity makes up for it as long as there is enough of it."""
        if self.level == MIRROR and self.failing:
            self._attempt(member, request)
        elif member not in self.failing:
            self.ask(member, request)
        elif member in self.spares:
            with self._when(request.present, "!="):
                self.ask(member, request)
            with self._when(request.present, "=="):
                self._attempt(member, replace(request, present=self.number))
        else:
            others = {*self.losable} - {member}
            if not others:
                with self._when(request.present, ">=") if self.losable else nullcontext():
                    self._attempt(member, request)
                return
            beside = self.parities > 1 and self.level in CODED and request.verb == "read"
            with self._lost(request.present, 2 if beside else 1):
                self.ask(member, request)
            with self._lost(request.present, 2 if beside else 1, fewer=True):
                self._attempt(member, request)

    @contextmanager
    def _when(self, present: int | Register, comparison: str) -> Iterator[None]:
        """Steps for a state in which present members compare like this with all."""
        assert isinstance(present, Register)
        with self.p.when(present, comparison, self.number), self.p.scope():
            yield

    @contextmanager
    def _lost(self, present: int | Register, least: int, fewer: bool = False) -> Iterator[None]:
        """Steps for a state in which at least so many members are lost, 1 or 2, or fewer than that."""
        assert isinstance(present, Register)
        with self.p.when(present, ">=" if fewer else "<", self.number if least == 1 else 0), self.p.scope():
            yield

    # --- members that fail -----------------------------------------------------------------------------------

    @contextmanager
    def watched(self, request: Request) -> Iterator[None]:
        """The steps inside are all of a request of the volume, which fails if too many members do."""
        p, failing, number, verb = self.p, len(self.failing), self.number, request.verb
        several = {MIRROR: failing == number, RAID3: True}.get(
            self.level, self.level in CODED and failing > self._survived
        )
        if not failing or not several or (verb == "read" and self.level != RAID3):
            yield
            return
        with p.scope():
            failed, which = p.register(), p.register()
            with self.failures.counted(failed, number, which if verb == "read" else None) as self._fail:
                yield
            self._fail = None
            with p.when(failed > (self._others(request.present) if self.level == MIRROR else self._survived)):
                self.failures.fail()
            if verb == "read":
                data = number - 1
                with p.when(failed == 1):
                    size = request.size // data
                    self.parity.xor(data, size)
                    share = p.register(request.at // data)
                    self.repair(which, replace(request, at=share, size=size, aligned=request.aligned // data))

    def _attempt(self, member: int, request: Request) -> None:
        """One request of one member that can fail, and of others in its place."""
        p, reads = self.p, request.verb == "read"
        with p.scope():
            failed = p.register()
            self._try(failed, member, request)
            with p.when(failed > 0):
                if self._fail is not None:
                    self._fail(member)
                if reads and self.level == RAID3:
                    self.ask(self.number - 1, request)
                if reads and self.level in CODED:
                    self._others_instead(member, request)
                    self.compute(self.number - self.parities, request.size)
                    self._try(failed, member, request.of("write"))

    def _others_instead(self, member: int, request: Request) -> None:
        """Read what makes up for a member: with more than one parity, not all of the others are needed.

        One that may be lost by now is left out, and else the last.
        """
        p, present, needed = self.p, request.present, self.number - self.parities
        others = [other for other in range(self.number) if other != member and self.exists(other)]
        if not ({*self.losable} - {member} and self.parities > 1 and isinstance(present, Register)):
            for other in others[:needed]:
                with p.fork(f"{self.name}: rebuilt", joined=True):
                    self.ask(other, request)
            p.join()
            return
        others = others[: needed + 1]
        with p.scope():
            absent = p.register(others[-1])
            for other in others:
                with p.when(present == other):
                    absent.set(other)
            for other in others:
                with p.when(absent != other), p.fork(f"{self.name}: rebuilt", joined=True):
                    self.ask(other, request)
            p.join()

    def _try(self, failed: Register, member: int, request: Request) -> None:
        """Ask a member unless it was given up; `failed` is above zero if that was in vain."""
        p, gone = self.p, self.failing.get(member)
        failed.set(0)
        if gone is not None:
            spared = member in self.spares and isinstance(request.present, Register)
            with self._when(request.present, "<=") if spared else nullcontext():
                p.call(failed, load, gone)
        with p.when(failed == 0), self.failures.watched(failed), p.scope():
            self.ask(member, request)

    def repair(self, which: Register, request: Request) -> None:
        """Write data of the others to the member that could not read them, whose number is in a register."""
        for member in self.failing:
            with self.p.when(which == member), self.p.scope():
                self._try(self.p.register(), member, request.of("write"))

    def read_only(self, plan: int, first: Register, request: Request) -> None:
        """A read of one piece, in the calling thread, by the member whose number plus 1 is in `first`.

        In a mirror, one member after the other is asked until one can.
        """
        p, everyone = self.p, [*filter(self.exists, range(self.number))]
        if self.level != MIRROR or not self.failing:
            for each in everyone:
                with p.when(first == each + 1), p.scope():
                    self.issue(each, request)
            return
        with p.scope():
            member, failed, missed = p.register(first - 1), p.register(), p.register(-1)
            left = p.register(self._others(request.present))
            with p.until(left < 0):
                for each in everyone:
                    with p.when(member == each):
                        self._try(failed, each, request)
                left.set(left - 1)
                with p.when(failed > 0):
                    missed.set(maximum(missed, member))
                    p.call(member, after, plan, member, request.present)
                with p.when(failed == 0):
                    left.set(-1)
            with p.when(failed > 0):
                self.failures.fail()
            with p.when(failed == 0):
                self.repair(missed, request)

    def _others(self, present: int | Register) -> int | Register:
        """Number of members beside one."""
        if isinstance(present, int):
            return self.number - 1 - (present < self.number)
        others = self.p.register(self.number - 1)
        with self.p.when(present < self.number):
            others.set(others - 1)
        return others
