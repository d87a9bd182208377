"""Requests that can fail: who makes one learns of it, whoever found that out and in whichever thread."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager

from simio.description.model import System
from simio.machines.failing import requests
from simio.program.builder import Builder, Register


class Failures:
    """The requests of a system of which some can fail.

    Steps that are emitted while a request is `watched` belong to it, those of the threads that they start as well.
    """

    def __init__(self, p: Builder) -> None:
        self.p = p
        self.state = p.machine("requests", requests.initial())
        self.rebuilds: list[Callable[[], None]] = []
        """What emits the threads that rebuild volumes."""
        self._number: Register | None = None

    @contextmanager
    def watched(self, failed: Register) -> Iterator[None]:
        """The steps inside are a request, over at their end; `failed` is 1 then if it has failed, and else 0."""
        p = self.p
        with p.scope():
            number = p.register()
            p.call(number, requests.OPEN, self.state)
            outer, self._number = self._number, number
            yield
            self._number = outer
            p.call(failed, requests.ENDED, self.state, number)

    def fail(self) -> None:
        """The request that these steps belong to has failed; one that nobody watches is none that can."""
        p = self.p
        if self._number is not None:
            with p.scope():
                p.call(p.register(), requests.FAIL, self.state, self._number)

    @contextmanager
    def counted(
        self, failed: Register, number: int, which: Register | None = None
    ) -> Iterator[Callable[[int], None]]:
        """The steps inside have `number` parts; `failed` is how many of them have failed, when they are over.

        Gives what says of a part that it has. `which` is the last that has, or -1. None of that makes the request
        fail to which the steps belong.
        """
        p = self.p
        with p.scope():
            first, part = p.register(), p.register()
            p.call(first, requests.OPEN, self.state)
            for _ in range(1, number):
                p.call(part, requests.OPEN, self.state)

            def fail(which: int) -> None:
                part.set(first + which)
                p.call(part, requests.FAIL, self.state, part)

            yield fail
            failed.set(0)
            if which is not None:
                which.set(-1)
            for number_of_part in range(number):
                p.call(part, requests.ENDED, self.state, first)
                failed.set(failed + part)
                first.set(first + 1)
                if which is not None:
                    with p.when(part > 0):
                        which.set(number_of_part)


def loses_commands(system: System, disk: str, cut: Collection[str] = ()) -> bool:
    """Whether a disk can end a command with an error or never answer it, those in `cut` since its way is down."""
    described = system.disks[disk]
    errors = described.read_errors
    return disk in cut or described.failure is not None or (errors is not None and errors.unrecovered)


def can_fail(system: System, name: str, cut: Collection[str] = ()) -> bool:
    """Whether requests of a disk or volume can fail: more of its members can than it survives without.

    `cut` are the disks that a host can give up since the way to them is down.
    """
    volume = system.volumes.get(name)
    if volume is None:
        return loses_commands(system, name, cut)
    members = [member for member in volume.members if member not in volume.failed]
    failing = sum(can_fail(system, member, cut) for member in members)
    if volume.kind == "mirror":
        return failing == len(members)
    survives = 1 - len(volume.failed) if volume.kind in ("raid3", "raid5") else 0
    return failing > survives
