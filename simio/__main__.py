"""The command `simio`, which `python -m simio` is, too."""

from __future__ import annotations

import os
import signal

INTERRUPTED = 130
"""Exit status after Ctrl-C, as shells have it."""


def program() -> None:
    """Run the command line. Ctrl-C before and after the work ends at once, as there is nothing to lose.

    SIGTERM, of `timeout` or a batch system, is as Ctrl-C: by itself it would leave processes behind.
    """
    # Ignored, as behind `nohup`, it stays ignored.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, lambda *_: os._exit(INTERRUPTED))
        if signal.getsignal(signal.SIGTERM) == signal.SIG_DFL:
            signal.signal(signal.SIGTERM, lambda *_: signal.raise_signal(signal.SIGINT))
    from simio.cli.main import main

    main(prog_name="simio")


if __name__ == "__main__":
    program()
