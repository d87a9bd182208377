"""In which state the members of a volume are when a request begins."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from simio.machines.failing import requests
from simio.machines.variable import load
from simio.machines.volume import planner
from simio.program.builder import Builder, Register, since

_STATES = {"before the failure": "==", "without the disk": "<", "where it is rebuilt": ">"}
"""States of a volume, and how what is present compares with the number of members (`Request`)."""


class Changes:
    """The state of members for a request: one is lost, or a spare has its place there.

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
        self.progress = p.variable(f"{name} replaced")
        """Address on each member up to which the spare is a member like others."""
        self.lost = p.machine(f"{name} lost", requests.places())
        """Starts of the chunks that could not be rebuilt."""
        self.requests = p.variable(f"{name} requests")
        possible = {"before the failure": None not in lost.values(), "where it is rebuilt": spare}
        self.asked = {state: p.variable(f"{name} {state}") for state in _STATES if possible.get(state, True)}
        for state, asked in self.asked.items():
            p.tally(name, f"asked {state}", asked.offset, "bytes")

    @contextmanager
    def request(self, plan: int, at: Register, size: int) -> Iterator[Register]:
        """Count and time a request; gives a register with which members are present as it begins."""
        p = self.p
        with p.scope():
            present = p.register(self.number)
            with p.scope():
                self._find(present, plan, at, size)
                self.requests.increment()
                for state, asked in self.asked.items():
                    with p.when(present, _STATES[state], self.number), p.scope():
                        asked.increment(size)
            begun = p.now()
            yield present
            begun.set(since(begun))
            for state in self.asked:
                with p.when(present, _STATES[state], self.number):
                    p.mark(p.observation(f"{self.name}: {state}", "time", "ps"), begun)

    def _find(self, present: Register, plan: int, at: Register, size: int) -> None:
        """Set `present`: the first of the members that are lost, unless the spare has all that is asked for."""
        p, word = self.p, self.p.register()
        for member, gone in reversed(list(self.words.items())):
            if gone is None:
                present.set(member)
                continue
            p.call(word, load, gone)
            with p.when(word > 0):
                present.set(member)
        if self.spare:
            with p.when(present < self.number), p.scope():
                begin, end = p.register(), p.register()
                p.call(begin, planner.open_request, plan, at, size)
                p.call(begin, planner.extent, plan, 0)
                p.call(end, planner.extent, plan, 1)
                with p.when(end <= self.progress.load(word)):
                    # What was lost begins at these places, and is a chunk long.
                    begin.set(begin - (self.chunk - 1))
                    p.call(word, requests.between, self.lost, begin, end)
                    with p.when(word == 0):
                        present.set(self.number + 1)
