"""Files as programs that copy them use them: written from a socket, or read by several processes."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from simio.components.files.cached import Arrived, CachedFile, Mount
from simio.program.builder import Register, Variable, minimum
from simio.program.labels import called


class ReceivedFile(CachedFile):
    """A file written from its beginning on, by amounts that are known only when they are there.

    A write() goes through its bytes page by page: room in the cache, a copy, and whenever `write_behind` bytes have
    come together, they are on their way to the device. So a large write() waits at the dirty limit part way.
    """

    end: Register
    """Place of the next byte, which the open file has."""

    def __init__(self, mount: Mount, name: str, span: tuple[int, int]) -> None:
        super().__init__(mount, name, span, sequential=True)

    def open(self) -> None:
        """Once, inside the thread; the file is empty, and writing begins at its beginning."""
        super().open()
        self.end = self.p.register()
        self.begin()

    def begin(self) -> None:
        """Write from the beginning on again: the next file of several that are written with the same steps."""
        self.end.set(self.start)
        self.rewind()

    @called("writes the file")
    def write_amount(self, amount: Register, buffer: int, stored: Arrived | None = None) -> None:
        """write() of `amount` bytes, above zero, from a program's buffer of `buffer` bytes.

        `stored` emits what happens when bytes have reached the device.
        """
        p, unit, end = self.p, self.unit, self.end
        self.kernel.system_call()
        with p.scope():
            left, part, within = p.register(amount), p.register(), p.register()
            with p.until(left == 0):
                within.set(end % unit)
                part.set(minimum(unit - within, left))
                p.put(self.dirty, part)
                self._look_up(unit)
                with p.when(within == 0):
                    self._enter(unit)
                self.host.copy_amount(part, buffer)
                left.set(left - part)
                end.set(end + part)
                self._write_behind(end, stored)

    def write_whole(self, size: int, stored: Arrived | None = None) -> None:
        """write() of a whole buffer of `size` bytes."""
        with self.p.scope():
            self.write_amount(self.p.register(size), size, stored)

    def _write_behind(self, end: Register, stored: Arrived | None) -> None:
        p, together = self.p, self.sheet.write_behind
        with p.when(end - self.fetched >= together):
            self._flush(self.fetched, together, self._grain(), stored)
            self.fetched.set(self.fetched + together)


class SentFile(CachedFile):
    """A file read in order, of which a large read() copies arrived windows while it waits for the rest."""

    @called("reads the file")
    def read(self, at: Register, size: int, aligned: int, copy: bool, cached: bool = False) -> None:
        """read() of `size` bytes; `copy`: into the program's buffer. `cached`: all of the file is in the cache."""
        if not self.ahead_by:
            super().read(at, size, aligned, copy, cached)
            return
        self.kernel.system_call()
        if self.sheet.ahead_of_arrived and not cached:
            for amount in self._come(at, size, self.sheet.cluster):
                self._look_up(amount)
                if copy:
                    self.host.copy(amount, size)
            return
        if not cached:
            self._keep_ahead(at, size)
        for amount in self.p.pieces(size, self.ahead_by):
            self._look_up(amount)
            if not cached:
                self.p.get(self.cached, amount)
            if copy:
                self.host.copy(amount, size)


class SharedFile(SentFile):
    """A file that several processes read at once: the first asks for a window, which all of them then have.

    `cached` of each is what has come and it has not read yet. Where the next window begins is a variable of the
    file; no time passes between looking there and claiming the window.
    """

    def __init__(
        self, mount: Mount, name: str, span: tuple[int, int], names: Sequence[str], claimed: Variable
    ) -> None:
        """`names` are those of all who read it, its own among them; `claimed` starts at the file's first byte."""
        super().__init__(mount, name, span, sequential=True)
        self.readers = [self.p.container(f"{reader} cached") for reader in names]
        self.claimed = claimed

    def rewind(self) -> None:
        """Keep the claimed windows."""
        self._look()

    def _look(self) -> None:
        self.claimed.load(into=self.fetched)

    def _keep_ahead(self, at: Register, size: int, wanted: bool = False) -> None:
        self._look()
        super()._keep_ahead(at, size, wanted)

    def _share(self, size: int) -> Fraction:
        # Another process may have asked for what this one needs.
        return Fraction(0)

    def _window(self, size: int) -> None:
        self.claimed.store(self.fetched + size)
        super()._window(size)
        self._look()

    def _arrived(self, size: int) -> None:
        for cached in self.readers:
            self.p.put(cached, size)
