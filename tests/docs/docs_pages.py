"""The documents as data: their blocks, the commands in them with what they print, and their links.

A comment before a block says what it is; a block without one is only to be read, but for those of `console`:

    <!-- file: name -->         the block is a file of this name, beside the other files of the document
    <!-- same as: path -->      the block is that file of the repository
    <!-- part of: name -->      a YAML block whose sections replace those of that file, which then must load
    <!-- not run: why -->       a console block whose commands are not run

Every other `console` block is run, top to bottom, each line that begins with `$ ` in a shell. What it prints, on
either stream, must be what the document says; a line of `…` stands for any lines.

`python tests/docs/docs_pages.py` writes what the commands print now, and what the files hold now, into the
documents, and draws the pictures anew, the plots of measured tables from the baseline; with names of documents
it does so in these alone, and draws nothing. Read the difference before keeping it.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from docs_tables import validation, with_tables

from simio.files import cache_base

ROOT = Path(__file__).resolve().parents[2]
PLUGIN = Path(__file__).parent / "plugin"
PATIENCE = 3600
"""Seconds after which a command is taken to stand still, beside whatever else the machine does."""
DOCUMENTS = (
    "README.md",
    "scenarios/README.md",
    "docs/design.md",
    "docs/scenario.md",
    "docs/commands.md",
    "docs/questions.md",
    "docs/block-layer.md",
    "docs/explain.md",
    "docs/explore.md",
    "docs/exercises.md",
    "docs/fio.md",
    "docs/host-stack.md",
    "docs/journal.md",
    "docs/measure.md",
    "docs/mended.md",
    "docs/mlperf.md",
    "docs/pcie.md",
    "docs/load.md",
    "docs/extending.md",
    "docs/models.md",
    "docs/nfs-tcp.md",
    "docs/nomograph.md",
    "docs/nvme-tcp.md",
    "docs/objects.md",
    "docs/packets.md",
    "docs/packet-rates.md",
    "docs/performance.md",
    "docs/python.md",
    "docs/rdma.md",
    "docs/ssd.md",
    "docs/sweep.md",
    "docs/tcp-today.md",
    "docs/reliability.md",
    "docs/report.md",
    "docs/trace.md",
    "docs/traces.md",
    "docs/tutorial.md",
    "docs/validation.md",
    "docs/calibration.md",
    *sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "docs" / "models").glob("*.md")),
)
PICTURE = ROOT / "docs" / "answer.svg"
PICTURED = "scenarios/linux-fc-raw.yaml"
CHART = ROOT / "docs" / "servers.svg"
CHART_TITLE = "NFS from eight disks: a conventional server, and one with third-party transfer"
CHARTED = ("server-conventional", "server-third-party")

_MARK = re.compile(r"<!-- (file|same as|part of|not run): (.+?) -->")
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_CODE = re.compile(r"`[^`]*`")
ELLIPSIS = "…"


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, the mark before it, its text, and the line of its text in the document."""

    language: str
    mark: str
    argument: str
    text: str
    line: int


@dataclass(frozen=True)
class Command:
    """A command of a console block and what the document says that it prints."""

    text: str
    printed: str
    line: int


def blocks(document: str) -> list[Block]:
    """The fenced blocks of a document, in order."""
    found: list[Block] = []
    lines = document.splitlines()
    at = 0
    mark = argument = ""
    while at < len(lines):
        line = lines[at]
        if line.startswith("```"):
            end = next(n for n in range(at + 1, len(lines)) if lines[n] == "```")
            text = "".join(f"{each}\n" for each in lines[at + 1 : end])
            found.append(Block(line[3:].strip(), mark, argument, text, at + 2))
            mark = argument = ""
            at = end
        elif match := _MARK.fullmatch(line):
            mark, argument = match[1], match[2]
        elif line:
            mark = argument = ""
        at += 1
    return found


def commands(block: Block) -> list[Command]:
    """The commands of a console block."""
    found: list[Command] = []
    for number, line in enumerate(block.text.splitlines()):
        if line.startswith("$ "):
            found.append(Command(line[2:], "", block.line + number))
        else:
            last = found[-1]
            found[-1] = Command(last.text, f"{last.printed}{line}\n", last.line)
    return found


def agree(said: str, printed: str) -> bool:
    """True if a command printed what the document says."""
    if ELLIPSIS not in said.splitlines():
        return said == printed
    lines, told = printed.splitlines(), said.splitlines()
    cut = told.index(ELLIPSIS)
    head, tail = told[:cut], told[cut + 1 :]
    return lines[:cut] == head and len(lines) >= len(head) + len(tail) and lines[len(lines) - len(tail) :] == tail


def shortened(said: str, printed: str) -> str:
    """Output of a command, cut where the document cuts it."""
    told, lines = said.splitlines(), printed.splitlines()
    if ELLIPSIS in told:
        cut = told.index(ELLIPSIS)
        lines = [*lines[:cut], ELLIPSIS, *lines[len(lines) - (len(told) - cut - 1) :]]
    return "".join(f"{line}\n" for line in lines)


def links(document: str) -> list[str]:
    """Targets of links to files, without their anchors."""
    found = [target for target in _LINK.findall(document) if "://" not in target]
    return [target.partition("#")[0] for target in found if not target.startswith("#")]


