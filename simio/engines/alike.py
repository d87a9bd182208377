"""Threads that run alike steps run the first of them, in the compiled engine's own tables.

A program of many alike hosts has the steps of each written out: blocks, one behind the other, whose steps differ only
in the rows that they name, each by the same number from block to block. The table is then larger than the caches of a
processor, and each event waits for the memory that has its steps. So threads of all these blocks run the first, as
instances of it (`simio.program.steps`), where a stride leads to the rows that their own block names. The other blocks
stay where they are and are not looked at. What a step is called in an outcome is worked out at the end: nothing of
this is seen from outside.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from simio.engines import layout as c
from simio.engines.outcome import Ints
from simio.program.shapes import TARGETS, naming, prints, strides
from simio.program.steps import STRIDE, Op, Program

LEAST = 8192
"""Steps of a program from which on it is looked through: half a megabyte, of which a cache near the core has room."""
LEAST_BLOCKS = 3
"""Two blocks always differ by one number each; the third shows that this is the stride."""
MOST_THREADS = 16
"""Most threads, by the places where they start, that a block is looked for with."""


@dataclass(frozen=True)
class Block:
    """`count` alike blocks of `length` steps from step `first` on.

    `naming` are the steps of the first that name a row, and `strides` how far the next block's row is from each.
    """

    first: int
    length: int
    count: int
    naming: Ints
    strides: Ints

    @property
    def end(self) -> int:
        """The step behind the last block."""
        return self.first + self.length * self.count


class Alike(NamedTuple):
    """The alike blocks of a program, and what changes in the rows of its first threads that share their steps."""

    blocks: tuple[Block, ...] = ()
    earlier: Ints | int = 0
    """By how many steps each of the first threads begins earlier: in the first block of its like."""
    instances: Ints | int = 0

    def give_strides(self, steps: Ints) -> None:
        """Give the engine's table of steps the strides of the blocks, unused by threads that share none."""
        for block in self.blocks:
            steps[block.naming, STRIDE] = block.strides

    def share(self, threads: Ints) -> None:
        """Let the first threads run shared steps."""
        threads[:, c.PC] -= self.earlier
        threads[:, c.FLAGS] |= self.instances << c.INSTANCE

    def own(self, steps: Ints, flags: Ints) -> Ints:
        """The steps of their own that threads with these flags are at, who may be at shared ones."""
        found = steps.copy()
        for block in self.blocks:
            inside = (steps >= block.first) & (steps < block.first + block.length)
            found[inside] += block.length * (flags[inside] >> c.INSTANCE)
        return found


def alike(program: Program) -> Alike:
    """The alike blocks of a program, none in a small one."""
    if len(program.steps) < LEAST or len(program.starts) < LEAST_BLOCKS:
        return Alike()
    blocks = tuple(_Search(program).blocks())
    if not blocks:
        return Alike()
    entries = np.repeat([start.entry for start in program.starts], [start.count for start in program.starts])
    earlier, instances = np.zeros_like(entries), np.zeros_like(entries)
    for block in blocks:
        inside = (entries >= block.first) & (entries < block.end)
        instances[inside] = (entries[inside] - block.first) // block.length
        earlier[inside] = instances[inside] * block.length
    return Alike(blocks, earlier, instances)


class _Search:
    """The search for alike blocks: each begins where a thread does, and ends where one of the next block begins."""

    def __init__(self, program: Program) -> None:
        self.steps = steps = program.steps
        self.prints = prints(steps)
        firsts = sorted({0, *(start.entry for start in program.starts)})
        self.borders = [*firsts, len(steps)]
        self.lengths = np.diff(self.borders).tolist()
        self.instances = {start.entry for start in program.starts if start.instance}
        self.lows, self.highs = self._reached()

    def blocks(self) -> Sequence[Block]:
        """All that there are, the first of overlapping ones."""
        found: list[Block] = []
        at = 0
        while at < len(self.lengths):
            block = self._at(at)
            if block:
                found.append(block)
                at = bisect_left(self.borders, block.end)
            else:
                at += 1
        return found

    def _at(self, at: int) -> Block | None:
        """The blocks of fewest threads that begin at a border, if there are enough."""
        for threads in range(1, MOST_THREADS + 1):
            one, two, three = (self.lengths[at + threads * n : at + threads * (n + 1)] for n in range(LEAST_BLOCKS))
            if one == two == three and self._alone(at, at + threads):
                block = self._block(self.borders[at], sum(one))
                if block:
                    return block
        return None

    def _block(self, first: int, length: int) -> Block | None:
        """The blocks of a length from a step on, or None if they are too few."""
        own, next_ = self.prints[first : first + length], self.prints[first + length : first + 2 * length]
        if own[0] != next_[0] or not np.array_equal(own, next_):
            return None
        one, two = self._of(first, length, 0), self._of(first, length, 1)
        found = strides(one, two, length)
        if found is None:
            return None
        apart = two - one
        count = 2
        while np.array_equal(self._of(first, length, count), one + count * apart):
            count += 1
        if count < LEAST_BLOCKS:
            return None
        return Block(first, length, count, first + naming(one), found)

    def _of(self, first: int, length: int, number: int) -> Ints:
        return self.steps[first + length * number : first + length * (number + 1)]

    def _alone(self, at: int, behind: int) -> bool:
        """True if no thread comes into the steps between two borders by a step of others, leaves or shares them."""
        first, end = self.borders[at], self.borders[behind]
        inside = first <= min(self.lows[at:behind]) and max(self.highs[at:behind]) < end
        ends = self.steps[end - 1, 0] in (Op.END, Op.JUMP)
        return inside and bool(ends) and self.instances.isdisjoint(self.borders[at:behind])

    def _reached(self) -> tuple[list[int], list[int]]:
        """From each border to the next: the first and the last step that steps there lead to, or that lead there."""
        leading = [(np.flatnonzero(self.steps[:, 0] == op), column) for op, column in TARGETS.items()]
        sources = np.concatenate([at for at, _ in leading])
        targets = np.concatenate([self.steps[at, column] for at, column in leading])
        lows, highs = np.array(self.borders[:-1]), np.array(self.borders[:-1])
        for one, other in ((sources, targets), (targets, sources)):
            parts = np.searchsorted(self.borders[1:-1], one, side="right")
            np.minimum.at(lows, parts, other)
            np.maximum.at(highs, parts, other)
        return lows.tolist(), highs.tolist()
