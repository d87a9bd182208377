"""The documents keep their word: commands print what they are said to, files load, links lead somewhere."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from pathlib import Path
from statistics import median

import pytest
import yaml
from docs_pages import (
    CHART,
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
from simio.loading.tables import table_names
from simio.report.grid import signed
from simio.result.compare import Comparison, comparisons, pooled_comparisons
from simio.result.model import ScenarioResult
from simio.wording import in_unit

pytestmark = pytest.mark.slow

MEASURED = [ROOT / "validation" / f"{name}.yaml" for name in table_names(ROOT / "validation")]
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
            assert agree(command.printed, printed), f"{name}:{command.line}: {command.text} printed\n{printed}"


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
            text = yaml.safe_dump({**whole[block.argument], **(yaml.safe_load(block.text) or {})}, sort_keys=False)
            place.write(f"part{number}.yaml", text)
            assert simio.load(place.folder / f"part{number}.yaml").cases, f"{name}:{block.line}"


def test_every_block_is_of_a_known_language(name: str) -> None:
    known = {"console", "yaml", "python", "ini", "text"}
    for block in blocks(TEXTS[name]):
        assert block.language in known, f"{name}:{block.line}"
        # All that looks like something to type in is checked in one way or another.
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
    rate = re.search(r"([\d.]+) +[\d.]+ +\S+ +fabric>server", readme.printed)
    assert rate is not None
    assert rate[1] in text
    assert set(re.findall(r"https?://[^\s\"']+", text)) <= {
        "http://www.w3.org/2000/svg",
        "https://www.textualize.io",
    }


def test_the_chart_of_servers_is_what_the_command_draws(place: Place) -> None:
    (command,) = (
        command.text
        for block in blocks(TEXTS["docs/models/servers.md"])
        if block.language == "console"
        for command in commands(block)
        if command.text.startswith("simio plot")
    )
    assert place.run(command) == ""
    assert (place.folder / "servers.svg").read_text(encoding="utf-8") == CHART.read_text(encoding="utf-8")


def families() -> list[tuple[str, ...]]:
    """The scenarios, those together that measured tables are compared with together."""
    found = {path.stem: {path.stem} for path in (ROOT / "scenarios").glob("*.yaml")}
    for path in MEASURED:
        told = yaml.safe_load(path.read_text(encoding="utf-8"))["scenario"]
        names = [told] if isinstance(told, str) else told
        joined = set().union(*(found[name] for name in names))
        found |= dict.fromkeys(joined, joined)
    return sorted({tuple(sorted(names)) for names in found.values()})


@pytest.mark.parametrize("family", families(), ids="+".join)
def test_scenarios_give_what_the_gallery_tells(family: tuple[str, ...]) -> None:
    listed = gallery()
    results = {name: simio.load(ROOT / "scenarios" / f"{name}.yaml").run() for name in family}
    for name, result in results.items():
        told = re.findall(r"\*\*(\d+(?:\.(\d+))?)\*\*", listed[name])
        assert told
        found = answers(result)
        for number, digits in told:
            assert number in {f"{value:.{len(digits)}f}" for value in found}, name
    given = table_of_errors(results.values())
    assert {name: cells for name, cells in errors_told().items() if name in given} == given


def gallery() -> dict[str, str]:
    """Each scenario with what the gallery tells of it; one that stands in it twice is a fault."""
    rows = re.findall(r"(?m)^\| \[([\w-]+)\]\(\1\.yaml\) \| (.+)$", TEXTS["scenarios/README.md"])
    assert len(rows) == len(dict(rows))
    return dict(rows)


def answers(result: ScenarioResult) -> list[float]:
    """Answers of the cases of a scenario.

    Throughput and streams in its unit, mean times in ms, mean and longest times in us below a millisecond, mean
    slowdowns, and dropped packets.
    """
    rates = [rate for case in result.cases for rate in (case.rate, *(stream.rate for stream in case.streams))]
    observations = [each for case in result.cases for each in case.observations]
    times = [each.mean / 1e9 for each in observations if each.unit == "ps"]
    short = [
        time / 1e6 for each in observations if each.unit == "ps" for time in (each.mean, each.most) if time < 1e9
    ]
    slowdowns = [each.mean / 1e3 for each in observations if each.unit == "thousandths"]
    drops = [float(each.count) for each in observations if each.name.endswith(" dropped")]
    return [in_unit(float(rate), result.unit) for rate in rates] + times + short + slowdowns + drops


def table_of_errors(results: Collection[ScenarioResult]) -> dict[str, list[str]]:
    """Of each measured table: rows, held rows, median error, worst error, and fitted values in the parts used."""
    found: dict[str, list[Comparison]] = {}
    fitted: dict[str, set[str]] = {}
    for result in results:
        rows = [row for case in result.cases for row in comparisons(case)] + pooled_comparisons(result)
        for row in rows:
            table = f"{row.row.study}/{row.row.table}"
            found.setdefault(table, []).append(row)
            fitted.setdefault(table, set()).update(result.fitted)
    cells = {}
    for table, rows in found.items():
        errors = [row.error for row in rows if row.error is not None]
        held = sum(row.row.held for row in rows)
        assert len(errors) + held == len(rows), table
        points = rows[0].row.points
        worst = signed(max(errors, key=abs), points) if errors else "none"
        middle = signed(median(map(abs, errors)), points).removeprefix("+") if errors else "none"
        cells[table] = [str(len(errors)), str(held), middle, worst, str(len(fitted[table]))]
    return cells


def errors_told() -> dict[str, list[str]]:
    """The table of errors as the page on validation has it."""
    rows = re.findall(r"(?m)^\| \[([\w/-]+)\]\(#.*?\) \| (.+) \|$", TEXTS["docs/validation.md"])
    told = {}
    for name, line in rows:
        number, held, middle, _, worst, _, fitted = line.split(" | ")
        told[name] = [number, held, middle or "none", worst or "none", fitted.split(" of ")[1]]
    return told


def test_every_scenario_and_every_table_is_listed() -> None:
    there = {path.stem for path in (ROOT / "scenarios").glob("*.yaml")}
    assert gallery().keys() == there
    # The README has some of each kind, and what it tells of them is what the gallery tells.
    few = re.findall(r"(?m)^\| `scenarios/([\w-]+)\.yaml` \| (.+)$", TEXTS["README.md"])
    assert 5 <= len(few) <= 20
    assert {name: gallery()[name].startswith(told.removesuffix(" |")) for name, told in few} == dict.fromkeys(
        dict(few), True
    )
    tables = MEASURED
    assert errors_told().keys() == {
        path.relative_to(ROOT / "validation").with_suffix("").as_posix() for path in tables
    }


def test_what_ifs_have_a_sentence_for_a_report() -> None:
    measured = {
        name
        for path in MEASURED
        for told in [yaml.safe_load(path.read_text(encoding="utf-8"))["scenario"]]
        for name in ([told] if isinstance(told, str) else told)
    }
    for name, told in gallery().items():
        question, answer, limit, report = (cell.strip() for cell in told.rpartition("|")[0].split("|"))
        assert question.endswith("?"), name
        assert answer, name
        assert limit, name
        assert name in measured or report.endswith("."), name


def test_every_component_page_is_in_the_index() -> None:
    pages = [path.name for path in (ROOT / "docs" / "models").glob("*.md")]
    assert set(pages) <= set(re.findall(r"(?m)^- \[[\w-]+\.md\]\(models/([\w-]+\.md)\)", TEXTS["docs/models.md"]))


def test_the_makefile_runs_what_the_readme_says() -> None:
    recipe = (ROOT / "Makefile").read_text(encoding="utf-8")
    runs = re.findall(r"\$\(BIN\)/simio run scenarios/([\w-]+)\.yaml", recipe)
    assert runs == ["training-drives", "sgi-hippi-raw", "linux-fc-raw"]


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
