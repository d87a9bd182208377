"""Storage of an NFS server's files: disks of its own, or those of a storage manager that directs transfers."""

from __future__ import annotations

from collections.abc import Callable

from simio.components.files.served import ServedFile
from simio.components.host.kernel import UnixKernel
from simio.program.builder import Register


class OwnDisks:
    """A conventional server: its threads go through the file system's cache, and data through its memory.

    A thread that writes holds the file's lock until the block is where it is to be (VOP_RWLOCK of System V Release 4
    about VOP_WRITE; C. Juszczak, "Improving the write performance of an NFS server", USENIX Winter 1994). So stable
    blocks of one file reach a disk one after the other, however many commands it takes.
    """

    def __init__(self, file: ServedFile) -> None:
        self.file = file
        self.lock = file.p.resource(f"{file.name} lock", lock=True)

    def read(self, block: Register) -> None:
        """See `ServerStorage.read`."""
        self.file.read(block)

    def write(self, block: Register, copy: Callable[[], None], stable: bool) -> None:
        """See `ServerStorage.write`."""
        if stable:
            copy()
            with self.file.p.hold(self.lock):
                self.file.write_through(block)
        else:
            self.file.write(block, copy)

    def commit(self) -> None:
        """See `ServerStorage.commit`."""
        self.file.commit()


class ThirdParty:
    """A port whose requests a storage manager carries out, data going between disks and the port past the manager.

    A request and its answer are messages between processors, each of which interrupts whom it goes to; a request may
    pass one that looks its file up on the way. The file is the manager's; its device is to be one that transfers into
    the port's memory.
    """

    def __init__(self, file: ServedFile, port: UnixKernel, metadata: UnixKernel | None) -> None:
        """`metadata` is the host that looks files up, if it is not the manager."""
        self.file, self.manager, self.port = file, file.kernel, port
        self.passed = [metadata, self.manager] if metadata else [self.manager]

    def _ask(self) -> None:
        for processor in self.passed:
            processor.interrupt()
            processor.system_call()

    def _answered(self) -> None:
        self.port.interrupt()
        self.port.wake()

    def read(self, block: Register) -> None:
        """See `ServerStorage.read`."""
        self._ask()
        self.file.read(block, self.manager.wake)
        self._answered()

    def write(self, block: Register, copy: Callable[[], None], stable: bool) -> None:
        """See `ServerStorage.write`: the port keeps nothing; disk modules have each block before the reply."""
        copy()
        self._ask()
        self.file.write_through(block, self.manager.wake)
        self._answered()

    def commit(self) -> None:
        """See `ServerStorage.commit`: nothing is left to do."""
