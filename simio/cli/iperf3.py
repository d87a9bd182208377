"""The iperf3 command that `simio run --iperf3` runs in a scenario, and its JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence

from simio.cli.options import tell
from simio.description.model import Scenario
from simio.engines.outcome import Outcome
from simio.formats.iperf3.command import read_command
from simio.loading.iperf3 import with_command
from simio.program.steps import Program
from simio.report.iperf3 import iperf3_json
from simio.result.model import ScenarioResult


class Iperf3:
    """An iperf3 command in the place of a scenario's workload."""

    def __init__(self, text: str) -> None:
        """Raises SimioError with every option that is not modelled."""
        self.command = read_command(text)
        self.printed = self.command.json
        self._seen: list[tuple[Program, Outcome]] = []
        for option, reason in self.command.ignored.items():
            tell(f"iperf3 {option} is ignored: {reason}")

    def scenario(self, path: str, sets: Sequence[str]) -> Scenario:
        """The scenario with the command's workload. Raises SimioError for hosts that it has not."""
        return with_command(path, self.command, tuple(sets))

    def take(self, program: Program, outcome: Outcome) -> None:
        """Keep what a case came to."""
        self._seen.append((program, outcome))

    def json(self, scenario: Scenario, result: ScenarioResult) -> str:
        """The text of `iperf3 -J` for the first case that was run."""
        case = result.cases[0]
        system = next(each.system for each in scenario.cases if each.index == case.index)
        return json.dumps(iperf3_json(self.command, system, *self._seen[0], case), indent="\t") + "\n"
