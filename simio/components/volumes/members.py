"""The members of a volume, and the spare of one of them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager

from simio.components.storage.interfaces import BlockDevice
from simio.components.volumes.requests import Verb, scope, size_text
from simio.errors import RunError
from simio.program.builder import Amount, Builder, Register


class Members:
    """Block devices by their places in a volume, and who can take the place of which one.

    `present` is a member that is lost; the number of members if none is, and one more if the spare is in its place
    (`simio.machines.volume.layout.PRESENT`). A device is None if it is lost from the start.
    """

    def __init__(
        self,
        p: Builder,
        name: str,
        devices: Sequence[BlockDevice | None],
        spares: Mapping[int, BlockDevice] | None = None,
        losable: Collection[int] = (),
    ) -> None:
        self.p = p
        self.name = name
        self.devices = tuple(devices)
        self.spares = dict(spares or {})
        self.losable = frozenset(losable)
        """Members that may be lost when a request begins."""

    @property
    def number(self) -> int:
        """How many there are if none is lost."""
        return len(self.devices)

    def exists(self, member: int) -> bool:
        """Whether anything is ever in a member's place."""
        return self.devices[member] is not None or member in self.spares

    def ask(self, member: int, verb: Verb, at: Register, size: int, aligned: int, present: Amount) -> None:
        """One request of one member or of the spare in its place, in the calling thread."""
        p, device, spare = self.p, self.devices[member], self.spares.get(member)
        if device is None or spare is None or isinstance(present, int):
            chosen = spare if device is None or (isinstance(present, int) and present > self.number) else device
            assert chosen is not None
            (chosen.read if verb == "read" else chosen.write)(at, size, aligned)
            return
        for comparison, chosen in ((">", spare), ("<=", device)):
            with p.when(present, comparison, self.number), scope(p):
                (chosen.read if verb == "read" else chosen.write)(at, size, aligned)

    def issue(self, member: int, verb: Verb, at: Register, size: int, aligned: int, present: Amount) -> None:
        """A piece of a request, in the calling thread."""
        self.ask(member, verb, at, size, aligned, present)

    def read_only(self, plan: int, first: Register, at: Register, size: int, aligned: int, present: Amount) -> None:
        """A read of one piece, in the calling thread, by the member whose number plus 1 is in `first`."""
        for member in filter(self.exists, range(self.number)):
            with self.p.when(first, "==", member + 1), scope(self.p):
                self.issue(member, "read", at, size, aligned, present)

    @contextmanager
    def request(self, verb: Verb, at: Register, size: int, aligned: int, present: Amount) -> Iterator[None]:
        """The steps inside are all of a request of the volume."""
        yield


def alike(name: str, members: Sequence[BlockDevice]) -> int:
    """The sector that all members have; raises RunError if they differ."""
    sectors = sorted({member.sector for member in members})
    if len(sectors) > 1:
        sizes = " and ".join(size_text(sector) for sector in sectors)
        raise RunError(f"the members of volume {name!r} have sectors of different size: {sizes}")
    return sectors[0]
