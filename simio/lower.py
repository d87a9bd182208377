"""Lowering: a description becomes a program, each component emitting its own steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simio.components.site import Site
from simio.description.model import System
from simio.errors import OutOfRange, RunError
from simio.program.builder import Builder
from simio.program.garbage import uncollected
from simio.program.steps import Program
from simio.workloads import workload_steps

if TYPE_CHECKING:
    from simio.components.network.capture import PacketTrace


def lower(system: System, packets: PacketTrace | None = None, requests: bool = False) -> Program:
    """The program of one configuration, with marks of its packets, or of replayed requests, if they are asked for.

    Raises RunError for what only its wiring or sizes can show.
    """
    with uncollected():
        return emit(system, packets, requests).build()


def emit(system: System, packets: PacketTrace | None = None, requests: bool = False) -> Builder:
    """The builder that holds all steps of one configuration. Raises as `lower` does."""
    site = Site(system, packets, requests)
    for workload in system.workloads.values():
        try:
            with site.p.workload(workload.name):
                workload_steps(workload.kind)(site, workload)
        except OutOfRange as error:
            message = f"workload {workload.name!r} cannot be run with these values: {error}"
            raise _placed(RunError(message), system, f"workload.{workload.name}") from error
        except RunError as error:
            raise _placed(error, system, f"workload.{workload.name}") from error
    if site.p.only_daemons:
        message = "nothing that moves data until it is done: computing and background traffic only accompany it"
        raise _placed(RunError(f"{message}; add a workload, or leave out 'background'"), system, "workload")
    site.faults()
    site.tell()
    builder = site.p
    # A site and what it holds refer to one another: only the garbage collector, which looks seldom, would free them.
    vars(site).clear()
    return builder


def placed(message: str, system: System, path: str) -> str:
    """A message with the key path that it is about, and the place of that in the file where it is known."""
    place = system.places.get(path) or system.places.get(path.rpartition(".")[0])
    return ": ".join(filter(None, (str(place or ""), path, message)))


def _placed(error: RunError, system: System, workload: str) -> RunError:
    """The error with the key path that it is about, and the place of that in the file where it is known."""
    path = f"{workload}{error.at}" if not error.at or error.at.startswith(".") else error.at
    return RunError(placed(str(error), system, path), path)
