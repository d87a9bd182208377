"""The base of all workloads' parameters; the kinds are in `simio/workloads/`.

The parameters of a kind are a frozen pydantic model.  A field marked `Refers` names something of the scenario,
such as a host, and ``routes`` names the pairs of such fields that data flows between; the loader checks both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self

from pydantic import BeforeValidator, Field

from simio.description.quantities import Text, Values

if TYPE_CHECKING:
    from simio.sketch import Sketch


@dataclass(frozen=True)
class Refers:
    """Marks a field as the name of something in the scenario: ``host``, ``disks`` (a disk or a group of disks) or
    ``storage`` (a volume as well).
    """

    to: str


REFERRED = {
    "host": "a host",
    "disks": "a disk or group of disks",
    "storage": "a disk, group of disks or volume",
}
"""The things that a field may name, by its `Refers`."""

HostName = Annotated[Text, Refers("host")]
DiskGroup = Annotated[Text, Refers("disks")]
Storage = Annotated[Text, Refers("storage")]


def _listed(value: object) -> object:
    return (value,) if isinstance(value, str) else value


HostNames = Annotated[tuple[Text, ...], BeforeValidator(_listed), Field(min_length=1), Refers("host")]
"""One host or a list of them, as a tuple."""
OptionalHosts = Annotated[tuple[Text, ...] | None, BeforeValidator(_listed), Refers("host")]
OptionalHost = Annotated[Text | None, Refers("host")]
OptionalStorage = Annotated[Text | None, Refers("storage")]
"""One that may be left out."""


class WorkloadParams(Values):
    """The parameters of one kind of workload.

    ``routes`` lists the pairs of field names (Python's, not the YAML key) that data flows between; ``network`` says
    that it does so in packets, through the hosts' protocol stacks.
    """

    routes: ClassVar[tuple[tuple[str, str], ...]] = ()
    network: ClassVar[bool] = False
    users: ClassVar[str | None] = None
    """The key of the number of those who ask at the same time, each for one thing after another."""

    @classmethod
    def elsewhere(cls, key: str) -> str:
        """A suggestion for a key that has its place elsewhere in the workload; '' for any other."""
        return ""

    @property
    def ways(self) -> tuple[tuple[str, str], ...]:
        """The pairs of fields that data flow between, as these parameters have it."""
        return self.routes

    @property
    def sends_packets(self) -> bool:
        """True if data flow in packets, as these parameters have it."""
        return self.network

    @property
    def paced(self) -> bool:
        """True if requests come by a time of their own, and take no more of what is shared if there is more."""
        return any(getattr(self, key, None) for key in ("arrivals", "period", "think"))

    @property
    def may_crash(self) -> tuple[str, ...]:
        """The fields whose hosts may crash while it runs."""
        return ()

    @property
    def largest_call(self) -> tuple[int, tuple[str, ...]]:
        """Bytes of its largest remote procedure call, without the header of UDP, and the hosts that are called."""
        return 0, ()

    def with_files(self, find: Callable[[str], Path]) -> Self:
        """These parameters with the contents of the files that they name; `find` gives the path of a name.

        Raises ScenarioError for a file that cannot be read, or that has mistakes in it.
        """
        arrivals = getattr(self, "arrivals", None)
        if arrivals is None:
            return self
        from simio.description.arrivals import Arrivals

        if not isinstance(arrivals, Arrivals) or not isinstance(arrivals.times, str):
            return self
        return self.model_copy(update={"arrivals": arrivals.with_file(find)})

    @property
    def slower(self) -> str:
        """A suggestion for a run in which it begins more than ends; '' for none of its own."""
        return ""

    @property
    def measured_times(self) -> Mapping[str, Sketch]:
        """Measured times in ps that observations of the workload are compared with, by what the observation is of."""
        return {}

    @property
    def ignored(self) -> Mapping[str, str]:
        """Settings of a tool that do not matter here, each with the reason."""
        return {}

    def variations(self) -> Iterator[tuple[str, Self]]:
        """Changes that a planner would try, beside those of fields: what each is called, and what it makes of it."""
        return iter(())

    def named(self, field: str) -> tuple[str, ...]:
        """The names that a field has: one, several or none."""
        value: str | tuple[str, ...] | None = getattr(self, field)
        return value if isinstance(value, tuple) else (value,) if value else ()


def references(model: type[WorkloadParams]) -> dict[str, str]:
    """The fields of ``model`` that name something in the scenario, and what they name."""
    return {
        name: mark.to
        for name, field in model.model_fields.items()
        for mark in field.metadata
        if isinstance(mark, Refers)
    }


def yaml_key(model: type[WorkloadParams], field: str) -> str:
    """The key of a field in a scenario file."""
    alias: Any = model.model_fields[field].alias
    return str(alias or field)
