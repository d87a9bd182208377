"""Requests that can fail: who makes one learns of it, whoever found that out and in whichever thread."""

from __future__ import annotations

from collections.abc import Callable, Iterator
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
        with p.loop(1):
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
            with p.loop(1):
                p.call(p.register(), requests.FAIL, self.state, self._number)


def loses_commands(system: System, disk: str) -> bool:
    """Whether a disk can end a command with an error, or never answer it."""
    described = system.disks[disk]
    errors = described.read_errors
    return described.failure is not None or (errors is not None and errors.unrecovered)


def can_fail(system: System, name: str) -> bool:
    """Whether requests of a disk or volume can fail: more of its members can than it survives without."""
    volume = system.volumes.get(name)
    if volume is None:
        return loses_commands(system, name)
    members = [member for member in volume.members if member not in volume.failed]
    failing = sum(can_fail(system, member) for member in members)
    if volume.kind == "mirror":
        return failing == len(members)
    survives = 1 - len(volume.failed) if volume.kind == "raid5" else 0
    return failing > survives
