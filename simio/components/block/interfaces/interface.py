"""Costs of an interface: a request, a look for done ones, a sleep; in ps of the kernel's reference CPU."""

from __future__ import annotations

from dataclasses import dataclass

from simio.description.sheets.linux import LinuxKernelSheet


@dataclass(frozen=True)
class Way:
    """The way between a program and its drive: the kernel, the driver's cost a request, and how files are given.

    `program` is the program's own time a request, `beyond` the bytes of its buffer that lie on the second page and
    further ones in the mean, `scheduler` its time outside of locks, `commands` how many the block layer makes of a
    request, `batch` the requests that one call submits.
    """

    sheet: LinuxKernelSheet
    driver: int
    program: int
    beyond: int
    registered: bool
    scheduler: int = 0
    commands: int = 1
    batch: int = 1

    @property
    def call(self) -> int:
        """A request's share of the system call that submits it."""
        return self.sheet.system_call // self.batch

    @property
    def block(self) -> int:
        """The steps from the kernel's entry for a request to the doorbell of the drive."""
        mapped = self.further(self.sheet.page_map)
        return self.commands * (self.sheet.block_request + self.driver) + mapped + self.scheduler

    @property
    def pinned(self) -> int:
        """Look up the file, pin and release the buffer's pages; registered ones need none of it."""
        if self.registered:
            return 0
        return self.sheet.file_lookup + self.sheet.page_pin + self.further(self.sheet.page_pin)

    def further(self, cost: int) -> int:
        """Cost of all pages of the buffer behind its first, at `cost` each."""
        return cost * self.beyond // self.sheet.page


class RequestInterface:
    """An interface; a process that `polls` never sleeps, `helper` is a kernel thread that submits for it.

    `interrupts` is True where completions come by interrupt. `deepest` is the most requests a process can have
    outstanding; None: any number.
    """

    name = ""
    polls = False
    interrupts = True
    helper = False
    kernel = True
    """True if requests go through the kernel's block layer."""
    deepest: int | None = None

    def cost(self, way: Way) -> int:
        """CPU time of the process a request: to take one that is done, and to submit the next."""
        raise NotImplementedError

    def look(self, way: Way) -> int:
        """CPU time of a look for done requests, however many it finds."""
        return 0

    def sleep(self, way: Way) -> int:
        """CPU time to go to sleep, beside the switch."""
        return 0

    def submits(self, way: Way) -> int:
        """CPU time of the helper a request."""
        return 0


INTERFACES: dict[str, RequestInterface] = {}
"""The interfaces by name."""


def register_interface(interface: RequestInterface) -> None:
    """Make an interface known by its name. Raises ValueError for a name twice."""
    if INTERFACES.setdefault(interface.name, interface) is not interface:
        raise ValueError(f"an interface {interface.name!r} is registered already")
