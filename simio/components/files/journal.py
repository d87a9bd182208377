"""The journal of a file system: what fsync() waits for beside the data.

A change of metadata joins the transaction that is open. A commit writes it to the journal: first its body, which is
waited for, then, behind a flush of the device, the record that makes it count, which has to be on the media, too.
The first thread to need the open transaction closes it and commits it; later changes join the next one, and
all who need that one wait for one commit (Linux fs/jbd2/commit.c, jbd2_journal_commit_transaction, and
fs/xfs/xfs_log_cil.c).
"""

from __future__ import annotations

from simio.components.files.cached import Mount
from simio.components.turns import Turns
from simio.program.builder import Builder
from simio.program.labels import labelled

PLACE = 2**20
"""Bytes, a multiple of which is where a journal begins."""


class Inode:
    """A file as its journal sees it: its transaction, and the grain of time in which it was changed last."""

    def __init__(self, p: Builder, name: str) -> None:
        self.transaction = p.variable(f"{name} transaction")
        self.changed = p.variable(f"{name} changed")


class FileSystemJournal:
    """The journal of a mounted file system, or what stands for it where there is none: a flush of the device."""

    def __init__(self, mount: Mount) -> None:
        self.mount, self.p = mount, mount.kernel.p
        self.kernel, self.sheet, self.device = mount.kernel, mount.sheet, mount.device
        self._inodes: dict[str, Inode] = {}
        if self.sheet.journal_record is None:
            return
        p, name = self.p, self.device.name
        self.host_name = f"{name} journal"
        self.turns = Turns(p, self, name, "commits", self.sheet.journal_commits)
        self.open = p.variable(f"{name} journal transaction")
        self.written = p.variable(f"{name} journal bytes")
        self.expired = p.container(f"{name} journal expired", unit="transactions")
        with p.thread(f"{name} journal timer", daemon=True), p.forever():
            p.get(self.expired, 1)
            with p.scope():
                self.turns.serve(self.turns.next(), self._commit)

    def changed(self, file: str) -> None:
        """Steps of a write to a file: its times change, unless they did in this grain of time."""
        if self.sheet.journal_record is None:
            return
        p, inode = self.p, self._inode(file)
        with p.scope():
            grain, before = p.now(), p.register()
            grain.set(grain // self.sheet.time_grain + 1)
            inode.changed.load(into=before)
            with p.when(before < grain):
                inode.changed.store(grain)
                number, open_ = self.turns.next(), p.register()
                inode.transaction.store(number)
                self.open.load(into=open_)
                with p.when(open_ < number):
                    self.open.store(number)
                    with p.fork("commit timer", daemon=True):
                        p.wait(self.sheet.commit_interval)
                        with p.when(self.turns.begun(number) == 0):
                            p.put(self.expired, 1)

    def sync(self, file: str, data_only: bool = False) -> None:
        """Steps of fsync(), or fdatasync() with `data_only`, once a file's data have been written to the device.

        A commit that has begun may have flushed the device before these data came, so that they are flushed, too
        (Linux fs/jbd2/journal.c, jbd2_trans_will_send_data_barrier).
        """
        p = self.p
        if self.sheet.journal_record is None or data_only:
            self.device.flush()
            return
        with p.scope():
            number = p.register()
            self._inode(file).transaction.load(into=number)
            begun = self.turns.begun(number)
            with p.when(begun == 0):
                self.turns.serve(number, self._commit, self.kernel.wake)
            with p.when(begun == 1):
                self.turns.serve(number, self._commit, self.kernel.wake)
                self.device.flush()

    def _inode(self, file: str) -> Inode:
        if file not in self._inodes:
            self._inodes[file] = Inode(self.p, file)
        return self._inodes[file]

    @labelled("journal", "host_name")
    def _commit(self) -> None:
        """One commit, by the thread of the journal."""
        sheet = self.sheet
        self.kernel.wake()
        self.kernel.host.work(sheet.commit_cost)
        if sheet.journal_body:
            self._append(sheet.journal_body)
        self.device.flush()
        self._append(sheet.journal_record)
        # In place of forced unit access, which not all drives have: the flush that then follows (block/blk-flush.c).
        self.device.flush()

    def _append(self, size: int | None) -> None:
        """Write to the journal, which begins anew where it ends, and wait."""
        p, device = self.p, self.device
        size = -(-(size or 0) // device.sector) * device.sector
        room = min(self.sheet.journal_size, device.capacity // 4) // PLACE * PLACE
        first = device.capacity // 2 // PLACE * PLACE
        with p.scope():
            at = p.register()
            self.written.increment(size, into=at)
            at.set(at % room + first if room else first)
            device.write(at, size, device.sector)
            self.kernel.wake()
