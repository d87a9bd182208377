"""The page of a result as text: what is in it, in which order, and that nothing of a scenario becomes markup."""

from __future__ import annotations

import html
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from simio.cli.main import main
from simio.report.data import as_dict
from simio.report.html import page as pages
from simio.report.html.page import page
from simio.report.tables import rate_text
from simio.result.uncertainty import Dependence, Uncertainty
from simio.running import run_scenario

SCENARIOS = Path(__file__).parents[3] / "scenarios"
HARM = "</script><script>harm()</script>\"'&<!--"


def ran(load: Any, name: str, *sets: str) -> tuple[Any, Any]:
    scenario = load(name, *sets)
    return scenario, run_scenario(scenario, sets)


def figures(text: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="figures">(.*?)</script>', text, re.DOTALL)
    assert found
    return json.loads(found[1])


def body(text: str) -> str:
    """The page without its scripts."""
    return re.sub(r"<script.*?</script>", "", text, flags=re.DOTALL)


def test_it_loads_nothing_and_may_load_nothing(load: Any) -> None:
    text = page(*ran(load, "hippi-larger-packets.yaml", "workload.blast.packets=2"))
    assert not re.search(r"<(script|link|img|iframe|source)[^>]*\s(src|href)\s*=", text)
    assert "default-src 'none'" in text
    assert "@import" not in body(text)
    assert "url(" not in body(text)


def test_cases_within_the_interval_have_no_best_and_what_is_idle_does_not_limit(load: Any) -> None:
    scenario, result = ran(load, "sgi-hippi-raw.yaml", "workload.blast.packets=2")
    text = page(scenario, result)
    assert f"Best of {len(result.cases)} cases: " in text
    alike = replace(result, cases=tuple(replace(case, rate=result.cases[0].rate) for case in result.cases))
    assert f"{len(result.cases)} cases, which differ by no more than 0.5%: " in page(scenario, alike)
    kinds = {case.limiter.kind for case in result.cases}
    assert ("the busiest</span>" in text) == bool(kinds - {"resource", "thread", "lock"})
    load_limits = replace(result.cases[0].limiter, kind="load")
    idle = replace(result, cases=tuple(replace(case, limiter=load_limits) for case in result.cases))
    assert "what limits</span>" not in page(scenario, idle)


def test_the_answer_comes_first_and_everything_that_json_has_is_there(load: Any) -> None:
    scenario, result = ran(load, "sgi-hippi-raw.yaml", "workload.blast.packets=2")
    text = body(page(scenario, result))
    best = max(result.cases, key=lambda case: case.rate)
    rates = re.findall(r'<p class="rate">([^<]+)', text)
    assert rates[0].strip() == rate_text(best, "MB/s")
    assert rates.count(rates[0]) >= 2
    assert len(rates) == 1 + len(result.cases)
    heads = re.findall(r"<h2>(.*?)</h2>", text)
    assert heads == ["What varies", "All cases", "One case", "The scenario"]
    told = as_dict(result)
    for case in told["cases"]:
        assert case["hash"] in text
        assert html.escape(case["limiter"]["sentence"]) in text
    assert html.escape(result.text) in text
    assert "workload.blast.packets=2" in text
    assert f"simio {result.version}" in text


def test_texts_of_a_scenario_stay_texts(load: Any) -> None:
    scenario, result = ran(load, "hippi-larger-packets.yaml", "workload.blast.packets=2")
    cases = tuple(
        replace(
            case,
            settings={f"a.{HARM}": f"{HARM}{case.index}"},
            bound_by=HARM,
            limiter=replace(case.limiter, name=HARM, sentence=HARM),
            resources=tuple(use._replace(name=f"{HARM}{use.name}") for use in case.resources),
            observations=tuple(replace(each, name=HARM, unit=HARM) for each in case.observations),
            timeline=replace(
                case.timeline,
                resources={f"{HARM}{name}": row for name, row in case.timeline.resources.items()},
            ),
        )
        for case in result.cases
    )
    hostile = replace(result, title=HARM, text=HARM, path=HARM, sets=(HARM,), fitted=(HARM,), cases=cases)
    text = page(replace(scenario, title=HARM, about=HARM), hostile)
    assert "harm()" in text
    assert "<script>harm" not in text
    found = figures(text)
    assert found
    # Text that Plotly shows is escaped for it as well.
    names = [each["name"] for figure in found.values() for each in figure["data"]]
    assert any("harm" in name for name in names)
    assert not any("<script" in name for name in names)


def test_every_plot_has_a_figure_and_every_figure_a_place(load: Any) -> None:
    text = page(*ran(load, "slac-64k-windows.yaml", "run.until=80 ms", "run.warm_up=0 s"))
    places = re.findall(r'data-plot="([^"]+)"', text)
    assert sorted(places) == sorted(figures(text))
    assert len(set(places)) == len(places)


def test_each_plot_says_its_main_number_to_who_cannot_see_it(load: Any) -> None:
    scenario, result = ran(load, "linux-fc-raw.yaml", "run.until=300 ms")
    text = body(page(scenario, result))
    plots = re.findall(r'data-plot="([^"]+)" role="img" aria-label="([^"]+)" aria-describedby="([^"]+)"', text)
    assert len(plots) == text.count('class="plot"') > 4
    told = {label: re.search(rf'<figcaption id="{about}" class="fine">([^<]+)<', text) for _, label, about in plots}
    assert all(found and found[1] for found in told.values())
    best = max(result.cases, key=lambda case: case.rate)
    rate = rate_text(best, "MiB/s")
    assert f"{rate} MiB/s (disks.d.count = 8" in text
    assert f"mean of the measured span: {rate} MiB/s" in text
    assert f"busiest: fabric&gt;server.fc, {max(use.utilisation for use in best.resources):.1%}" in text


def test_wide_tables_and_wirings_scroll_in_a_box_that_shows_it(load: Any) -> None:
    text = body(page(*ran(load, "linux-fc-raw.yaml", "run.until=20 ms")))
    # Each table is in a box, which the keyboard reaches, and whose edge is shaded while something is beyond it.
    assert text.count("<table") == text.count('<div class="wide" tabindex="0"><table')
    assert '<div class="wide" tabindex="0"><svg class="topology"' in text
    shadow = re.search(r"\.wide \{(.*?)\}", text, re.DOTALL)
    assert shadow
    assert "var(--edge)" in shadow[1]


def test_of_very_many_cases_the_first_and_the_fastest_are_shown_in_full(
    load: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pages, "PANELS", 2)
    scenario, result = ran(load, "sgi-hippi-raw.yaml", "workload.blast.packets=1")
    best = max(result.cases, key=lambda case: case.rate)
    assert best.index > 1
    text = page(scenario, result)
    assert re.findall(r'class="panel" data-case="(\d+)"', text) == ["0", "1", str(best.index)]


def test_it_names_the_value_without_a_source_that_matters_most(load: Any) -> None:
    scenario, result = ran(load, "hippi-larger-packets.yaml", "workload.blast.packets=2")
    assert "How certain" not in body(page(scenario, result))
    guess = Dependence("kernels/k.interrupt", "25 us", "assumed", 0, ("16 us", "38 us"), (0.03, -0.12))
    known = Uncertainty(128, 32, 1, 0, 0, "28 rows", 0.1, unsourced=(guess,))
    text = body(page(scenario, replace(result, uncertainty=known)))
    assert "without a source: kernels/k.interrupt = 25 us (assumed), with 16 us +3%, with 38 us -12%" in text


def test_it_is_written_beside_the_answer(tmp_path: Path) -> None:
    scenario, target = str(SCENARIOS / "sgi-hippi-raw.yaml"), tmp_path / "r.html"
    plain = CliRunner().invoke(main, ["run", scenario, "--case", "3"])
    done = CliRunner().invoke(main, ["run", scenario, "--case", "3", "--html", str(target)])
    assert done.exit_code == 0, done.output
    assert done.stdout == plain.stdout
    text = target.read_text(encoding="utf-8")
    assert re.findall(r"<h2>(.*?)</h2>", body(text)) == ["All cases", "The answer", "The scenario"]


def test_why_comes_with_it_where_that_is_asked_for(tmp_path: Path) -> None:
    target = tmp_path / "r.html"
    scenario = str(SCENARIOS / "hippi-larger-packets.yaml")
    few = ["--set", "workload.blast.packets=4", "--case", "1"]
    done = CliRunner().invoke(main, ["run", scenario, *few, "--html", str(target), "--explain"])
    assert done.exit_code == 0, done.output
    text = target.read_text(encoding="utf-8")
    assert "What limits, and what would help" in body(text)
    waterfall, gains = (figures(text)[name] for name in ("waterfall", "gains"))
    bars = [bar for each in waterfall["data"] for bar in zip(each["base"], each["x"], each["width"], strict=True)]
    # The stretches of a unit's way follow one another without a gap, and each interval is full.
    heights: dict[float, float] = {}
    for begin, _, height in bars:
        heights[begin] = heights.get(begin, 0.0) + height
    assert min(heights) == 0
    assert all(height == pytest.approx(heights[0.0], rel=0.01) for height in heights.values())
    assert [each["name"] for each in gains["data"]] == ["10% faster", "twice as fast", "free"]


def test_explaining_on_no_page_is_refused() -> None:
    done = CliRunner().invoke(main, ["run", str(SCENARIOS / "sgi-hippi-raw.yaml"), "--explain"])
    assert done.exit_code == 2
    assert "--explain goes with --html" in done.stderr
