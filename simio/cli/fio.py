"""Jobs of fio on the command line: what is ignored of them, and which case is printed as fio would."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simio.cli.options import one_case, tell
from simio.errors import SimioError

if TYPE_CHECKING:
    from simio.description.model import Scenario

JOB_FILE = ".fio"
"""Names of job files end so."""


def tell_ignored(loaded: Scenario) -> None:
    """Name the options of fio that are ignored, each once with the reason."""
    found: dict[str, str] = {}
    for workload in loaded.cases[0].system.workloads.values():
        found |= workload.params.ignored
    if found:
        tell("ignored: " + "; ".join(f"{name} ({reason})" for name, reason in found.items()))


def fio_case(loaded: Scenario, index: int | None) -> int:
    """The case whose fio jobs are printed: that of an index, or the first. Raises SimioError if it has none."""
    case = loaded.cases[index] if index is not None else one_case(loaded, None, "fio jobs of ")
    if not any(workload.kind == "fio" for workload in case.system.workloads.values()):
        raise SimioError("--fio-json: no workload is of kind fio; simio new fio prints a scenario that has one")
    return case.index
