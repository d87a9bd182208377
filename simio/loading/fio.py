"""A job file of fio on the host and storage of a scenario: the scenario that has it as its only workload."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import yaml

from simio.description.model import Scenario
from simio.errors import Problem, ScenarioError, SimioError, quote
from simio.loading.cutting import without
from simio.loading.ready import near_ready
from simio.loading.scenario import ScenarioFile
from simio.loading.yamltree import Node, parse_yaml
from simio.reading import read_file

KIND = "fio"
_REPLACED = ("title", "about", "workload", "vary", "measured", "run")
"""Sections of the scenario that are of its own workload."""
_OF_LENGTH = ("until", "warm_up")
"""Keys of `run` that are as well: a job says how long it runs."""


def load_job(job: str, host: str | None, sets: Sequence[str]) -> Scenario:
    """The scenario of a job file, or of a JSON of fio, on what another scenario has.

    A workload of kind fio in that says which host and storage; else they are those that there is only one of. Raises
    ScenarioError with all problems of both files, and SimioError without a `host`.
    """
    if host is None:
        raise SimioError(
            f"{quote(job)} is a job file of fio; give the scenario whose host runs it, as in "
            f"simio run {job} --on host.yaml (simio new fio prints one)"
        )
    if not os.path.isfile(job):
        raise ScenarioError(Problem(job, "no such file", "a job file of fio"))
    text = read_file(host, near_ready(host))
    root = parse_yaml(text, host)
    own = _workload(root)
    own[KIND]["job"] = os.path.relpath(job, os.path.dirname(host) or ".")
    kept = {key: node.plain() for key, node in root.at(("run",)).entries.items() if key not in _OF_LENGTH}
    made: dict[str, Any] = {"title": f"{os.path.basename(job)} on {_title(root, host)}", "workload": own}
    if kept and "run" in root.entries:
        made["run"] = kept
    written = yaml.safe_dump(made, sort_keys=False, allow_unicode=True, width=100)
    return ScenarioFile(host, without(text, host, _REPLACED) + "\n" + written).scenario(sets)


def _title(root: Node, host: str) -> str:
    title = root.entries.get("title")
    return str(title.value) if title and title.kind == "scalar" else os.path.basename(host)


def _workload(root: Node) -> dict[str, dict[str, Any]]:
    """The workload without its job: as the scenario has it, else with the only host and storage."""
    given = root.at(("workload",)).entries if "workload" in root.entries else {}
    for name, node in given.items():
        kind = node.entries.get("kind")
        if (kind.value if kind else name) == KIND:
            own = dict(node.plain())
            return {KIND: {key: value for key, value in own.items() if key not in ("kind", "section", "options")}}
    found = {"host": _only(_hosts(root, given)), "storage": _only(_storage(root))}
    return {KIND: {key: value for key, value in found.items() if value}}


def _only(names: Sequence[str]) -> str | None:
    return names[0] if len(names) == 1 else None


def _hosts(root: Node, given: Mapping[str, Node]) -> Sequence[str]:
    """The hosts that its workloads name, or all."""
    named = [node.entries["host"].value for node in given.values() if "host" in node.entries]
    return list(dict.fromkeys(map(str, named))) or list(_entries(root, "hosts"))


def _storage(root: Node) -> Sequence[str]:
    """The volumes that are in no other; without volumes the disks and groups."""
    volumes = _entries(root, "volumes")
    inside = {str(each.value) for node in volumes.values() for each in _members(node)}
    return [name for name in volumes if name not in inside] or list(_entries(root, "disks"))


def _members(volume: Node) -> Sequence[Node]:
    members = volume.entries.get("of") or volume.entries.get("members")
    return [] if members is None else members.elements or [members]


def _entries(root: Node, key: str) -> Mapping[str, Node]:
    return root.entries[key].entries if key in root.entries else {}
