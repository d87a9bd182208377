"""A volume without one of its disks, and its rebuild onto a spare.

Up to where it is rebuilt, the spare is a member like others; beyond, the volume does without, and so it does where a
chunk could not be rebuilt since another member could not read it. The rebuild reads a chunk of all other members,
computes that of the lost one, and writes it to the spare, and then goes to the next (Linux md, drivers/md/md.c:
md_do_sync). It can be kept below a rate, and above another one gives way to who uses the volume.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from fractions import Fraction

from simio.components.faults.failures import Failures
from simio.components.storage.interfaces import BlockDevice
from simio.components.volumes.parity import ParityEngine
from simio.components.volumes.requests import Verb, scope
from simio.description.faults import Failed
from simio.machines.failing import requests
from simio.machines.failing.requests import ADD, BETWEEN, MOST, NOTE
from simio.program.builder import Builder, Handle, Register
from simio.program.service import SECOND, ceil_times

WHOLE, DEGRADED, REPLACED = range(3)
_WORDS = {WHOLE: "before the failure", DEGRADED: "without the disk", REPLACED: "where it is rebuilt"}
EVERYTHING = 2**61
"""More bytes than a disk has: all that was to be rebuilt has been."""


Reach = Callable[[Register, Register, Register, int], None]
"""Steps that put into registers from where to where on its members a request is that begins at an address."""


@dataclass(frozen=True)
class States:
    """A volume as it is before a disk fails (None if that was before the run), without it, and with a spare.

    `gone` are the words of which one says that a disk is given up.
    """

    whole: BlockDevice | None
    degraded: BlockDevice
    replaced: BlockDevice | None
    gone: Sequence[int]
    reach: Reach


class ChangingVolume:
    """A volume whose requests are served by one of its states, each by that in which it begins."""

    def __init__(self, p: Builder, states: States, chunk: int) -> None:
        """`chunk` is how much is rebuilt at a time."""
        self.p = p
        self.states = states
        device = states.degraded
        self.name, self.capacity, self.sector = device.name, device.capacity, device.sector
        self.progress = p.machine(f"{self.name} replaced", [0])
        self.chunk = chunk
        self.lost = p.machine(f"{self.name} lost", requests.places())
        self.requests = p.machine(f"{self.name} requests", [0])
        self.devices = {
            mode: device
            for mode, device in ((WHOLE, states.whole), (DEGRADED, device), (REPLACED, states.replaced))
            if device is not None
        }
        self.asked = {mode: p.machine(f"{self.name} {_WORDS[mode]}", [0]) for mode in self.devices}
        for mode, word in self.asked.items():
            p.tally(self.name, f"asked {_WORDS[mode]}", word, "bytes")

    def read(self, at: Register, size: int, aligned: int) -> None:
        """As the volume is when the read begins."""
        self._request("read", at, size, aligned)

    def write(self, at: Register, size: int, aligned: int) -> None:
        """As the volume is when the write begins."""
        self._request("write", at, size, aligned)

    def _request(self, verb: Verb, at: Register, size: int, aligned: int) -> None:
        p = self.p
        with scope(p):
            mode, word = p.register(), p.register()
            self._mode(mode, word, at, size)
            p.call(word, ADD, self.requests, 1)
            for each, device in self.devices.items():
                with p.when(mode, "==", each), scope(p):
                    p.call(word, ADD, self.asked[each], size)
                    begun = p.register()
                    p.let(begun, "SINCE", 0)
                    (device.read if verb == "read" else device.write)(at, size, aligned)
                    p.let(begun, "SINCE", begun)
                    p.mark(p.observation(f"{self.name}: {_WORDS[each]}", "latency", "ps"), begun)

    def _mode(self, mode: Register, word: Register, at: Register, size: int) -> None:
        p, states = self.p, self.states
        p.let(mode, "SET", DEGRADED)
        if states.whole is not None:
            first, *others = states.gone
            p.call(word, MOST, first)
            for gone in others:
                with scope(p):
                    other = p.register()
                    p.call(other, MOST, gone)
                    p.let(word, "MAX", word, other)
            with p.when(word, "==", 0):
                p.let(mode, "SET", WHOLE)
        if states.replaced is not None:
            with p.when(mode, "==", DEGRADED), scope(p):
                begin, end = p.register(), p.register()
                states.reach(begin, end, at, size)
                p.call(word, MOST, self.progress)
                with p.when(end, "<=", word):
                    # What was lost begins at these places, and is a chunk long.
                    p.let(begin, "SUB", begin, self.chunk - 1)
                    p.call(word, BETWEEN, self.lost, begin, end)
                    with p.when(word, "==", 0):
                        p.let(mode, "SET", REPLACED)


@dataclass(frozen=True)
class Rebuild:
    """What rebuilds a volume: from which members onto which spare, `parity` being None for a mirror.

    `noticed` lets pass who waits for the disk to be given up; None where it had failed before the run. It ends where
    it is when one of `words` says that another member is given up.
    """

    p: Builder
    volume: ChangingVolume
    others: Sequence[BlockDevice]
    spare: BlockDevice
    parity: ParityEngine | None
    fault: Failed
    extent: int
    failures: Failures
    noticed: Handle | None
    words: Sequence[int] = ()

    def thread(self) -> None:
        """The thread that rebuilds; it does not keep the run alive if it waits for a failure during that."""
        p, chunk, name = self.p, self.fault.chunk, self.volume.name
        took = p.observation(f"{name}: rebuild", "latency", "ps")
        stream = p.observation(f"{name}: rebuilt", "sent", "bytes")
        rebuilt, lost = p.machine(f"{name} rebuilt", [0]), self.volume.lost
        p.tally(name, "rebuilt", rebuilt, "bytes")
        p.tally(name, "chunks that could not be rebuilt", lost, "chunks")
        p.gauge(name, "rebuilt", rebuilt, "bytes")
        with p.thread(f"{name}: rebuild", daemon=self.noticed is not None):
            begun, at, failed, word = (p.register() for _ in range(4))
            if self.noticed is not None:
                p.get(self.noticed, 1)
            p.let(begun, "SINCE", 0)
            p.let(at, "SET", 0)
            # Condition that always holds: the work may end before, so that the bound must not count on any of it.
            with p.when(begun, ">=", 0), p.loop(self.extent // chunk), self._possible(), self._paced():
                with self.failures.watched(failed), scope(p):
                    self._chunk(at, chunk)
                with p.when(failed, ">", 0):
                    p.call(word, NOTE, lost, at)
                with p.when(failed, "==", 0):
                    p.call(word, ADD, rebuilt, chunk)
                    p.mark(stream, chunk)
                p.let(at, "ADD", at, chunk)
                p.call(word, MOST, self.volume.progress, at)
            with self._possible():
                p.let(begun, "SINCE", begun)
                p.mark(took, begun)
                p.call(word, MOST, self.volume.progress, EVERYTHING)

    @contextmanager
    def _possible(self) -> Iterator[None]:
        """Steps for as long as all other members are there."""
        p = self.p
        with ExitStack() as conditions, scope(p):
            for word in self.words:
                gone = p.register()
                p.call(gone, MOST, word)
                conditions.enter_context(p.when(gone, "==", 0))
            yield

    def _chunk(self, at: Register, chunk: int) -> None:
        """Read what the others have of it, compute what they add up to, and write that."""
        p, grain = self.p, chunk
        for other in self.others:
            with p.fork(f"{self.volume.name}: rebuild", joined=True):
                other.read(at, chunk, grain)
        p.join()
        if self.parity is not None:
            self.parity.xor(len(self.others), chunk)
        self.spare.write(at, chunk, grain)

    @contextmanager
    def _paced(self) -> Iterator[None]:
        """Steps for a chunk, after which it is waited until the next may begin."""
        p, fault = self.p, self.fault
        with scope(p):
            begun, before, least = p.register(), p.register(), p.register()
            p.let(begun, "SINCE", 0)
            p.call(before, ADD, self.volume.requests, 0)
            yield
            p.let(least, "SET", _time(fault.chunk, fault.rate))
            if fault.least is not None:
                now = p.register()
                p.call(now, ADD, self.volume.requests, 0)
                with p.when(now, "!=", before):
                    p.let(least, "MAX", least, _time(fault.chunk, fault.least))
            p.let(begun, "SINCE", begun)
            p.let(least, "SUB", least, begun)
            p.let(least, "MAX", least, 0)
            p.advance(0, least, 1)


def _time(size: int, rate: Fraction | None) -> int:
    """Time of so many bytes at a rate, in ps; none where there is no limit."""
    return 0 if rate is None else ceil_times(size, SECOND / rate)
