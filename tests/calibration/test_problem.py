"""Every reason why nothing can be fitted, and the rule of rows a value."""

from __future__ import annotations

import pytest
from calibration_lab import ADAPTER, STUDY

from simio.calibration.problem import prepare
from simio.errors import SimioError


def test_unknown_studies_are_told_together(lab):
    with pytest.raises(SimioError) as error:
        prepare(["lab/rew", "lob"], lab.library, lab.parts)
    first, second = str(error.value).splitlines()
    assert first.startswith("no study 'lab/rew'; did you mean 'lab/raw'?")
    assert second.startswith("no study 'lob'")


def test_a_study_without_fitted_values_is_told_with_those_that_have_some(lab):
    with pytest.raises(SimioError, match="no value of the catalogue is fitted to 'lab/raw'"):
        prepare([STUDY], lab.library, lab.parts)


def test_fewer_than_four_rows_a_value_are_refused_with_the_rule(lab):
    keys = ("transmit_dma", "receive_dma", "transmit_cost", "receive_cost")
    dimension = {"dma": "[20 MB/s, 320 MB/s]", "cost": "[0 us, 2 ms]"}
    lab.fit({ADAPTER: {key: dimension[key.split("_")[1]] for key in keys}})
    with pytest.raises(SimioError) as error:
        prepare([STUDY], lab.library, lab.parts)
    assert "12 rows of 12 independent runs for 4 values" in str(error.value)
    assert "expected at least 4 rows a value, 16 here" in str(error.value)


def test_values_of_parts_that_no_scenario_of_the_study_has_are_left_alone(lab):
    lab.fit({ADAPTER: {"receive_cost": "[0 us, 2 ms]"}, "adapters/qla2300": {"command_cost": "[0 us, 1 ms]"}})
    problem = prepare([STUDY], lab.library, lab.parts)
    assert [value.key for value in problem.values] == ["receive_cost"]
    assert [value.name for value in problem.unused] == ["adapters/qla2300.command_cost"]


def test_a_value_without_bounds_is_told_with_file_and_line(lab):
    lab.fit({ADAPTER: {"receive_cost": "[0 us, 2 ms]"}})
    path = lab.models / f"{ADAPTER}.yaml"
    text = path.read_text()
    lines = text.splitlines(keepends=True)
    bounds = [number for number, line in enumerate(lines) if "bounds:" in line]
    path.write_text("".join(line for number, line in enumerate(lines) if number not in bounds[:2]))
    with pytest.raises(SimioError) as error:
        prepare([STUDY], lab.library, lab.parts)
    told = str(error.value).splitlines()
    assert len(told) == 2
    assert all("iris-hippi.yaml:" in line and "bounds: found nothing" in line for line in told)
