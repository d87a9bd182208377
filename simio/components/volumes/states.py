"""In which state the members of a volume are when a request begins."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from simio.components.volumes.members import Losses
from simio.components.volumes.requests import scope
from simio.machines.failing import requests
from simio.machines.failing.requests import ADD, BETWEEN, MOST
from simio.machines.volume import planner
from simio.program.builder import Builder, Register

__all__ = ["Changes", "Losses"]

_STATES = {"before the failure": "==", "without the disk": "<", "where it is rebuilt": ">"}
"""States of a volume, and how what is present compares with the number of members (`Members`)."""


class Changes:
    """Whether a member is lost, or a spare has its place where a request goes.

    A request is served in the state in which it begins.
    """

    def __init__(
        self, p: Builder, name: str, number: int, lost: Mapping[int, int | None], spare: bool, chunk: int
    ) -> None:
        """`lost` are the members that can be lost, with the words that say so, or None where one is from the start.

        `spare` says whether one takes the place of a lost member, of which `chunk` bytes are rebuilt at a time.
        """
        self.p = p
        self.name = name
        self.number = number
        self.words = lost
        self.spare = spare
        self.chunk = chunk
        self.progress = p.machine(f"{name} replaced", [0])
        """Address on each member up to which the spare is a member like others."""
        self.lost = p.machine(f"{name} lost", requests.places())
        """Where chunks begin that could not be rebuilt."""
        self.requests = p.machine(f"{name} requests", [0])
        possible = {"before the failure": None not in lost.values(), "where it is rebuilt": spare}
        self.asked = {state: p.machine(f"{name} {state}", [0]) for state in _STATES if possible.get(state, True)}
        for state, word in self.asked.items():
            p.tally(name, f"asked {state}", word, "bytes")

    @contextmanager
    def request(self, plan: int, at: Register, size: int) -> Iterator[Register]:
        """Count and time a request; gives a register with which members are present as it begins."""
        p = self.p
        with scope(p):
            present, word, begun = p.register(), p.register(), p.register()
            self._find(present, word, plan, at, size)
            p.call(word, ADD, self.requests, 1)
            for state, asked in self.asked.items():
                with p.when(present, _STATES[state], self.number):
                    p.call(word, ADD, asked, size)
            p.let(begun, "SINCE", 0)
            yield present
            p.let(begun, "SINCE", begun)
            for state in self.asked:
                with p.when(present, _STATES[state], self.number):
                    p.mark(p.observation(f"{self.name}: {state}", "latency", "ps"), begun)

    def _find(self, present: Register, word: Register, plan: int, at: Register, size: int) -> None:
        """Set `present`: the first of the members that are lost, unless the spare has all that is asked for."""
        p = self.p
        p.let(present, "SET", self.number)
        for member, gone in reversed(list(self.words.items())):
            if gone is not None:
                p.call(word, MOST, gone)
            with p.when(word, ">", 0) if gone is not None else scope(p):
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
