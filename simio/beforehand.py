"""Contents of solid-state drives before a run, worked out once for all runs that begin with the same.

A drive in steady state has been overwritten at random, which takes as long to work out as much of a run. By itself a
drive does so with its first command; here it is done before, so that further seeds and variants have a copy.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

from simio.engines.execute import execute
from simio.engines.outcome import Interrupted, Ints, Options
from simio.machines.ssd import layout as w
from simio.machines.ssd.collecting import begin
from simio.machines.ssd.state import tables
from simio.program.builder import Builder
from simio.program.steps import HORIZON, Program

MOST = 2**25
"""Words of state up to which a second one is made: 256 MiB."""
SIZES = (w.LOGICAL, w.STRIPES, w.STRIPE, w.ROOM, w.CACHE, w.SCALE)
"""Words of the tables that say how large they are, in the order in which `_held` takes them."""
KEPT = 4
"""Drives, of different sizes, of which what they hold is kept."""


def begun(program: Program) -> Program:
    """The program with a state in which all drives that it may write hold what they hold before the run.

    A run of the compiled engine comes to the same with either. Raises KeyboardInterrupt for Ctrl-C.
    """
    if len(program.state) > MOST:
        return program
    state = program.state
    for at in mappings(program):
        drive = at + int(state[at + w.HOME])
        if state[drive + w.PLACEMENT] == w.NOWHERE or state[drive + w.IN_PLACE]:
            continue
        if state is program.state:
            state = state.copy()
        rule, sizes = [drive + w.PLACEMENT, drive + w.UNIT], [at + word for word in SIZES]
        held = _held(*state[rule + sizes].tolist())
        state[at + w.MADE] = 1
        state[at + w.CREDIT : at + w.CREDIT + len(held)] = held
    return program if state is program.state else replace(program, state=state)


def mappings(program: Program) -> Iterator[int]:
    """Offsets of the tables of drives' mappings."""
    first = w.TABLES.words["home"]
    for (_, at), words in zip(program.machines, program.words, strict=True):
        if words and words[0] == first:
            yield at


@lru_cache(maxsize=KEPT)
def _held(
    placement: int, unit: int, logical: int, stripes: int, stripe: int, room: int, cache: int, scale: int
) -> Ints:
    """Contents before the run, but for the buffer, of tables of these sizes (those of `tables`)."""
    p = Builder()
    drive = p.machine("drive", w.WORDS.initial(placement=placement, unit=unit))
    at = p.machine("mapping", tables(logical, stripes, stripe, unit, room, cache, scale))
    p.set_word(drive + w.TABLES_AT, at - drive)
    p.set_word(at + w.HOME, drive - at)
    with p.thread("begins"):
        p.call(p.register(), begin, drive)
    try:
        state = execute(p.build(), Options(HORIZON, 100), "compiled").state
    except Interrupted:
        raise KeyboardInterrupt from None
    return state[at + w.CREDIT : at + int(state[at + w.BUFFER_AT])].copy()
