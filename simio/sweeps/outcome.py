"""Outcome of a run in a sweep: the measures, what limits, and the program's hash."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from simio.errors import RunError, SimioError, did_you_mean, quote
from simio.result.distribution import SHARES, quantile
from simio.result.request_rate import counts_requests

if TYPE_CHECKING:
    from simio.result.model import CaseResult

PS = 1e12
THROUGHPUT = "throughput"
REQUESTS = "requests (/s)"
"""The measure of requests a second."""
RATES = (THROUGHPUT, "half width", "bound", "rate of ")
"""Beginnings of the names of measures that are in bytes a second."""
LABELS = {
    "mean": "mean", "p50": "median", "p90": "90%", "p95": "95%", "p99": "99%", "p999": "99.9%", "most": "most",
}  # fmt: skip
"""Statistics of an observation, by how the names of measures begin."""
HALF_INTERVAL = "half interval: "
"""The beginning of the name of half of a 95% confidence interval; the name of its statistic under a load follows."""
UTILISATION = "utilisation of "
"""The beginning of the name of a part's utilisation; that of the part follows."""
DISTRIBUTION = "distribution of "
"""The beginning of the name of all measures of a distribution; that of the time follows."""


@dataclass(frozen=True)
class SweepOutcome:
    """`measures` by name: rates in bytes a second, times in seconds, shares as fractions. `limit` is what limits.

    `hash` identifies the program that ran, and `kept` says that this is the result of an earlier run. `cut_off` says
    what ended the run before its time, if its step budget did.
    """

    measures: Mapping[str, float]
    limit: str
    hash: str
    kept: bool = False
    cut_off: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Plain data of all but whether it was kept."""
        told = {"measures": dict(self.measures), "limit": self.limit, "hash": self.hash}
        return told | ({"cut off": self.cut_off} if self.cut_off else {})


def in_requests(outcome: SweepOutcome, unit: str) -> SweepOutcome:
    """An outcome with rates in requests a second if that is what `unit` is of. Raises RunError without requests."""
    if not counts_requests(unit):
        return outcome
    size = outcome.measures[THROUGHPUT] / outcome.measures.get(REQUESTS, 0.0) if REQUESTS in outcome.measures else 0
    if not size and outcome.measures[THROUGHPUT]:
        raise RunError(f"no workload counts requests, so that there are none in {quote(unit)}", at="report.unit")
    measures = {name: value / size if is_rate(name) and size else value for name, value in outcome.measures.items()}
    if HALF_INTERVAL + REQUESTS in measures:
        measures["half width"] = measures[HALF_INTERVAL + REQUESTS]
    return replace(outcome, measures=measures)


def read(data: Any) -> SweepOutcome:
    """The outcome that `as_dict` gave. Raises KeyError, TypeError or ValueError where it is none."""
    measures = {str(name): float(value) for name, value in data["measures"].items()}
    measures[THROUGHPUT]  # what is compared and drawn has to be there
    return SweepOutcome(measures, str(data["limit"]), str(data["hash"]), True, str(data.get("cut off", "")))


def is_rate(measure: str) -> bool:
    """True if a measure is in bytes a second."""
    return measure.startswith(RATES)


def unit_of(measure: str) -> str:
    """The unit of a measure that is no rate, as a heading shows it."""
    if measure == "time" or measure.endswith(" (s)"):
        return "s"
    return "/s" if measure.endswith(" (/s)") else ""


def measured(measures: Mapping[str, float], name: str) -> float:
    """A measure of a run, by its name. Raises SimioError for one that the run does not have."""
    if name not in measures:
        if len(promised := _promised(measures, name)) == 1:
            raise SimioError(f"found no measure {quote(name)}; did you mean {quote(promised[0])}?")
        _, of, whose = name.partition(" of ")
        alike = [each for each in measures if of and f"{of}{whose}" in each]
        shown = alike or [each for each in measures if not each.startswith(UTILISATION)]
        listed = f"expected one of {', '.join(shown)}" + ("" if alike else f", or {UTILISATION}a part")
        near = listed if alike else did_you_mean(name, list(measures)) or listed
        raise SimioError(f"found no measure {quote(name)}; {near}")
    return measures[name]


def _promised(measures: Mapping[str, float], name: str) -> list[str]:
    """The measures that promises call `name`, such as 'p99 of reader'."""
    what, _, whose = name.partition(" of ")
    begin = f"{LABELS.get(what.replace('p99.9', 'p999'), what)} of "
    rests = {each: each.removeprefix(begin) for each in measures if each.startswith(begin)}
    return [each for each, rest in rests.items() if whose in (rest.rpartition(" (")[0], rest.partition(":")[0])]


def spelt_out(names: Iterable[str]) -> tuple[str, ...]:
    """Names of measures, where the distribution of a time is the measures from 1% to 99.9%."""
    found: list[str] = []
    for name in names:
        time = name.removeprefix(DISTRIBUTION).removesuffix(" (s)")
        spread = [f"{_label(share)} of {time} (s)" for share in SHARES]
        found += spread if name.startswith(DISTRIBUTION) else [name]
    return tuple(found)


def _label(share: float) -> str:
    return "median" if share == 0.5 else f"{100 * share:g}%"


def measures_of(result: CaseResult) -> dict[str, float]:
    """All measures of a case, by name."""
    found = {THROUGHPUT: float(result.rate)}
    if result.half_width is not None:
        found["half width"] = result.half_width
    if result.bound is not None:
        found["bound"] = float(result.bound)
    if result.requests:
        found[REQUESTS] = float(result.requests)
    if result.requests_half_width is not None:
        found[HALF_INTERVAL + REQUESTS] = result.requests_half_width
    found["busy"] = result.limiter.busy
    found["time"] = result.end / PS
    found.update((f"rate of {stream.name}", float(stream.rate)) for stream in result.streams)
    found.update((UTILISATION + each.name, each.utilisation) for each in result.resources)
    for seen in result.observations:
        scale, unit = (PS, "s") if seen.unit == "ps" else (1.0, seen.unit)
        for name, label in LABELS.items():
            value, width = seen.estimate(name)
            found[f"{label} of {seen.name} ({unit})"] = value / scale
            if width is not None and result.loads and unit == "s":
                found[f"{HALF_INTERVAL}{label} of {seen.name} (s)"] = width / scale
        if result.loads and unit == "s":
            for share in SHARES:
                found.setdefault(f"{_label(share)} of {seen.name} (s)", quantile(seen, share) / PS)
    for load in result.loads:
        found[f"served of {load.name} (/s)"] = load.served
        found[f"growth of {load.name} (/s)"] = load.grows
        if load.lost:
            found[f"loss of {load.name} (/s)"] = load.lost
    for tally in result.tallies:
        found[tally.name] = tally.value / (PS if tally.unit == "ps" else 1)
    return found
