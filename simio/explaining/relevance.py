"""Components that are likely to matter to a result: those to try first, where there is no time for all."""

from __future__ import annotations

import re
from collections.abc import Iterator

from simio.description.model import System
from simio.explaining.components import storage_of
from simio.explaining.model import Component, Waterfall
from simio.explaining.path import DELAY
from simio.result.model import CaseResult

ELSEWHERE = 0.005
"""Weight of a share for other work at the same place."""
BUSY = 0.3
"""Weight of being busy at all, where the path of a unit is known."""
PERHAPS = 0.5
"""Weight of a share for the same work at another place."""
SIGNALS = "signals"
_CLOCK = "CPU clock"


def relevance(
    system: System, found: list[Component], result: CaseResult, way: Waterfall | None
) -> dict[Component, float]:
    """A share of the time for each component: of a unit's way, or for which what it belongs to is busy.

    Components and stages have the same names, so that the words of these are compared.
    """
    shares = [(what, place, _place(system, place), share) for what, place, share in _shares(result, way)]
    return {each: _of(each, [_share(system, each, *one) for one in shares]) for each in found}


def _of(each: Component, shares: list[float]) -> float:
    """The largest share of a component; a clock has those of all that runs by it."""
    return sum(shares) if each.name.startswith(_CLOCK) else max(shares, default=0.0)


def _shares(result: CaseResult, way: Waterfall | None) -> Iterator[tuple[str, str, float]]:
    """Work, place and share of the time of each stage and each resource."""
    for stage in way.stages if way else ():
        place = re.sub(r" and \d+ alike$", "", stage.where)
        # Where nothing works, signals may be under way, whose place is not known.
        yield (
            (SIGNALS, "", stage.share) if stage.kind == DELAY and not stage.what else (stage.what, place, stage.share)
        )
    for use in filter(lambda use: use.utilisation, result.resources):
        yield "", use.name, use.utilisation * (BUSY if way else 1)


def _share(system: System, each: Component, what: str, place: str, at: set[str], share: float) -> float:
    if what == SIGNALS:
        return share if each.name.startswith(what) else 0.0
    if not at <= _words(each.name):
        # A file system works on a host, and is of a volume.
        return share * PERHAPS if what and each.name.startswith(what) else 0.0
    if each.name.startswith(_CLOCK) or each.name.startswith(what) and what:
        return share
    # A component without a work of its own is all of its part.
    own = " on " in each.name or " of " in each.name and place.partition(" ")[0] not in system.disks
    return share * ELSEWHERE if own else share


def _place(system: System, place: str) -> set[str]:
    """The words that a component's name has if it is at a place."""
    first = place.partition(" ")[0]
    if first in system.disks:
        return set(storage_of(system, first).split())
    if place.endswith(".cpu"):
        return {place.removesuffix(".cpu")}
    return _words(place) - {"receive", "handler", "send", "connection", "lock", "processor"}


def _words(name: str) -> set[str]:
    return set(re.split(r"[\s>]+", name))
