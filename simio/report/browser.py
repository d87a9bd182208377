"""Figures as a browser draws them, through kaleido in a process of its own.

Kaleido never returns where its browser ends while it starts: such a process is ended, with its browser.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from simio.errors import SimioError
from simio.extras import needs

LIMIT = 150
"""Seconds after which the browser counts as hung; a figure takes about three."""
TRIES = 2
ENDED = -signal.SIGKILL
"""Exit status of a process that was ended."""


def draw(figures: Sequence[Mapping[str, Any]], files: Sequence[Path], what: str, instead: str) -> None:
    """Write each figure, as plotly describes one, to its file, in the form that the file's name ends in.

    Raises SimioError where plotly, kaleido or a browser is missing or hangs: `what` cannot be drawn then,
    while `instead` needs neither.
    """
    needs("plotly", what)
    work = json.dumps({"figures": list(figures), "files": [str(each) for each in files]})
    for _ in range(TRIES):
        code, said = _drawing(work)
        if code != ENDED:
            break
    if code:
        raise SimioError(
            f"cannot draw {what}: that needs the package kaleido (the extra 'figures') and a Chrome or Chromium, "
            f"while {instead} needs neither ({' '.join(said.split())[-200:]})"
        )


def _drawing(work: str) -> tuple[int, str]:
    """The exit status of a process that draws, and what it said; it is ended after so many seconds."""
    command = [sys.executable, "-P", "-m", __name__]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, process_group=0
    ) as process:
        try:
            _, said = process.communicate(work, timeout=LIMIT)
        except subprocess.TimeoutExpired:
            said = f"the browser gave no answer for {LIMIT} s"
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
    return process.returncode, said


def _main() -> None:
    """Draw the figures that standard input describes."""
    import plotly.graph_objects as go
    import plotly.io as pio

    work = json.load(sys.stdin)
    by_form: dict[str, list[int]] = {}
    for index, name in enumerate(work["files"]):
        by_form.setdefault(name.rpartition(".")[2], []).append(index)
    try:
        for form, chosen in by_form.items():
            pictures = [go.Figure(work["figures"][index]) for index in chosen]
            pio.write_images(pictures, [work["files"][index] for index in chosen], scale=1 if form == "svg" else 2)
    except Exception as error:
        sys.exit(" ".join(str(error).split())[:200] or type(error).__name__)


if __name__ == "__main__":
    _main()
