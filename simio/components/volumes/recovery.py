"""Members that can fail: what one of them does not deliver comes from the others.

A read that a member fails is made of the others, and what they gave is written to the member, which then can read it
(as Linux md does: drivers/md/raid1.c, fix_read_error; drivers/md/raid5.c, raid5_end_read_request). A write that a
member fails is on the others, which is enough, unless too many of them fail it. A disk that its driver has given up
is not asked any more.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from typing import Any

from simio.components.faults.failures import Failures
from simio.components.volumes.members import Members
from simio.components.volumes.parity import ParityEngine
from simio.components.volumes.requests import Verb, scope
from simio.machines.failing.requests import MOST
from simio.machines.volume import planner
from simio.program.builder import Amount, Register

Failing = Mapping[int, int | None]
"""Members that can fail: the word of each that says that its driver has given it up, or None where it never will."""


class Recovery(Members):
    """Members of which some can fail. While one is lost, what another fails has failed for good."""

    def __init__(self, *members: Any, failures: Failures, failing: Failing, **more: Any) -> None:
        super().__init__(*members, **more)
        self.failures = failures
        self.failing = failing
        self._fail: Callable[[int], None] | None = None
        """Says of a member that it has failed in a request that counts those."""

    @abstractmethod
    def attempt(self, member: int, verb: Verb, at: Register, size: int, aligned: int, present: Amount) -> None:
        """One request of a member that can fail, and what makes up for it."""

    def issue(self, member: int, verb: Verb, at: Register, size: int, aligned: int, present: Amount) -> None:
        """A piece of a request, in the calling thread."""
        if member not in self.failing:
            self.ask(member, verb, at, size, aligned, present)
            return
        p, spared = self.p, member in self.spares
        if isinstance(present, Register) and (spared or self.losable - {member}):
            with p.when(present, "!=" if spared else "<", self.number), scope(p):
                self.ask(member, verb, at, size, aligned, present)
            with p.when(present, "==" if spared else ">=", self.number), scope(p):
                self.attempt(member, verb, at, size, aligned, self.number if spared else present)
            return
        self.attempt(member, verb, at, size, aligned, present)

    def tried(
        self, failed: Register, member: int, verb: Verb, at: Register, size: int, aligned: int, present: Amount
    ) -> None:
        """Ask a member unless it was given up; `failed` is above zero if that was in vain."""
        p, gone = self.p, self.failing.get(member)
        p.let(failed, "SET", 0)
        if gone is not None:
            spared = member in self.spares and isinstance(present, Register)
            with p.when(present, "<=", self.number) if spared else nullcontext():
                p.call(failed, MOST, gone)
        with p.when(failed, "==", 0), self.failures.watched(failed), scope(p):
            self.ask(member, verb, at, size, aligned, present)

    def repaired(self, member: int, at: Register, size: int, aligned: int, present: Amount) -> None:
        """Write what the others gave to a member that is there and could not read it."""
        with scope(self.p):
            self.tried(self.p.register(), member, "write", at, size, aligned, present)


class Raid5Recovery(Recovery):
    """Of a RAID 5: what one member does not read is computed from all others."""

    def __init__(self, *members: Any, parity: ParityEngine, **more: Any) -> None:
        super().__init__(*members, **more)
        self.parity = parity

    @contextmanager
    def request(self, verb: Verb, at: Register, size: int, aligned: int, present: Amount) -> Iterator[None]:
        """A write is in vain if two members fail: what one of them has is not computed then."""
        p = self.p
        if verb == "read" or len(self.failing) == 1:
            yield
            return
        with scope(p):
            failed = p.register()
            with self.failures.counted(failed, self.number) as self._fail:
                yield
            self._fail = None
            with p.when(failed, ">", 1):
                self.failures.fail()

    def attempt(self, member: int, verb: Verb, at: Register, size: int, aligned: int, present: Amount) -> None:
        """One request of one member, or of all others where it fails."""
        p = self.p
        with scope(p):
            failed = p.register()
            self.tried(failed, member, verb, at, size, aligned, present)
            if verb == "write":
                if self._fail is not None:
                    with p.when(failed, ">", 0):
                        self._fail(member)
                return
            with p.when(failed, ">", 0):
                for other in range(self.number):
                    if other != member:
                        with p.fork(f"{self.name}: rebuilt", joined=True):
                            self.ask(other, "read", at, size, aligned, present)
                p.join()
                self.parity.xor(self.number - 1, size)
                self.repaired(member, at, size, aligned, present)


class Raid3Recovery(Recovery):
    """Of a RAID 3: parity is read in the place of data that cannot be, and these are computed when all are there."""

    def __init__(self, *members: Any, parity: ParityEngine, **more: Any) -> None:
        super().__init__(*members, **more)
        self.parity = parity

    @contextmanager
    def request(self, verb: Verb, at: Register, size: int, aligned: int, present: Amount) -> Iterator[None]:
        """In vain if two members fail."""
        p, data = self.p, self.number - 1
        with scope(p):
            failed, which = p.register(), p.register()
            with self.failures.counted(failed, self.number, which) as self._fail:
                yield
            with p.when(failed, ">", 1):
                self.failures.fail()
            if verb == "read":
                with p.when(failed, "==", 1):
                    self.parity.xor(data, size // data)
                    begin = p.register()
                    p.let(begin, "DIV", at, data)
                    for member in self.failing:
                        with p.when(which, "==", member):
                            self.repaired(member, begin, size // data, aligned // data, present)

    def attempt(self, member: int, verb: Verb, at: Register, size: int, aligned: int, present: Amount) -> None:
        """One request of one member, and of the parity disk where data cannot be read."""
        p, fail = self.p, self._fail
        assert fail is not None
        with scope(p):
            failed = p.register()
            self.tried(failed, member, verb, at, size, aligned, present)
            with p.when(failed, ">", 0):
                fail(member)
                if verb == "read":
                    self.ask(self.number - 1, "read", at, size, aligned, present)


class MirrorRecovery(Recovery):
    """Of a mirror: a read asks one member after the other, from the one whose turn it is on."""

    @contextmanager
    def request(self, verb: Verb, at: Register, size: int, aligned: int, present: Amount) -> Iterator[None]:
        """A write is in vain if all members fail."""
        p = self.p
        if verb == "read" or len(self.failing) < self.number:
            yield
            return
        with scope(p):
            failed = p.register()
            with self.failures.counted(failed, self.number) as self._fail:
                yield
            self._fail = None
            with p.when(failed, "==", self._there(present)):
                self.failures.fail()

    def issue(self, member: int, verb: Verb, at: Register, size: int, aligned: int, present: Amount) -> None:
        """A piece of a write, in the calling thread."""
        self.attempt(member, verb, at, size, aligned, present)

    def attempt(self, member: int, verb: Verb, at: Register, size: int, aligned: int, present: Amount) -> None:
        """One request of one member; another has the data if it fails."""
        p = self.p
        with scope(p):
            failed = p.register()
            self.tried(failed, member, verb, at, size, aligned, present)
            if self._fail is not None:
                with p.when(failed, ">", 0):
                    self._fail(member)

    def read_only(self, plan: int, first: Register, at: Register, size: int, aligned: int, present: Amount) -> None:
        """Read all of it from the first member that can."""
        p = self.p
        with scope(p):
            member, failed, missed = p.register(), p.register(), p.register(-1)
            left = p.register(self._there(present))
            p.let(member, "SUB", first, 1)
            with p.until(left, "==", 0):
                for each in filter(self.exists, range(self.number)):
                    with p.when(member, "==", each):
                        self.tried(failed, each, "read", at, size, aligned, present)
                p.let(left, "SUB", left, 1)
                with p.when(failed, ">", 0):
                    p.let(missed, "MAX", missed, member)
                    p.call(member, planner.after, plan, member, present)
                with p.when(failed, "==", 0):
                    p.let(left, "SET", 0)
            with p.when(failed, ">", 0):
                self.failures.fail()
            with p.when(failed, "==", 0):
                for each in self.failing:
                    with p.when(missed, "==", each):
                        self.repaired(each, at, size, aligned, present)

    def _there(self, present: Amount) -> Amount:
        """How many members are there."""
        if isinstance(present, int):
            return self.number - (present < self.number)
        there = self.p.register(self.number)
        with self.p.when(present, "<", self.number):
            self.p.let(there, "SET", self.number - 1)
        return there
