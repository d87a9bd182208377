"""The page of a result in a real browser, from a file, with the network off."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import pytest
from browser_pages import hostile_page, page_of

pytestmark = pytest.mark.slow

DRAWN = "return document.documentElement.dataset.drawn"
PLOTS = """return [...document.querySelectorAll('.plot')].filter(e => e.offsetParent).map(
  e => e.querySelectorAll('.scatterlayer .trace, .barlayer .trace').length)"""


def opened(browser: Any, path: Path, **options: Any) -> Any:
    browser.look(offline=True, **options)
    browser.driver.get(path.as_uri())
    browser.wait(DRAWN)
    return browser


def test_all_plots_are_drawn_and_nothing_is_asked_for(browser: Any, tmp_path: Path) -> None:
    page = opened(browser, page_of("sgi-hippi-raw.yaml", tmp_path, "workload.blast.packets=2"))
    drawn = page.driver.execute_script(PLOTS)
    assert len(drawn) >= 4
    assert all(drawn)
    # Another case is drawn when it is chosen.
    page.run("document.querySelector('a[data-case=\"3\"]').click()")
    page.wait(
        "return [...document.querySelectorAll('.panel:not([hidden]) .plot')].every(e => e.querySelector('.trace'))"
    )
    shown = page.driver.execute_script("return document.querySelector('.panel:not([hidden])').dataset.case")
    assert shown == "3"
    assert [address for address in page.asked() if not address.startswith(("file:", "data:", "blob:"))] == []
    assert page.complaints() == []


def test_the_plots_can_be_had_as_png_and_svg(browser: Any, tmp_path: Path) -> None:
    page = opened(browser, page_of("linux-fc-raw.yaml", tmp_path, "run.until=20 ms"), dark=True)
    for name in ("curves", "case1-1"):
        png = page.run(f"return plotImage('{name}', 'png')")
        assert base64.b64decode(png.partition(",")[2]).startswith(b"\x89PNG")
        assert page.run(f"return plotImage('{name}', 'svg')").startswith("data:image/svg+xml")
    wiring = "document.querySelector('.topology')"
    svg = page.run(f"return drawingText({wiring})")
    assert "var(" not in svg
    assert 'fill="rgb(' in svg
    png = page.run(f"return drawingImage({wiring}, 'png')")
    assert base64.b64decode(png.partition(",")[2]).startswith(b"\x89PNG")
    # Pictures are made in the colours of paper, and the page stays dark.
    assert page.driver.execute_script("return colour('--paper')") == "#14181f"
    assert page.complaints() == []


def test_what_a_scenario_says_stays_text(browser: Any, tmp_path: Path) -> None:
    page = opened(browser, hostile_page(tmp_path))
    assert page.driver.execute_script("return window.harmed") is None
    assert "<script>window.harmed" in page.driver.execute_script("return document.querySelector('h1').textContent")
    assert "<script>window.harmed" in page.driver.execute_script("return document.querySelector('pre').textContent")
    assert page.driver.execute_script("return document.querySelectorAll('img, iframe').length") == 0
    assert page.complaints() == []


@pytest.mark.parametrize("width", [360, 1200])
def test_nothing_sticks_out_sideways(browser: Any, tmp_path: Path, width: int) -> None:
    page = opened(
        browser, page_of("slac-64k-windows.yaml", tmp_path, "run.until=80 ms", "run.warm_up=0 s"), width=width
    )
    sizes = page.driver.execute_script("return [document.documentElement.scrollWidth, innerWidth]")
    assert sizes[0] <= sizes[1]
