"""Plots, charts and wirings as files, drawn by kaleido in a browser."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from simio.cli.main import main

pytestmark = pytest.mark.slow

SCENARIO = str(Path(__file__).parents[2] / "scenarios" / "sgi-hippi-raw.yaml")


@pytest.mark.usefixtures("chromium")
def test_each_plot_is_a_png_and_an_svg(tmp_path: Path) -> None:
    pytest.importorskip("kaleido")
    into = tmp_path / "figures"
    sets = ("--set", "workload.blast.packets=1", "--set", "workload.blast.processes=1")
    done = CliRunner().invoke(main, ["run", SCENARIO, *sets, "--figures", str(into)])
    assert done.exit_code == 0, done.output
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
        done = CliRunner().invoke(main, [*command, "-o", str(out)])
        assert done.exit_code == 0, done.output
        assert out.read_bytes().startswith(begins)
        out.unlink()
