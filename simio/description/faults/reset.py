"""An adapter that is reset."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from pydantic import Field

from simio.description.faults.base import Passing, register_fault
from simio.description.quantities import Time

if TYPE_CHECKING:
    from simio.description.model import System

ResetSpan = tuple[int, int, int]
"""Instants at which an adapter hangs, is reset, and works again, in ps."""


@register_fault("reset")
class Reset(Passing):
    """An adapter loses the packets that are in its rings, and carries nothing until it has been set up anew."""

    targets: ClassVar[tuple[str, ...]] = ("adapter",)
    state: ClassVar[str] = "reset"

    watchdog: Time = Field(
        0, description="how long it hangs before the driver notices and resets it, which then takes `for`"
    )

    def applied(self, system: System) -> System:
        """The adapter knows when it hangs, is reset, and works again."""
        begin, reset = self.at, self.at + self.watchdog
        name, key = self.of.split(".", 1)
        host = system.hosts[name]
        adapter = host.adapters[key]
        stages = *adapter.resets, (begin, reset, reset + self.for_)
        adapters = {**host.adapters, key: replace(adapter, resets=stages)}
        return replace(system, hosts={**system.hosts, name: replace(host, adapters=adapters)})
