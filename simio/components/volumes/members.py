"""The members of a volume: who is asked for a piece, and what makes up for a member that fails.

A read that a member fails is made of the others, and what they gave is written to the member, which then can read it
(as Linux md does: drivers/md/raid1.c, fix_read_error; drivers/md/raid5.c, raid5_end_read_request). A write that a
member fails is on the others, which is enough, unless too many of them fail it. A disk that its driver has given up
is not asked any more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field

from simio.components.faults.failures import Failures
from simio.components.storage.interfaces import BlockDevice
from simio.components.volumes.parity import ParityEngine
from simio.components.volumes.requests import Verb, scope
from simio.description.faults import Failed
from simio.machines.failing.requests import MOST
from simio.machines.volume.layout import MIRROR, RAID3, RAID5
from simio.machines.volume.levels import after
from simio.program.builder import Builder, Handle, Register


@dataclass(frozen=True)
class Losses:
    """What can be lost of a volume, by places of members.

    `failing` are the members that can fail, with the word that says that the driver has given it up, or None if it
    never will. `noticed` are the containers that let pass who waits for that.
    """

    failures: Failures
    failing: Mapping[int, int | None] = field(default_factory=dict)
    noticed: Mapping[int, Handle] = field(default_factory=dict)
    spares: Mapping[int, BlockDevice] = field(default_factory=dict)
    faults: Mapping[int, Failed] = field(default_factory=dict)


class Members:
    """Block devices by their places in a volume of some level (`simio.machines.volume.layout`).

    Whoever asks says which of them are `present`: the member that is lost, the number of members if none is, or one
    more if the spare is in its place. A device is None if it is lost from the start.
    """

    def __init__(
        self,
        p: Builder,
        name: str,
        level: int,
        devices: Sequence[BlockDevice | None],
        parity: ParityEngine | None = None,
        losses: Losses | None = None,
        spares: Mapping[int, BlockDevice] | None = None,
        losable: Sequence[int] = (),
    ) -> None:
        """`losable` are the members that may be lost when a request begins, if that changes during the run."""
        self.p = p
        self.name = name
        self.level = level
        self.devices = tuple(devices)
        self.number = len(devices)
        self._parity = parity
        self.losses = losses
        self.failing = losses.failing if losses else {}
        self.spares = spares or {}
        self.losable = losable
        self._fail: Callable[[int], None] | None = None
        """Emits that a member has failed, while a request is emitted that counts those."""

    @property
    def parity(self) -> ParityEngine:
        """What computes parity."""
        assert self._parity is not None
        return self._parity

    @property
    def failures(self) -> Failures:
        """The requests of the system of which some can fail."""
        assert self.losses is not None
        return self.losses.failures

    def exists(self, member: int) -> bool:
        """Whether anything is ever in a member's place."""
        return self.devices[member] is not None or member in self.spares

    def ask(self, member: int, verb: Verb, at: Register, size: int, aligned: int, present: int | Register) -> None:
        """One request of one member or of the spare in its place, in the calling thread."""
        spare, device = self.spares.get(member), self.devices[member]
        both = spare is not None and device is not None and isinstance(present, Register)
        for chosen, comparison in ((spare, ">"), (device, "<=")):
            if chosen is not None and (both or chosen is device or device is None):
                with self._when(present, comparison) if both else nullcontext():
                    (chosen.read if verb == "read" else chosen.write)(at, size, aligned)

    def issue(self, member: int, verb: Verb, at: Register, size: int, aligned: int, present: int | Register) -> None:
        """A piece of a request, in the calling thread; nothing makes up for it while another member is lost."""
        if self.level == MIRROR and self.failing:
            self._attempt(member, verb, at, size, aligned, present)
        elif member not in self.failing:
            self.ask(member, verb, at, size, aligned, present)
        elif member in self.spares:
            with self._when(present, "!="):
                self.ask(member, verb, at, size, aligned, present)
            with self._when(present, "=="):
                self._attempt(member, verb, at, size, aligned, self.number)
        else:
            if {*self.losable} - {member}:
                with self._when(present, "<"):
                    self.ask(member, verb, at, size, aligned, present)
            with self._when(present, ">=") if self.losable else nullcontext():
                self._attempt(member, verb, at, size, aligned, present)

    @contextmanager
    def _when(self, present: int | Register, comparison: str) -> Iterator[None]:
        """Steps for when what is present compares like this with all members."""
        assert isinstance(present, Register)
        with self.p.when(present, comparison, self.number), scope(self.p):
            yield

    # --- members that fail -----------------------------------------------------------------------------------

    @contextmanager
    def request(self, verb: Verb, at: Register, size: int, aligned: int, present: int | Register) -> Iterator[None]:
        """The steps inside are all of a request of the volume, which fails if too many members do."""
        p, failing, number = self.p, len(self.failing), self.number
        several = {RAID5: failing > 1, MIRROR: failing == number, RAID3: True}.get(self.level, False)
        if not failing or not several or (verb == "read" and self.level != RAID3):
            yield
            return
        with scope(p):
            failed, which = p.register(), p.register()
            with self.failures.counted(failed, number, which if verb == "read" else None) as self._fail:
                yield
            self._fail = None
            with p.when(failed, ">", 1 if self.level != MIRROR else self._others(present)):
                self.failures.fail()
            if verb == "read":
                data = number - 1
                with p.when(failed, "==", 1):
                    self.parity.xor(data, size // data)
                    begin = p.register()
                    p.let(begin, "DIV", at, data)
                    self._repair(which, begin, size // data, aligned // data, present)

    def _attempt(
        self, member: int, verb: Verb, at: Register, size: int, aligned: int, present: int | Register
    ) -> None:
        """One request of one member that can fail, and of others in its place."""
        p = self.p
        with scope(p):
            failed = p.register()
            self._try(failed, member, verb, at, size, aligned, present)
            with p.when(failed, ">", 0):
                if self._fail is not None:
                    self._fail(member)
                if verb == "read" and self.level == RAID3:
                    self.ask(self.number - 1, "read", at, size, aligned, present)
                if verb == "read" and self.level == RAID5:
                    for other in range(self.number):
                        if other != member:
                            with p.fork(f"{self.name}: rebuilt", joined=True):
                                self.ask(other, "read", at, size, aligned, present)
                    p.join()
                    self.parity.xor(self.number - 1, size)
                    self._try(failed, member, "write", at, size, aligned, present)

    def _try(
        self,
        failed: Register,
        member: int,
        verb: Verb,
        at: Register,
        size: int,
        aligned: int,
        present: int | Register,
    ) -> None:
        """Ask a member unless it was given up; `failed` is above zero if that was in vain."""
        p, gone = self.p, self.failing.get(member)
        p.let(failed, "SET", 0)
        if gone is not None:
            spared = member in self.spares and isinstance(present, Register)
            with self._when(present, "<=") if spared else nullcontext():
                p.call(failed, MOST, gone)
        with p.when(failed, "==", 0), self.failures.watched(failed), scope(p):
            self.ask(member, verb, at, size, aligned, present)

    def _repair(self, which: Register, at: Register, size: int, aligned: int, present: int | Register) -> None:
        """Write what the others gave to the member that could not read it, whose number is in a register."""
        for member in self.failing:
            with self.p.when(which, "==", member), scope(self.p):
                self._try(self.p.register(), member, "write", at, size, aligned, present)

    def read_only(
        self, plan: int, first: Register, at: Register, size: int, aligned: int, present: int | Register
    ) -> None:
        """A read of one piece, in the calling thread, by the member whose number plus 1 is in `first`.

        In a mirror, one member after the other is asked until one can.
        """
        p, everyone = self.p, [*filter(self.exists, range(self.number))]
        if self.level != MIRROR or not self.failing:
            for each in everyone:
                with p.when(first, "==", each + 1), scope(p):
                    self.issue(each, "read", at, size, aligned, present)
            return
        with scope(p):
            member, failed, missed, left = (p.register() for _ in range(4))
            p.let(member, "SUB", first, 1)
            p.let(missed, "SET", -1)
            p.let(left, "ADD", self._others(present), 1)
            with p.until(left, "==", 0):
                for each in everyone:
                    with p.when(member, "==", each):
                        self._try(failed, each, "read", at, size, aligned, present)
                p.let(left, "SUB", left, 1)
                with p.when(failed, ">", 0):
                    p.let(missed, "MAX", missed, member)
                    p.call(member, after, plan, member, present)
                with p.when(failed, "==", 0):
                    p.let(left, "SET", 0)
            with p.when(failed, ">", 0):
                self.failures.fail()
            with p.when(failed, "==", 0):
                self._repair(missed, at, size, aligned, present)

    def _others(self, present: int | Register) -> int | Register:
        """How many members are there beside one."""
        if isinstance(present, int):
            return self.number - 1 - (present < self.number)
        others = self.p.register(self.number - 1)
        with self.p.when(present, "<", self.number):
            self.p.let(others, "SUB", others, 1)
        return others
