"""Files that commands write: never over an input, and over what simio did not write only with --force."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from simio.cli.main import main

QUICK = ("--set", "disks.d.count=1", "--set", "run.until=20 ms")
PAGE = '<!DOCTYPE html><meta name="generator" content="simio 0.0">'


def simio(*args: str) -> Result:
    return CliRunner().invoke(main, list(args))


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a scenario, `mine.yaml`, and a datasheet that it names, `part.yaml`."""
    monkeypatch.chdir(tmp_path)
    assert simio("new", "disk", "-o", "mine.yaml").exit_code == 0
    sheet = Path(__file__).parents[2] / "models" / "disks" / "fc-15k-2002.yaml"
    shutil.copy(sheet, "part.yaml")
    text = Path("mine.yaml").read_text().replace("model: disks/fc-15k-2002", "model: ./part.yaml")
    Path("mine.yaml").write_text(text)
    return tmp_path


WRITING = {
    "run -o": ("run", "mine.yaml", *QUICK, "-o"),
    "run --html": ("run", "mine.yaml", *QUICK, "--html"),
    "run --json": ("run", "mine.yaml", *QUICK, "--json", "-o"),
    "run --pcap": ("run", "mine.yaml", *QUICK, "--pcap"),
    "explain": ("explain", "mine.yaml", *QUICK, "-o"),
    "compare": ("compare", "mine.yaml", *QUICK, "--b", "workload.reader.block=64 KiB", "-o"),
    "show": ("show", "mine.yaml", "-o"),
    "show --graph": ("show", "mine.yaml", "--graph", "-o"),
    "trace": ("trace", "mine.yaml", "--until", "1 ms", "-o"),
    "plot": ("plot", "mine.yaml", "--against", "disks.d.count", "-o"),
    "nomograph": ("nomograph", "mine.yaml", "--set", "run.until=200 ms", "--html"),
    "validate": ("validate", "linux-fc/raw", "-o"),
    "validate --html": ("validate", "linux-fc/raw", "--html"),
    "validate --junit": ("validate", "linux-fc/raw", "--junit"),
    "schema": ("schema", "-o"),
    "new": ("new", "ttcp", "-o"),
    "new --from": ("new", "--from", "linux-fc-raw", "-o"),
}


@pytest.mark.parametrize("name", ["", "-"])
@pytest.mark.parametrize("command", ["run -o", "run --html", "schema"])
def test_what_is_no_name_of_a_file_is_refused(here: Path, command: str, name: str) -> None:
    before = sorted(here.iterdir())
    done = simio(*WRITING[command], name)
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr == f"cannot write '{name}': expected the name of a file, such as 'answer.txt'\n"
    assert sorted(here.iterdir()) == before


@pytest.mark.parametrize("command", WRITING)
def test_a_file_of_the_user_stays(here: Path, command: str) -> None:
    for name in ("mine.yaml", "notes.txt"):
        path = Path(name)
        path.write_text(path.read_text() if path.exists() else "precious\n")
        before = path.read_text()
        done = simio(*WRITING[command], name)
        assert done.exit_code == 2, done.output
        assert f"cannot write '{name}'" in done.stderr
        assert "Traceback" not in done.output
        assert path.read_text() == before


@pytest.mark.parametrize("command", ["run -o", "run --html", "trace", "show", "show --graph", "explain", "nomograph"])
@pytest.mark.parametrize("name", ["mine.yaml", "part.yaml", "link.yaml", "hard.yaml"])
def test_an_input_stays_even_with_force(here: Path, command: str, name: str) -> None:
    Path("link.yaml").symlink_to("part.yaml")
    Path("hard.yaml").hardlink_to("part.yaml")
    before = Path(name).read_text()
    done = simio(*WRITING[command], name, "--force")
    assert done.exit_code == 2, done.output
    assert "this command reads it; give another name" in done.stderr
    assert Path(name).read_text() == before


