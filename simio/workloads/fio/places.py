"""Addresses of the requests of one process."""

from __future__ import annotations

from math import erf, exp, floor, log, pi, sqrt
from typing import Any

from simio.errors import RunError, quote
from simio.formats.fio import NAMES
from simio.formats.fio.job import PlaceDistribution, Zone
from simio.machines import fio as machine
from simio.program.builder import Builder, Register
from simio.workloads.fio.layout import Clone

HEAD = 256
"""Ranks of a distribution that have zones of their own; behind them each zone is a twentieth longer than the last."""
WEIGHTS = 2**40
"""Sum of the weights of zones, about."""


class ProcessPlaces:
    """The places of a process: in sequence, by a random map, or by a distribution, as its job says."""

    def __init__(self, p: Builder, name: str, clone: Clone, devices: dict[str, int]) -> None:
        self.p, self.name, self.clone, self.job = p, name, clone, clone.job
        spans = ((span.start, span.size, devices[span.device]) for span in clone.spans)
        self.files = p.machine(f"{name}: files", machine.files(spans, self.job.hole))
        self.number = p.variable(f"{name}: requests") if self.job.random and self.job.every > 1 else None
        self.several = len(clone.spans) > 1
        self.span = min(span.size for span in clone.spans)

    def open(self) -> None:
        """Once, before the first request: a permutation for each file."""
        p = self.p
        if self.job.random and self.job.random_map:
            with p.scope():
                key = p.register()
                for file in range(len(self.clone.spans)):
                    p.draw(key, p.uniform(f"{self.name}: key", 1, machine.WORD - 1))
                    self._call(machine.keyed, file, key)

    def file(self) -> Register | int:
        """The number of the file of the next request."""
        p = self.p
        if not self.several:
            return 0
        if self.job.service == "random":
            file = p.register()
            p.draw(file, p.uniform(f"{self.name}: file", 0, len(self.clone.spans) - 1))
            return file
        return p.answer(machine.turn, self.files, self.job.serviced if self.job.service == "roundrobin" else 2**40)

    def device(self, file: Register | int) -> Register:
        """A register with the number of the device that a file is on."""
        return self.p.answer(machine.device, self.files, file)

    def place(self, at: Register, file: Register | int, direction: int, size: int) -> None:
        """Set `at` to the place of the next request of a direction and size."""
        p, job = self.p, self.job
        which = p.register(file * 2 + direction)
        if not job.random:
            p.call(at, machine.sequential, self.files, which, size)
            return
        share = job.percentage_random[direction]
        if self.number is None and share == 100:
            self._random(at, which, file, direction, size)
            return
        # Others follow the last one, or repeat it.
        chosen = p.register(1)
        if self.number is not None:
            chosen.set(self.number.increment() % job.every)
            with p.when(chosen != 0):
                repeated = machine.repeated if job.identical else machine.sequential
                p.call(at, repeated, self.files, which, size)
            chosen.set(1 - (chosen + job.every - 1) // job.every)
        with p.when(chosen == 1):
            if share < 100:
                drawn = p.register()
                p.draw(drawn, p.uniform(f"{self.name}: percentage", 1, 100))
                with p.when(drawn > share):
                    p.call(at, machine.sequential, self.files, which, size)
                    chosen.set(0)
            with p.when(chosen == 1):
                self._random(at, which, file, direction, size)
                p.call(chosen, machine.moved, self.files, which, size)

    def _random(self, at: Register, which: Register, file: Register | int, direction: int, size: int) -> None:
        """A random place: the offset of a block, of which there are as many as hold a request of this size."""
        p, job = self.p, self.job
        align = job.align[direction] or job.sizes[direction][0][0]
        blocks = (self.span - size) // align + 1
        if blocks > machine.MOST_BLOCKS:
            raise RunError(f"job {quote(job.name)} has more than 2**40 random places; use larger blocks")
        if job.random_map and self._mappable:
            p.call(at, machine.mapped, self.files, file, blocks)
        elif job.distribution.kind == "random":
            p.draw(at, p.uniform(f"{self.name}: place of {blocks}", 0, blocks - 1))
        else:
            self._ranked(at, direction, blocks)
        p.call(at, machine.placed, self.files, which, at * align)

    @property
    def _mappable(self) -> bool:
        """True if all requests are of one size: a map of other requests would cut them where blocks are taken."""
        return len({size for direction in self.job.directions for size, _ in self.job.sizes[direction]}) == 1

    def _ranked(self, at: Register, direction: int, blocks: int) -> None:
        p, job = self.p, self.job
        zones = weighted(job.distribution, direction, blocks, job.smallest)
        scattered = not job.distribution.kind.startswith("zoned")
        own = f"{job.name}: {NAMES[direction]} zones of {blocks}"
        table = p.machine(own, machine.ranks([zone for zone, _ in zones], blocks, scattered))
        draws = p.discrete(f"{self.name}: {NAMES[direction]} zone of {blocks}", _numbered(zones))
        with p.scope():
            share = p.register()
            p.draw(at, draws)
            p.draw(share, p.uniform(f"{self.name}: share of a zone", 0, machine.UNIT - 1))
            p.call(at, machine.ranked, table, at, share)

    def _call(self, function: Any, a: Any, b: Any) -> None:
        with self.p.scope():
            self.p.answer(function, self.files, a, b)


def _numbered(zones: list[tuple[tuple[int, int], int]]) -> list[tuple[int, int]]:
    return [(number, weight) for number, (_, weight) in enumerate(zones)]


def weighted(
    distribution: PlaceDistribution, direction: int, blocks: int, block: int
) -> list[tuple[tuple[int, int], int]]:
    """Zones of ranks (first, number), each with its weight; ranks of a zone are alike likely.

    Of zipf, rank r has the weight r**-theta (J. Gray et al., "Quickly generating billion-record synthetic databases",
    SIGMOD 1994); pareto is the range times u**(log h / log(1 - h)), and normal the mean of twelve uniform numbers and
    one more, of which the deviation is the width (fio's lib/zipf.c and lib/gauss.c).
    """
    if distribution.kind.startswith("zoned"):
        return _zones(distribution.zones[direction], distribution.kind == "zoned_abs", blocks, block)
    edges = _edges(blocks) if distribution.kind != "normal" else _even_edges(blocks)
    below = [_below(distribution, edge, blocks) for edge in edges]
    total = below[-1] - below[0]
    found = []
    for number in range(len(edges) - 1):
        weight = round(WEIGHTS * (below[number + 1] - below[number]) / total)
        if weight:
            found.append(((edges[number], edges[number + 1] - edges[number]), weight))
    return found


def _edges(blocks: int) -> list[int]:
    """First ranks of zones: each alone at the head, then ever longer zones, and the end."""
    edges = list(range(min(HEAD, blocks) + 1))
    while edges[-1] < blocks:
        edges.append(min(edges[-1] + max(edges[-1] // 20, 1), blocks))
    return edges


def _even_edges(blocks: int) -> list[int]:
    parts = min(blocks, 4 * HEAD)
    return [blocks * number // parts for number in range(parts + 1)]


def _below(distribution: PlaceDistribution, rank: int, blocks: int) -> float:
    """Weight of all ranks below one."""
    value = float(distribution.value)
    if distribution.kind == "zipf":
        # The sum over ranks as an integral by the midpoint rule, which is within 1e-6 behind the head.
        exact = min(rank, HEAD)
        head = sum((each + 1) ** -value for each in range(exact))
        if rank <= HEAD:
            return head
        return head + ((rank + 0.5) ** (1 - value) - (HEAD + 0.5) ** (1 - value)) / (1 - value)
    if distribution.kind == "pareto":
        return (rank / blocks) ** (log(1 - value) / log(value))
    return _normal_below(rank / blocks, min(value / 100, 0.5))


def _normal_below(share: float, width: float) -> float:
    """Chance that a normal number of mean 1/2 and deviation 1/12 and an even one of this width sum up to less."""

    def integral(x: float) -> float:
        """The integral of the distribution function of the normal number, from minus infinity."""
        z = (x - 0.5) * 12
        return (z * (1 + erf(z / sqrt(2))) / 2 + exp(-z * z / 2) / sqrt(2 * pi)) / 12

    if not width:
        return (1 + erf((share - 0.5) * 12 / sqrt(2))) / 2
    return (integral(share + width / 2) - integral(share - width / 2)) / width


def _zones(zones: tuple[Zone, ...], absolute: bool, blocks: int, block: int) -> list[tuple[tuple[int, int], int]]:
    found, first = [], 0
    for weight, extent in zones:
        last = first + (extent // block if absolute else floor(blocks * extent / 100))
        last = min(last, blocks)
        if last > first and weight:
            found.append(((first, last - first), weight))
        first = last
    if not found:
        raise RunError("the zones of random_distribution have no room in the range")
    return found
