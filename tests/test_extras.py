"""Packages that an installation may lack: named with the command that installs them, before any work is done."""

from __future__ import annotations

import sys
from configparser import ConfigParser
from pathlib import Path

import pytest

from simio.errors import SimioError
from simio.extras import EXTRAS, needs

SETUP = Path(__file__).parent.parent / "setup.cfg"


def test_a_missing_package_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    needs("scipy", "a fit")
    monkeypatch.setitem(sys.modules, "scipy", None)
    with pytest.raises(SimioError, match=r"^a fit needs scipy; install it with pip install 'simio\[fit\]'$"):
        needs("scipy", "a fit")


@pytest.mark.parametrize(("package", "extra"), EXTRAS.items())
def test_every_extra_brings_its_package(package: str, extra: str) -> None:
    setup = ConfigParser()
    setup.read(SETUP)
    assert package in setup["options.extras_require"][extra]
