"""The conductor's book: what was run, what it said, what could not be had, and how much time is left."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from simio.measure.redact import redacted


class Unavailable(Exception):
    """Something cannot be had on this machine; the text says why."""


class TimeUp(Unavailable):
    """The time limit is reached."""


@dataclass
class Log:
    """The folder of raw output, and a list of missing measurements.

    `until` is an instant of `time.monotonic()`. `tell` gets a line of progress.
    """

    folder: Path
    until: float
    tell: Callable[[str], Any] = lambda _: None
    missing: list[tuple[str, str]] = field(default_factory=list)
    sources: dict[str, str] = field(default_factory=dict)
    private: tuple[str, ...] = ()

    def attempt(self, what: str, do: Callable[[], Any]) -> Any:
        """The result of `do`, or None with an entry in the list of missing measurements."""
        self.tell(what)
        try:
            return do()
        except Unavailable as error:
            self.lacks(what, str(error))
        except OSError as error:
            self.lacks(what, error.strerror or str(error))
        return None

    def lacks(self, what: str, why: str) -> None:
        """Note that something could not be had."""
        if (what, why) not in self.missing:
            self.missing.append((what, why))

    def keep(self, name: str, text: str) -> str:
        """Write raw output to a file, without what names the machine; gives the file's name in the folder."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(redacted(text, *self.private), encoding="utf-8")
        return name

    def run(self, command: Sequence[str], seconds: float = 20, shown: str = "") -> str:
        """The output of a command. Raises Unavailable if there is no such program, it fails, or takes too long."""
        left = self.until - time.monotonic()
        if left <= 0:
            raise TimeUp("the time limit was reached before")
        name = shown or command[0]
        try:
            with subprocess.Popen(
                list(command), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                errors="replace", env={**os.environ, "LC_ALL": "C"}, start_new_session=True,
            ) as process:  # fmt: skip
                try:
                    out, err = process.communicate(timeout=min(seconds, left))
                except BaseException as error:
                    # Its children, too, as those of fio; what we started is in a group of its own.
                    os.killpg(process.pid, signal.SIGKILL)
                    process.wait()
                    if not isinstance(error, subprocess.TimeoutExpired):
                        raise
                    reached = left < seconds
                    raise (
                        TimeUp("the time limit was reached")
                        if reached
                        else Unavailable(f"{name} took more than {seconds:.0f} s")
                    ) from None
        except FileNotFoundError:
            raise Unavailable(f"{name} is not installed") from None
        except PermissionError:
            raise Unavailable(f"{name} may not be run") from None
        if process.returncode:
            said = (err.strip() or out.strip()).splitlines()
            raise Unavailable(f"{name} ended with status {process.returncode}" + (f": {said[-1]}" if said else ""))
        return out
