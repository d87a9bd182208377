"""Datasheets: the values that each kind of part has, and the limits of physical sense.

A part has a category (what it is: `disk`) and a kind (which behaviour models it: `fibre-channel`). The sheet of a
kind is a frozen pydantic model; `register_sheet` adds one, from simio or from an installed plug-in.
"""

from collections.abc import Mapping
from typing import ClassVar, TypeVar

from pydantic import Field

from simio import units
from simio.description.quantities import Count, Values

CATEGORIES: Mapping[str, str] = {
    "cpu": "cpus",
    "memory": "memories",
    "kernel": "kernels",
    "stack": "stacks",
    "bus": "buses",
    "root": "roots",
    "adapter": "adapters",
    "link": "links",
    "switch": "switches",
    "disk": "disks",
    "controller": "controllers",
    "filesystem": "filesystems",
    "host": "hosts",
}
"""The categories of parts, each with the folder of the catalogue that holds its datasheets."""


TIMER = "timer"
"""The `work` of a time that is no work: a timeout, a delay to gather more, a clock to scale with."""
LINE = "line"
"""The `work` of a rate at an end of a link: the link is as fast as its slowest end."""


class Sheet(Values):
    """The values of one kind of part.

    `link_kinds` names the kinds of link that fit an adapter, switch or disk; empty means its own kind only. `shared`
    marks a kind of link that joins any number of ends, as a bus or a loop does, or at most so many as `joins` says.

    `bonds` marks a kind of link of which several can be a bond.

    `remote` marks a link that is a protocol over other links: the drives at its ends have links of their own, too.

    `sockets` marks an adapter whose transfers are to memory of one socket of the host or another.

    `work` names the work that a time or rate is the cost of, if that is not the part as a whole; values with the same
    work on one host, disk or link are one component in explanations. `TIMER` marks waits that a rule lays down,
    `LINE` the rate of a link's end.

    `alternatives` are fields that say nothing where a datasheet leaves them out, since another value holds then. Such
    a field has no origin, and is no guess.

    `faults` are the kinds of fault (`simio.description.faults`) that a scenario can give such a part.
    """

    work: ClassVar[Mapping[str, str]] = {}
    alternatives: ClassVar[tuple[str, ...]] = ()
    link_kinds: ClassVar[tuple[str, ...]] = ()
    shared: ClassVar[bool] = False
    bonds: ClassVar[bool] = False
    remote: ClassVar[bool] = False
    sockets: ClassVar[bool] = False
    faults: ClassVar[tuple[str, ...]] = ()

    @property
    def takes_time(self) -> bool:
        """True if any of its work does, as that of ideal parts does not."""
        return any(getattr(self, key) for key, work in self.work.items() if work is not TIMER)

    @property
    def joins(self) -> int | None:
        """The most ends of a shared link, or the number of a switch's ports; None: any number."""
        return None

    @property
    def hashed(self) -> bool:
        """True if connections share queues by a hash, so that each has to be told from the others."""
        return False

    def links(self, kind: str) -> tuple[str, ...]:
        """The kinds of link that fit a part with these values, of kind `kind`."""
        return self.link_kinds or (kind,)


class SwitchSheet(Sheet):
    """The values of a switch."""

    ports: Count = Field(description="number of ports")

    @property
    def joins(self) -> int:
        """See `Sheet.joins`."""
        return self.ports


S = TypeVar("S", bound=type[Sheet])
REGISTERED: dict[tuple[str, str], type[Sheet]] = {}
"""The sheet of each category and kind that has been imported."""


def register_sheet(category: str, kind: str, model: S) -> S:
    """Make `model` the sheet of a kind of parts. Raises ValueError for a second model and an unknown category."""
    if category not in CATEGORIES:
        raise ValueError(f"no category of part is called {category!r}; there are {', '.join(CATEGORIES)}")
    if REGISTERED.setdefault((category, kind), model) is not model:
        raise ValueError(f"a sheet for {category} {kind!r} is registered already")
    return model


def time_text(value: int) -> str:
    """A time in ps for a message."""
    return units.format_quantity(value, "time")


def size_text(value: int) -> str:
    """A size in bytes for a message."""
    return units.format_quantity(value, "size")
