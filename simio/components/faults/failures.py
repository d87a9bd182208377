"""Requests that can fail: the caller learns of a failure, in whichever thread it was found."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager

from simio.description.model import System
from simio.machines.failing import requests
from simio.program.builder import Builder, Register

_SURVIVED = {"raid3": 1, "raid5": 1, "raid6": 2}
"""Members that volumes do without by parity; others have its number in their description, if they have parity."""


class Failures:
    """The requests of a system that can fail.

    Steps that are emitted while a request is `watched` belong to it, as do those of the threads that they start.
    """

    def __init__(self, p: Builder) -> None:
        self.p = p
        self.state = p.machine("requests", requests.initial())
        self.rebuilds: list[Callable[[], None]] = []
        """Functions that emit the threads that rebuild volumes."""
        self._number: Register | None = None

    @contextmanager
    def watched(self, failed: Register) -> Iterator[None]:
        """Run the body as a request; afterwards `failed` is 1 if it has failed, else 0."""
        p = self.p
        with p.scope():
            number = p.answer(requests.OPEN, self.state)
            outer, self._number = self._number, number
            yield
            self._number = outer
            p.call(failed, requests.ENDED, self.state, number)

    def fail(self) -> None:
        """Fail the request that these steps belong to; emits nothing outside of a watched one."""
        p = self.p
        if self._number is not None:
            with p.scope():
                p.call(p.register(), requests.FAIL, self.state, self._number)

    @contextmanager
    def counted(
        self, failed: Register, number: int, which: Register | None = None
    ) -> Iterator[Callable[[int], None]]:
        """Run the body as `number` parts of a request; afterwards `failed` is how many of them have failed.

        Gives a function that fails a part by its index. `which` is the index of the last that has failed, or -1. The
        request itself does not fail with a part.
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


def loses_commands(system: System, disk: str, cut: Collection[str]) -> bool:
    """True if commands of a disk can fail; in `cut` are disks that a host can give up because of outages."""
    described = system.disks[disk]
    errors = described.read_errors
    return disk in cut or described.failure is not None or (errors is not None and errors.unrecovered)


def can_fail(system: System, name: str, cut: Collection[str] = ()) -> bool:
    """True if requests of a disk or volume can fail: if those of more members can than it survives without.

    `cut` are the disks that a host can give up because of outages of the route to them.
    """
    volume = system.volumes.get(name)
    if volume is None:
        return loses_commands(system, name, cut)
    members = [member for member in volume.members if member not in volume.failed]
    failing = sum(can_fail(system, member, cut) for member in members)
    if volume.kind == "mirror":
        return failing == len(members)
    return failing > max(_SURVIVED.get(volume.kind, volume.parity) - len(volume.failed), 0)
