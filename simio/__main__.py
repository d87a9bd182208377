"""The command `simio`, which `python -m simio` is, too."""

from __future__ import annotations

import os
import sys


def _leave_here() -> None:
    """Take the current directory off the path, where `python -m` puts it first: a `numpy.py` there would be run."""
    here = os.path.realpath(sys.path[0])
    if sys.flags.safe_path or here != os.path.realpath(os.curdir):
        return
    del sys.path[0]
    if os.path.dirname(os.path.dirname(os.path.realpath(__file__))) == here:
        # simio itself is there; all that is installed goes before it.
        sys.path.append(here)


if __name__ == "__main__":
    _leave_here()

import gc  # noqa: E402  (not from the current directory)
import signal  # noqa: E402

INTERRUPTED = 130
"""Exit status after Ctrl-C, as shells have it."""
COLLECTING = (1_000_000, 20, 20)
"""Thresholds of Python's garbage collector: imports and runs make many objects and little garbage."""


def program() -> None:
    """Run the command line. Ctrl-C before and after the work ends at once, as there is nothing to lose.

    SIGTERM, of `timeout` or a batch system, is as Ctrl-C: by itself it would leave processes behind. No process that
    this one starts has the current directory on its path.
    """
    os.environ["PYTHONSAFEPATH"] = "1"
    # Its threads would cost a tenth of a second of CPU in each process, for matrices of some ten rows.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # Models here are simio's own; to look for plug-ins of pydantic takes a twentieth of a short run.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    # Ignored, as behind `nohup`, it stays ignored.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, lambda *_: os._exit(INTERRUPTED))
        if signal.getsignal(signal.SIGTERM) == signal.SIG_DFL:
            signal.signal(signal.SIGTERM, lambda *_: signal.raise_signal(signal.SIGINT))
    # Collecting during imports would take a tenth of a short run.
    gc.set_threshold(*COLLECTING)
    from simio.cli.main import main

    try:
        main(prog_name="simio")
    finally:
        # Objects that are left end with the process: a last search of them for garbage took a fifth of a short run.
        gc.freeze()


if __name__ == "__main__":
    program()
