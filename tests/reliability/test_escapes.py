"""Control characters and those that steer the direction of a text are shown, and do nothing."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest
from click.testing import CliRunner

from simio.cli.main import main
from simio.errors import visible
from simio.loading import load

TITLE = r"\e[31mRED \e]0;pwn\a \b\u202eX\u2066\r\u009b"
SHOWN = r"\x1b[31mRED \x1b]0;pwn\x07 \x08U+202EXU+2066\x0d\x9b"
SCENARIO = f"""
title: "{TITLE}"
about: "{TITLE}"
hosts:
  challenge: {{model: hosts/sgi-challenge-l}}
  onyx: {{model: hosts/sgi-onyx}}
links:
  - {{name: "l{TITLE}", model: links/hippi-800, between: [challenge.hippi, onyx.hippi], length: 10 m}}
workload:
  blast: {{from: challenge, to: onyx, size: 64 KiB, packets: 10}}
"""
COMMANDS = [
    ("run", "{s}"),
    ("run", "{s}", "--json"),
    ("run", "{s}", "--csv"),
    ("run", "{s}", "--html", "{t}"),
    ("bound", "{s}", "--case", "1"),
    ("show", "{s}"),
    ("show", "{s}", "--graph"),
    ("show", "{s}", "--graph", "-o", "{t}"),
    ("explain", "{s}"),
    ("sweep", "{s}", "--set", "workload.blast.packets=2,3", "--no-cache"),
    ("trace", "{s}", "-o", "{t}"),
    ("nomograph", "{s}", "--html", "{t}"),
    ("run", "{s}", "--set", "workload.blast.sise\u202e=1"),
    ("run", "{s}", "--set", "hosts.onyx.model='h\u202e'"),
]


def harmful(text: str) -> set[str]:
    """Characters of a text that may steer a terminal or hide something."""
    return {c for c in text if unicodedata.category(c) in ("Cc", "Cf", "Cs") and c not in "\n\t"}


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: " ".join(command[:1] + command[2:])[:40])
def test_nothing_comes_out(tmp_path: Path, command: tuple[str, ...]) -> None:
    scenario, target = tmp_path / "s.yaml", tmp_path / "t.html"
    scenario.write_text(SCENARIO)
    done = CliRunner().invoke(main, [part.format(s=scenario, t=target) for part in command])
    assert done.exit_code in (0, 2), done.output
    assert "internal error" not in done.stderr
    assert harmful(done.output) == set()
    if target.exists():
        # The source of Plotly, which a page carries, has some of its own.
        parts = target.read_text().split("</script>")
        assert harmful("".join(part for part in parts if len(part) < 1_000_000)) == set()


def test_a_title_is_shown(tmp_path: Path) -> None:
    (tmp_path / "s.yaml").write_text(SCENARIO)
    loaded = load(tmp_path / "s.yaml")
    assert (loaded.title, loaded.about) == (SHOWN, SHOWN)


@pytest.mark.parametrize("text", ["plain", "Grüße", "10\u00a0km", "a\nb\tc", "ﬁ 漢字 עברית", "e\u0301", "👩\u200d🔧"])
def test_what_people_write_stays(text: str) -> None:
    assert visible(text) == text
