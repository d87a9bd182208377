"""GRO and LRO of a connection on cores: packets that one poll of its queue finds go up to TCP as one buffer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simio.components.network.packet import Packet
from simio.machines.network import gro
from simio.program.builder import Register

if TYPE_CHECKING:
    from simio.components.network.placed import PlacedEndpoint


class Merging:
    """GRO of one connection: packets that a poll finds become buffers, which go up to its endpoint.

    With LRO the adapter does the same by the rule of GRO, and its driver sees the buffers only.
    """

    def __init__(self, end: PlacedEndpoint, most: int, early: bool) -> None:
        """`most` is the most data of a buffer; `early` is True where the adapter joins packets."""
        p = self.p = end.p
        self.end = end
        self.early = early
        self.words = end.segment.parameters
        self.state = p.machine(f"{end.name} GRO", gro.WORDS.initial(most=most))
        p.tally(end.name, "merged", self.state + gro.MERGED, "packets")
        p.tally(end.name, "of data went up", self.state + gro.BUFFERS, "buffers")
        self.merged = p.procedure(f"{end.name} merged", self.words, self._went_up)

    def take(self, packet: Packet) -> None:
        """A poll has found a packet."""
        p, words, end = self.p, packet.words, self.end
        napi = end.seat.napi
        with p.scope():
            what = p.register()
            p.call(what, gro.stage, self.state, words[2] if len(words) > 2 else 0, words[3] if end.sacks else 0)
            if packet.marks:
                p.call(what, gro.stage_marks, self.state, packet.marks)
            if not self.early:
                what.set(words[0] % 2**16)
                with p.when(what > 0):
                    end.seat.driver.spend("merge")
            p.call(what, gro.take, self.state, words[0], words[1])
            with p.when(what == gro.HELD), napi.held(gro, self.state, self.early), p.scope():
                ready = p.answer(gro.flush, self.state)
                with p.when(ready == 1):
                    self._bring_up()
            with p.when(what >= gro.FLUSHES):
                napi.went_up(gro, self.state, self.early)
            with p.when(what == gro.BOTH):
                self._bring_up(own=False)
                what.set(gro.PASSES)
            with p.when(what == gro.FLUSHES):
                self._bring_up()
            with p.when(what == gro.PASSES):
                self._driven()
                end.goes_up(packet)

    def _driven(self) -> None:
        """The driver takes a buffer that the adapter has made."""
        if self.early:
            self.end.seat.driver.spend("packet")

    def _bring_up(self, own: bool = True) -> None:
        """A merged buffer goes up, by a thread of its own, as its packet's registers may be wanted (unless `own`)."""
        p = self.p
        arguments = p.arguments[: self.words]
        with p.scope():
            before = [] if own else [p.register(one) for one in arguments]
            p.spawn(self.merged, *arguments, joined=True)
            p.join()
            for register, value in zip(arguments, before, strict=False):
                register.set(value)

    def _went_up(self, length: Register, *words: Register) -> None:
        """The thread that is a merged buffer: its words are the machine's, and the driver's core is in hand."""
        p, end = self.p, self.end
        plain, mark = end.unmarked(words)
        for number, word in enumerate(plain[:3]):
            p.call(word, gro.word, self.state, number)
        for block in plain[3:]:
            block.set(0)
        if mark is not None:
            p.call(mark, gro.word, self.state, 3)
        with end.seat.driver.in_hand():
            self._driven()
            end.goes_up(Packet(length, plain, None, mark, end.name))
