"""simio from Python: `simio.load(path).run()`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import os

    from simio.bound import Bound
    from simio.components.network.capture import PacketTrace
    from simio.description.model import Case, Scenario
    from simio.program.steps import Program
    from simio.result.model import ScenarioResult


class Study:
    """A loaded scenario with what can be done with it; `scenario` is its description."""

    def __init__(self, scenario: Scenario, sets: Sequence[str] = ()) -> None:
        self.scenario = scenario
        self.sets = tuple(sets)

    @property
    def cases(self) -> tuple[Case, ...]:
        """The cases, in the order of the scenario's `vary`."""
        return self.scenario.cases

    def program(self, case: int = 0) -> Program:
        """The program of the case with this index."""
        from simio.lower import lower

        return lower(self.cases[case].system)

    def bound(self, case: int = 0) -> Bound:
        """Upper bound on throughput of the case with this index, without running it."""
        from simio.bound import bound

        return bound(self.program(case))

    def run(
        self,
        engine: str | None = None,
        cases: Sequence[int] | None = None,
        packets: PacketTrace | None = None,
    ) -> ScenarioResult:
        """Run all cases, or those with these indices, on 'compiled' (the default) or 'simpy'.

        With `packets`, each case's result has the packets that this asks for (`simio.result.packets`).
        Raises SimioError for a deadlock, a spent step budget or an unknown engine.
        """
        from simio.result.run import run_scenario

        return run_scenario(self.scenario, self.sets, engine, cases, packets=packets)


def load(path: str | os.PathLike[str], sets: Sequence[str] = ()) -> Study:
    """Read a scenario file; `sets` are overrides such as 'workload.blast.size=64 KiB'.

    Raises ScenarioError with every fault of the file.
    """
    from simio.loading import load as read

    return Study(read(str(path), sets), sets)
