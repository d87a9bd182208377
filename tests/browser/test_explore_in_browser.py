"""simio explore in a real browser: sliders, addresses, saving, and what must not be possible."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from browser_pages import SCENARIOS, hostile_text

from simio.explore.session import Session
from simio.explore.state import PageState

pytestmark = pytest.mark.slow

RATE = "return (document.querySelector('#answer .rate') || {}).textContent"
SLIDERS = "return document.querySelectorAll('.knob input[type=range]').length"
MESSAGE = "return (document.getElementById('message') || {}).textContent"
NAMED = """return Object.fromEntries([...document.querySelectorAll('.knob')].map(knob => {
  const control = knob.querySelector('input[type=range], button');
  const ids = (control.getAttribute('aria-labelledby') || '').split(' ');
  const words = ids.map(id => document.getElementById(id)?.textContent);
  const group = knob.closest('fieldset').querySelector('legend').textContent;
  const told = document.getElementById(control.getAttribute('aria-describedby'))?.textContent;
  return [knob.title, [group, control.tagName, control.getAttribute('aria-label') || words.join(' '),
    control.getAttribute('aria-valuetext'), told, knob.querySelector('label').htmlFor === control.id]];
}))"""
MOVE = """
const knob = [...document.querySelectorAll('.knob')].find(e => e.title === arguments[0]);
const slider = knob.querySelector('input');
Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(slider, arguments[1]);
slider.dispatchEvent(new Event('input', {bubbles: true}));
slider.dispatchEvent(new Event('change', {bubbles: true}));
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("scenarios")
    for name in ("sgi-hippi-raw", "linux-fc-raw"):
        shutil.copy(SCENARIOS / f"{name}.yaml", place)
    (place / "hostile.yaml").write_text(hostile_text(), encoding="utf-8")
    return place


@pytest.fixture(scope="module")
def address(folder: Path) -> Iterator[str]:
    """A server on a free port of this machine, for as long as the tests of this file last."""
    pytest.importorskip("dash")
    from werkzeug.serving import make_server

    from simio.explore.app import make_app

    server = make_server("127.0.0.1", 0, make_app(Session(str(folder)), {"127.0.0.1"}).server, threaded=True)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    thread.join()
    server.server_close()


def opened(browser: Any, address: str, query: str = "", rate: bool = True) -> None:
    browser.driver.get(address + query)
    browser.wait(SLIDERS if not rate else RATE)


def rate_of(folder: Path, name: str, **values: str) -> str:
    """The rate that the page has to show for these values of the workload, as a session alone says it."""
    from simio.report.tables import rate_text

    session = Session(str(folder))
    opened_ = session.open(name)
    keys = {knob.key.rpartition(".")[2]: knob.key for knob in opened_.knobs}
    found = session.answer(opened_, {keys[key]: text for key, text in values.items()})
    return f"{rate_text(found.result, found.unit)} {found.unit}"


def test_a_slider_changes_the_answer_the_curve_and_the_address(browser: Any, address: str, folder: Path) -> None:
    opened(browser, address, "?scenario=sgi-hippi-raw")
    before = rate_of(folder, "sgi-hippi-raw")
    browser.wait(f"{RATE} === {before!r}")
    browser.driver.execute_script(MOVE, "workload.blast.size", "8")
    after = rate_of(folder, "sgi-hippi-raw", size="64 KiB")
    assert after != before
    browser.wait(f"{RATE} === {after!r}")
    browser.wait("return location.search.includes('workload.blast.size=64%20KiB')")
    assert "64 KiB" in browser.driver.execute_script("return document.querySelector('.knob b').textContent")
    # The curve has its points, what was measured, and where one is now; the wiring is there.
    browser.wait("return document.querySelectorAll('#curve .scatterlayer .trace').length === 3")
    assert browser.driver.execute_script("return document.querySelectorAll('#answer .topology .box').length") > 8
    assert browser.complaints() == []
    asked = [url for url in browser.asked() if not url.startswith(("data:", "blob:", "about:"))]
    assert asked
    assert [url for url in asked if not url.startswith(address)] == []


def test_each_control_has_a_group_a_name_and_its_value_in_words(browser: Any, address: str) -> None:
    opened(browser, address, "?scenario=linux-fc-raw")
    browser.wait("return document.querySelector('.knob input[type=range]').getAttribute('aria-valuetext')")
    named = browser.driver.execute_script(NAMED)
    assert named["disks.d.count"] == ["Disks d", "INPUT", "count", "8", "number of alike disks", True]
    assert named["workload.reader.block"][:4] == ["Workload reader", "INPUT", "block", "4 MiB"]
    group, kind, name, _, told, labelled = named["workload.reader.access"]
    assert (group, kind, name, labelled) == ("Workload reader", "BUTTON", "access raw", True)
    assert told == "how the program gets at the data"
    # Each drawing has words that stand for it.
    images = "return [...document.querySelectorAll('[role=img]')].map(e => e.getAttribute('aria-label'))"
    told = browser.driver.execute_script(images)
    assert any(label.startswith("Throughput (MiB/s): mean of the measured span") for label in told)


