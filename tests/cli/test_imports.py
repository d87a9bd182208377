"""Imports of a run: no more than it needs, since to import is most of a short run."""

from __future__ import annotations

import subprocess
import sys

import pytest

from simio.description.sheets import base
from simio.description.sheets.kinds import PLACES, sheet_kinds
from simio.loading.catalogue import data_root

SCENARIOS = data_root("simio.scenarios")
NEVER = (
    "asyncio", "joblib", "multiprocessing", "networkx", "numba", "pandas", "plotly", "rich._emoji_codes", "scipy",
    "simio.calibration", "simio.components.block", "simio.components.storage.ssd", "simio.description.faults",
    "simio.explaining", "simio.formats.fio.job", "simio.formats.results", "simio.loading.fault_injection",
    "simio.report.html", "simio.report.packets", "simio.report.pcap", "simio.result.packets", "simio.studies",
    "simio.sweeps", "simpy", "subprocess",
)  # fmt: skip
"""Modules, or whole packages, that neither scenario has anything of."""
OF_DISKS = (
    "simio.components.storage.disk", "simio.components.volumes",
    "simio.description.sheets.nvme", "simio.description.sheets.serial",
)  # fmt: skip
OF_PACKETS = ("simio.components.network.path", "simio.components.network.tcp", "simio.machines.tcp.connection")


@pytest.mark.parametrize(
    ("scenario", "others"),
    [
        ("sgi-hippi-raw", (*OF_DISKS, *OF_PACKETS)),
        ("linux-fc-raw", OF_PACKETS),
    ],
)
def test_a_run_imports_what_its_scenario_needs(scenario: str, others: tuple[str, ...]) -> None:
    command = ["run", str(SCENARIOS / f"{scenario}.yaml"), "--case", "1", "--set", "run.until=10 ms"]
    script = (
        f"import sys\nsys.argv = ['simio', *{command!r}]\n"
        "import atexit\natexit.register(lambda: print(*sys.modules))\n"
        "from simio.__main__ import program\nprogram()"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    there = done.stdout.splitlines()[-1].split()
    unneeded = {*NEVER, *others}
    assert [name for name in there if any(name == each or name.startswith(f"{each}.") for each in unneeded)] == []


def test_every_kind_of_part_is_where_the_table_says() -> None:
    # The kinds of plug-ins and tests are in files of theirs.
    known = {
        f"{category} {kind}": sheet.__module__.rpartition(".")[2]
        for category in base.CATEGORIES
        for kind, sheet in sheet_kinds(category).items()
        if sheet.__module__.startswith("simio.description.sheets.")
    }
    assert {kind: file for file, kinds in PLACES.items() for kind in kinds} == known
