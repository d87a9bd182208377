"""The scenarios of a folder, run on request, each configuration once; independent of any web page."""

from __future__ import annotations

import os
import re
import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic
from typing import Any

import networkx as nx
import yaml

from simio.description.model import Case, Scenario
from simio.engines.outcome import Aborted
from simio.errors import SimioError, did_you_mean, quote
from simio.explore.knobs import UNSET, Knob, knobs
from simio.loading import load
from simio.loading.catalogue import data_root
from simio.loading.keypaths import scalar, substitute
from simio.loading.scenario import ScenarioFile
from simio.loading.yamltree import parse_yaml
from simio.lower import lower
from simio.result.model import CaseResult, ScenarioResult
from simio.result.request_rate import in_unit_of
from simio.running import Lowered, RunOptions, run_case, run_program
from simio.topology import wire
from simio.version import VERSION
from simio.wording import settings_text

RUN_STEPS = 20_000_000
"""Largest number of steps of one run, about a third of a second; a longer run is cut off, with a note."""
CURVE_SECONDS = 4.0
"""Time after which no further point of a curve is begun."""
KEPT = 2000
"""Answers that are kept."""
MOST_FILES = 1000
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
"""Names of files that are saved, without `.yaml`."""
_LED = re.compile(r"\]\(([A-Za-z0-9_-]+)\.yaml\)")
"""A link of a README to a scenario beside it."""


@dataclass(frozen=True)
class Opened:
    """A scenario of the folder: its text and tree, its cases with what was measured, and its knobs."""

    name: str
    path: Path
    source: ScenarioFile
    scenario: Scenario
    knobs: tuple[Knob, ...]


@dataclass(frozen=True)
class CaseAnswer:
    """The result of one choice of values, its wiring, and what has to be said about it."""

    result: CaseResult
    graph: nx.Graph
    unit: str
    note: str = ""


