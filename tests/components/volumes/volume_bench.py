"""Members that only record what they are asked, and runs of requests against a volume of them on both engines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import NamedTuple

from simio.components.passage import Passage
from simio.components.storage.interfaces import BlockDevice
from simio.components.volumes import make_volume
from simio.description.model import Volume
from simio.engines import compiled, reference
from simio.engines.outcome import Options, Outcome, Status
from simio.program.builder import Builder, Register

SECTOR = 512


class Asked(NamedTuple):
    """A request that a member got."""

    time: int
    member: str
    verb: str
    at: int
    size: int


class Request(NamedTuple):
    """A request to a volume."""

    verb: str
    at: int
    size: int
    aligned: int = SECTOR


class Recorder:
    """A block device that serves one request at a time in `fixed` ps and `per` ps a byte, and records it."""

    def __init__(self, p: Builder, name: str, capacity: int, fixed: int = 0, per: int = 0, sector: int = SECTOR):
        self.p, self.name, self.capacity, self.sector = p, name, capacity, sector
        self.fixed, self.per = fixed, per
        self.server = p.resource(name)
        self.aligned: dict[tuple[str, int], set[int]] = {}

    def read(self, at: Register, size: int, aligned: int) -> None:
        self._serve("read", at, size, aligned)

    def write(self, at: Register, size: int, aligned: int) -> None:
        self._serve("write", at, size, aligned)

    def passage(self, writes: bool) -> Passage:
        return Passage()

    def _serve(self, verb: str, at: Register, size: int, aligned: int) -> None:
        p = self.p
        assert size > 0
        assert size % self.sector == aligned % self.sector == 0
        # Registers and a join of its own, as a driver has.
        place, rest = p.register(at), p.register()
        p.mark(p.observation(f"{self.name} {verb} {size}"), place)
        p.let(rest, "MOD", place, aligned)
        p.mark(p.observation("misaligned"), rest)
        with p.fork("service", joined=True), p.hold(self.server):
            p.advance(self.fixed + size * self.per)
        p.join()


class NoParity:
    """Parity that takes `time` ps however much it is, and is recorded."""

    def __init__(self, p: Builder, time: int = 0):
        self.p, self.time = p, time

    def xor(self, sources: int, size: int, weighted: bool = False) -> None:
        self.p.mark(self.p.observation(f"parity xor {size}"), sources)
        self.p.advance(self.time)

    def gathered(self, size: int) -> AbstractContextManager[None]:
        return nullcontext()

    def kept(self) -> AbstractContextManager[None]:
        return nullcontext()


def volume(kind: str, members: int, unit: int | None = None, name: str = "v") -> Volume:
    return Volume(name, kind, tuple(f"m{i}" for i in range(members)), unit, None, None)


def recorders(p: Builder, count: int, capacity: int = 2**40, **service: int) -> list[Recorder]:
    return [Recorder(p, f"m{i}", capacity, **service) for i in range(count)]


def plain(kind: str, members: int, unit: int | None = None, capacity: int = 2**40, xor: int = 0, **service: int):
    """A function that makes a volume over recorders."""

    def make(p: Builder) -> BlockDevice:
        devices = recorders(p, members, capacity, **service)
        return make_volume(p, volume(kind, members, unit), devices, NoParity(p, xor))

    return make


def run(make: Callable[[Builder], BlockDevice], requests: Sequence[Request], engines: str = "both"):
    """Requests one after the other: what each asked of the members, sorted, and when it was done."""
    p = Builder()
    device, done = make(p), p.observation("done")
    with p.thread("requests"):
        at = p.register()
        for request in requests:
            p.let(at, "SET", request.at)
            with p.loop(1):
                verb = device.read if request.verb == "read" else device.write
                verb(at, request.size, request.aligned)
            p.mark(done, at)
    program = p.build()
    outcome = reference.run(program, Options())
    if engines == "both":
        assert outcome.differences(compiled.run(program, Options())) == []
    assert outcome.status == Status.DONE
    names = [mark.name for mark in program.marks]
    asked: list[list[Asked]] = [[]]
    ends = []
    for time, mark, value in outcome.marks.tolist():
        if names[mark] == "done":
            # The request's address is as it was.
            assert value == requests[len(ends)].at
            ends.append(time)
            asked.append([])
        elif names[mark] == "misaligned":
            assert value == 0
        else:
            member, verb, size = names[mark].split()
            asked[-1].append(Asked(time, member, verb, value, int(size)))
    return [sorted(row) for row in asked[:-1]], ends


def outcome_of(p: Builder, **options: int) -> Outcome:
    """The outcome of a program, the same on both engines."""
    program = p.build()
    outcome = compiled.run(program, Options(**options))
    assert outcome.differences(reference.run(program, Options(**options))) == []
    return outcome
