"""Faults of the modelled world: what can go wrong with a component, when, and for how long; one file a kind.

A kind's file has its keys, its checks, and what the components or the program learn of it.
"""

from importlib import import_module
from pkgutil import iter_modules

from simio.description.faults.base import (
    FaultParams,
    InjectedFault,
    Passing,
    Span,
    Surroundings,
    fault_kinds,
    register_fault,
)
from simio.description.faults.failed import Failed
from simio.description.faults.read_errors import ReadErrors
from simio.description.faults.reset import ResetSpan

for _file in iter_modules(__path__):
    import_module(f"{__name__}.{_file.name}")

__all__ = [
    "Failed",
    "FaultParams",
    "InjectedFault",
    "Passing",
    "ReadErrors",
    "ResetSpan",
    "Span",
    "Surroundings",
    "fault_kinds",
    "register_fault",
]