def test_a_drawn_wiring_does_not_replace_an_input(here: Path) -> None:
    shutil.copy("mine.yaml", "mine.html")
    done = simio("show", "mine.html", "--graph", "-o", "mine.html", "--force")
    assert done.exit_code == 2
    assert "title:" in Path("mine.html").read_text()


@pytest.mark.parametrize(
    ("command", "name"),
    [("run --html", "a.html"), ("run --json", "a.json"), ("trace", "a.json"), ("show --graph", "w.html"),
     ("nomograph", "n.html"), ("schema", "s.json")],
)  # fmt: skip
def test_a_report_is_replaced_by_one_of_its_kind(here: Path, command: str, name: str) -> None:
    for _ in range(2):
        done = simio(*WRITING[command], name)
        assert done.exit_code == 0, done.output


def test_a_csv_is_replaced_by_one(here: Path) -> None:
    for _ in range(2):
        assert simio("run", "mine.yaml", *QUICK, "--csv", "-o", "a.csv").exit_code == 0


def test_a_report_is_not_replaced_by_another_kind(here: Path) -> None:
    Path("report").write_text(PAGE)
    done = simio("run", "mine.yaml", *QUICK, "--json", "-o", "report")
    assert done.exit_code == 2
    assert "it is a page of simio; --force replaces it" in done.stderr
    assert Path("report").read_text() == PAGE


def test_force_replaces_what_is_no_input(here: Path) -> None:
    Path("notes.txt").write_text("old")
    assert simio("run", "mine.yaml", *QUICK, "-o", "notes.txt", "--force").exit_code == 0
    assert "MB/s" in Path("notes.txt").read_text()


@pytest.mark.parametrize("name", ["t.csv", "t.json"])
def test_a_finished_table_is_replaced_only_with_force(here: Path, name: str) -> None:
    sweep = ("sweep", "mine.yaml", "--set", "disks.d.count=1,2", "--set", "run.until=20 ms", "-o", name)
    assert simio(*sweep).exit_code == 0
    before = Path(name).read_text()
    shorter = (*sweep[:3], "disks.d.count=1", *sweep[4:])
    done = simio(*shorter)
    assert done.exit_code == 2
    assert "--force replaces it" in done.stderr
    assert Path(name).read_text() == before
    assert simio(*shorter, "--force").exit_code == 0
    assert Path(name).read_text() != before


def test_a_table_of_a_search_does_not_replace_another_file(here: Path) -> None:
    Path("t.csv").write_text("mine\n")
    done = simio("optimize", "mine.yaml", "--vary", "disks.d.count=1..2", "-o", "t.csv")
    assert done.exit_code == 2
    assert Path("t.csv").read_text() == "mine\n"


def test_a_missing_folder_is_found_before_the_work(here: Path) -> None:
    done = simio("run", "mine.yaml", "--html", "no/where.html")
    assert (done.exit_code, done.stdout) == (2, "")
    assert "cannot write 'no/where.html': no folder 'no'" in done.stderr


def test_a_folder_of_pictures_needs_force(here: Path) -> None:
    Path("figs").mkdir()
    Path("figs/curves.png").write_text("mine")
    done = simio("run", "mine.yaml", *QUICK, "--figures", "figs")
    assert done.exit_code == 2
    assert "cannot write pictures into 'figs': it has some; --force replaces them" in done.stderr


@pytest.mark.parametrize(
    ("command", "told"),
    [
        (("run", "--json", "--csv"), "found --csv and --json; expected one of them"),
        (("run", "--csv", "--fio-json"), "found --csv and --fio-json; expected one of them"),
        (("sweep", "--json", "--csv"), "found --csv and --json; expected one of them"),
        (("run", "--interval", "--csv"), "--csv has no columns for --interval; --json has it"),
    ],
)
def test_forms_that_exclude_each_other_are_refused(command: tuple[str, ...], told: str) -> None:
    done = CliRunner().invoke(main, [*command, "linux-fc-raw"])
    assert done.exit_code == 2
    assert told in done.stderr