def test_the_keyboard_moves_a_slider_and_chooses_from_a_list(browser: Any, address: str) -> None:
    from selenium.webdriver.common.keys import Keys

    opened(browser, address, "?scenario=linux-fc-raw")
    slider = browser.driver.find_element("css selector", ".knob input[type=range]")
    slider.send_keys(Keys.ARROW_LEFT)
    browser.wait("return location.search.includes('disks.d.count=7')", 20)
    slider.send_keys(Keys.TAB)
    button = browser.driver.switch_to.active_element
    assert button.tag_name == "button"
    button.send_keys(Keys.ENTER)
    browser.wait("return document.activeElement.type === 'radio'", 20)
    browser.driver.switch_to.active_element.send_keys(Keys.ARROW_DOWN)
    browser.wait("return document.activeElement.value === '1'", 20)
    browser.driver.switch_to.active_element.send_keys(Keys.ENTER)
    browser.wait("return location.search.includes('workload.reader.access=direct')", 20)
    assert browser.complaints() == []


def test_a_scenario_that_is_not_there_leads_to_those_that_are(browser: Any, address: str) -> None:
    browser.driver.get(f"{address}?scenario=ring-8")
    browser.wait("return document.querySelector('.choices a')")
    links = browser.driver.execute_script(
        "return [...document.querySelectorAll('.choices a')].map(e => e.textContent)"
    )
    assert {"linux-fc-raw", "sgi-hippi-raw"} <= set(links)
    assert not browser.driver.execute_script("return document.getElementById('curve').offsetParent")
    browser.driver.execute_script("document.querySelector('.choices a[href*=linux-fc-raw]').click()")
    browser.wait(RATE)


def test_an_address_shows_what_it_was_copied_from(browser: Any, address: str, folder: Path) -> None:
    query = PageState("sgi-hippi-raw", {"workload.blast.size": "4 KiB"}, "workload.blast.processes").query
    opened(browser, address, query)
    browser.wait(f"{RATE} === {rate_of(folder, 'sgi-hippi-raw', size='4 KiB')!r}")
    browser.wait("return document.querySelector('#curve')?.textContent.includes('workload.blast.processes')")


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("?scenario=../../etc/passwd", "no scenario '../../etc/passwd' here"),
        ("?scenario=sgi-hippi-raw&workload.blast.size=7%20GiB", "expected one of 256 B"),
        ("?scenario=sgi-hippi-raw&run.until=1%20s", "nothing called 'run.until' can be changed"),
        ("?scenario=sgi-hippi-raw&axis=title", "nothing called 'title' can be changed"),
        ("?scenario=<script>window.harmed%20=%203</script>", "no scenario '<script>"),
        ("?nothing", "the address cannot be read"),
        ("?scenario=a&scenario=b", "says something twice"),
    ],
)
def test_an_address_that_makes_no_sense_is_told(browser: Any, address: str, query: str, said: str) -> None:
    browser.driver.get(address + query)
    message = browser.wait(MESSAGE)
    assert said in message
    assert "Traceback" not in message
    assert browser.driver.execute_script("return window.harmed") is None
    assert browser.complaints() == []


def test_what_a_scenario_says_stays_text(browser: Any, address: str) -> None:
    opened(browser, address, "?scenario=hostile")
    assert browser.driver.execute_script("return window.harmed") is None
    assert "<script>window.harmed" in browser.driver.execute_script(
        "return document.getElementById('title').textContent"
    )
    assert browser.complaints() == []


def test_saving_makes_a_file_and_never_replaces_one(browser: Any, address: str, folder: Path) -> None:
    opened(browser, address, "?scenario=linux-fc-raw&workload.reader.block=" + quote("2 MiB"))
    click = "document.getElementById('save').click()"
    typed = browser.driver.find_element("id", "name")
    typed.send_keys("tried")
    browser.driver.execute_script(click)
    browser.wait("return document.getElementById('saved').textContent === 'saved as tried.yaml'")
    text = (folder / "tried.yaml").read_text(encoding="utf-8")
    assert "2 MiB" in text
    browser.driver.execute_script(click)
    browser.wait("return document.getElementById('saved').textContent.includes('there already')")
    assert (folder / "tried.yaml").read_text(encoding="utf-8") == text
    typed.send_keys("/../out")
    browser.driver.execute_script(click)
    browser.wait("return document.getElementById('saved').textContent.includes('expected a name of letters')")
    assert sorted(path.name for path in folder.iterdir()) == [
        "hostile.yaml", "linux-fc-raw.yaml", "sgi-hippi-raw.yaml", "tried.yaml",
    ]  # fmt: skip


@pytest.mark.parametrize("width", [360, 1200])
def test_nothing_sticks_out_sideways(browser: Any, address: str, width: int) -> None:
    browser.look(width=width, dark=True)
    opened(browser, address, "?scenario=sgi-hippi-raw")
    browser.wait("return document.querySelectorAll('#curve .scatterlayer .trace').length")
    sizes = browser.driver.execute_script("return [document.documentElement.scrollWidth, innerWidth]")
    assert sizes[0] <= sizes[1]
