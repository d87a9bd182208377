"""RAID 3: all disks work as one, with parity on a disk of its own.

P. M. Chen, E. K. Lee, G. A. Gibson, R. H. Katz, D. A. Patterson, "RAID: high-performance, reliable secondary
storage", ACM Computing Surveys 26(2), 1994, section 3.2: a read takes all data disks, a write the parity disk as
well, and one request is served at a time.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext

from simio.components.storage.interfaces import BlockDevice
from simio.components.volumes.parity import ParityEngine
from simio.components.volumes.requests import Members, Verb, check_request, scope
from simio.program.builder import Builder, Register


class Raid3(Members):
    """Sectors, or grains of several, go to the data members in turn; the last member has the parity.

    A sector of the volume is a grain of each data member, so that each has the same share of every request. Parity is
    computed while it is written: its first sector takes only the first sector of each data member.

    Without member number `failed` the others do what they ever do; where it has data, parity is read in its place,
    and what it had is computed when all are there.
    """

    def __init__(
        self,
        p: Builder,
        name: str,
        members: Sequence[BlockDevice],
        grain: int,
        parity: ParityEngine,
        failed: int | None = None,
    ) -> None:
        super().__init__(p, name, members)
        self.parity = parity
        self.failed = failed
        self.data = len(members) - 1
        self.capacity = self.smallest // grain * grain * self.data
        self.sector = grain * self.data
        self.turn = p.resource(f"{name} lockstep", lock=True)

    def read(self, at: Register, size: int, aligned: int) -> None:
        """Read an equal share from every data member; parity is not read unless one of them has failed."""
        self._in_step("read", at, size, aligned)

    def write(self, at: Register, size: int, aligned: int) -> None:
        """Write an equal share to every data member, and parity, which is computed meanwhile."""
        self._in_step("write", at, size, aligned)

    def _in_step(self, verb: Verb, at: Register, size: int, aligned: int) -> None:
        p = self.p
        check_request(self.name, size, aligned, self.sector)
        share, place = size // self.data, aligned // self.data
        with scope(p):
            begin = p.register()
            p.let(begin, "DIV", at, self.data)
            with p.hold(self.turn):
                self._share(verb, begin, share, place)

    def _share(self, verb: Verb, begin: Register, share: int, place: int) -> None:
        """A request of `share` bytes of every member that takes part, from `begin` on, all at once."""
        p, computed = self.p, verb == "read" and self._lost
        with self.parity.gathered(share * self.data) if computed else nullcontext():
            for member in self._asked(verb):
                with self.child():
                    self.ask(member, verb, begin, share, place)
            if verb == "write" and self.failed != self.data:
                with p.fork(f"{self.name}: parity", joined=True):
                    self.parity.xor(self.data, share)
            p.join()
            if computed:
                self.parity.xor(self.data, share)

    @property
    def _lost(self) -> bool:
        """Whether what a member had must be computed."""
        return self.failed is not None and self.failed < self.data

    def _asked(self, verb: Verb) -> list[int]:
        """The members that take part in a request."""
        number = self.data + (verb == "write" or self._lost)
        return [member for member in range(number) if member != self.failed]
