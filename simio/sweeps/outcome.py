"""What a sweep keeps of a run: the measures, what limits, and the program's hash."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from simio.result.model import CaseResult

_PS = 1e12
THROUGHPUT = "throughput"
RATES = (THROUGHPUT, "half width", "bound", "rate of ")
"""How the names of measures begin that are in bytes a second."""


@dataclass(frozen=True)
class Outcome:
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
        """As plain data, but for whether it was kept."""
        told = {"measures": dict(self.measures), "limit": self.limit, "hash": self.hash}
        return told | ({"cut off": self.cut_off} if self.cut_off else {})


def read(data: Any) -> Outcome:
    """The outcome that `as_dict` gave. Raises KeyError, TypeError or ValueError where it is none."""
    measures = {str(name): float(value) for name, value in data["measures"].items()}
    measures[THROUGHPUT]  # what is compared and drawn has to be there
    return Outcome(measures, str(data["limit"]), str(data["hash"]), True, str(data.get("cut off", "")))


def is_rate(measure: str) -> bool:
    """Whether a measure is in bytes a second."""
    return measure.startswith(RATES)


def unit_of(measure: str) -> str:
    """The unit of a measure that is no rate, as a heading shows it."""
    if measure == "time" or measure.endswith(" (s)"):
        return "s"
    return "/s" if measure.endswith(" (/s)") else ""


def measures_of(result: CaseResult) -> dict[str, float]:
    """All that was measured of a case, by name."""
    found = {THROUGHPUT: float(result.rate)}
    if result.half_width is not None:
        found["half width"] = result.half_width
    if result.bound is not None:
        found["bound"] = float(result.bound)
    found["busy"] = result.limiter.busy
    found["time"] = result.end / _PS
    found.update((f"rate of {stream.name}", float(stream.rate)) for stream in result.streams)
    found.update((f"utilisation of {each.name}", each.utilisation) for each in result.resources)
    for seen in result.observations:
        scale, unit = (_PS, "s") if seen.unit == "ps" else (1.0, seen.unit)
        values = {
            "mean": seen.mean, "median": seen.p50, "90%": seen.p90, "95%": seen.p95, "99%": seen.p99,
            "99.9%": seen.p999, "most": seen.most,
        }  # fmt: skip
        found.update((f"{what} of {seen.name} ({unit})", value / scale) for what, value in values.items())
    for load in result.loads:
        found[f"served of {load.name} (/s)"] = load.served
        found[f"growth of {load.name} (/s)"] = load.grows
    for tally in result.tallies:
        found[tally.name] = tally.value / (_PS if tally.unit == "ps" else 1)
    return found