class Session:
    """A folder of scenarios, or one file of it; names are looked up among its files."""

    def __init__(self, place: str | None = None, more: Sequence[str] = (), engine: str | None = None) -> None:
        """The ready scenarios without a `place`, of which changed ones are saved in the current folder.

        Raises SimioError where there is nothing to explore.
        """
        path = Path(place) if place is not None else data_root("simio.scenarios")
        self.folder = path if path.is_dir() else path.parent
        self.saving = self.folder if place is not None else Path()
        self.only = None if path.is_dir() else path.stem
        self.more, self.engine = tuple(more), engine
        self._opened: dict[tuple[str, int], Opened] = {}
        self._answers: OrderedDict[str, CaseAnswer] = OrderedDict()
        self._lock = threading.Lock()
        if self.only is None and not self.names():
            raise SimioError(f"no scenarios in {quote(str(self.folder))}: expected files that end in .yaml")
        if self.only is not None:
            if not self.names():
                found = f"{path}: found no such file; expected a scenario ({path.stem}.yaml), or a folder of some"
                raise SimioError(found + (f"; {near}" if (near := did_you_mean(path.stem, self._files())) else ""))
            self.open(self.only)

    def _files(self) -> list[str]:
        """Names of the scenarios of the folder."""
        return sorted(path.stem for path in self.folder.glob("*.yaml") if path.is_file())[:MOST_FILES]

    def names(self) -> list[str]:
        """The scenarios on offer: all of a folder, or a single file and those saved beside it."""
        found = self._files()
        saved = self._saved
        found += sorted(saved.difference(found))
        return [name for name in found if self.only in (None, name) or name in saved]

    _saved: frozenset[str] = frozenset()

    def first(self) -> str:
        """The scenario to begin with: the first that the folder's README leads to, else the first by name."""
        names = self.names()
        try:
            text = (self.folder / "README.md").read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            text = ""
        led = (name for name in _LED.findall(text) if name in names)
        return next(led, names[0])

    def open(self, name: str) -> Opened:
        """A scenario of the folder; raises SimioError for one that is not there, ScenarioError for a faulty file."""
        if name not in self.names():
            near = did_you_mean(name, self.names())
            raise SimioError(f"no scenario {quote(name)} here" + (f"; {near}" if near else ""))
        path = (self.saving if name in self._saved else self.folder) / f"{name}.yaml"
        key = (name, path.stat().st_mtime_ns)
        if key not in self._opened:
            source = ScenarioFile(path)
            scenario = source.scenario()
            found = knobs(source.root, scenario.cases[0].settings, self.more)
            self._opened[key] = Opened(name, path, source, scenario, tuple(found))
        return self._opened[key]

    def chosen(self, opened: Opened, values: Mapping[str, str]) -> dict[str, str]:
        """The value of every knob: those given, which have to be among its own, else those it begins with.

        Raises SimioError for a key or a value that is not among the knobs.
        """
        known = {knob.key: knob for knob in opened.knobs}
        for key, text in values.items():
            if key not in known:
                raise SimioError(f"nothing called {quote(key)} can be changed in {opened.name}")
            if text not in known[key].values:
                raise SimioError(f"{key}: found {quote(text)}; expected one of {', '.join(known[key].values)}")
        return {knob.key: values.get(knob.key, knob.values[knob.start]) for knob in opened.knobs}

    # --- running -----------------------------------------------------------------------------------------

    def answer(self, opened: Opened, values: Mapping[str, str]) -> CaseAnswer:
        """The answer for these values; raises SimioError for those that do not fit together or cannot be run."""
        sets = [f"{key}={text}" for key, text in self.chosen(opened, values).items() if text != UNSET]
        with self._lock:
            known = repr((opened.path, opened.path.stat().st_mtime_ns, sets))
            return self._kept(known, lambda: self._answer(opened.source.scenario(sets, only=0).cases[0]))

    def _kept(self, key: str, make: Any) -> CaseAnswer:
        """A known answer, or one made now."""
        if key not in self._answers:
            self._answers[key] = make()
        self._answers.move_to_end(key)
        while len(self._answers) > KEPT:
            self._answers.popitem(last=False)
        return self._answers[key]

    def _answer(self, case: Case) -> CaseAnswer:
        """The first replication of a case; a program that has been run before is not run again."""
        budget = min(case.system.run.step_budget, RUN_STEPS)
        run = case.system.run.model_copy(update={"step_budget": budget, "replications": 1})
        case = replace(case, system=replace(case.system, run=run), measured=())
        lowered = Lowered(lower(case.system))
        note = "one run of several: the scenario is random" if lowered.program.random else ""
        key = repr((lowered.hash, run, case.system.report.unit))

        def make() -> CaseAnswer:
            try:
                result = run_program(case, lowered, RunOptions(self.engine))
                unit = case.system.report.unit
                return CaseAnswer(in_unit_of(result, unit), wire(case.system), unit, note)
            except Aborted as error:
                if error.outcome.steps < budget:
                    raise
                return self._cut(case, error.outcome.end)

        return self._kept(key, make)

    def _cut(self, case: Case, end: int) -> CaseAnswer:
        """A case that takes too many steps, up to where these got."""
        run = case.system.run.model_copy(update={"until": max(end * 19 // 20, 1), "warm_up": 0})
        system = replace(case.system, run=run)
        result = run_case(replace(case, system=system), RunOptions(self.engine))
        note = f"cut off: a run here takes at most {RUN_STEPS:,} steps; simio run has no such limit"
        unit = system.report.unit
        return CaseAnswer(in_unit_of(result, unit), wire(system), unit, note)

    def curve(self, opened: Opened, values: Mapping[str, str], axis: str) -> tuple[ScenarioResult, str]:
        """Throughput for each value of the knob `axis` with its measured rows, and a note on missing points.

        Raises SimioError for a key that is no knob.
        """
        chosen = self.chosen(opened, values)
        knob = next((knob for knob in opened.knobs if knob.key == axis), None)
        if knob is None:
            raise SimioError(f"nothing called {quote(axis)} can be changed in {opened.name}")
        begun, cases, missing = monotonic(), [], 0
        # Of a count, the values that the file names are enough for a curve, with the one that is chosen.
        points = [text for text in knob.values if text in (*(knob.points or knob.values), chosen[axis])]
        for index, text in enumerate(points):
            try:
                if monotonic() - begun > CURVE_SECONDS:
                    raise SimioError("no time is left")
                result = self.answer(opened, {**chosen, axis: text}).result
            except SimioError:
                missing += 1
                continue
            rows = self._measured(opened, {**chosen, axis: text})
            cases.append(replace(result, index=index, settings={axis: text}, measured=rows))
        note = f"{missing} of {len(points)} points are missing: they cannot be run, or not in time" if missing else ""
        unit = opened.scenario.cases[0].system.report.unit
        return ScenarioResult(
            opened.scenario.title, str(opened.path), "", (), VERSION, unit, tuple(cases), {}, ()
        ), note

    def _measured(self, opened: Opened, chosen: Mapping[str, str]) -> tuple[Any, ...]:
        """The measured rows of the file's case with these values, if all others are as in the file."""
        varied = {key for case in opened.scenario.cases for key in case.settings}
        begin = {knob.key: knob.values[knob.start] for knob in opened.knobs}
        if any(chosen[key] != text for key, text in begin.items() if key not in varied):
            return ()
        for case in opened.scenario.cases:
            if all(chosen.get(key) == text for key, text in case.settings.items()):
                return case.measured
        return ()

    # --- saving ------------------------------------------------------------------------------------------

    def save(self, opened: Opened, values: Mapping[str, str], name: str) -> Path:
        """Write a scenario with these values, and nothing that varies, as a new file of the folder to save in.

        Raises SimioError for a name that is none, for one that is taken, and where the file cannot be written.
        """
        if not NAME.fullmatch(name):
            raise SimioError(f"found {quote(name)}; expected a name of letters, digits, _ and -, without .yaml")
        if name in self.names():
            raise SimioError(f"{name}.yaml is there already; choose another name")
        path = self.saving / f"{name}.yaml"
        text = self._text(opened, self.chosen(opened, values))
        try:
            with open(path, "x", encoding="utf-8") as file:
                file.write(text)
        except FileExistsError:
            raise SimioError(f"{name}.yaml is there already; choose another name") from None
        except OSError as error:
            raise SimioError(f"cannot write {name}.yaml: {error.strerror or error}") from error
        try:
            load(path)
        except SimioError:
            os.unlink(path)
            raise
        self._saved = self._saved | {name}
        return path

    def _text(self, opened: Opened, chosen: Mapping[str, str]) -> str:
        """The scenario as YAML with the values chosen; comments are lost, and so are `vary` and `measured`."""
        root = opened.source.root
        for key, text in chosen.items():
            if text == UNSET:
                continue
            value = parse_yaml(text, opened.name).value
            root = substitute(root, key.split("."), scalar(value, root.place), root.place)
        plain = {key: value for key, value in root.plain().items() if key not in ("vary", "measured")}
        plain["about"] = f"{plain.get('about', '')}\nSaved from {opened.name} with {settings_text(chosen)}.".strip()
        return yaml.safe_dump(plain, sort_keys=False, allow_unicode=True, width=110)
