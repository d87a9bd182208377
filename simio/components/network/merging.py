"""GRO of a connection on cores: packets that one poll of its queue finds go up to TCP as one buffer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simio.components.network.packet import Packet
from simio.machines.network import gro
from simio.program.builder import Operand, Register

if TYPE_CHECKING:
    from simio.components.network.placed import PlacedEndpoint


def stage(end: PlacedEndpoint, state: int, packet: Packet) -> None:
    """Emit that the rule of this state sees a packet's options; SACK blocks, and what LRO has joined, stay apart."""
    p, words = end.p, packet.words
    with p.scope():
        apart: Operand = words[3] if end.sacks else 0
        if end.joining and state != end.joining.state:
            size, apart = p.register(words[0] % 2**16), p.register(apart)
            with p.when(size > end.mss):
                apart.set(1)
        done = p.register()
        p.call(done, gro.stage, state, words[2] if len(words) > 2 else 0, apart)
        if packet.marks:
            p.call(done, gro.stage_marks, state, packet.marks)


def fetch(end: PlacedEndpoint, state: int, words: tuple[Register, ...]) -> None:
    """Emit the words of the buffer that is ready into registers."""
    p = end.p
    plain, mark = end.unmarked(words)
    for number, word in enumerate(plain[:3]):
        p.call(word, gro.word, state, number)
    for block in plain[3:]:
        block.set(0)
    if mark is not None:
        p.call(mark, gro.word, state, 3)


class Merging:
    """GRO of one connection: packets that a poll finds become buffers, which go up to its endpoint.

    A buffer that the adapter has made of packets (LRO) is not merged with others (Linux net/core/gro.c,
    dev_gro_receive).
    """

    def __init__(self, end: PlacedEndpoint, most: int) -> None:
        """`most` is the most data of a buffer."""
        p = self.p = end.p
        self.end = end
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
            stage(end, self.state, packet)
            what = p.register(words[0] % 2**16)
            with p.when(what > 0):
                end.seat.driver.spend("merge")
            p.call(what, gro.take, self.state, words[0], words[1])
            with p.when(what == gro.HELD), napi.held(gro, self.state), p.scope():
                ready = p.answer(gro.flush, self.state)
                with p.when(ready == 1):
                    self._bring_up()
            with p.when(what >= gro.FLUSHES):
                napi.went_up(gro, self.state)
            with p.when(what == gro.BOTH):
                self._bring_up(own=False)
                what.set(gro.PASSES)
            with p.when(what == gro.FLUSHES):
                self._bring_up()
            with p.when(what == gro.PASSES):
                end.goes_up(packet)

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
        end = self.end
        fetch(end, self.state, words)
        plain, mark = end.unmarked(words)
        with end.seat.driver.in_hand():
            end.goes_up(Packet(length, plain, None, mark, end.name))
