"""The workload of `stations` is there for these tests only."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from stations import Jobs, lowered

from simio import workloads


@pytest.fixture(autouse=True, scope="module")
def jobs() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(workloads._REGISTERED, "test-jobs", (Jobs, lowered))
        yield
