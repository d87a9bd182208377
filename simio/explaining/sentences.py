"""An explanation in plain sentences."""

from __future__ import annotations

from collections.abc import Iterator

from simio import units
from simio.explaining.answers import THROUGHPUT
from simio.explaining.model import NOTHING, Alternation, CausalProfile, Row, Stage, Waterfall, certain
from simio.explaining.path import DELAY, SERVICE, WAITING
from simio.report.data import in_unit

LITTLE = 0.01
"""Gains below this share are told of together."""
SHOWN = 4
"""Stages and settings that a sentence names."""


def percent(gain: float) -> str:
    """A gain as a signed percentage; what would be rounded to nothing has no sign."""
    return f"{gain:+.1%}" if abs(gain) >= NOTHING else "0.0%"


def of_profile(profile: CausalProfile) -> Iterator[str]:
    """What limits, what would be gained, what limits next."""
    matter = [row for row in profile.rows if certain(row.twice) or certain(row.free)]
    yield _first(profile, matter)
    for each in profile.alternations:
        yield _alternation(each)
    if profile.alternations:
        yield _overlapped(profile)
    if profile.next:
        yield _next(profile)
    if little := [row for row in profile.rows if row not in matter[:1] and _most(row) < LITTLE]:
        yield _little(little)
    settings = sorted(
        (each for each in profile.what_ifs if certain(each.gain)),
        key=lambda each: -each.gain.gain if each.gain else 0.0,
    )
    if settings:
        told = (f"{each.what} ({percent(each.gain.gain)})" for each in settings[:SHOWN] if each.gain)
        yield f"Of the settings, most is gained by: {'; '.join(told)}."
    elif profile.what_ifs and profile.complete:
        yield "No setting that was tried gains anything."


def outside(row: Row) -> bool:
    """Whether a component is what one would suspect from outside: a link, or the mechanism of disks."""
    path, name = row.component.values[0], row.component.name
    return path.startswith("links.") and not name.startswith("signals") or name.startswith("mechanism")


def _most(row: Row) -> float:
    """The most that a component gains; without limit where that could not be run."""
    return max(row.twice.gain, row.free.gain) if row.twice and row.free else float("inf")


def _little(rows: list[Row]) -> str:
    named = [row.component.name for row in sorted(rows, key=lambda row: not outside(row))[:SHOWN]]
    rest = len(rows) - len(named)
    others = [f"{rest} other{'s' if rest > 1 else ''}"] if rest else []
    nothing = all(_most(row) < NOTHING for row in rows)
    gained = "Nothing" if nothing else f"Less than {LITTLE:.0%}"
    return f"{gained} is gained by faster {_list([*named, *others])}."


def _alternation(each: Alternation) -> str:
    """A thread's calls, and what it waits for in them."""
    parts = []
    for call in each.calls:
        share = f"{call.what} {call.share:.0%} of the time"
        if call.waiting >= 0.01:
            what = call.waits_for[0][0] if call.waits_for else ""
            share += f" ({call.waiting:.0%} waiting{f', mostly for {what}' if what else ''})"
        parts.append(share)
    return f"One thing at a time, {each.thread} {_list(parts)}."


def _first(profile: CausalProfile, matter: list[Row]) -> str:
    what = "throughput" if profile.metric == THROUGHPUT else f"the {profile.metric.rpartition(': ')[2]}"
    if not matter:
        return "No component limits by itself: none gains anything when it is made faster."
    first = matter[0]
    speeds = (("10% faster", first.slightly), ("twice as fast", first.twice), ("free", first.free))
    gains = ", ".join(f"{how} {percent(gain.gain)}" for how, gain in speeds if gain)
    verb = "raises" if profile.metric == THROUGHPUT else "shortens"
    return f"What limits most is {first.component.name}; making it faster {verb} {what}: {gains}."


def _next(profile: CausalProfile) -> str:
    after = profile.next
    assert after is not None
    text = f"With {after.removed} free ({percent(after.gain.gain)}), {after.limiter.sentence}"
    if after.helped is None:
        return f"{text}; no single component helps then."
    return f"{text}; what helps most then is {after.helps} ({percent(after.helped.gain)} more when twice as fast)."


def _overlapped(profile: CausalProfile) -> str:
    each = profile.alternations[0]
    rate = f"{in_unit(float(each.overlapped), profile.unit):.4g} {profile.unit}"
    most = float(each.overlapped / profile.base) - 1 if profile.base else 0.0
    busy = f"{each.busiest} would be busy all the time at {rate}"
    return f"If all that overlapped, {busy}: {percent(most)} at most."


def _list(names: list[str]) -> str:
    """Names in a sentence, with `and` before the last."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def of_waterfall(found: Waterfall) -> Iterator[str]:
    """How long a unit takes, and what most of that is."""
    size, period = (
        units.format_quantity(found.unit, "size"),
        units.format_quantity(round(found.period), "time"),
    )
    shares = {kind: sum(stage.share for stage in found.stages if stage.kind == kind) for kind in _KINDS}
    split = ", ".join(f"{share:.0%} {_KINDS[kind]}" for kind, share in shares.items() if share >= 0.005)
    yield f"{size} ({found.named}) take {period} in the mean of {found.units}: {split}."
    most = sorted(found.stages, key=lambda stage: -stage.share)[:SHOWN]
    told = [f"{stage_name(stage)} {stage.share:.0%}" for stage in most if stage.share >= 0.01]
    if told:
        yield f"Most of it is {_list(told)}."


_KINDS = {
    SERVICE: "something works for it",
    WAITING: "it waits for what serves others",
    DELAY: "nothing works (timers, signals under way, pauses)",
}


def stage_name(stage: Stage) -> str:
    """A stage in words."""
    if stage.kind == WAITING:
        return f"waiting for {stage.where}"
    return f"{stage.what} at {stage.where}" if stage.what else stage.where
