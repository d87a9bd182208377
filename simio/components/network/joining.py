"""LRO of a connection: its adapter joins packets into buffers, each with one completion, before the driver sees them.

As mlx5 has it (Linux drivers/net/ethernet/mellanox/mlx5/core): a buffer ends as GRO ends it, or when its time is over
(lro_timeout_period_usecs), which counts from its first packet. Packets keep their places in the ring, whose memory is
that of so many packets of the MTU whatever they are joined into (en/params.c, mlx5e_mpwqe_get_log_rq_size).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simio.components.network.merging import fetch, stage
from simio.components.network.packet import Packet
from simio.machines.network import gro
from simio.program.builder import Register

if TYPE_CHECKING:
    from simio.components.network.placed import PlacedEndpoint


class Joining:
    """LRO of one connection: packets become buffers in the adapter, which go up to its endpoint."""

    def __init__(self, end: PlacedEndpoint, most: int) -> None:
        """`most` is the most data of a buffer, in bytes."""
        p = self.p = end.p
        self.end = end
        self.interface = end.seat.interface
        self.words = end.segment.parameters
        self.state = p.machine(f"{end.name} LRO", gro.WORDS.initial(most=most, latest=1))
        p.tally(end.name, "joined by the adapter", self.state + gro.MERGED, "packets")
        p.tally(end.name, "of data from the adapter", self.state + gro.BUFFERS, "buffers")
        self.goes = p.procedure(f"{end.name} from the adapter", 1 + self.words, self._goes)

    def take(self, packet: Packet) -> None:
        """See `Joins.take`."""
        p = self.p
        own = p.arguments[: self.words]
        with p.scope():
            stage(self.end, self.state, packet)
            what = p.answer(gro.take, self.state, packet.words[0], packet.words[1])
            with p.when(what == gro.HELD):
                self._time()
            with p.when(what == gro.FLUSHES):
                self._give_up()
                p.call(what, gro.begun, self.state)
                with p.when(what > 0):
                    self._time()
            with p.when(what == gro.BOTH), p.scope():
                before = [p.register(one) for one in own]
                self._give_up()
                p.spawn(self.goes, *before, p.register(1))
            with p.when(what == gro.PASSES):
                p.spawn(self.goes, *own, p.register(1))

    def _time(self) -> None:
        """A packet has begun a buffer, whose time runs; no run waits for that of a buffer that has ended."""
        p, name = self.p, self.end.name
        with p.fork(f"{name} LRO timer", daemon=True), p.scope():
            number = p.answer(gro.session, self.state)
            with p.label("timer", name):
                p.wait(self.interface.sheet.lro_timeout)
            p.call(number, gro.expire, self.state, number)
            with p.when(number == 1):
                self._give_up()

    def _give_up(self) -> None:
        """The buffer that is ready goes up, as a thread of its own."""
        p, own = self.p, self.p.arguments[: self.words]
        fetch(self.end, self.state, own[1:])
        own[0].set(own[1] % 2**16 + self.end.headers)
        with p.scope():
            p.spawn(self.goes, *own, p.answer(gro.pieces, self.state))

    def _goes(self, length: Register, *rest: Register) -> None:
        """The thread that is a buffer, or a packet by itself, from its completion on."""
        end, (*words, packets) = self.end, rest
        plain, mark = end.unmarked(tuple(words))
        packet = Packet(length, plain, end.peer.flow, mark, end.name, end.queue)

        def deliver() -> None:
            if packet.flow:
                packet.flow.seen(self.interface.name, (length, *plain), sent=False)
            end.arrive(packet)

        self.interface.complete(packet, packets, deliver)
