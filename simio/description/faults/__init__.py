"""Faults of the modelled world: what can go wrong with a component, when, and for how long; one file a kind.

A kind's file has its keys, its checks, and what the components or the program learn of it.
"""

from simio.description.faults.base import (
    FaultParams,
    InjectedFault,
    Passing,
    Span,
    Surroundings,
    fault_kinds,
    register_fault,
)
from simio.description.faults.crash import Crash
from simio.description.faults.down import Down
from simio.description.faults.failed import Failed
from simio.description.faults.read_errors import ReadErrors
from simio.description.faults.reset import Reset, ResetSpan
from simio.description.faults.stall import Stall

__all__ = [
    "Crash",
    "Down",
    "Failed",
    "FaultParams",
    "InjectedFault",
    "Passing",
    "ReadErrors",
    "Reset",
    "ResetSpan",
    "Span",
    "Stall",
    "Surroundings",
    "fault_kinds",
    "register_fault",
]
