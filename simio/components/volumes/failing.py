"""Mirrors, RAID 3 and RAID 5 over disks that can fail: what one of them does not deliver comes from the others.

A read that a member fails is made of the others, and what was found is written to the member, which then can read it
(as Linux md does: drivers/md/raid1.c, fix_read_error; drivers/md/raid5.c, raid5_end_read_request). A write that a
member fails is on the others, which is enough, unless too many of them fail it. A disk that its driver has given up
is not asked any more.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager

from simio.components.faults.failures import Failures
from simio.components.storage.interfaces import BlockDevice
from simio.components.volumes.mirror import Mirror
from simio.components.volumes.parity import ParityEngine
from simio.components.volumes.raid3 import Raid3
from simio.components.volumes.raid5 import Raid5
from simio.components.volumes.requests import Members, Verb, check_request, scope
from simio.machines import rotation
from simio.machines.failing.requests import MOST
from simio.program.builder import Builder, Register

Failing = Mapping[int, int | None]
"""Members that can fail: the word of each that says that its driver has given it up, or None where it never will."""


class _Asking(Members):
    """Requests of members that may fail."""

    failures: Failures
    failing: Failing

    def _tried(self, failed: Register, member: int, verb: Verb, at: Register, size: int, aligned: int) -> None:
        """Ask a member unless it was given up; `failed` is above zero if that was in vain."""
        p, gone = self.p, self.failing.get(member)
        p.let(failed, "SET", 0)
        if gone is not None:
            p.call(failed, MOST, gone)
        with p.when(failed, "==", 0), self.failures.watched(failed), scope(p):
            Members.ask(self, member, verb, at, size, aligned)

    def _repaired(self, member: int, at: Register, size: int, aligned: int) -> None:
        """What the others gave is written to a member that is there and could not read it."""
        with scope(self.p):
            self._tried(self.p.register(), member, "write", at, size, aligned)


class FailingMirror(_Asking, Mirror):
    """A mirror of which some members can fail; a read asks one after the other, from the one whose turn it is on."""

    def __init__(
        self, p: Builder, name: str, members: Sequence[BlockDevice], failures: Failures, failing: Failing
    ) -> None:
        super().__init__(p, name, members)
        self.failures = failures
        self.failing = failing

    def read(self, at: Register, size: int, aligned: int) -> None:
        """Read all of it from the first member that can."""
        p, number = self.p, len(self.members)
        check_request(self.name, size, aligned, self.sector)
        with scope(p):
            member, left, failed, missed = (p.register() for _ in range(4))
            p.call(member, rotation.following, self.turn, number)
            p.let(left, "SET", number)
            p.let(missed, "SET", -1)
            with p.until(left, "==", 0):
                self._read_one(failed, member, at, size, aligned)
                p.let(left, "SUB", left, 1)
                with p.when(failed, ">", 0):
                    p.let(missed, "MAX", missed, member)
                    p.let(member, "ADD", member, 1)
                    p.let(member, "MOD", member, number)
                with p.when(failed, "==", 0):
                    p.let(left, "SET", 0)
            with p.when(failed, ">", 0):
                self.failures.fail()
            with p.when(failed, "==", 0):
                for each in self.failing:
                    with p.when(missed, "==", each):
                        self._repaired(each, at, size, aligned)

    def _read_one(self, failed: Register, member: Register, at: Register, size: int, aligned: int) -> None:
        p, turn = self.p, self.p.register(member)
        p.let(failed, "SET", 0)
        for each in range(len(self.members)):
            with p.when(turn, "==", each):
                self._tried(failed, each, "read", at, size, aligned)

    def write(self, at: Register, size: int, aligned: int) -> None:
        """Write all of it to every member that is there; done when the last one is, in vain if all have failed."""
        check_request(self.name, size, aligned, self.sector)
        p, number = self.p, len(self.members)
        if len(self.failing) < number:
            self._write_each(at, size, aligned)
            return
        with scope(p):
            failed = p.register()
            with self.failures.counted(failed, number) as fail:
                self._write_each(at, size, aligned, fail)
            with p.when(failed, "==", number):
                self.failures.fail()

    def _write_each(self, at: Register, size: int, aligned: int, fail: Callable[[int], None] | None = None) -> None:
        p = self.p
        for member in range(len(self.members)):
            with self.child():
                failed = p.register()
                self._tried(failed, member, "write", at, size, aligned)
                if fail is not None:
                    with p.when(failed, ">", 0):
                        fail(member)
        p.join()


class FailingRaid5(_Asking, Raid5):
    """A RAID 5 of which some members can fail: what one does not read is computed from all others."""

    def __init__(
        self,
        p: Builder,
        name: str,
        members: Sequence[BlockDevice],
        unit: int,
        parity: ParityEngine,
        failures: Failures,
        failing: Failing,
    ) -> None:
        super().__init__(p, name, members, unit, parity)
        self.failures = failures
        self.failing = failing
        self._fail: Callable[[int], None] | None = None

    def write(self, at: Register, size: int, aligned: int) -> None:
        """Write data and parity, in vain if two members fail: what one of them has is not computed then."""
        p = self.p
        if len(self.failing) == 1:
            super().write(at, size, aligned)
            return
        with scope(p):
            failed = p.register()
            with self.failures.counted(failed, self.width) as self._fail:
                super().write(at, size, aligned)
            self._fail = None
            with p.when(failed, ">", 1):
                self.failures.fail()

    def ask(self, member: int, verb: Verb, at: Register, size: int, aligned: int) -> None:
        """One request of one member, in the calling thread, or of all others where it fails."""
        if member not in self.failing:
            super().ask(member, verb, at, size, aligned)
            return
        p = self.p
        with scope(p):
            failed = p.register()
            self._tried(failed, member, verb, at, size, aligned)
            if verb == "write":
                if self._fail is not None:
                    with p.when(failed, ">", 0):
                        self._fail(member)
                return
            with p.when(failed, ">", 0):
                for other in range(self.width):
                    if other != member:
                        with self._child():
                            Members.ask(self, other, "read", at, size, aligned)
                p.join()
                self.parity.xor(self.width - 1, size)
                self._repaired(member, at, size, aligned)

    def _child(self) -> AbstractContextManager[None]:
        return self.p.fork(f"{self.name}: rebuilt", joined=True)


class FailingRaid3(_Asking, Raid3):
    """A RAID 3 of which some members can fail: parity is read in the place of one, and what it had is computed."""

    def __init__(
        self,
        p: Builder,
        name: str,
        members: Sequence[BlockDevice],
        grain: int,
        parity: ParityEngine,
        failures: Failures,
        failing: Failing,
    ) -> None:
        super().__init__(p, name, members, grain, parity)
        self.failures = failures
        self.failing = failing
        self._fail: Callable[[int], None]

    def _share(self, verb: Verb, begin: Register, share: int, place: int) -> None:
        """An equal share of every member; in vain if two of them fail."""
        p = self.p
        with scope(p):
            failed, which = p.register(), p.register()
            with self.failures.counted(failed, len(self.members), which) as self._fail:
                super()._share(verb, begin, share, place)
            with p.when(failed, ">", 1):
                self.failures.fail()
            if verb == "read":
                with p.when(failed, "==", 1):
                    self.parity.xor(self.data, share)
                    for member in self.failing:
                        with p.when(which, "==", member):
                            self._repaired(member, begin, share, place)

    def ask(self, member: int, verb: Verb, at: Register, size: int, aligned: int) -> None:
        """One request of one member, in the calling thread, and of the parity disk where data cannot be read."""
        if member not in self.failing:
            super().ask(member, verb, at, size, aligned)
            return
        p = self.p
        with scope(p):
            failed = p.register()
            self._tried(failed, member, verb, at, size, aligned)
            with p.when(failed, ">", 0):
                self._fail(member)
                if verb == "read":
                    Members.ask(self, self.data, "read", at, size, aligned)
