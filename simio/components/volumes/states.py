"""States of the members of a volume when a request begins."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext

from simio.machines.failing import requests
from simio.machines.variable import load
from simio.machines.volume import planner
from simio.machines.volume.layout import both
from simio.program.builder import Builder, Register, since

_STATES = {"before the failure": "==", "without the disk": "<", "where it is rebuilt": ">"}
"""States of a volume, and the comparison of present members with all (`Request`)."""


class Changes:
    """The state of members for a request: one is lost, or a spare has its place there.

    A request is served in the state in which it begins.
    """

    def __init__(
        self,
        p: Builder,
        name: str,
        number: int,
        lost: Mapping[int, int | None],
        spare: int | None,
        chunk: int,
        pairs: bool,
    ) -> None:
        """`lost` are the members that can be lost, with the words that say so, or None where one is from the start.

        A spare takes the place of member `spare`, unless that is None; `chunk` bytes are rebuilt at a time.

        With `pairs` the volume works without two members.
        """
        self.p = p
        self.name = name
        self.number = number
        self.words = lost
        self.spare = spare
        self.chunk = chunk
        self.pairs = pairs and len(lost) > 1
        self.progress = p.variable(f"{name} replaced")
        """Address on each member up to which the spare is a member like others."""
        self.lost = p.machine(f"{name} lost", requests.places())
        """Starts of the chunks that could not be rebuilt."""
        self.requests = p.variable(f"{name} requests")
        possible = {"before the failure": None not in lost.values(), "where it is rebuilt": spare is not None}
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
                self.find(present, plan, at, size)
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

    def find(self, present: Register, plan: int, at: Register, size: int) -> None:
        """Set `present`: the first lost member, or two of them, unless the spare has all that is asked for."""
        p, word, number = self.p, self.p.register(), self.number
        present.set(number)
        for member, gone in sorted(self.words.items(), reverse=True):
            if gone is not None:
                p.call(word, load, gone)
            with nullcontext() if gone is None else p.when(word > 0):
                self._lose(present, member)
        if self.spare is not None:
            with p.when(present < self.number), p.scope():
                begin, end = p.register(), p.register()
                p.call(begin, planner.open_request, plan, at, size)
                p.call(begin, planner.extent, plan, 0)
                p.call(end, planner.extent, plan, 1)
                with p.when(end <= self.progress.load(word)):
                    # Lost data begin at these places, and are a chunk long.
                    begin.set(begin - (self.chunk - 1))
                    p.call(word, requests.between, self.lost, begin, end)
                    with p.when(word == 0):
                        self._replace(present)

    def _lose(self, present: Register, member: int) -> None:
        """One member more is lost, which comes before those that are."""
        if not self.pairs:
            present.set(member)
            return
        p, number = self.p, self.number
        with p.scope():
            before = p.register(present)
            with p.when(before == number):
                present.set(member)
            with p.when(before < number), p.when(before >= 0):
                present.set(both(member, 0, number) - before)

    def _replace(self, present: Register) -> None:
        """The spare is in its member's place, whether another one is lost or not."""
        p, number, spare = self.p, self.number, self.spare
        assert spare is not None
        if self.pairs:
            with p.when(present < 0), p.scope():
                code = p.register(-1 - present)
                present.set(code // number + code % number + (number + 2 - spare))
        with p.when(present < number):
            present.set(number + 1)
