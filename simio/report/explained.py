"""An explanation on a terminal and as JSON: sentences first, then tables."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict
from fractions import Fraction
from typing import Any

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from simio import units
from simio.explaining.answers import THROUGHPUT
from simio.explaining.model import LEAST, NOTHING, CausalProfile, ComponentRow, FirstRun, Gain, Waterfall, noise
from simio.explaining.sentences import of_profile, of_waterfall, outside, percent, stage_name
from simio.report.console import NOTHING_YET, columns, share_bar
from simio.report.terminal import span_text
from simio.version import VERSION
from simio.wording import counted, figure, in_unit, settings_text

WITHIN = f"within ±{LEAST:.1%}"
INTERRUPTED = "interrupted: these are the runs finished by then"
IN_FIRST_RUN = "the explanation was interrupted in its first run; which change would help is not known"


def show(
    console: Console,
    found: Waterfall | None,
    profile: CausalProfile | None,
    title: str,
    began: FirstRun | None = None,
) -> None:
    """Print an explanation, or what there is of it: at least what its first run `began` with."""
    console.print(Text(title, style="bold"))
    if began:
        _first_run(console, began)
    if profile:
        if profile.settings:
            console.print(Text(settings_text(profile.settings), style="dim"))
        if profile.cut_off:
            console.print(Text(profile.cut_off, style="yellow"))
        console.print(Padding(Text(_answer(profile), style="bold green"), (1, 0, 0, 0)))
        _paragraph(console, of_profile(profile))
    if found:
        _paragraph(console, of_waterfall(found))
    if profile and profile.rows:
        console.print(Padding(_profile(profile), (1, 0, 0, 0)))
    if profile and profile.what_ifs:
        console.print(Padding(_settings(profile), (1, 0, 0, 0)))
    if found:
        console.print(Padding(_stages(found), (1, 0, 0, 0)))
    for note in [*(profile.notes if profile else ()), *(found.notes if found else ())]:
        console.print(Text(f"\n{note}", style="dim"))
    if began:
        console.print(Text(f"\n{IN_FIRST_RUN}", style="yellow"))
    elif profile is None or not profile.complete:
        console.print(Text(f"\n{INTERRUPTED if profile or found else NOTHING_YET}", style="yellow"))


def _first_run(console: Console, began: FirstRun) -> None:
    """Print the answer of a run that was interrupted, as `simio run` gives it."""
    case = began.result
    if case.settings:
        console.print(Text(settings_text(case.settings), style="dim"))
    console.print(Text(case.cut_off, style="yellow"))
    rate = f"{figure(in_unit(float(case.rate), began.unit))} {began.unit}"
    answer = f"{rate}   {case.limiter.sentence}" if case.rate else rate
    console.print(Padding(Text(answer, style="bold green"), (1, 0, 0, 0)))
    console.print(Text(span_text(case)))


def _answer(profile: CausalProfile) -> str:
    rate = profile.answer
    if profile.metric != THROUGHPUT:
        rate = f"{profile.metric} {units.format_quantity(round(profile.value), 'time')}"
    return f"{rate}   {profile.limiter.sentence}"


def _paragraph(console: Console, sentences: Iterable[str]) -> None:
    for sentence in sentences:
        console.print(Text(sentence))


def gain_text(gain: Gain | None) -> str:
    """A gain with half of its confidence interval, if it has one; of one that is noise, the interval alone."""
    if gain is None:
        return "not run"
    if noise(gain) and abs(gain.gain) >= NOTHING:
        return f"within ±{gain.half_width:.1%}"
    return percent(gain.gain) + (f" ± {gain.half_width:.1%}" if gain.half_width else "")


def _profile(profile: CausalProfile) -> Table:
    what = "gained" if profile.metric == THROUGHPUT else "shorter"
    table = columns(f"{what} by a component that is", "10% faster", "twice as fast", "free")
    rest = 0
    for row in profile.rows:
        gains = (row.slightly, row.twice, row.free)
        if any(gain and abs(gain.gain) >= LEAST for gain in gains) or row.free is None or outside(row):
            table.add_row(row.component.name, *gain_texts(row))
        else:
            rest += len(row.together) or 1
    if rest:
        table.add_row(counted(rest, "other"), *[WITHIN] * 3)
    return table


def gain_texts(row: ComponentRow) -> tuple[str, ...]:
    """The gains of the three speeds; that of free bounds those of less, where these were not run."""
    less = (WITHIN if row.bounded else "" if row.together else gain_text(gain) for gain in (row.slightly, row.twice))
    return (*less, gain_text(row.free))


def _settings(profile: CausalProfile) -> Table:
    table = columns("what if", "gained" if profile.metric == THROUGHPUT else "shorter")
    for each in profile.what_ifs:
        table.add_row(each.what, gain_text(each.gain))
    return table


def _stages(found: Waterfall) -> Table:
    table = columns(f"time of {units.format_quantity(found.unit, 'size')}", "", "", left=(0, 2))
    for name, time, share in main_stages(found):
        table.add_row(name, units.format_quantity(round(time), "time"), share_bar(share))
    return table


def main_stages(found: Waterfall) -> list[tuple[str, float, float]]:
    """Name, mean time in ps and share of each stage; stages below `LEAST` are summed up in the last row."""
    rows = [(stage_name(stage), stage.time, stage.share) for stage in found.stages if stage.share >= LEAST]
    small = [stage for stage in found.stages if stage.share < LEAST]
    if small:
        sums = (sum(stage.time for stage in small), sum(stage.share for stage in small))
        rows.append((counted(len(small), "other"), *sums))
    return rows


def as_json(found: Waterfall | None, profile: CausalProfile | None, title: str, began: FirstRun | None = None) -> str:
    """An explanation as JSON: rates in bytes a second, times in ps, gains as shares.

    Where it was interrupted in its first run, `first_run` has what that came to.
    """
    sentences = [*(of_profile(profile) if profile else ()), *(of_waterfall(found) if found else ())]
    data: dict[str, Any] = {
        "simio": VERSION,
        "title": title,
        "sentences": sentences,
        "profile": plain(asdict(profile)) if profile else None,
        "waterfall": plain(asdict(found)) if found else None,
    }
    if began:
        case = began.result
        data["first_run"] = {
            "cut_off": case.cut_off, "throughput": float(case.rate), "limiter": case.limiter.sentence,
        }  # fmt: skip
    return json.dumps(data, indent=1, allow_nan=False) + "\n"


def plain(value: Any) -> Any:
    """Fractions as floats, however deep they are; infinite half widths as null."""
    if isinstance(value, Fraction):
        return float(value)
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return None if value == float("inf") else value
