"""The documents as a site: every page is in it, every link leads somewhere, and the search finds words."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, which is not built where a link or a page is wrong."""
    place = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(place)]
    built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    return place


@pytest.mark.slow
def test_every_page_is_there_and_found(site: Path) -> None:
    pages = [path.relative_to(ROOT / "docs") for path in (ROOT / "docs").rglob("*.md")]
    assert all((site / page.with_suffix(".html")).is_file() for page in pages)
    found = json.loads((site / "search" / "search_index.json").read_text())["docs"]
    assert any("delayed acknowledg" in entry["text"] for entry in found)
    assert {"index.html", "scenarios.html"} <= {entry["location"].partition("#")[0] for entry in found}


@pytest.mark.slow
def test_files_beside_the_documents_come_along(site: Path) -> None:
    table = Path("validation", "sgi-hippi", "table-1.yaml")
    assert (site / "files" / table).read_bytes() == (ROOT / table).read_bytes()
    assert 'href="files/validation/sgi-hippi/table-1.yaml"' in (site / "validation.html").read_text()
    assert 'href="files/scenarios/d1-video.yaml"' in (site / "scenarios.html").read_text()


@pytest.mark.slow
def test_a_broken_link_fails_the_build(tmp_path: Path) -> None:
    for name in ("docs", "scenarios", "README.md", "mkdocs.yml", "LICENSE"):
        source = ROOT / name
        (shutil.copytree if source.is_dir() else shutil.copy)(source, tmp_path / name)
    page = tmp_path / "docs" / "trace.md"
    page.write_text(page.read_text() + "\n[nowhere](no-such-page.md)\n")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict"]
    built = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert built.returncode != 0
    assert "no-such-page.md" in built.stderr
