"""Files that are read once, from beginning to end, by any of several threads alike."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from math import gcd
from typing import Any

from simio.components.files.cached import FileInCache, Mount
from simio.program.builder import Register
from simio.program.labels import called

Around = Callable[[Any], AbstractContextManager[Any]]
"""Emits the work before and after a read() of this many bytes."""


class StreamedFile(FileInCache):
    """A file of a fixed size that lies where a register says, and is not in the cache.

    While the program takes a window, the next is read. A window is the file system's read-ahead; without one the
    program waits for each read().
    """

    def __init__(self, mount: Mount, size: int) -> None:
        super().__init__(mount, (0, size))

    @called("reads the file")
    def read(self, at: Register, transfer: int, aligned: int, copy: bool, around: Around) -> None:
        """All of the file at address `at`, by read()s of `transfer` bytes, with `around` each.

        `copy`: into the program's buffer.
        """
        p = self.p
        window = max(self.sheet.read_ahead, transfer) // transfer * transfer
        place, rest = p.register(at), self.size % window
        ahead = bool(self.sheet.read_ahead)
        if ahead:
            self._fetch(place, min(window, self.size), gcd(aligned, window))
        for number, amount in ((self.size // window, window), (1, rest)):
            if not number or not amount:
                continue
            with p.loop(number):
                if not ahead:
                    self._fetch(place, amount, gcd(aligned, window))
                p.join()
                place.set(place + amount)
                if ahead:
                    self._fetch_next(at, place, window, gcd(aligned, window))
                self._take(amount, transfer, copy, around)

    def _fetch_next(self, at: Register, place: Register, window: int, aligned: int) -> None:
        """Ask for the window after the one that has come, if there is one."""
        p, whole, rest = self.p, self.size // window * window, self.size % window
        with p.scope():
            left = p.register(at + self.size - place)
            if whole > window or (whole and not rest):
                with p.when(left >= window):
                    self._fetch(place, window, aligned)
            if rest and whole:
                with p.when(left == rest):
                    self._fetch(place, rest, aligned)

    def _fetch(self, place: Register, size: int, aligned: int) -> None:
        """Have a window read in the reader's name, without waiting."""
        p = self.p
        self._enter(size)
        with p.fork("read-ahead", joined=True):
            self.device.read(place, self._whole(size), aligned)
            self.kernel.wake()

    def _take(self, size: int, transfer: int, copy: bool, around: Around) -> None:
        for amount in self.p.pieces(size, transfer):
            with around(amount):
                self.kernel.system_call()
                self._look_up(amount)
                if copy:
                    self.host.copy(amount)
