"""An explanation in plain sentences."""

from __future__ import annotations

from collections.abc import Iterator

from simio import units
from simio.explaining.answers import THROUGHPUT
from simio.explaining.model import NOTHING, Alternation, CausalProfile, ComponentRow, Stage, Waterfall, certain
from simio.explaining.path import DELAY, SERVICE, WAITING
from simio.result.model import Limiter
from simio.wording import counted, figure, in_unit, listed

LITTLE = 0.01
"""Gains below this share are summed up in one sentence."""
SHOWN = 4
"""Stages and settings that a sentence names."""
LOSING = 2
"""Components that a sentence names of which more speed loses."""


def percent(gain: float) -> str:
    """A gain as a signed percentage; one that rounds to zero has no sign."""
    return f"{gain:+.1%}" if abs(gain) >= NOTHING else "0.0%"


def of_profile(profile: CausalProfile) -> Iterator[str]:
    """The limit, the gains of faster components and other settings, and the next limit."""
    matter = [row for row in profile.rows if not row.together and (certain(row.twice) or certain(row.free))]
    yield _first(profile, matter)
    if profile.held:
        yield profile.held
    if losing := [row for row in profile.rows if row.slower]:
        yield _losing(losing)
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
        yield f"The most effective settings: {'; '.join(told)}."
    elif profile.what_ifs and profile.complete:
        yield "None of the settings tried gains anything."


def outside(row: ComponentRow) -> bool:
    """True if a component is an obvious suspect: a link, or the mechanism of disks."""
    path, name = row.component.values[0], row.component.name
    return path.startswith("links.") and not name.startswith("signals") or name.startswith("mechanism")


def _most(row: ComponentRow) -> float:
    """The largest gain by a component; infinite if a variant could not be run."""
    if row.free and (row.bounded or row.together):
        return row.free.gain
    return max(row.twice.gain, row.free.gain) if row.twice and row.free else float("inf")


def _little(rows: list[ComponentRow]) -> str:
    names = [
        name
        for row in sorted(rows, key=lambda row: not outside(row))
        for name in row.together or (row.component.name,)
    ]
    named = names[:SHOWN]
    rest = len(names) - len(named)
    others = [counted(rest, "other")] if rest else []
    nothing = all(_most(row) < NOTHING for row in rows)
    gained = "Nothing" if nothing else f"Less than {LITTLE:.0%}"
    return f"{gained} is gained by faster {listed([*named, *others])}."


def _alternation(each: Alternation) -> str:
    """The calls of a thread, and what it waits for in each."""
    parts = []
    for call in each.calls:
        share = f"{call.what} {call.share:.0%} of the time"
        if call.waiting >= 0.01:
            what = call.waits_for[0][0] if call.waits_for else ""
            share += f" ({call.waiting:.0%} waiting{f', mostly for {what}' if what else ''})"
        parts.append(share)
    return f"{each.thread} does one thing at a time: {listed(parts)}."


def _first(profile: CausalProfile, matter: list[ComponentRow]) -> str:
    what = "throughput" if profile.metric == THROUGHPUT else f"the {profile.metric.rpartition(': ')[2]}"
    if not matter and not profile.rows:
        return "No component was made faster: what would help is not known."
    if not matter and (profile.untried or not profile.complete):
        return "No component that was made faster gains anything by itself; others were not tried."
    if not matter:
        return "No single component limits: making one faster gains nothing."
    first = matter[0]
    speeds = (("10% faster", first.slightly), ("twice as fast", first.twice), ("free", first.free))
    gains = ", ".join(f"{how} {percent(gain.gain)}" for how, gain in speeds if gain)
    verb = "raises" if profile.metric == THROUGHPUT else "shortens"
    most = max((gain.gain, how) for how, gain in speeds if gain)[1]
    loses = any(gain.gain <= -NOTHING for _, gain in speeds if gain)
    only = f" when {most}, and not always" if loses else ""
    return f"Making {first.component.name} faster helps most; it {verb} {what}{only}: {gains}."


def _losing(rows: list[ComponentRow]) -> str:
    """Components of which more speed loses, and why."""
    found = []
    for row in rows[:LOSING]:
        speeds = (("10% faster", row.slightly), ("twice as fast", row.twice), ("free", row.free))
        gains = ", ".join(f"{how} {percent(gain.gain)}" for how, gain in speeds if gain)
        found.append(f"{row.component.name} ({gains}; {row.slower})")
    rest = f"; and {counted(len(rows) - LOSING, 'other')}" if len(rows) > LOSING else ""
    return f"More speed loses with {'; '.join(found)}{rest}."


def _next(profile: CausalProfile) -> str:
    after = profile.next
    assert after is not None
    text = f"With {after.removed} free ({percent(after.gain.gain)}), {clause(after.limiter)}"
    if after.helped is None:
        return f"{text}. No single component helps then."
    return f"{text}. What helps most then is {after.helps}: {percent(after.helped.gain)} when twice as fast."


def clause(limiter: Limiter) -> str:
    """The sentence of a limiter as it stands within another one."""
    sentence = limiter.sentence
    return sentence[0].lower() + sentence[1:] if limiter.kind == "none" else sentence


def _overlapped(profile: CausalProfile) -> str:
    each = profile.alternations[0]
    rate = f"{figure(in_unit(float(each.overlapped), profile.unit))} {profile.unit}"
    most = float(each.overlapped / profile.base) - 1 if profile.base else 0.0
    return f"If all of this overlapped, {each.busiest} would saturate at {rate}: {percent(most)} at most."


def of_waterfall(found: Waterfall) -> Iterator[str]:
    """The time of a unit, and the stages that take most of it."""
    size, period = (
        units.format_quantity(found.unit, "size"),
        units.format_quantity(round(found.period), "time"),
    )
    shares = {kind: sum(stage.share for stage in found.stages if stage.kind == kind) for kind in _KINDS}
    kinds = _KINDS if found.took else _KINDS | ALONE
    split = ", ".join(f"{share:.0%} {kinds[kind]}" for kind, share in shares.items() if share >= 0.005)
    often = f"{size} ({found.named}) takes {period} (mean of {found.units})"
    if found.took:
        took = units.format_quantity(round(found.took), "time")
        often = (
            f"{size} ({found.named}) comes every {period} (mean of {found.units}), "
            f"{found.took / found.period:.3g} under way at once, each for {took}; the time between two"
        )
    yield f"{often}: {split}."
    most = sorted(found.stages, key=lambda stage: -stage.share)[:SHOWN]
    parts = [f"{stage.share:.0%} {stage_name(stage)}" for stage in most if stage.share >= 0.01]
    if parts:
        yield f"Of this, {listed(parts).replace('% ', '% is ', 1)}."


_KINDS = {
    SERVICE: "in service",
    WAITING: "queued behind other requests",
    DELAY: "in delays (timers, signals under way, pauses)",
}
ALONE = {WAITING: "queued behind other requests or packets of its own"}
"""The words for units one at a time: a packet of a unit may wait for those before it alone."""


def stage_name(stage: Stage) -> str:
    """The name of a stage: its work and where it is done, or what it waits for."""
    if stage.kind == WAITING:
        return f"waiting for {stage.where}"
    return f"{stage.what} at {stage.where}" if stage.what else stage.where
