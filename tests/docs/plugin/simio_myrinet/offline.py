"""A kind of fault: a processor that is offline for a while."""

from typing import ClassVar

from simio.components.site import Site
from simio.description.faults import Passing, register_fault


@register_fault("offline")
class Offline(Passing):
    """A host is without one of its processors; what runs on that finishes its present piece of work."""

    targets: ClassVar[tuple[str, ...]] = ("host",)

    @classmethod
    def emit(cls, site: Site) -> None:
        """The fault holds the processor."""
        for fault in site.system.faults:
            for host in site.hosts:
                if isinstance(fault.params, cls) and fault.params.of == host.name:
                    site.downtime(f"{host.name} {fault.name}", host.cpu, 1, [fault.params.span])