def named_paths(document: str) -> list[str]:
    """Paths of the repository that a document names in code, such as `simio/bound.py`, also before a test of it."""
    rooms = ("simio/", "models/", "scenarios/", "validation/", "tests/", "docs/", "benchmarks/")
    prose = re.sub(r"(?ms)^```.*?^```$", "", document)
    words = [code.strip("`").partition("::")[0] for code in _CODE.findall(prose)]
    return [word for word in words if word.startswith(rooms) and not re.search(r"[*<>{ (]", word)]


class Place:
    """A folder where a document's commands run: its files, the scenarios of simio, and the plug-in installed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "here"
        self.folder.mkdir()
        shutil.copytree(ROOT / "scenarios", self.folder / "scenarios")
        commands_ = folder / "bin"
        commands_.mkdir()
        for name, arguments in (("simio", " -m simio"), ("python", "")):
            script = commands_ / name
            script.write_text(f'#!/bin/sh\nexec "{sys.executable}"{arguments} "$@"\n', encoding="utf-8")
            script.chmod(0o755)
        # Results of earlier runs would show; the compiled engine is that of everybody.
        kept = folder / "cache" / "simio"
        kept.mkdir(parents=True)
        compiled = cache_base() / "compiled"
        compiled.mkdir(parents=True, exist_ok=True)
        (kept / "compiled").symlink_to(compiled)
        self.environment = {
            **os.environ,
            "SIMIO_CACHE": str(kept.parent),
            "PATH": f"{commands_}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": os.pathsep.join([str(install_plugin(folder / "site")), str(ROOT)]),
            "NO_COLOR": "1",
        }

    def write(self, name: str, text: str) -> None:
        """Write a file of the document."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def run(self, command: str) -> str:
        """Output of a command on both streams, without spaces at the ends of lines."""
        done = subprocess.run(
            command, shell=True, cwd=self.folder, env=self.environment, encoding="utf-8", timeout=PATIENCE,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        if "internal error" in done.stdout or "Traceback" in done.stdout:
            raise RuntimeError(f"{command}: {done.stdout}")
        lines = [line.rstrip() for line in done.stdout.splitlines()]
        return "".join(f"{line}\n" for line in lines if not line.startswith("simio: compiling"))


def install_plugin(site: Path) -> Path:
    """The folder `site` with the plug-in of tests/docs/plugin as pip would leave it there."""
    shutil.copytree(PLUGIN / "simio_myrinet", site / "simio_myrinet")
    about = site / "simio_myrinet-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: simio-myrinet\nVersion: 1.0\n")
    setup = (PLUGIN / "setup.cfg").read_text(encoding="utf-8")
    declared = re.search(r"simio\.components =\n((?:    .+\n)+)", setup)
    assert declared is not None
    (about / "entry_points.txt").write_text(f"[simio.components]\n{declared[1].replace('    ', '')}")
    return site


def written_anew(document: str, place: Place) -> str:
    """The document with what its commands print and its files hold now."""
    document = with_tables(document)
    lines = document.splitlines()
    changes: list[tuple[int, int, str]] = []
    for block in blocks(document):
        start, end = block.line - 1, block.line - 1 + len(block.text.splitlines())
        if block.mark == "file":
            place.write(block.argument, block.text)
        elif block.mark == "same as":
            changes.append((start, end, (ROOT / block.argument).read_text(encoding="utf-8")))
        elif block.language == "console" and block.mark != "not run":
            told = [f"$ {c.text}\n{shortened(c.printed, place.run(c.text))}" for c in commands(block)]
            changes.append((start, end, "".join(told)))
    for start, end, text in reversed(changes):
        lines[start:end] = text.splitlines()
    return "".join(f"{line}\n" for line in lines)


def picture() -> str:
    """The report on PICTURED, with its first case in full, as an SVG that needs nothing from elsewhere."""
    import io

    from rich._export_format import CONSOLE_SVG_FORMAT
    from rich.console import Console

    import simio
    from simio.report.terminal import show

    result = simio.load(ROOT / PICTURED).run()
    console = Console(record=True, width=92, file=io.StringIO(), force_terminal=True, highlight=False)
    show(console, result, 0)
    form = re.sub(r"@font-face \{\{.*?\}\}\n", "", CONSOLE_SVG_FORMAT, flags=re.DOTALL)
    form = form.replace("Fira Code, monospace", "Fira Code, Menlo, Consolas, DejaVu Sans Mono, monospace")
    return console.export_svg(title=f"simio run {PICTURED}", code_format=form, unique_id="answer")


def chart() -> str:
    """The chart of servers, as docs/models/servers.md draws it."""
    import simio
    from simio.report import chart as drawing

    results = [(name, simio.load(ROOT / "scenarios" / f"{name}.yaml").run()) for name in CHARTED]
    key = "workload.nfs.clients"
    return drawing.svg(CHART_TITLE, drawing.lines(results, key, "MB/s"), key, "MB/s")


def main(names: Sequence[str]) -> None:
    """Write the documents of these names anew; with none, all of them and the pictures."""
    import tempfile

    from simio.report.validation_svg import write_plots

    for name in names or DOCUMENTS:
        path = ROOT / name
        with tempfile.TemporaryDirectory() as folder:
            text = written_anew(path.read_text(encoding="utf-8"), Place(Path(folder)))
        path.write_text(text, encoding="utf-8")
    if names:
        return
    write_plots(validation(), str(ROOT / "docs" / "validation"), whole=True)
    PICTURE.write_text(picture(), encoding="utf-8")
    CHART.write_text(chart(), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
