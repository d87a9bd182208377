"""An explanation on a page: sentences, two plots and two tables."""

from __future__ import annotations

from typing import Any

from simio import units
from simio.explaining.answers import THROUGHPUT
from simio.explaining.model import CausalProfile, Waterfall
from simio.explaining.sentences import of_profile, of_waterfall
from simio.report.explained import INTERRUPTED, LEAST, gain_text, main_stages
from simio.report.html.curves import Figure, plain
from simio.report.html.page import plot
from simio.report.html.text import bar, section, shown, table
from simio.report.html.waterfall import rows, short, waterfall
from simio.wording import settings_text

MOST = 24
"""Largest number of components in the plot; those that gain most are kept."""
_SPEEDS = (("10% faster", "#9cc3ee"), ("twice as fast", "#3b82d6"), ("free", "#1d4f8f"))


def explained(found: Waterfall | None, profile: CausalProfile | None) -> tuple[str, dict[str, Figure]]:
    """The section of an explanation, or of the part that is known, and its figures."""
    parts: list[str] = []
    figures: dict[str, Figure] = {}
    if profile and profile.settings:
        parts.append(f'<p class="fine">{shown(settings_text(profile.settings))}</p>')
    sentences = [*(of_profile(profile) if profile else ()), *(of_waterfall(found) if found else ())]
    if profile and profile.cut_off:
        parts.append(f'<p class="warn">{shown(profile.cut_off)}</p>')
    parts += [f"<p>{shown(sentence)}</p>" for sentence in sentences]
    if profile and profile.rows:
        figures["gains"] = _gains(profile)
        what = "gained" if profile.metric == THROUGHPUT else "shorter"
        parts.append(
            plot("gains", f"{what.capitalize()} by a faster component (%)", "gains", figures["gains"], heading=True)
        )
    if profile and profile.what_ifs:
        rows = [[shown(each.what), gain_text(each.gain)] for each in profile.what_ifs]
        parts.append(table(["what if", "gained"], rows))
    if found:
        figures["waterfall"] = waterfall(found)
        parts.append(
            plot("waterfall", f"The path of one {found.named}", "waterfall", figures["waterfall"], heading=True)
        )
        parts.append(_stages(found))
    notes = [*(profile.notes if profile else ()), *(found.notes if found else ())]
    if profile and not profile.complete:
        notes.append(INTERRUPTED)
    parts += [f'<p class="fine">{shown(note)}</p>' for note in notes]
    return section("What limits, and what would help", "".join(parts), "why"), figures


def _gains(profile: CausalProfile) -> Figure:
    """Bars for each component that gains anything, largest on top."""
    speeds = [[row.slightly, row.twice, row.free] for row in profile.rows]
    least = [max((abs(gain.gain) for gain in gains if gain), default=0.0) for gains in speeds]
    order = sorted((at for at, most in enumerate(least) if most >= LEAST), key=lambda at: -least[at])[:MOST]
    names = [short(profile.rows[at].component.name) for at in order]
    data: list[dict[str, Any]] = []
    for speed, (label, colour) in enumerate(_SPEEDS):
        gains = [speeds[at][speed] for at in order]
        data.append(
            {
                "type": "bar", "orientation": "h", "name": label, "y": list(range(len(order))),
                "x": [None if gain is None else float(f"{100 * gain.gain:.4g}") for gain in gains],
                "marker": {"color": colour}, "hoverinfo": "text",
                "hovertext": [
                    f"{plain(profile.rows[at].component.name)}, {label}: {gain_text(gain)}"
                    for at, gain in zip(order, gains, strict=True)
                ],
            }
        )  # fmt: skip
    layout = {
        "xaxis": {"ticksuffix": "%"}, "yaxis": rows(names), "barmode": "group", "showlegend": True,
        "height": 90 + 46 * len(order), "legend": {"traceorder": "normal"},
    }  # fmt: skip
    most = profile.rows[order[0]] if order else None
    about = (
        f"most by {most.component.name}: twice as fast {gain_text(most.twice)}" if most else "nothing gains anything"
    )
    return {"data": data, "layout": layout, "about": about}


def _stages(found: Waterfall) -> str:
    """The mean time of each stage with a bar, small ones together."""
    rows = [
        [shown(name), bar(share, "part"), f"{share:.1%}", shown(units.format_quantity(round(time), "time"))]
        for name, time, share in main_stages(found)
    ]
    head = [f"time of a {shown(found.named)}, mean", "", "", ""]
    return table(head, rows, left=(0, 1), kind="uses")
