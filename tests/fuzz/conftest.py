"""An end to every search."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def never_without_end() -> Iterator[None]:
    """An example that goes on and on is ended, with an error that says where it was."""

    def end(*_: object) -> None:
        raise TimeoutError("an example went on and on")

    before = signal.signal(signal.SIGVTALRM, end)
    yield
    signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    signal.signal(signal.SIGVTALRM, before)
