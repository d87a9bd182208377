"""Conditions on what a sweep keeps of a run, for a search that only takes configurations that keep promises."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from simio.errors import SimioError, did_you_mean, quote
from simio.sweeps.conditions import OPERATORS, STATISTICS, Requirement, SeenValue
from simio.sweeps.outcome import HALF_INTERVAL, LABELS, PS

_KINDS = {"utilisation": "utilisation of {}", "rate": "rate of {}", "served": "served of {} (/s)"}
"""Measures by what a condition is on."""


def seen_in(condition: Requirement, measures: Mapping[str, float]) -> SeenValue:
    """The value of a condition's quantity among measures, in its base unit. Raises SimioError if there is none."""
    if condition.what in STATISTICS or condition.what == "most":
        name = _observed(condition, measures)
        scale = PS if name.endswith(" (s)") else 1.0
        return SeenValue(measures[name] * scale, measures.get(HALF_INTERVAL + name, 0.0) * scale)
    if condition.what in _KINDS:
        name = _KINDS[condition.what].format(condition.name)
        return SeenValue(measures[_known(condition, name, measures)])
    if condition.name == "throughput" and not condition.what:
        return SeenValue(measures["throughput"], measures.get("half width", 0.0))
    # An event that never happened is not listed, and its count is 0.
    name, owned = condition.quantity, f"{condition.name} {condition.what}"
    counted = (value for key, value in measures.items() if key in (name, owned) or key.endswith(f" {name}"))
    return SeenValue(sum(counted) * (PS if condition.dimension == "time" else 1.0))


def broken(condition: Requirement, measures: Mapping[str, float]) -> float:
    """Share of its limit by which a condition is missed; 0 where it holds.

    No condition holds where fewer are served than arrive.
    """
    seen = seen_in(condition, measures)
    grows = any(value > 0 for name, value in measures.items() if name.startswith(("growth of ", "loss of ")))
    if OPERATORS[condition.comparison](seen.value, condition.limit) and not grows:
        return 0.0
    return max(abs(seen.value - condition.limit) / (abs(condition.limit) or 1.0), 1e-9)


def told(conditions: Sequence[Requirement], measures: Mapping[str, float]) -> str:
    """The value of each condition's quantity, in words, with a remark where chance may decide."""
    texts = []
    for condition in conditions:
        seen = seen_in(condition, measures)
        chance = abs(seen.value - condition.limit) <= seen.half_width
        texts.append(f"{condition.quantity} is {condition.seen_text(seen)}{', chance may decide' if chance else ''}")
    return "; ".join(texts)


def _observed(condition: Requirement, measures: Mapping[str, float]) -> str:
    """The measure that is the statistic of the observation that a condition names, in full or before its colon."""
    label = LABELS[STATISTICS.get(condition.what, "most")]
    own = {name.removeprefix(f"{label} of "): name for name in measures if name.startswith(f"{label} of ")}
    found = [
        name for rest, name in own.items()
        if condition.name in (rest.rpartition(" (")[0], rest.partition(":")[0])
    ]  # fmt: skip
    if len(found) == 1:
        return found[0]
    return _known(condition, condition.name, {rest.rpartition(" (")[0]: 0.0 for rest in own})


def _known(condition: Requirement, name: str, measures: Mapping[str, float]) -> str:
    if name not in measures:
        near = did_you_mean(name, measures) or f"there are {', '.join(map(quote, list(measures)[:12])) or 'none'}"
        raise SimioError(f"{quote(condition.text)}: found no {quote(name)}; {near}")
    return name
