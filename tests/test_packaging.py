"""What is installed: the package, its data, and nothing that a checkout happens to hold."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parent.parent


def test_a_wheel_holds_all_code_and_data(tmp_path):
    subprocess.run(
        [sys.executable, "-m", "build", "--wheel", "--outdir", str(tmp_path), str(ROOT)],
        check=True,
        capture_output=True,
    )
    (wheel,) = tmp_path.glob("*.whl")
    held = set(zipfile.ZipFile(wheel).namelist())
    code = {str(path.relative_to(ROOT)) for path in (ROOT / "simio").rglob("*.py")}
    data = {
        f"simio/{path.relative_to(ROOT)}"
        for room in ("models", "scenarios", "validation")
        for path in (ROOT / room).rglob("*.yaml")
    }
    assert len(data) > 20
    assert code | data | {"simio/py.typed", "simio/validation/baseline.json"} <= held
    assert not [name for name in held if "tests/" in name or "docs/" in name]
    # The scenarios' README is for readers of the repository.
    assert not [name for name in held if name.endswith(".md")]
    with zipfile.ZipFile(wheel) as file:
        file.extractall(tmp_path / "installed")
    # Data lie beside the code of a wheel, and at the top of a checkout, whether that is installed or not.
    code = (
        "from simio.loading.catalogue import data_root as at; print(*map(at, ('simio.models', 'simio.validation')))"
    )
    for folder, root in ((tmp_path / "installed", tmp_path / "installed" / "simio"), (ROOT, ROOT)):
        environment = {**os.environ, "PYTHONPATH": str(folder)}
        done = subprocess.run(
            [sys.executable, "-c", code], check=True, capture_output=True, text=True, env=environment, cwd=tmp_path
        )
        assert done.stdout.split() == [str(root / "models"), str(root / "validation")]


def test_importing_simio_imports_nothing_heavy():
    heavy = {"numba", "numpy", "pydantic", "networkx", "plotly", "rich", "simpy", "yaml", "llvmlite"}
    code = "import sys, simio; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert not heavy & set(done.stdout.split())


def test_a_warm_start_does_not_import_numba():
    code = (
        "import sys, simio\n"
        f"study = simio.load({str(ROOT / 'scenarios' / 'linux-fc-raw.yaml')!r}, ['run.until=10 ms'])\n"
        "study.run(); study.run()\n"
        "print('numba' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)  # fills the cache if need be
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "False"
