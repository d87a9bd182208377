"""Python files in the current directory, beside a scenario that somebody else has made, are never run."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from simio.engines import native

SCENARIO = Path(__file__).parents[2] / "scenarios" / "slac-ping.yaml"
TRAP = "import pathlib, sys\npathlib.Path(__file__).with_name('ran').write_text(repr(sys.argv))\n"
NAMES = ("numpy", "joblib", "llvmlite", "typing", "signal", "json", "yaml", "click", "rich", "cloudpickle")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current directory: a scenario among Python files that leave a mark when they are run."""
    for name in NAMES:
        (tmp_path / f"{name}.py").write_text(TRAP)
    metadata = tmp_path / "extra-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: extra\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text("[simio.components]\nextra = extra_parts\n")
    (tmp_path / "extra_parts.py").write_text(TRAP)
    shutil.copy(SCENARIO, tmp_path / "s.yaml")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PYTHONSAFEPATH", raising=False)
    return tmp_path


def ran(*arguments: str) -> str:
    """Output of the command; it has to end well."""
    done = subprocess.run([sys.executable, "-m", "simio", *arguments], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_command(folder: Path) -> None:
    assert "Ping between two" in ran("run", "s.yaml")
    assert not (folder / "ran").exists()


def test_workers_of_a_sweep(folder: Path) -> None:
    table = ran("sweep", "s.yaml", "--set", "run.seed=1..4", "--no-cache", "--processes", "2", "--csv")
    assert len(table.splitlines()) == 9
    assert not (folder / "ran").exists()


def test_the_process_that_compiles(folder: Path) -> None:
    # It imports all that compiling needs, and finds nothing to do.
    with native._compiling_elsewhere(["no family of this name"]):
        pass
    assert not (folder / "ran").exists()


@pytest.mark.slow
def test_a_first_run(folder: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "simio", "run", "s.yaml"],
        capture_output=True,
        env={**os.environ, "SIMIO_CACHE": str(folder / "cache")},
    )
    assert done.returncode == 0, done.stderr
    assert not (folder / "ran").exists()


def test_workers_of_the_interface_of_python(folder: Path) -> None:
    script = folder / "elsewhere" / "study.py"
    script.parent.mkdir()
    script.write_text(
        "import simio, sys\n"
        "if __name__ == '__main__':\n"
        "    study = simio.load('s.yaml')\n"
        "    from simio.sweeps import Task, run_many\n"
        "    print(len(list(run_many([Task('s.yaml', (f'run.seed={n}',)) for n in range(4)], processes=2))))\n"
    )
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True)
    assert (done.stdout, done.returncode) == ("4\n", 0), done.stderr
    assert not (folder / "ran").exists()
