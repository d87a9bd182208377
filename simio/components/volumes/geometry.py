"""The layout of a volume's bytes, and the pieces that its requests of one size can lead to.

Addresses are known when a request runs, sizes beforehand. So the planner is asked beforehand, too, about one request
for each way to fall on the units of the volume; what it answers is all that steps must exist for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from itertools import product
from math import gcd
from typing import Any

from simio.components.volumes.requests import VERBS, Verb, size_text
from simio.errors import RunError
from simio.machines.volume import layout, planner
from simio.machines.volume.layout import CONCAT, ERASURE, MIRROR, RAID3, RAID5, RAID6, RAIDZ, READ, STRIPE, WRITE
from simio.machines.volume.raidz import taken

CASES = 64
"""Sizes of pieces of one member, or places in a stripe, that a request may lead to."""
STARTS = 4096
"""Places in a stripe where requests may begin for the planner to be asked about each."""
SHAPES = 64
"""Shapes that are kept for variants of a program."""

SPREAD = (RAID5, RAID6, ERASURE)
"""Levels that have stripes whose parity goes round the members."""
PARITY = 2
"""Mark in a `Key` between the two phases."""

Key = tuple[int, int, int]
"""Phase, member and size of a piece; or PARITY, a parity (`layout.SOURCES`) and 0."""


@dataclass
class Shape:
    """Numbers of parts, parities and pieces that requests of one size can lead to.

    `grains` are what the addresses of pieces are multiples of, in bytes; `most` is the number of pieces of a phase of
    a part. `least` is how many of each are in every request, `moved` the fewest bytes that a request reads and
    writes, old data and parity included, and `asked` the fewest pieces of each phase.
    """

    parts: set[int] = field(default_factory=set)
    parities: set[int] = field(default_factory=set)
    grains: dict[Key, int] = field(default_factory=dict)
    most: list[int] = field(default_factory=lambda: [0, 0])
    least: Counter[Key] = field(default_factory=Counter)
    moved: tuple[int, int] = (0, 0)
    asked: tuple[int, int] = (0, 0)

    def sizes(self, phase: int, member: int) -> list[int]:
        """Sizes of the pieces that a member can be asked for in a phase."""
        return sorted(size for own, other, size in self.grains if (own, other) == (phase, member))

    def certain(self, phase: int) -> bool:
        """True if the bound may count on any piece of a phase."""
        return len(self.parts) == 1 and any(key[0] == phase for key in self.least)

    def counted(self, phase: int) -> int:
        """Bytes of the pieces of a phase that the bound may count on."""
        if not self.certain(phase):
            return 0
        return sum(size * least for (own, _, size), least in self.least.items() if own == phase)

    def rest(self, phase: int) -> int:
        """Pieces of a phase that are in every request, and that the bound may not count on one by one."""
        counted = sum(least for (own, *_), least in self.least.items() if own == phase) if self.certain(phase) else 0
        return max(self.asked[phase] - counted, 0)

    def share(self, times: int, passes: int = 1) -> Fraction | int:
        """Least share of so many passes in each part in which comes what comes so many times in every request."""
        return Fraction(times, max(self.parts) * passes) if len(self.parts) == 1 else 0

    def spread(self, members: int) -> None:
        """Let all members be asked for what any is, since from stripe to stripe another one is."""
        everyone = range(members)
        for phase, size in {(phase, size) for phase, _, size in self.grains}:
            keys = [(phase, member, size) for member in everyone]
            grain, least = gcd(*(self.grains.get(key, 0) for key in keys)), min(self.least[key] for key in keys)
            self.grains |= dict.fromkeys(keys, grain)
            for key in keys:
                self.least[key] = least
        self.least = +self.least


@dataclass(frozen=True)
class Geometry:
    """A level of `layout`, the number of members, the stripe unit, the sector and the capacity in bytes.

    `ends` are where the members of a concatenation begin, and where the last one ends. `parities` is how many units
    of a stripe have parity. Of a RAIDZ `unit` is a sector of its own, `record` the data of a record in such sectors.
    """

    level: int
    members: int
    sector: int
    capacity: int
    unit: int = 1
    ends: tuple[int, ...] = ()
    parities: int = 0
    record: int = 0

    @property
    def spread(self) -> bool:
        """True if parity goes round the members."""
        return self.level in SPREAD

    @property
    def stripe(self) -> int:
        """Bytes of data in a stripe."""
        return self.unit * (self.members - self.parities)

    def state(self) -> list[int]:
        """The planner of this volume before its first request."""
        slots = self.capacity // (self.record * self.unit) if self.record else 0
        return layout.initial(self.level, self.members, self.unit, self.ends, self.parities, self.record, slots)

    def inside(self, size: int, aligned: int) -> bool:
        """True if all requests of a RAID 5 or 6 lie inside a stripe unit each."""
        return self.spread and size <= gcd(aligned, self.unit)

    def kind(self, verb: Verb, size: int, aligned: int) -> int:
        """The kind of a request, for the planner."""
        return VERBS.index(verb) + 2 * self.inside(size, aligned)

    def shape(self, name: str, verb: Verb, size: int, aligned: int, present: Sequence[int]) -> Shape:
        """The pieces of requests of `size` bytes at multiples of `aligned` while members are `present` or lost.

        Raises RunError if they fall on the members of volume `name` in too many ways.
        """
        asked = name, verb, size, aligned, tuple(present)
        numbers = self.members, self.sector, self.capacity, self.unit, self.parities, self.record, *self.ends
        # A shape of traced numbers has to be traced each time.
        plain = all(type(number) is int for number in (*numbers, size, aligned, *present))
        return _kept_shape(self, *asked) if plain else self._shape(*asked)

    def _shape(self, name: str, verb: Verb, size: int, aligned: int, present: Sequence[int]) -> Shape:
        state: Any = self.state()
        kind, grain = self.kind(verb, size, aligned), self._grain(size, aligned)
        shape, first = Shape(), True
        if self.spread and min(present) < self.members:
            present = self._round(present)
        for at, lost in product(self._starts(name, size, aligned), present):
            planner.open_request(state, 0, at, size)
            if self.level == RAIDZ:
                # A write may begin in any column in which a record may begin.
                state[layout.CURSOR] = at // (self.record * self.unit)
            parts = planner.parts(state, 0, kind, lost)
            shape.parts.add(parts)
            counted: Counter[Key] = Counter()
            moved, asked = [0, 0], [0, 0]
            for part, phase in product(range(parts), (READ, WRITE)):
                parity = planner.begin(state, 0, part, phase)
                pieces = 0
                while member := planner.next_piece(state, 0):
                    key = phase, member - 1, state[layout.AMOUNT]
                    own = self.ends[member - 1] if self.ends else state[layout.OFFSET]
                    shape.grains[key] = gcd(shape.grains.get(key, 0), grain, own)
                    counted[key] += 1
                    moved[phase] += key[2]
                    asked[phase] += 1
                    pieces += 1
                shape.most[phase] = max(shape.most[phase], pieces)
                if phase == WRITE:
                    shape.parities.add(parity)
                    counted[PARITY, parity, 0] += 1
            before = (*moved,) if first else shape.moved
            shape.moved = min(before[READ], moved[READ]), min(before[WRITE], moved[WRITE])
            fewest = (*asked,) if first else shape.asked
            shape.asked = min(fewest[READ], asked[READ]), min(fewest[WRITE], asked[WRITE])
            shape.least, first = counted if first else shape.least & counted, False
            if not self.spread and len(shape.grains) > CASES:
                self._check(name, size, aligned, shape)
        if self.spread or (self.level == MIRROR and verb == "read"):
            shape.spread(self.members)
        return shape

    def _round(self, present: Sequence[int]) -> list[int]:
        """The layout goes round: a stripe without each member, and each pair as far apart, stand for all stripes."""
        n = self.members
        apart = {(code % n - code // n) % n for code in (-1 - lost for lost in present if lost < 0)}
        pairs = {tuple(sorted((member, (member + by) % n))) for by in apart for member in range(n)}
        singles = range(n) if any(0 <= lost < n for lost in present) else ()
        return [
            *singles,
            *(layout.both(a, b, n) for a, b in sorted(pairs)),
            *(lost for lost in present if lost >= n),
        ]

    def _starts(self, name: str, size: int, aligned: int) -> Sequence[int]:
        """Addresses of requests, one for each way to fall on the units; RunError if those are too many."""
        if self.level in (MIRROR, RAID3):
            return [0]
        if self.level == CONCAT:
            across = [
                start
                for end in self.ends[1:-1]
                for start in range(max((end - size) // aligned + 1, 0) * aligned, end, aligned)[: CASES + 1]
            ]
            return [-(-first // aligned) * aligned for first in self.ends[:-1]] + across
        if self.inside(size, aligned):
            return range(0, self.stripe, self.unit)
        if self.level == RAIDZ:
            return self._records(name, size, aligned)
        grain = gcd(aligned, self.stripe)
        starts = self.stripe // grain
        if self.spread and starts <= CASES:
            return range(0, self.stripe, grain)
        if self.level == STRIPE and starts <= STARTS:
            return range(0, starts * aligned, aligned)
        if self.level == STRIPE and size % self.stripe == 0:
            return [0]
        if self.level == STRIPE and size <= gcd(aligned, self.unit):
            return range(0, self.stripe, self.unit)
        raise self.too_many(name, size, aligned)

    def _records(self, name: str, size: int, aligned: int) -> Sequence[int]:
        """Addresses of requests of a RAIDZ, one for each way to fall on its records."""
        state: Any = self.state()
        record: int = self.record * self.unit
        period = record * (self.members // gcd(taken(state, 0), self.members))
        if size <= gcd(aligned, record):
            return range(0, period, record)
        if len(starts := range(0, period, gcd(aligned, record))) > STARTS:
            raise self.too_many(name, size, aligned)
        return starts

    def _grain(self, size: int, aligned: int) -> int:
        """Distance in bytes, on each member, of the pieces of requests that fall alike on the units."""
        if self.level == RAID3:
            return aligned // (self.members - 1)
        if self.level == RAIDZ:
            return self.unit
        if self.level in (MIRROR, CONCAT):
            return aligned
        if self.inside(size, aligned):
            return gcd(aligned, self.unit)
        if self.spread:
            return aligned // self.stripe * self.unit if aligned % self.stripe == 0 else self.unit
        starts = self.stripe // gcd(aligned, self.stripe)
        return gcd(aligned, self.unit) if starts > STARTS else starts * aligned // self.members

    def _check(self, name: str, size: int, aligned: int, shape: Shape) -> None:
        """Raise RunError if a member is asked for too many sizes."""
        if max(Counter(member for _, member, _ in shape.grains).values()) > CASES:
            raise self.too_many(name, size, aligned)

    def too_many(self, name: str, size: int, aligned: int, ways: str = f"more than {CASES}") -> RunError:
        """The error for a request that leads to more cases than there are to be steps for."""
        blocks = f"blocks of {size_text(size)} at multiples of {size_text(aligned)}"
        if self.level == CONCAT:
            return RunError(
                f"{blocks} lie across the end of a member of volume {name!r} in {ways} ways; make their addresses "
                "multiples of the block"
            )
        if self.level == RAIDZ:
            return RunError(
                f"{blocks} fall on the records of volume {name!r}, {size_text(self.record * self.unit)} each, "
                f"in {ways} ways; make the block a divisor or a multiple of the record, and its addresses multiples "
                "of the block"
            )
        return RunError(
            f"{blocks} fall on the stripe units of volume {name!r}, {size_text(self.unit)} each, in {ways} "
            f"ways; make the block a divisor or a multiple of the unit, and its addresses multiples of the "
            "block"
        )


@lru_cache(maxsize=SHAPES)
def _kept_shape(
    geometry: Geometry, name: str, verb: Verb, size: int, aligned: int, present: tuple[int, ...]
) -> Shape:
    return geometry._shape(name, verb, size, aligned, present)
