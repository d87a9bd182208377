"""Plots, charts and wirings as files, drawn by kaleido in a browser."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

SCENARIO = str(Path(__file__).parents[2] / "scenarios" / "sgi-hippi-raw.yaml")


PATIENCE = 300
"""Seconds after which a command is taken to stand still; it takes some three."""


def simio(*words: str) -> None:
    """Run a command that draws.

    Kaleido waits for ever where its browser ends while it starts, so that a command that stands still is ended with
    its browser, and run once more.
    """
    for last in (False, True):
        command = [sys.executable, "-m", "simio", *words]
        done = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, process_group=0)
        try:
            said, _ = done.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            os.killpg(done.pid, signal.SIGKILL)
            done.communicate()
            assert not last, f"{words} stood still twice"
            continue
        assert done.returncode == 0, said
        return


@pytest.mark.usefixtures("chromium")
def test_each_plot_is_a_png_and_an_svg(tmp_path: Path) -> None:
    pytest.importorskip("kaleido")
    into = tmp_path / "figures"
    sets = ("--set", "workload.blast.packets=1", "--set", "workload.blast.processes=1")
    simio("run", SCENARIO, *sets, "--figures", str(into))
    # So many cases are not drawn one by one.
    assert sorted(path.name for path in into.iterdir()) == ["curves.png", "curves.svg"]
    assert (into / "curves.png").read_bytes().startswith(b"\x89PNG")
    assert "workload.blast.size" in (into / "curves.svg").read_text(encoding="utf-8")


@pytest.mark.usefixtures("chromium")
@pytest.mark.parametrize(("name", "begins"), [("out.png", b"\x89PNG"), ("out.pdf", b"%PDF")])
def test_a_chart_and_a_wiring_have_the_form_that_the_name_says(tmp_path: Path, name: str, begins: bytes) -> None:
    pytest.importorskip("kaleido")
    out = tmp_path / name
    few = ("--set", "workload.blast.packets=1", "--against", "workload.blast.size")
    for command in (["plot", SCENARIO, *few], ["show", SCENARIO, "--graph"]):
        simio(*command, "-o", str(out))
        assert out.read_bytes().startswith(begins)
        out.unlink()
