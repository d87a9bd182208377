"""What makes a site of the documents: the README is its first page, and files beside docs/ come along.

Links in the documents are those of a checkout; here they lead to the same text in the site.
"""

from __future__ import annotations

import os
import re
from pathlib import Path, PurePosixPath
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[1]
PAGES = {"README.md": "index.md", "scenarios/README.md": "scenarios.md"}
"""Pages from outside docs/, and where they are in the site."""
BESIDE = "files"
"""The folder of other files from outside docs/ to which a page links."""
_LINK = re.compile(r"(\]\()([^)#\s:]+)((?:#[^)]*)?\))")


def on_files(files: Files, config: Any) -> Files:
    """Add the pages from outside, those of models to the navigation, and the files that pages link to."""
    for source, page in PAGES.items():
        files.append(File.generated(config, page, content=(ROOT / source).read_text()))
    models = sorted(file.src_uri for file in files if file.src_uri.startswith("models/"))
    for entry in config["nav"]:
        if "Models" in entry:
            entry["Models"] = [*entry["Models"], *models]
    for file in [file for file in files if file.src_uri.endswith(".md")]:
        for link in _LINK.finditer(file.content_string):
            _bring(link[2], file.src_uri, files, config)
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    """Turn links of the checkout into links of the site."""
    return _LINK.sub(lambda link: f"{link[1]}{_there(link[2], page.file.src_uri)}{link[3]}", markdown)


def _bring(link: str, page: str, files: Files, config: Any) -> None:
    target = _target(link, page)
    place = _place(target)
    if place.startswith(BESIDE) and (ROOT / target).is_file() and place not in files.src_uris:
        files.append(File.generated(config, place, content=(ROOT / target).read_bytes()))


def _there(link: str, page: str) -> str:
    """The link from a page of the site to what a link of the checkout names."""
    return os.path.relpath(_place(_target(link, page)), PurePosixPath(page).parent)


def _target(link: str, page: str) -> str:
    """The path below the project's root that a link on a page of the site names."""
    source = next((source for source, at in PAGES.items() if at == page), f"docs/{page}")
    return os.path.normpath(PurePosixPath(source).parent / link)


def _place(target: str) -> str:
    """Where a file of the project is in the site."""
    if target in PAGES:
        return PAGES[target]
    inside = target.removeprefix("docs/")
    return inside if inside != target else f"{BESIDE}/{target}"
