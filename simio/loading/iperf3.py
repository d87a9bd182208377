"""A scenario in which an iperf3 command takes the place of the workload."""

from __future__ import annotations

from os import PathLike

from simio.description.model import Scenario
from simio.formats.iperf3.command import NAME, Command
from simio.loading.scenario import ScenarioFile
from simio.loading.yamltree import parse_yaml


def with_command(path: str | PathLike[str], command: Command, sets: tuple[str, ...]) -> Scenario:
    """The scenario in a file, with what the command asks for as its only workload.

    Its own workload, length and measured rows do not count, nor what varies of these. Raises ScenarioError as
    `load` does, and SimioError where the hosts are not clear.
    """
    file = ScenarioFile(path)
    source, target = command.hosts(list(file.root.at(("hosts",)).entries))
    keys = {"from": source, "to": target, **command.keys}
    sections = {
        "workload": f"{{{NAME}: {{{', '.join(f'{key}: {value}' for key, value in keys.items())}}}}}",
        "run": f"{{warm_up: {command.omit} s{_until(command)}}}",
    }
    nodes = {name: parse_yaml(text, "--iperf3") for name, text in sections.items()}
    own = [f"hosts.{source}.stack.congestion_control={command.congestion}"] if command.congestion else []
    if command.unit:
        own.append(f"report.unit={command.unit}")
    return file.with_sections(nodes).scenario((*own, *sets))


def _until(command: Command) -> str:
    return "" if command.time is None else f", until: {command.omit + command.time} s"
