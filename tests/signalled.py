"""`simio` in a process that signals itself: at a known point of its work, however fast the machine is.

    python tests/signalled.py rows SIGNAL COUNT PLACE sweep ...     after COUNT rows of a sweep
    python tests/signalled.py cases SIGNAL COUNT PLACE run ...      while the case after COUNT cases runs

At that point the processes that this one has started are written to the file PLACE, and SIGNAL is sent: to the whole
group as a terminal does, or SIGTERM and SIGKILL to this process alone, as `timeout` and batch systems do.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any

LATER = 1.0
"""Seconds from the end of a case to the signal; the case that follows has no end, so that any time will do."""


def signalled(point: str, name: str, count: int, place: Path) -> list[str]:
    """The command line's beginning, in place of `python -m simio`."""
    return [sys.executable, str(Path(__file__)), point, name, str(count), str(place)]


def send(number: int, place: Path) -> None:
    """Note the children, then signal."""
    own = os.getpid()
    place.write_text(Path(f"/proc/{own}/task/{own}/children").read_text())
    if number in (signal.SIGTERM, signal.SIGKILL):
        os.kill(own, number)
    else:
        os.killpg(os.getpgid(own), number)


def after_rows(number: int, count: int, place: Path) -> None:
    """Signal when a sweep's journal has so many rows, all of them on the disk."""
    from simio.sweeps.journal import Journal

    add = Journal.add

    def counted(journal: Journal, row: Any) -> None:
        add(journal, row)
        if len(journal.rows) == count:
            journal.flush()
            send(number, place)

    Journal.add = counted  # type: ignore[method-assign]


def after_cases(number: int, count: int, place: Path) -> None:
    """Signal a while after so many cases of a run have ended."""
    from simio import running

    run_case, done = running.run_case, []

    def counted(*args: Any, **options: Any) -> Any:
        result = run_case(*args, **options)
        done.append(result)
        if len(done) == count:
            threading.Thread(target=lambda: (time.sleep(LATER), send(number, place)), daemon=True).start()
        return result

    running.run_case = counted


def main() -> None:
    """Prepare the signal, then be the command."""
    point, name, count, place = sys.argv[1:5]
    del sys.argv[1:5]
    {"rows": after_rows, "cases": after_cases}[point](int(getattr(signal, name)), int(count), Path(place))
    from simio.__main__ import program

    program()


if __name__ == "__main__":
    main()
