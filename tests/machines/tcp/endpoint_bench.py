"""An endpoint whose state is made for one step, and a look at words of it by name."""

from __future__ import annotations

from typing import Any

from simio.machines.tcp import TcpSettings, initial
from simio.machines.tcp import layout as c
from simio.machines.tcp.congestion.reno import COUNTED

MSS = 1000
BASE = 5


def endpoint(**words: Any) -> list[int]:
    """An established endpoint with segments of 1000 bytes; words of its state by name."""
    settings = TcpSettings(mss=MSS, send_space=10**6, receive_space=100_000, recovery=words.pop("recovery", "sack"))
    state = [77] * BASE + initial(settings, 10**6)
    for name, value in words.items():
        at = _at(name)
        if name in ("sacked", "arrived"):
            flat = [len(value), *(end for span in value for end in span)]
            state[at : at + len(flat)] = flat
        else:
            state[at] = value
    return state


def look(state: list[int], *names: str) -> tuple[int, ...]:
    return tuple(state[_at(name)] for name in names)


def _at(name: str) -> int:
    return BASE + (COUNTED if name == "counted" else getattr(c, name.upper()))
