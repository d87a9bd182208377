"""The command as a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable

import pytest
from quick_runs import Simio


@pytest.fixture
def simio() -> Simio:
    """Start `simio` with arguments; `before` runs in the child, `environment` is added to the parent's."""

    def start(
        *arguments: str, before: Callable[[], None] | None = None, **environment: str
    ) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-m", "simio", *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, **environment},
            preexec_fn=before,
            start_new_session=True,
        )

    return start
