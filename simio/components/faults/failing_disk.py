"""A drive whose media has read errors: it reads such sectors again, and may have to give up."""

from __future__ import annotations

from typing import Any

from simio.components.storage.disk import DiskDrive
from simio.components.storage.interfaces import Transport
from simio.description.model import Disk
from simio.description.sheets.disks import Drive
from simio.errors import RunError
from simio.machines.disk import queue, reading
from simio.machines.door import Called
from simio.machines.failing import calls as failing
from simio.machines.failing import layout
from simio.machines.layout import State
from simio.program.builder import Builder, Handle, Operand, Register

_DRAWING = (queue.enqueue, reading.begin, reading.next_unit)
"""Calls after which the drive may need a new random distance to the next media error."""


class FailingDrive(DiskDrive):
    """`DiskDrive` with the machine of `simio.machines.failing` in place of the disk's own.

    A read that is given a register `failed` ends early where the drive gives up a sector, and sets it.
    """

    any_size = False
    flows = False

    def __init__(self, p: Builder, disk: Disk[Drive]) -> None:
        """Raises RunError if an error is at a sector that the disk does not have."""
        assert disk.read_errors is not None
        self.errors = disk.read_errors
        self.after = 0
        super().__init__(p, disk)
        sheet = disk.part.sheet
        worst = max((*self.errors.marginal, *self.errors.unreadable), default=0)
        if worst >= self.shared.sectors:
            raise RunError(f"disk {disk.name!r} has no sector {worst}; its last is {self.shared.sectors - 1}")
        self.chances: dict[int, Handle] = {
            kind: p.exponential(f"{disk.name} {what}", between // sheet.sector)
            for kind, what, between in (
                (1, "recoverable errors", self.errors.recoverable),
                (2, "unrecoverable errors", self.errors.unrecoverable),
            )
            if between
        }
        at = self.state + self.after
        p.tally(disk.name, "read errors recovered", at + layout.RECOVERED, "errors")
        p.tally(disk.name, "commands ended by a medium error", at + layout.UNREADABLE, "commands")
        p.tally(disk.name, "reading again", at + layout.LOST, "ps")

    def _initial(self) -> State:
        """The state of the disk, and what follows it."""
        state = super()._initial()
        errors = self.errors
        retries = errors.retries
        if errors.time_limit is not None:
            retries = min(retries, errors.time_limit // self.shared.revolution)
        self.after = len(state)
        return state + layout.initial(
            self.sheet.queue_depth + 1,
            retries,
            errors.rereads,
            soft=errors.recoverable is not None,
            hard=errors.unrecoverable is not None,
            unreadable=errors.unreadable,
            marginal=errors.marginal,
        )

    def ask(self, answer: Register, function: Called, a: Operand = 0, b: Operand = 0) -> None:
        """answer = a function of the machine; draws the distance to the next error by chance if it needs one."""
        p = self.p
        p.call(answer, failing.OF_DISK[function], self.state, a, b)
        if not self.chances or function not in _DRAWING:
            return
        with p.scope():
            wanted, sectors = p.register(), p.register()
            p.call(wanted, failing.WANTS, self.state)
            with p.when(wanted > 0):
                for kind, chance in self.chances.items():
                    with p.when(wanted != 3 - kind):
                        p.draw(sectors, chance)
                        p.call(sectors, failing.SET_DISTANCE, self.state, kind, sectors)

    def _transfer(self, tag: Register, count: Any, transport: Transport, failed: Register | None) -> None:
        """The transfer of any disk, up to where the drive gives up."""
        if failed is None:
            super()._transfer(tag, count, transport, failed)
            return
        p, unit = self.p, min(self._sectors(transport.unit), count)
        wait = p.register()

        def send(sectors: int, first: bool) -> None:
            with p.when(failed == 0):
                self.ask(wait, reading.next_unit, tag, sectors)
                with p.label("mechanism", self.name):
                    p.wait(wait)
                p.call(failed, failing.FAILED, self.state, tag)
            if first:
                p.seize(self.data)
            with p.when(failed == 0):
                transport.send(sectors * self.sheet.sector)

        send(unit, True)
        for sectors in p.pieces(count - unit, unit):
            send(sectors, False)
        p.release(self.data)

    def _occupy(self, count: int, once: bool) -> None:
        """Declare to the bound the work that certainly passes the media: none if the drive may give up."""
        if not self.errors.unrecovered:
            super()._occupy(count, once)
