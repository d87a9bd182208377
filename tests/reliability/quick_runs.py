"""A scenario that faults of the machine are tried on, and what starts the command on it."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

QUICK = str(Path(__file__).parents[2] / "scenarios" / "sgi-hippi-raw.yaml")
Simio = Callable[..., "subprocess.Popen[bytes]"]
