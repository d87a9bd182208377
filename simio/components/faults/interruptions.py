"""When the way from a host to a disk is down, and what the host's driver makes of that.

All of it is known beforehand. A driver that hears nothing of a command aborts it after a timeout and sends it again.
Over Fibre Channel it is told that a port cannot be reached when a link has been down for R_T_TOV (FC-PH: a link
failure): it then has back all that it had sent there, and holds commands until the port is there again, or until it
has held them for too long.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from simio.components.faults.outages import merged
from simio.description.model import Link


@dataclass(frozen=True)
class Interruption:
    """A way is down from `begin` on and before `end`, in ps."""

    begin: int
    end: int


@dataclass(frozen=True)
class Told(Interruption):
    """An interruption of which the driver is told at `known`; until `over` it holds commands.

    Then it sends them, or, if it is `lost`, gives the disk up.
    """

    known: int
    over: int
    lost: bool


@dataclass(frozen=True)
class Way:
    """The way from `host` to `disk` in its interruptions, one after the other; and the driver's patience with it.

    A command of which nothing is heard is aborted `timeout` ps after it was sent, and sent again `retries` times.
    """

    host: str
    disk: str
    interruptions: tuple[Interruption, ...]
    timeout: int
    retries: int

    @property
    def told(self) -> list[tuple[int, Told]]:
        """The interruptions of which the driver is told, each with its number."""
        return [(number, each) for number, each in enumerate(self.interruptions) if isinstance(each, Told)]

    @cached_property
    def loses(self) -> bool:
        """Whether the driver can come to give the disk up.

        Attempts are at least `timeout` apart, so that an interruption of which the driver is not told costs a command
        one that was under way when it began, and one in each `timeout` of its length.
        """
        attempts = sum(
            1 + -(-(each.end - each.begin) // self.timeout)
            for each in self.interruptions
            if not isinstance(each, Told)
        )
        return attempts > self.retries or any(each.lost for _, each in self.told)


def interruptions(links: Sequence[Link], hold: int | None) -> tuple[Interruption, ...]:
    """Those of a way over these links; the driver holds commands for `hold` ps at most, or does not if it is None."""
    spans = merged(span for link in links for span in link.down)
    if hold is None:
        return tuple(Interruption(begin, end) for begin, end in spans)
    failure = max(link.part.sheet.link_failure for link in links)
    return tuple(
        Interruption(begin, end)
        if end - begin <= failure
        else Told(begin, end, begin + failure, min(end, begin + failure + hold), end > begin + failure + hold)
        for begin, end in spans
    )
