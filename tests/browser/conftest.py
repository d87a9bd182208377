"""A headless Chromium that tells what it asked for and what it complained of; tests that need it skip without one."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from typing import Any

import pytest

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
DRIVER = shutil.which("chromedriver")


class Browser:
    """A browser with one page."""

    def __init__(self) -> None:
        from selenium import webdriver
        from selenium.webdriver.chrome.service import Service

        options = webdriver.ChromeOptions()
        options.binary_location = str(BROWSER)
        for argument in ("headless=new", "no-sandbox", "disable-gpu", "disable-dev-shm-usage", "disable-extensions",
                         "no-first-run", "disable-background-networking", "window-size=1200,900"):  # fmt: skip
            options.add_argument(f"--{argument}")
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=Service(DRIVER))
        self.driver.set_script_timeout(600)

    def look(self, width: int = 1200, dark: bool = False, offline: bool = False) -> None:
        """Begin anew: an empty page of this width, with nothing in the logs."""
        self.driver.get("about:blank")
        # Complaints of the page before, made as it is left, may come late.
        self.since = self.driver.execute_script("return Date.now()")
        theme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.command("Emulation.setEmulatedMedia", features=[theme])
        metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
        self.command("Emulation.setDeviceMetricsOverride", **metrics)
        self.command("Network.enable")
        network = {"latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
        self.command("Network.emulateNetworkConditions", offline=offline, **network)
        self.complaints()
        self.asked()

    def command(self, name: str, **values: Any) -> Any:
        """A command of the DevTools protocol."""
        return self.driver.execute_cdp_cmd(name, values)

    def run(self, script: str) -> Any:
        """Result of a script in the page; a promise is waited for."""
        made = f"Promise.resolve((() => {{ {script} }})())"
        return self.driver.execute_async_script(f"{made}.then(arguments[0], (e) => arguments[0]('error: ' + e));")

    def wait(self, script: str, seconds: float = 600) -> Any:
        """The first value that a script in the page returns and that is not nothing."""
        from selenium.webdriver.support.ui import WebDriverWait

        return WebDriverWait(self.driver, seconds, 0.05).until(lambda driver: driver.execute_script(script))

    def complaints(self) -> list[str]:
        """Messages of the console since the page is there, but for remarks."""
        said = [entry for entry in self.driver.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]
        return [entry["message"] for entry in said if entry["timestamp"] >= self.since]

    def asked(self) -> list[str]:
        """Every address that the page has asked for so far."""
        found = []
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                found.append(message["params"]["request"]["url"])
        return found


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """The browser of all tests."""
    pytest.importorskip("selenium")
    if BROWSER is None or DRIVER is None:
        pytest.skip("there is no Chromium with its driver: apt-get install chromium chromium-driver")
    opened = Browser()
    yield opened
    opened.driver.quit()


@pytest.fixture
def browser(chromium: Browser) -> Browser:
    """The browser with an empty page."""
    chromium.look()
    return chromium
