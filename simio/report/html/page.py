"""The page: answer, curves, table, one case at a time, the scenario; it needs no other file."""

from __future__ import annotations

from collections.abc import Sequence

from simio.description.model import Scenario
from simio.extras import needs
from simio.report.html import cases
from simio.report.html.curves import Figure, curves
from simio.report.html.distributions import distributions
from simio.report.html.text import asset, script_data, section, shown
from simio.report.html.timelines import timelines
from simio.report.tables import rate_text
from simio.report.terminal import cut_off_texts, summary_text, uncertainty_texts
from simio.result.model import CaseResult, ScenarioResult
from simio.sweeps.ties import precision, precision_text
from simio.topology import wire
from simio.wording import counted, figure, in_unit, settings_text

PANELS = 60
"""Largest number of cases shown in full; of more, the first ones and the fastest."""
POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:"
"""Content security policy: nothing may leave the page."""
_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="simio {version}">
<title>{title}</title>
<style>
{style}</style>
</head>
<body>
<header><h1>{title}</h1>{about}</header>
<main>
{body}
</main>
<footer>simio {version}; {identity}</footer>
<script>{plotly}</script>
<script type="application/json" id="figures">{figures}</script>
<script>
{script}</script>
</body>
</html>
"""


def page(scenario: Scenario, result: ScenarioResult, extra: str = "", more: dict[str, Figure] | None = None) -> str:
    """The whole page as text; `extra` are sections about one case, with the plots in `more`."""
    needs("plotly", "a page")
    from plotly.offline import get_plotlyjs

    figures: dict[str, Figure] = dict(more or {})
    if not result.cases:
        body = '<p class="warn">interrupted before a case was finished</p>'
    else:
        body = "\n".join(_body(scenario, result, extra, figures))
    about = f'<p class="about">{shown(scenario.about)}</p>' if scenario.about else ""
    return _PAGE.format(
        policy=POLICY, version=shown(result.version), title=shown(result.title), style=asset("page.css"),
        about=about, body=body, identity=_identity(result), plotly=get_plotlyjs(), figures=script_data(figures),
        script=asset("page.js"),
    )  # fmt: skip


def _body(scenario: Scenario, result: ScenarioResult, extra: str, figures: dict[str, Figure]) -> list[str]:
    best = max(result.cases, key=lambda case: case.rate)
    parts = []
    parts += [f'<p class="warn">{shown(text)}</p>' for text in cut_off_texts(result)]
    several = len(result.cases) > 1
    if several:
        parts.append(_range(result, best))
    found = curves(result) if several else None
    if found:
        figures["curves"] = found
        parts.append(
            section("What varies", plot("curves", f"Throughput ({result.unit})", result.title, found), "curves")
        )
    if several or any(case.measured for case in result.cases):
        errors = "".join(f"<p>{shown(line)}</p>" for line in summary_text(result))
        parts.append(section("All cases", cases.overview(result) + errors, "cases"))
    panels = _panels(result, best)
    choice = _choice(panels, best) if several else ""
    inside = "".join(_panel(scenario, result, case, case is best, figures) for case in panels)
    parts.append(section("One case" if several else "The answer", choice + inside, "case"))
    certainty = "".join(f"<p>{shown(text)}</p>" for text in uncertainty_texts(result) if text)
    parts += [section("How certain", certainty, "certain"), extra, _scenario(result)]
    return parts


def _range(result: ScenarioResult, best: CaseResult) -> str:
    """The answer of several cases: the fastest, and the slowest in small type."""
    worst = min(result.cases, key=lambda case: case.rate)
    widths = [case.half_width for case in (best, worst)]
    if best.rate - worst.rate <= precision(widths, [float(best.rate), float(worst.rate)]):
        of = f"{len(result.cases)} cases, which differ by no more than {precision_text(None not in widths)}"
    else:
        of = f"Best of {len(result.cases)} cases"
    settings = ", ".join(f"{key.rpartition('.')[2]} {value}" for key, value in best.settings.items())
    rate, unit = shown(rate_text(best, result.unit)), shown(result.unit)
    return (
        f'<div class="answer"><p class="rate">{rate} <span>{unit}</span></p>'
        f'<div><p class="limit">{of}: {shown(settings)}</p>'
        f"<p>{shown(best.limiter.sentence)}</p>"
        f'<p class="fine">the worst is {figure(in_unit(float(worst.rate), result.unit))} {shown(result.unit)}, case '
        f"{worst.index + 1}</p></div></div>"
    )


def _panels(result: ScenarioResult, best: CaseResult) -> Sequence[CaseResult]:
    if len(result.cases) <= PANELS:
        return result.cases
    first = result.cases[:PANELS]
    return first if best in first else (*first, best)


def _choice(panels: Sequence[CaseResult], best: CaseResult) -> str:
    options = "".join(
        f'<option value="{case.index}"{" selected" if case is best else ""}>{case.index + 1}: '
        f"{shown(settings_text(case.settings))}</option>"
        for case in panels
    )
    return f'<label class="pick">case <select id="pick">{options}</select></label>'


def _panel(
    scenario: Scenario, result: ScenarioResult, case: CaseResult, visible: bool, figures: dict[str, Figure]
) -> str:
    system = next(each.system for each in scenario.cases if each.index == case.index)
    plots = []
    for number, (title, drawn) in enumerate({**timelines(case, result.unit), **distributions(case)}.items()):
        name = f"case{case.index + 1}-{number + 1}"
        figures[name] = drawn
        plots.append(plot(name, title, name, drawn, heading=True))
    hidden = "" if visible else " hidden"
    inside = cases.detail(case, wire(system), result.unit, plots)
    return f'<article class="panel" data-case="{case.index}"{hidden}>{inside}</article>'


def plot(name: str, title: str, file: str, drawn: Figure, heading: bool = False) -> str:
    """The element of a figure, with its main number in words and buttons that save it."""
    head = f"<h3>{shown(title)}</h3>" if heading else ""
    buttons = "".join(
        f'<button data-format="{form}" title="save as {form.upper()}" '
        f'aria-label="save {shown(title)} as {form.upper()}">{form.upper()}</button>'
        for form in ("png", "svg")
    )
    about = f"about-{name}"
    return (
        f'{head}<figure data-file="{shown(file)}"><div class="plot" data-plot="{shown(name)}" role="img" '
        f'aria-label="{shown(title)}" aria-describedby="{shown(about)}"></div><div class="below">'
        f'<figcaption id="{shown(about)}" class="fine">{shown(drawn.get("about", ""))}</figcaption>'
        f'<div class="save">{buttons}</div></div></figure>'
    )


def _scenario(result: ScenarioResult) -> str:
    """The scenario as it was written, its overrides, and the fitted values in use."""
    sets = "".join(f"<li><code>{shown(text)}</code></li>" for text in result.sets)
    over = f"<p>with</p><ul>{sets}</ul>" if sets else ""
    fitted = "".join(f"<li>{shown(value)}</li>" for value in result.fitted)
    title = f"{counted(len(result.fitted), 'fitted value')} in the parts used"
    listed = f"<details><summary>{title}</summary><ul>{fitted}</ul></details>"
    text = f"<pre>{shown(result.text)}</pre>"
    return section(
        "The scenario",
        f"<p class='fine'>{shown(result.path)}</p>{text}{over}{listed if fitted else ''}",
        "scenario",
    )


def _identity(result: ScenarioResult) -> str:
    """The programs and seeds that give the same page again."""
    hashes = list(dict.fromkeys(case.hash for case in result.cases))
    seeds = sorted({seed for case in result.cases for seed in case.seeds})
    parts = [f"program {hashes[0]}" if len(hashes) == 1 else f"{len(hashes)} programs, each named with its case"]
    parts += [f"seeds {', '.join(map(str, seeds[:10]))}{' …' if len(seeds) > 10 else ''}"] if seeds else []
    return shown("; ".join(parts) if hashes else "")
