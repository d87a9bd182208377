"""The registry of workloads: parameters and steps by the name of a kind, imported when first asked for."""

from __future__ import annotations

import subprocess
import sys

import pytest

from simio.description.workloads import WorkloadParams
from simio.workloads import register_workload, workload_kinds, workload_steps
from simio.workloads.compute import Compute, compute

LOADED = """
import sys, tempfile
from simio.errors import ScenarioError
from simio.loading import load
from simio.workloads import workload_kinds
with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
    file.write("title: t\\nhosts: {a: {model: hosts/onyx-ip19}}\\nworkload: {nothing: {}}\\n")
    file.flush()
    try:
        load(file.name)
    except ScenarioError as error:
        assert "ttcp" in str(error), error
print(*(name for name in sys.modules if name.startswith("simio.components.")))
"""


def test_a_kind_has_its_parameters_and_its_steps() -> None:
    assert workload_kinds()["compute"] is Compute
    assert workload_steps("compute") is compute
    assert list(workload_kinds()) == sorted(workload_kinds())
    assert "common" not in workload_kinds()
    assert "nothing" not in workload_kinds()


def test_a_second_registration_is_refused() -> None:
    class Other(WorkloadParams):
        """Not the parameters of compute."""

    with pytest.raises(ValueError, match="'compute' is registered already"):
        register_workload("compute", Other)(compute)


def test_a_mistake_in_a_file_is_found_without_importing_components() -> None:
    told = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, check=True)
    assert told.stdout.split() == []
