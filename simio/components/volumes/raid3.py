"""RAID 3: all disks work as one, with parity on a disk of its own.

P. M. Chen, E. K. Lee, G. A. Gibson, R. H. Katz, D. A. Patterson, "RAID: high-performance, reliable secondary
storage", ACM Computing Surveys 26(2), 1994, section 3.2: a read takes all data disks, a write the parity disk as
well, and one request is served at a time.
"""

from __future__ import annotations

from collections.abc import Sequence

from simio.components.storage import BlockDevice
from simio.components.volumes.parity import ParityEngine
from simio.components.volumes.requests import Members, Verb, check_request, scope
from simio.program.builder import Builder, Register


class Raid3(Members):
    """Sectors, or grains of several, go to the data members in turn; the last member has the parity.

    A sector of the volume is a grain of each data member, so that each has the same share of every request. Parity is
    computed while it is written: its first sector takes only the first sector of each data member.
    """

    def __init__(
        self, p: Builder, name: str, members: Sequence[BlockDevice], grain: int, parity: ParityEngine
    ) -> None:
        super().__init__(p, name, members)
        self.parity = parity
        self.data = len(members) - 1
        self.capacity = self.smallest // grain * grain * self.data
        self.sector = grain * self.data
        self.turn = p.resource(f"{name} lockstep", turn=True)

    def read(self, at: Register, size: int, aligned: int) -> None:
        """Read an equal share from every data member; parity is not read."""
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
                for member in range(self.data if verb == "read" else self.data + 1):
                    with self.child():
                        self.ask(member, verb, begin, share, place)
                if verb == "write":
                    with p.fork(f"{self.name}: parity", joined=True):
                        self.parity.xor(self.data, share)
                p.join()
