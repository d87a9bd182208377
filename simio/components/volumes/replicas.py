"""A mirror whose members are copies at unlike distances: writes that some of them acknowledge, reads of the nearest.

As stores with replicas on several hosts have it: the member that is asked first passes a write on to all, and says
that it is done when a quorum of them has it (D. K. Gifford, "Weighted voting for replicated data", SOSP 1979). The
others get it in their time.
"""

from __future__ import annotations

from simio.components.passage import Passage
from simio.components.volumes.geometry import Geometry
from simio.components.volumes.members import Members
from simio.components.volumes.requests import Request, check_request
from simio.components.volumes.volume import VolumeDevice
from simio.machines.volume import quorum
from simio.program.builder import Builder


class ReplicatedVolume(VolumeDevice):
    """A mirror whose members do not fail."""

    def __init__(
        self, p: Builder, name: str, geometry: Geometry, members: Members, needed: int, nearest: bool
    ) -> None:
        """`needed` members have a write before it is done; with `nearest` the first one serves all reads."""
        super().__init__(p, name, geometry, members)
        self.needed, self.nearest = needed, nearest
        if needed < members.number:
            self.state = p.machine(f"{name} quorum", quorum.initial(members.number, needed))
            p.tally(name, "not on all members when done", self.state + quorum.BEHIND, "writes")
            self.gate = p.container(f"{name} quorum", unit="signals")

    def passage(self, writes: bool) -> Passage:
        """See `VolumeDevice.passage`; members that are not needed may have a write after the end."""
        return self.members.passage(writes)

    def serve(self, request: Request) -> None:
        """See `VolumeDevice.serve`."""
        if request.verb == "read" and self.nearest:
            check_request(self.name, request.size, request.aligned, self.sector)
            self.members.ask(0, request)
        elif request.verb == "write" and self.needed < self.members.number:
            check_request(self.name, request.size, request.aligned, self.sector)
            self._write(request)
        else:
            super().serve(request)

    def _write(self, request: Request) -> None:
        """All members in threads of their own, without a join.

        The bound must not count on what may end after the write: so no share of the writes is promised to it.
        """
        p = self.p
        with p.scope():
            place = p.answer(quorum.begin, self.state)
            with p.while_(place == 0):
                p.get(self.gate, 1)
                p.call(place, quorum.begin, self.state)
            with p.when(place > 0):
                for number in range(self.members.number):
                    with p.fork(f"{self.name}: member"), p.scope():
                        self.members.ask(number, request)
                        p.put(self.gate, p.answer(quorum.stored, self.state, place))
            enough = p.answer(quorum.done, self.state, place)
            with p.while_(enough == 0):
                p.get(self.gate, 1)
                p.call(enough, quorum.done, self.state, place)
