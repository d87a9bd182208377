"""Mirrors (RAID 1): every member has all the data."""

from __future__ import annotations

from collections.abc import Sequence

from simio.components.storage.interfaces import BlockDevice
from simio.components.volumes.requests import Members, check_request, scope
from simio.machines import rotation
from simio.program.builder import Builder, Register


class Mirror(Members):
    """Writes go to all members at once, reads to the members in turn, request by request.

    In turn (round robin) is the default of Solstice DiskSuite and of Solaris Volume Manager, and a policy of Veritas
    Volume Manager (their administrators' guides).
    """

    def __init__(self, p: Builder, name: str, members: Sequence[BlockDevice]) -> None:
        super().__init__(p, name, members)
        self.capacity = self.smallest // self.sector * self.sector
        self.turn = p.machine(f"{name} turn", rotation.WORDS.initial())

    def read(self, at: Register, size: int, aligned: int) -> None:
        """Read all of it from the member whose turn it is."""
        check_request(self.name, size, aligned, self.sector)
        with scope(self.p):
            member = self.p.register()
            self.p.call(member, rotation.following, self.turn, len(self.members))
            self.one_of(member, "read", at, size, aligned)

    def write(self, at: Register, size: int, aligned: int) -> None:
        """Write all of it to every member; done when the last one is."""
        check_request(self.name, size, aligned, self.sector)
        for member in range(len(self.members)):
            with self.child():
                self.ask(member, "write", at, size, aligned)
        self.p.join()
