"""Pages of memory that runs of a sweep find again."""

import platform
import subprocess
import sys

import pytest

FAULTS = """
from resource import RUSAGE_SELF, getrusage
import numpy as np
from simio.sweeps.memory import keep_freed
{}
def run():
    return [np.ones(2**17) for _ in range(3)]
run()
before = getrusage(RUSAGE_SELF).ru_minflt
for _ in range(20):
    run()
print(getrusage(RUSAGE_SELF).ru_minflt - before)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="of glibc's malloc")
def test_tables_of_a_run_have_the_pages_of_the_run_before():
    faults = [
        int(subprocess.run([sys.executable, "-c", FAULTS.format(first)], capture_output=True, check=True).stdout)
        for first in ("", "keep_freed()")
    ]
    # Three tables have 768 pages of 4 KiB.
    assert faults[0] > 768 > faults[1]
