"""The policy of a host's driver for commands that fail, as data that are known before the run.

A driver that hears nothing of a command aborts it after a timeout and sends it again. Over Fibre Channel it is told
that a port cannot be reached when a link has been down for R_T_TOV (FC-PH: a link failure): it then has back all that
it had sent there, and holds commands until the port is there again, or until it has held them for too long.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from simio.components.faults.condition import merged
from simio.description.model import Disk, Link


@dataclass(frozen=True)
class Outage:
    """The route to a disk is down from `begin` on and before `end`, in ps.

    If the driver gets a report of it, that is at `reported`, and until `held` it holds commands. Then it sends them
    or, if the outage is `fatal`, gives the disk up.
    """

    begin: int
    end: int
    reported: int | None = None
    held: int = 0
    fatal: bool = False


def outages(links: Sequence[Link], hold: int | None) -> tuple[Outage, ...]:
    """The outages of a route over these links, whose driver holds commands for `hold` ps at most (None: for none)."""
    spans = merged(span for link in links for span in link.down)
    if hold is None or not spans:
        return tuple(Outage(begin, end) for begin, end in spans)
    failure = max(link.part.sheet.link_failure for link in links)
    return tuple(
        Outage(begin, end)
        if end - begin <= failure
        else Outage(begin, end, begin + failure, min(end, begin + failure + hold), end - begin > failure + hold)
        for begin, end in spans
    )


@dataclass(frozen=True)
class Policy:
    """Number of retries, and the times in ps before each, of the driver of a `disk` on a `host`.

    A command that ended with an error of the medium is sent again at once, `medium_retries` times. One that was lost
    in an outage of the route is aborted `timeout` after it was sent and sent again, `retries` times. A drive that
    answers nothing from `silent_from` on is given up `silence` after it got the first command that it did not answer.
    """

    host: str
    disk: str
    outages: tuple[Outage, ...] = ()
    timeout: int = 0
    retries: int = 0
    medium_retries: int = 0
    silent_from: int | None = None
    silence: int = 0

    @cached_property
    def cut_off(self) -> bool:
        """True if outages can make the driver give the disk up.

        Attempts are at least `timeout` apart. So an outage that is not reported costs a command one that was under
        way when it began, and one in each `timeout` of its length.
        """
        attempts = sum(1 - (each.begin - each.end) // self.timeout for each in self.outages if each.reported is None)
        return attempts > self.retries or any(each.fatal for each in self.outages)

    @property
    def gives_up(self) -> bool:
        """True if anything can make the driver give the disk up."""
        return self.cut_off or self.silent_from is not None


def policy(host: str, disk: Disk, route: tuple[Outage, ...], timeout: int, retries: int) -> Policy | None:
    """The policy of a kernel's driver with this `timeout` and `retries`; None if no command of the disk can fail."""
    errors, failure = disk.read_errors, disk.failure
    unreadable = errors is not None and errors.unrecovered
    if not (route or unreadable or failure):
        return None
    return Policy(
        host,
        disk.name,
        route,
        timeout,
        retries,
        errors.command_retries if errors and unreadable else 0,
        failure.at if failure else None,
        failure.timeout or timeout if failure else 0,
    )
