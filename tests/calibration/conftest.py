"""A laboratory for each test, and one that a fit was made in for those that look at it."""

from __future__ import annotations

import pytest
from calibration_lab import ADAPTER, STUDY, TRUTH, Lab

from simio.calibration.fitting import fit, search_of
from simio.calibration.problem import prepare


@pytest.fixture
def lab(tmp_path):
    return Lab(tmp_path)


@pytest.fixture(scope="session")
def calibrated(tmp_path_factory):
    """A laboratory whose table knows two values and says nothing of the third, with the fit to it."""
    lab = Lab(tmp_path_factory.mktemp("calibrated"))
    bounds = {
        "receive_dma": "[20 MB/s, 320 MB/s]",
        "receive_cost": "[0 us, 2 ms]",
        "ip_packet_time": "[1 us, 1 ms]",
    }
    lab.fit({ADAPTER: bounds})
    lab.measure_truth(TRUTH, noise=0.03)
    problem = prepare([STUDY], lab.library, lab.parts)
    return lab, fit(problem, search_of(problem))
