"""A link that is down, or all links of a switch or an adapter."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import permutations
from typing import TYPE_CHECKING, ClassVar

from simio.description.faults.base import Passing, Surroundings, register_fault

if TYPE_CHECKING:
    from simio.components.site import Site
    from simio.description.model import Link, Part, System


@register_fault("down")
class Down(Passing):
    """A link or all links of a switch or adapter carry nothing: packets on them are lost, HIPPI sources wait."""

    targets: ClassVar[tuple[str, ...]] = ("link", "switch", "adapter")
    state: ClassVar[str] = "down"
    effect: ClassVar[str] = "down"

    def parts(self, known: Surroundings, target: str) -> Iterable[Part | None]:
        """The links that go down."""
        return (link.part for link in known.links if self._hits(link))

    def _hits(self, link: Link) -> bool:
        return self.of in (link.name, *link.ends) or (link.member is not None and self.of == link.member.of)

    def applied(self, system: System) -> System:
        """The links know when they are down."""
        links = (replace(link, down=(*link.down, self.span)) if self._hits(link) else link for link in system.links)
        return replace(system, links=tuple(links))

    @classmethod
    def emit(cls, site: Site) -> None:
        """A HIPPI link that is down accepts no connection: sources wait for it as for one that is in use."""
        for link in site.system.links:
            if link.down and link.part.kind == "hippi":
                for source, target in permutations(link.ends):
                    connection = site.p.resource(f"{source}>{target} connection", lock=True)
                    site.downtime(f"{link.name} down", connection, 1, link.down)
