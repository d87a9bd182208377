"""Pages to look at."""

from __future__ import annotations

from pathlib import Path

from simio.loading import load
from simio.report.html.page import page
from simio.running import run_scenario

SCENARIOS = Path(__file__).parents[2] / "scenarios"
HARM = "<script>window.harmed = 1</script><img src=x onerror='window.harmed = 2'>"


def page_of(name: str, folder: Path, *sets: str) -> Path:
    """The page of a ready scenario, as a file."""
    scenario = load(SCENARIOS / name, sets)
    path = folder / "page.html"
    path.write_text(page(scenario, run_scenario(scenario, sets)), encoding="utf-8")
    return path


def hostile_text() -> str:
    """A scenario that would do harm to a page that took its texts for HTML."""
    text = (SCENARIOS / "hippi-larger-packets.yaml").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if not line.startswith(("title:", "about:"))]
    quoted = HARM.replace("'", "''")
    return "\n".join([f"title: 'Packets {quoted} </script>'", f"about: '{quoted} <!-- '", *lines]) + "\n"


def hostile_page(folder: Path) -> Path:
    """Its page, as a file."""
    (folder / "hostile.yaml").write_text(hostile_text(), encoding="utf-8")
    return page_of(str(folder / "hostile.yaml"), folder, "workload.blast.packets=2")
