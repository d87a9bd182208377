"""Workloads: applications as short programs that call kernel verbs; one file or folder a kind.

A kind has its parameters and its steps in one place, which is named like it and imported when the kind is first asked
for, since steps need the components:

    @register_workload("compute", Compute)
    def compute(site: Site, workload: Workload[Compute]) -> None:
        \"\"\"Emit the steps.\"\"\"
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any, TypeVar

from simio.description.workloads import WorkloadParams

if TYPE_CHECKING:
    from simio.components.site import Site
    from simio.description.model import Workload

P = TypeVar("P", bound=WorkloadParams)
Steps = Callable[["Site", "Workload[P]"], None]
"""Emits the steps of a workload."""
_COMMON = "common"
_REGISTERED: dict[str, tuple[type[WorkloadParams], Steps[Any]]] = {}


def register_workload(kind: str, params: type[P]) -> Callable[[Steps[P]], Steps[P]]:
    """Decorator: this function emits the steps of workloads of a kind, which have such parameters.

    Raises ValueError if the kind has others.
    """

    def register(steps: Steps[P]) -> Steps[P]:
        if _REGISTERED.setdefault(kind, (params, steps)) != (params, steps):
            raise ValueError(f"a workload kind {kind!r} is registered already")
        return steps

    return register


class _Kinds(Mapping[str, type[WorkloadParams]]):
    """The parameters of each kind; names of kinds are known before these are imported."""

    def __getitem__(self, kind: str) -> type[WorkloadParams]:
        return _kind(kind)[0]

    def __contains__(self, kind: object) -> bool:
        return kind in _REGISTERED or kind in _own()

    def __iter__(self) -> Iterator[str]:
        return iter(sorted({*_own(), *_REGISTERED}))

    def __len__(self) -> int:
        return len({*_own(), *_REGISTERED})


def workload_kinds() -> Mapping[str, type[WorkloadParams]]:
    """The kinds of workloads, sorted by name, each with its parameters."""
    return _Kinds()


def workload_steps(kind: str) -> Steps[Any]:
    """The function that emits the steps of workloads of a kind. Raises KeyError if there is no such kind."""
    return _kind(kind)[1]


def _kind(kind: str) -> tuple[type[WorkloadParams], Steps[Any]]:
    if kind not in _REGISTERED and kind in _own():
        import_module(f"{__name__}.{kind}")
    return _REGISTERED[kind]


@cache
def _own() -> frozenset[str]:
    """The kinds that come with simio."""
    return frozenset(module.name for module in iter_modules(__path__) if module.name != _COMMON)
