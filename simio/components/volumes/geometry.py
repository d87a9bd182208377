"""How a volume lays out its bytes, and which pieces its requests of one size can lead to.

Addresses are known when a request runs, sizes beforehand. So the planner is asked beforehand, too, about one request
for each way to fall on the units of the volume; what it answers is all that steps must exist for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import gcd
from typing import Any

from simio.components.volumes.requests import Verb, size_text
from simio.errors import RunError
from simio.machines.volume import layout, planner
from simio.machines.volume.layout import CONCAT, MIRROR, RAID3, RAID5, READ, STRIPE, WRITE

CASES = 64
"""Sizes of pieces of one member, or places in a stripe, that a request may lead to."""
STARTS = 4096
"""Places in a stripe where requests may begin for the planner to be asked about each."""

Pair = tuple[int, int]


@dataclass
class Phase:
    """The pieces of one phase: by member and size what their addresses are multiples of, in bytes.

    `most` is the number of pieces of a part; of each member and size at least `least` pieces are in every request.
    """

    grains: dict[Pair, int] = field(default_factory=dict)
    most: int = 0
    least: Counter[Pair] | None = None

    def sizes(self, member: int) -> list[int]:
        """The sizes of pieces that a member can be asked for."""
        return sorted(size for other, size in self.grains if other == member)

    @property
    def certain(self) -> bool:
        """Whether the bound may count on any piece."""
        return bool(self.least)

    def note(self, counted: Counter[Pair]) -> None:
        """Note the pieces of a request, of all its parts."""
        self.least = counted if self.least is None else self.least & counted

    def spread(self, members: int) -> None:
        """Let every member be asked for what one can be asked for, as which one it is differs from stripe to stripe."""
        least = self.least or Counter()
        everyone = range(members)
        sizes = {size for _, size in self.grains}
        grains = {size: gcd(*(grain for (_, other), grain in self.grains.items() if other == size)) for size in sizes}
        self.grains = {(member, size): grains[size] for member in everyone for size in sorted(sizes)}
        self.least = +Counter(
            {(to, size): min(least[member, size] for member in everyone) for to in everyone for size in sizes}
        )


@dataclass
class Shape:
    """What requests of one size can lead to: numbers of parts, parities (`layout.SOURCES`) and pieces.

    Of each parity there are at least `parities` in every request.
    """

    parts: set[int]
    parities: dict[int, int]
    phases: tuple[Phase, Phase]

    def share(self, times: int, most: int = 1) -> Fraction | int:
        """How often something happens that happens so many times a request, of `most` passes in each part."""
        return Fraction(times, max(self.parts) * most) if len(self.parts) == 1 else 0


@dataclass(frozen=True)
class Geometry:
    """A level of `layout`, the number of members, the stripe unit, the sector and the capacity in bytes.

    `ends` are where the members of a concatenation begin, and where the last one ends.
    """

    level: int
    members: int
    sector: int
    capacity: int
    unit: int = 1
    ends: tuple[int, ...] = ()

    @property
    def stripe(self) -> int:
        """Bytes of data in a stripe."""
        return self.unit * (self.members - (self.level == RAID5))

    def state(self) -> list[int]:
        """The planner of this volume before its first request."""
        return layout.initial(self.level, self.members, self.unit, self.ends)

    def inside(self, size: int, aligned: int) -> bool:
        """Whether all requests of a RAID 5 lie inside a stripe unit each."""
        return self.level == RAID5 and size <= gcd(aligned, self.unit)

    def kind(self, verb: Verb, size: int, aligned: int) -> int:
        """The kind of a request, for the planner."""
        return (WRITE if verb == "write" else READ) + 2 * self.inside(size, aligned)

    def shape(self, name: str, verb: Verb, size: int, aligned: int, present: Sequence[int]) -> Shape:
        """What requests of `size` bytes at multiples of `aligned` lead to while members are `present` or lost.

        Raises RunError if they fall on the members of volume `name` in too many ways.
        """
        state: Any = self.state()
        kind = self.kind(verb, size, aligned)
        shape = Shape(set(), {}, (Phase(), Phase()))
        grain = self._grain(size, aligned)
        if self.level == RAID5 and min(present) < self.members:
            # Each stripe of the first `members` ones has another member without its bytes.
            present = [*range(self.members), *(lost for lost in present if lost >= self.members)]
        seen: Counter[int] | None = None
        for at in self._starts(name, size, aligned):
            for lost in present:
                planner.open_request(state, 0, at, size)
                parts = planner.parts(state, 0, kind, lost)
                shape.parts.add(parts)
                counted: tuple[Counter[Pair], Counter[Pair]] = (Counter(), Counter())
                parities: Counter[int] = Counter()
                for part in range(parts):
                    for phase, pairs in zip(shape.phases, counted, strict=True):
                        parity = planner.begin(state, 0, part, WRITE if pairs is counted[1] else READ)
                        before = pairs.total()
                        for member, offset, amount in _pieces(state):
                            own = gcd(grain, self.ends[member] if self.ends else offset)
                            pairs[member, amount] += 1
                            phase.grains[member, amount] = gcd(phase.grains.get((member, amount), 0), own)
                        phase.most = max(phase.most, pairs.total() - before)
                    parities[parity] += 1
                for phase, pairs in zip(shape.phases, counted, strict=True):
                    phase.note(pairs)
                shape.parities |= dict.fromkeys(parities, 0)
                seen = parities if seen is None else seen & parities
            self._check(name, size, aligned, shape)
        shape.parities |= seen or {}
        if self.level == RAID5 or (self.level == MIRROR and verb == "read"):
            for phase in shape.phases:
                phase.spread(self.members)
        return shape

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
        grain = gcd(aligned, self.stripe)
        starts = self.stripe // grain
        if self.level == RAID5 and starts <= CASES:
            return range(0, self.stripe, grain)
        if self.level == STRIPE and starts <= STARTS:
            return range(0, starts * aligned, aligned)
        if self.level == STRIPE and size % self.stripe == 0:
            return [0]
        if self.level == STRIPE and size <= gcd(aligned, self.unit):
            return range(0, self.stripe, self.unit)
        raise self._too_many(name, size, aligned)

    def _grain(self, size: int, aligned: int) -> int:
        """On each member, pieces of requests that fall alike on the units are so many bytes apart."""
        if self.level == RAID3:
            return aligned // (self.members - 1)
        if self.level in (MIRROR, CONCAT):
            return aligned
        if self.inside(size, aligned):
            return gcd(aligned, self.unit)
        if self.level == RAID5:
            return aligned // self.stripe * self.unit if aligned % self.stripe == 0 else self.unit
        starts = self.stripe // gcd(aligned, self.stripe)
        return gcd(aligned, self.unit) if starts > STARTS else starts * aligned // self.members

    def _check(self, name: str, size: int, aligned: int, shape: Shape) -> None:
        """Raise RunError if a member is asked for too many sizes."""
        if self.level == RAID5:
            return
        most = max(Counter(member for phase in shape.phases for member, _ in phase.grains).values(), default=0)
        if most > CASES:
            raise self._too_many(name, size, aligned)

    def _too_many(self, name: str, size: int, aligned: int) -> RunError:
        """The error for a request that leads to more cases than there are to be steps for."""
        blocks = f"blocks of {size_text(size)} at multiples of {size_text(aligned)}"
        if self.level == CONCAT:
            return RunError(
                f"{blocks} lie across the end of a member of volume {name!r} in more than {CASES} ways; make their "
                "addresses multiples of the block"
            )
        return RunError(
            f"{blocks} fall on the stripe units of volume {name!r}, {size_text(self.unit)} each, in more than {CASES} "
            "ways; make the block a divisor or a multiple of the unit, and its addresses multiples of the block"
        )


def _pieces(state: Any) -> Iterator[tuple[int, int, int]]:
    """Member, offset and size of every piece of the phase that has begun."""
    while member := planner.next_piece(state, 0):
        yield member - 1, state[layout.OFFSET], state[layout.AMOUNT]
