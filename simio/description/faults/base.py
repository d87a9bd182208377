"""The base of every kind of fault: its keys, its checks, and the registry of kinds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar, TypeVar

from pydantic import Field

from simio.description.quantities import Duration, Text, Time, Values
from simio.errors import quote

if TYPE_CHECKING:
    from simio.components.site import Site
    from simio.description.model import Link, Part, System, Volume, Workload

Span = tuple[int, int]
"""A time for which something is down: from the first instant on and before the second, in ps."""


class FaultParams(Values):
    """The keys that every kind of fault has beside ``name`` and ``kind``, and the hooks of a kind.

    ``targets`` says what it can be of: ``link``, ``switch``, ``adapter``, ``host`` or ``disk``; ``state`` is what
    a part with the fault is, for messages. ``effect`` is the kind that the part's sheet has to list in ``faults``,
    where that is another one, whose effect this kind has; subclasses of a kind inherit it.
    """

    targets: ClassVar[tuple[str, ...]] = ()
    state: ClassVar[str] = ""
    effect: ClassVar[str] = ""

    of: Text = Field(description="the component that has the fault")

    def parts(self, known: Surroundings, target: str) -> Iterable[Part | None]:
        """The parts whose datasheets have to allow the fault, if it is of this class of target."""
        return [known.parts[target][self.of]]

    def check(self, known: Surroundings) -> None:
        """Refuse errors that the keys alone do not show."""

    def applied(self, system: System) -> System:
        """The system whose components know of the fault."""
        return system

    @classmethod
    def emit(cls, site: Site) -> None:
        """Emit the threads that all faults of this kind in a system need, after those of its workloads."""


class Passing(FaultParams):
    """A fault that passes."""

    at: Time = Field(description="when it begins, from the start of the run")
    for_: Annotated[Duration, Field(alias="for", description="how long it lasts")]

    @property
    def span(self) -> Span:
        """First and last instant of the fault, in ps."""
        return self.at, self.at + self.for_


@dataclass(frozen=True)
class InjectedFault:
    """A fault of a scenario: its name, kind and parameters."""

    name: str
    kind: str
    params: FaultParams


@dataclass(frozen=True)
class Surroundings:
    """The rest of the scenario, for checks of a fault; None stands for a thing with problems of its own.

    `parts` are the components by class and name, `earlier` the faults before this one. `refuse` takes a key, what was
    found and what was expected; `unknown` a key, the name found, the known names and what they are names of.
    """

    parts: Mapping[str, Mapping[str, Part | None]]
    links: Sequence[Link]
    volumes: Mapping[str, Volume | None]
    workloads: Sequence[Workload]
    earlier: Sequence[InjectedFault]
    refuse: Callable[[str, str, str], None]
    unknown: Callable[[str, str, Iterable[str], str], None]

    def volume_of(self, member: str) -> Volume | None:
        """The volume that a disk or volume is a member of."""
        return next((volume for volume in self.volumes.values() if volume and member in volume.members), None)

    def array_around(self, disk: str) -> Volume | None:
        """The volume with an array controller that a disk is behind, itself or in a volume that is."""
        around = self.volume_of(disk)
        while around is not None and around.controller is None:
            around = self.volume_of(around.name)
        return around


class DiskFault(FaultParams):
    """A fault of a disk, which has one of a kind at most."""

    targets: ClassVar[tuple[str, ...]] = ("disk",)

    def check(self, known: Surroundings) -> None:
        """Refuse a second fault of the kind, and one that the disk's volume does not survive."""
        for other in known.earlier:
            if type(other.params) is type(self) and other.params.of == self.of:
                known.refuse("of", f"{quote(self.of)}, which has {quote(other.name)}", "one fault of a kind")
                break
        # A volume with problems of its own may be the disk's.
        if None not in known.volumes.values() or known.volume_of(self.of) is not None:
            self.check_disk(known)

    def check_disk(self, known: Surroundings) -> None:
        """Refuse a fault that the disk's volume does not survive."""


_KINDS: dict[str, type[FaultParams]] = {}
F = TypeVar("F", bound=type[FaultParams])


def register_fault(kind: str) -> Callable[[F], F]:
    """Class decorator: these are the parameters of faults of a kind. Raises ValueError if the kind has others."""

    def register(model: F) -> F:
        if _KINDS.setdefault(kind, model) is not model:
            raise ValueError(f"a fault of kind {kind!r} is registered already")
        return model

    return register


def fault_kinds() -> dict[str, type[FaultParams]]:
    """The kinds of faults, sorted by name, each with its parameters."""
    return dict(sorted(_KINDS.items()))
