"""Files that a program reads in order again and again, and drops from the cache before each pass, as fio does."""

from __future__ import annotations

from simio.components.files.cached import CachedFile
from simio.program.builder import Register
from simio.program.labels import called


class LoopedFile(CachedFile):
    """A file of which each pass comes from the device anew, from a read at its beginning on.

    fio closes its files behind each pass, and drops their pages when it opens them (`invalidate`; ioengines.c:
    td_io_open_file). What was read ahead and not read is dropped as well, once it has come.
    """

    taken: Register
    """Bytes of this pass that were read."""

    def open(self) -> None:
        """Once, inside the thread."""
        super().open()
        self.taken = self.p.register(0)

    @called("reads the file")
    def read(self, at: Register, size: int, aligned: int, copy: bool, cached: bool = False) -> None:
        """read() of `size` bytes; `copy`: into the program's buffer. `cached`: all of the file is in the cache."""
        with self.p.when(at == self.start):
            self._begin()
        super().read(at, size, aligned, copy, cached)
        self.taken.set(self.taken + size)

    def _begin(self) -> None:
        """Drop what is in the cache, and begin a pass."""
        p = self.p
        with p.scope():
            left = p.register(self.fetched - self.start - self.taken)
            with p.when(left > 0):
                p.get(self.cached, left)
        self.rewind()
        self.taken.set(0)
