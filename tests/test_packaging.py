"""Installed files: the package, its data, and nothing that a checkout happens to hold."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import zipfile
from importlib import metadata
from pathlib import Path
from urllib.request import urlopen

import pytest
from packaging.requirements import Requirement

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel of this checkout."""
    folder = tmp_path_factory.mktemp("dist")
    subprocess.run(
        [sys.executable, "-m", "build", "--wheel", "--outdir", str(folder), str(ROOT)],
        check=True,
        capture_output=True,
    )
    (wheel,) = folder.glob("*.whl")
    return wheel


def environment(folder, wheel, *extras):
    """A place with the wheel and what it requires, and nothing else; returns the variables of a command there."""
    site = folder / "site"
    zipfile.ZipFile(wheel).extractall(site)
    (own,) = metadata.distributions(path=[str(site)])
    waiting = [(own, set(extras))]
    known = set()
    while waiting:
        distribution, wanted = waiting.pop()
        for each in map(Requirement, distribution.requires or []):
            used = each.marker is None or any(each.marker.evaluate({"extra": extra}) for extra in ("", *wanted))
            if used and each.name.lower() not in known:
                known.add(each.name.lower())
                waiting.append((metadata.distribution(each.name), each.extras))
                link(waiting[-1][0], site)
    variables = {"PATH": "/nowhere", "HOME": str(folder), "SIMIO_CACHE": str(folder / "cache")}
    return {**variables, "PYTHONPATH": str(site)}


def link(distribution, site):
    """Link all that a distribution has at the top of a folder of packages."""
    for top in {file.parts[0] for file in distribution.files or []} - {"..", "__pycache__"}:
        if not (site / top).exists():
            (site / top).symlink_to(distribution.locate_file(top))


def simio(variables, *arguments, begin=subprocess.run):
    """The command in an environment, from a folder with nothing in it and without packages of this interpreter."""
    folder = Path(variables["HOME"]) / "empty"
    folder.mkdir(exist_ok=True)
    code = "import sys; sys.argv[0] = 'simio'; from simio.__main__ import program; program()"
    return begin(
        [sys.executable, "-S", "-c", code, *arguments],
        **{
            "env": variables,
            "cwd": folder,
            "text": True,
            "stdout": subprocess.PIPE,
            "stderr": subprocess.PIPE,
        },
    )


def test_an_installation_answers_and_validates_without_a_compiler(tmp_path, wheel):
    here = environment(tmp_path, wheel)
    ran = simio(here, "run", "linux-fc-raw")
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "196.8" in ran.stdout
    judged = simio(here, "validate", "sgi-hippi/table-1", "--json")
    assert judged.returncode == 0, judged.stderr
    assert [table["name"] for table in json.loads(judged.stdout)["tables"]] == ["sgi-hippi/table-1"]
    sure = simio(here, "run", "sgi-hippi-raw", "--case", "20", "--interval")
    assert (sure.returncode, sure.stderr) == (0, "")
    assert "intervals of 90%" in sure.stdout
    for command, package, extra in (
        (["explore", "linux-fc-raw"], "dash", "explore"),
        (["calibrate", "linux-fc/raw", "--dry-run"], "scipy", "fit"),
        (["run", "sgi-hippi-raw", "--html", "x.html"], "plotly", "html"),
    ):
        refused = simio(here, *command)
        assert refused.returncode == 2
        assert f"needs {package}; install it with pip install 'simio[{extra}]'" in refused.stderr
    # As on another platform: what is shipped does not fit, and nothing can compile.
    for file in (tmp_path / "site" / "simio" / "engines" / "shipped_ir").iterdir():
        file.unlink()
    refused = simio({**here, "SIMIO_CACHE": str(tmp_path / "other")}, "run", "sgi-hippi-raw")
    assert refused.returncode == 2
    assert "needs numba; install it with pip install 'simio[compile]'" in refused.stderr


def test_an_installation_with_its_extra_explores(tmp_path, wheel):
    here = environment(tmp_path, wheel, "explore")
    server = simio(here, "explore", "sgi-hippi-raw", "--port", "0", begin=subprocess.Popen)
    try:
        address = re.search(r"http://\S+", server.stdout.readline())[0]
        with urlopen(address, timeout=60) as answer:
            assert b"dash" in answer.read()
    finally:
        server.terminate()
        server.communicate()


def test_a_wheel_holds_all_code_and_data(tmp_path, wheel):
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
    # simio explore shows the gallery as the README of the scenarios tells it.
    assert {name for name in held if name.endswith(".md")} == {"simio/scenarios/README.md"}
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


def test_a_warm_start_imports_no_compiler():
    code = (
        "import platform, sys, simio\n"
        f"study = simio.load({str(ROOT / 'scenarios' / 'linux-fc-raw.yaml')!r}, ['run.until=10 ms'])\n"
        "study.run(); study.run()\n"
        "mapped = (sys.platform, platform.machine()) == ('linux', 'x86_64')\n"
        "print({'numba', *(['llvmlite'] if mapped else [])} & {*sys.modules})"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)  # fills the cache if need be
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "set()"
