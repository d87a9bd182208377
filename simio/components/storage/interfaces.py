"""Protocols between the layers of a storage path: block devices, transports to a drive, initiators."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

from simio.components.passage import Passage
from simio.errors import RunError
from simio.program.builder import Operand, Register


class BlockDevice(Protocol):
    """A disk behind its driver, or a volume over several: bytes at addresses.

    `at` is a register with a byte address, a multiple of `aligned`, which the steps leave as it is; `size` is a
    multiple of the sector: a constant, or a register where `any_size` is true, which the steps leave as it is. The
    steps are emitted in the calling thread and end when the request is done.
    """

    name: str
    capacity: int
    sector: int
    any_size: bool
    """True if it takes sizes in registers."""

    def read(self, at: Register, size: Any, aligned: int) -> None:
        """Fill a buffer in the host's memory with `size` bytes from the device."""

    def write(self, at: Register, size: Any, aligned: int) -> None:
        """Store `size` bytes; done when the device says so, which with a write cache is before the media has them."""

    def flush(self) -> None:
        """Have all data that were written before on the media; nothing where no power failure can take them."""

    def passage(self, writes: bool) -> Passage:
        """The passage of bytes that are written or read, if the request does not fail."""


class StorageDrive(Protocol):
    """A drive behind its interface: disk or solid-state drive. Sectors are those of the interface."""

    name: str
    sector: int
    any_size: bool
    sequential: bool
    """True if commands go over the drive once, in ascending order from its beginning."""

    @property
    def volatile(self) -> bool:
        """True if it has a write cache whose data a power failure takes, so that a host's kernel has it flushed."""

    @property
    def capacity(self) -> int:
        """Bytes that the drive holds."""

    @property
    def depth(self) -> int:
        """Commands that the drive holds."""

    @property
    def passage(self) -> Passage:
        """The least that each command takes of the drive itself, as far as that is the same for all commands."""

    def read(self, sector: Register, size: Any, transport: Transport, failed: Register | None = None) -> None:
        """A read command of `size` bytes; `failed` is above 0 afterwards if the drive gives a sector up."""

    def write(self, sector: Register, size: Any, transport: Transport, failed: Register | None = None) -> None:
        """A write command of `size` bytes; returns when the drive says that it is done."""

    def flush(self) -> None:
        """A flush command; returns when the media has all that was written before."""


class Transport(Protocol):
    """The way of one device's commands and data from a host's adapter to the drive and back.

    An `amount` is a constant, or a register above zero where `any_size` is true.
    """

    unit: int
    """Bytes that the drive gathers in its buffer before it sends them."""
    burst: int
    """Most bytes that the drive asks the host for at once."""
    any_size: bool
    """True if it takes amounts in registers."""
    pace: int
    """Time in ps of a sector of what flows to the host as the media reads it; 0 where units are gathered first."""

    def request(self) -> None:
        """The command travels from the adapter to the drive."""

    def send(self, amount: Any) -> None:
        """`amount` bytes leave the drive's buffer for the host's memory; returns when they have left the drive."""

    def fetch(self, amount: Any) -> None:
        """`amount` bytes go from the host's memory to the drive's buffer; returns when they are there."""

    def reply(self) -> None:
        """Status travels back; returns when it and all data sent before are with the host."""

    def passage(self, writes: bool) -> Passage:
        """The passage of data to the drive (`writes`) or from it."""


class Initiator(Protocol):
    """The issuer of commands to a drive: a host's driver, or the processor of an array controller."""

    queue: str
    """The name of a queue of its own for the commands of a drive; empty: all who use the drive share one."""
    tags: int
    """Commands that this queue holds at most, beside what its drive's adapter allows."""
    alone: int
    """Bytes up to which a request is one command, in the thread that asks; beyond, each has a thread of its own."""

    def requests(self, size: Any) -> Iterator[Any]:
        """Run a for loop's body for each command that a request of `size` bytes is cut into; gives its size."""

    def issue(self, size: Any) -> None:
        """Spend the cost of issuing a command."""

    def start(self) -> None:
        """Wait for room in the drive's queue, and do the work before the command is on its way."""

    def complete(self, size: Any) -> None:
        """Spend the cost of a command's completion, which moved `size` bytes."""


def check_size(device: BlockDevice, size: Operand) -> None:
    """Raise RunError for a size that is known only when a program runs, if the device takes constants only."""
    if not isinstance(size, int) and not device.any_size:
        raise RunError(
            f"{device.name!r} takes requests of sizes that are known beforehand only; one disk behind a driver, over "
            "Fibre Channel, SCSI or IPI-3, takes others, too"
        )
