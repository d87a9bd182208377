"""The documents keep their word: commands print what they are said to, files load, links lead somewhere."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from docs_pages import (
    DOCUMENTS,
    PICTURE,
    ROOT,
    Block,
    Place,
    agree,
    blocks,
    commands,
    links,
    named_paths,
    shortened,
)
from docs_tables import with_tables

import simio
from simio.result.compare import comparisons, summary
from simio.units import convert

TEXTS = {name: (ROOT / name).read_text(encoding="utf-8") for name in DOCUMENTS}


@pytest.fixture(params=DOCUMENTS)
def name(request: pytest.FixtureRequest) -> str:
    """The name of each document."""
    return str(request.param)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """A folder to run commands in."""
    return Place(tmp_path)


def files(name: str) -> Iterator[Block]:
    """The blocks of a document that are files."""
    return (block for block in blocks(TEXTS[name]) if block.mark == "file")


def test_commands_print_what_the_document_says(name: str, place: Place) -> None:
    for block in blocks(TEXTS[name]):
        if block.mark == "file":
            place.write(block.argument, block.text)
        if block.language != "console" or block.mark == "not run":
            continue
        assert block.text.startswith("$ "), f"{name}:{block.line}"
        for command in commands(block):
            printed = place.run(command.text)
            assert agree(command.printed, printed), (
                f"{name}:{command.line}: {command.text} printed\n{printed}"
            )


def test_files_of_the_repository_are_shown_as_they_are(name: str) -> None:
    for block in blocks(TEXTS[name]):
        if block.mark == "same as":
            assert block.text == (ROOT / block.argument).read_text(encoding="utf-8"), f"{name}:{block.line}"


def test_tables_are_those_of_the_program(name: str) -> None:
    assert with_tables(TEXTS[name]) == TEXTS[name]


def test_parts_of_scenarios_load(name: str, place: Place) -> None:
    whole = {}
    for block in files(name):
        place.write(block.argument, block.text)
        if block.language == "yaml":
            whole[block.argument] = yaml.safe_load(block.text)
    for number, block in enumerate(blocks(TEXTS[name])):
        if block.mark == "part of":
            text = yaml.safe_dump(
                {**whole[block.argument], **(yaml.safe_load(block.text) or {})}, sort_keys=False
            )
            place.write(f"part{number}.yaml", text)
            assert simio.load(place.folder / f"part{number}.yaml").cases, f"{name}:{block.line}"


def test_every_block_is_of_a_known_language(name: str) -> None:
    known = {"console", "yaml", "python", "ini", "text"}
    for block in blocks(TEXTS[name]):
        assert block.language in known, f"{name}:{block.line}"
        # What looks like something to type in is checked in one way or another.
        assert block.mark or block.language in ("console", "text"), f"{name}:{block.line} has no mark"


def test_links_and_paths_lead_somewhere(name: str) -> None:
    text = TEXTS[name]
    missing = [target for target in links(text) if not (ROOT / name).parent.joinpath(target).exists()]
    missing += [path for path in named_paths(text) if not (ROOT / path).exists()]
    assert missing == []


def test_anchors_are_headings(name: str) -> None:
    for target in re.findall(r"\]\(([^)\s]*#[^)\s]+)\)", TEXTS[name]):
        file, _, anchor = target.partition("#")
        if "://" in target:
            continue
        path = (ROOT / name).parent / file if file else ROOT / name
        headings = re.findall(r"(?m)^#+ (.+)$", path.read_text(encoding="utf-8"))
        slugs = [re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings]
        assert anchor in slugs, f"{name}: {target}"


def test_the_picture_shows_the_answer_and_loads_nothing() -> None:
    text = PICTURE.read_text(encoding="utf-8")
    readme = next(c for b in blocks(TEXTS["README.md"]) for c in commands(b) if b.language == "console"
                  and c.text == "simio run scenarios/linux-fc-raw.yaml")  # fmt: skip
    rate = re.search(r"([\d.]+) MiB/s +fabric>server", readme.printed)
    assert rate is not None
    assert rate[1] in text
    assert set(re.findall(r"https?://[^\s\"']+", text)) <= {
        "http://www.w3.org/2000/svg",
        "https://www.textualize.io",
    }


def test_the_table_of_errors_is_what_the_runs_give() -> None:
    rows = [line for line in TEXTS["README.md"].splitlines() if line.startswith("| [")]
    told = {row.split("]")[0][3:]: [cell.strip() for cell in row.split("|")[2:-1]] for row in rows}
    given = {}
    for path in (ROOT / "scenarios").glob("*.yaml"):
        result = simio.load(path).run()
        tables = {f"{row.row.study}/{row.row.table}" for case in result.cases for row in comparisons(case)}
        if not tables:
            continue
        errors = summary(result)
        assert len(tables) == 1
        assert errors is not None
        assert errors.missing == 0
        assert errors.worst.error is not None
        given[tables.pop()] = [
            str(errors.rows), str(errors.held), f"{errors.median:.1%}", f"{errors.worst.error:+.1%}",
            str(errors.fitted),
        ]  # fmt: skip
    assert {name: [cell.split()[0].rstrip(":,") for cell in cells] for name, cells in told.items()} == given
    tables_there = (ROOT / "validation").glob("*/*.yaml")
    assert set(given) == {
        path.relative_to(ROOT / "validation").with_suffix("").as_posix() for path in tables_there
    }


def test_every_scenario_is_listed_with_rates_that_it_gives() -> None:
    listed = dict(re.findall(r"(?m)^\| `(scenarios/[\w-]+\.yaml)` \| (.+)$", TEXTS["README.md"]))
    assert sorted(listed) == sorted(f"scenarios/{path.name}" for path in (ROOT / "scenarios").glob("*.yaml"))
    for path, row in listed.items():
        result = simio.load(ROOT / path).run()
        told = re.findall(r"\*\*(\d+(?:\.(\d+))?)\*\*", row)
        assert told
        for rate, digits in told:
            given = [
                f"{float(convert(case.rate, 'rate', result.unit)):.{len(digits)}f}" for case in result.cases
            ]
            assert rate in given, path


def test_every_component_page_is_in_the_index() -> None:
    pages = [path.name for path in (ROOT / "docs" / "models").glob("*.md")]
    assert set(pages) <= set(
        re.findall(r"(?m)^- \[[\w-]+\.md\]\(models/([\w-]+\.md)\)", TEXTS["docs/models.md"])
    )


def test_fitted_values_are_told_as_they_are() -> None:
    told = set(
        re.findall(r"(?m)^\| `([\w/.-]+)` \| `(\w+)` \| ([^|]+) \| ([\w/-]+)", TEXTS["docs/models.md"])
    )
    there = set()
    for path in (ROOT / "models").glob("*/*.yaml"):
        for key, value in yaml.safe_load(path.read_text(encoding="utf-8"))["values"].items():
            if value["basis"] == "fitted":
                part = path.relative_to(ROOT / "models").with_suffix("").as_posix()
                there.add((part, key, str(value["value"]), value["source"]))
    assert told == there


def test_the_makefile_runs_what_the_readme_says() -> None:
    recipe = (ROOT / "Makefile").read_text(encoding="utf-8")
    for scenario in ("sgi-hippi-raw", "linux-fc-raw"):
        assert f"$(BIN)/simio run scenarios/{scenario}.yaml" in recipe


class TestPages:
    """The reading of documents, on which the tests above rest."""

    def test_marks_belong_to_the_next_block_only(self) -> None:
        found = blocks("<!-- file: a.yaml -->\n\n```yaml\nx: 1\n```\n\n```yaml\ny: 2\n```\n")
        assert [(b.mark, b.argument, b.text, b.line) for b in found] == [
            ("file", "a.yaml", "x: 1\n", 4), ("", "", "y: 2\n", 8)]  # fmt: skip

    def test_prose_after_a_mark_ends_it(self) -> None:
        assert blocks("<!-- file: a -->\nprose\n```text\n```\n")[0].mark == ""

    def test_commands_own_the_lines_below_them(self) -> None:
        (block,) = blocks("```console\n$ one\n1\n\n2\n$ two\n```\n")
        assert [(c.text, c.printed, c.line) for c in commands(block)] == [
            ("one", "1\n\n2\n", 2),
            ("two", "", 6),
        ]

    @pytest.mark.parametrize(
        ("said", "agrees"),
        [("a\nb\nc\n", True), ("a\n…\nc\n", True), ("…\nc\n", True), ("a\n…\n", True), ("a\nb\n", False),
         ("a\n…\nb\n", False), ("b\n…\n", False), ("a\nb\n…\nb\nc\n", False), ("", False)],
    )  # fmt: skip
    def test_an_ellipsis_stands_for_any_lines(self, said: str, agrees: bool) -> None:
        assert agree(said, "a\nb\nc\n") is agrees

    def test_what_is_written_anew_agrees(self) -> None:
        printed = "1\n2\n3\n4\n5\n"
        for said in ("x\n…\ny\n", "…\ny\n", "x\n", "x\ny\n…\n"):
            assert agree(shortened(said, printed), printed)
        assert shortened("x\n…\ny\n", printed) == "1\n…\n5\n"
