"""Faults of the modelled world: what can go wrong with a component of a system, when, and for how long."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from pydantic import Field

from .quantities import Duration, Text, Time, Values

Span = tuple[int, int]
"""When something is out of order: from the first instant on and before the second, in ps."""


class FaultParams(Values):
    """The keys that every kind of fault has beside ``name`` and ``kind``.

    ``targets`` says what it can be of: ``link``, ``switch``, ``adapter``, ``host`` or ``disk``; ``told`` is what
    a part with the fault is, for messages.
    """

    targets: ClassVar[tuple[str, ...]] = ()
    told: ClassVar[str] = ""

    of: Text = Field(description="the component that has the fault")


class Passing(FaultParams):
    """A fault that passes."""

    at: Time = Field(description="when it begins, from the start of the run")
    for_: Annotated[Duration, Field(alias="for", description="how long it lasts")]

    @property
    def span(self) -> Span:
        """From when until when it lasts."""
        return self.at, self.at + self.for_


class Down(Passing):
    """A link or all links of a switch or adapter carry nothing: packets on them are lost, HIPPI sources wait."""

    targets: ClassVar[tuple[str, ...]] = ("link", "switch", "adapter")
    told: ClassVar[str] = "down"


class Stall(Passing):
    """A host stands still: none of its processors does anything, while its buses and adapters go on."""

    targets: ClassVar[tuple[str, ...]] = ("host",)


class Failed(FaultParams):
    """A disk has failed before the run begins; its volume goes on without it."""

    targets: ClassVar[tuple[str, ...]] = ("disk",)
    told: ClassVar[str] = "failed"


@dataclass(frozen=True)
class InjectedFault:
    """A fault of a scenario: its name, kind and parameters."""

    name: str
    kind: str
    params: FaultParams


_FAULTS: dict[str, type[FaultParams]] = {"down": Down, "failed": Failed, "stall": Stall}


def fault_kinds() -> dict[str, type[FaultParams]]:
    """The kinds of faults, sorted by name, each with its parameters."""
    return dict(sorted(_FAULTS.items()))
