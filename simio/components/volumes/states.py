"""What of a volume can be lost, and in which state its members are when a request begins."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from simio.components.faults.failures import Failures
from simio.components.storage.interfaces import BlockDevice
from simio.components.volumes.recovery import Failing
from simio.components.volumes.requests import scope
from simio.description.faults import Failed
from simio.machines.failing import requests
from simio.machines.failing.requests import ADD, BETWEEN, MOST
from simio.machines.volume import planner
from simio.program.builder import Builder, Handle, Register

WHOLE, DEGRADED, REPLACED = range(3)
_WORDS = {WHOLE: "before the failure", DEGRADED: "without the disk", REPLACED: "where it is rebuilt"}


@dataclass(frozen=True)
class Losses:
    """What can be lost of a volume, by places of members: which can fail, containers that let pass who waits for
    one to be given up, spares, and faults."""

    failures: Failures
    failing: Failing = field(default_factory=dict)
    noticed: Mapping[int, Handle] = field(default_factory=dict)
    spares: Mapping[int, BlockDevice] = field(default_factory=dict)
    faults: Mapping[int, Failed] = field(default_factory=dict)


class Changes:
    """The states of a volume: no member is lost, one is, or a spare has its place where the request goes.

    A request is served in the state in which it begins.
    """

    def __init__(
        self, p: Builder, name: str, number: int, lost: Mapping[int, int | None], spare: bool, chunk: int
    ) -> None:
        """`lost` are the members that can be lost, with the words that say so (None if it was before the run).

        `spare` says whether one takes the place of one of them, of which `chunk` bytes are rebuilt at a time.
        """
        self.p = p
        self.name = name
        self.number = number
        self.words = lost
        self.chunk = chunk
        self.progress = p.machine(f"{name} replaced", [0])
        """Address on each member up to which the spare is a member like others."""
        self.lost = p.machine(f"{name} lost", requests.places())
        """Where chunks begin that could not be rebuilt."""
        self.requests = p.machine(f"{name} requests", [0])
        self.spare = spare
        always = None in lost.values()
        states = [state for state, possible in ((WHOLE, not always), (DEGRADED, True), (REPLACED, spare)) if possible]
        self.asked = {state: p.machine(f"{name} {_WORDS[state]}", [0]) for state in states}
        for state, word in self.asked.items():
            p.tally(name, f"asked {_WORDS[state]}", word, "bytes")

    @contextmanager
    def request(self, plan: int, at: Register, size: int) -> Iterator[Register]:
        """A register with the member that is lost as a request begins (`Members`); the request is counted and timed."""
        p = self.p
        with scope(p):
            present, word, begun = p.register(), p.register(), p.register()
            self._find(present, word, plan, at, size)
            p.call(word, ADD, self.requests, 1)
            for state, asked in self.asked.items():
                with p.when(present, *self._condition(state)):
                    p.call(word, ADD, asked, size)
            p.let(begun, "SINCE", 0)
            yield present
            p.let(begun, "SINCE", begun)
            for state in self.asked:
                with p.when(present, *self._condition(state)):
                    p.mark(p.observation(f"{self.name}: {_WORDS[state]}", "latency", "ps"), begun)

    def _condition(self, state: int) -> tuple[str, int]:
        return {WHOLE: "==", DEGRADED: "<", REPLACED: ">"}[state], self.number

    def _find(self, present: Register, word: Register, plan: int, at: Register, size: int) -> None:
        p = self.p
        p.let(present, "SET", self.number)
        for member, gone in reversed(self.words.items()):
            if gone is None:
                p.let(present, "SET", member)
                continue
            p.call(word, MOST, gone)
            with p.when(word, ">", 0):
                p.let(present, "SET", member)
        if self.spare:
            with p.when(present, "<", self.number), scope(p):
                begin, end = p.register(), p.register()
                p.call(begin, planner.open_request, plan, at, size)
                p.call(begin, planner.extent, plan, 0)
                p.call(end, planner.extent, plan, 1)
                p.call(word, MOST, self.progress)
                with p.when(end, "<=", word):
                    # What was lost begins at these places, and is a chunk long.
                    p.let(begin, "SUB", begin, self.chunk - 1)
                    p.call(word, BETWEEN, self.lost, begin, end)
                    with p.when(word, "==", 0):
                        p.let(present, "SET", self.number + 1)
