"""The state of a volume's planner: what the volume is, the request that is planned, and its latest piece."""

from __future__ import annotations

from collections.abc import Sequence

STRIPE, CONCAT, MIRROR, RAID3, RAID5 = range(5)
"""Levels."""
READ, WRITE = range(2)
"""Verbs, and phases of a part of a request: what it reads comes first, then parity, then what it writes."""

LEVEL = 0
MEMBERS = 1
UNIT = 2
"""Bytes of a stripe unit; of a RAID 3, those of one sector on one member."""
AT = 3
"""Address and size of the request, in bytes."""
SIZE = 4
VERB = 5
INSIDE = 6
"""1 if the request is one of a series each of which lies inside a stripe unit: its order of pieces is then by member."""
PRESENT = 7
"""The member that is lost; the number of members if none is; one more if a spare has taken its place."""
PHASE = 8
PLACE = 9
"""Which member or column of a stripe is next, counted from where the phase begins."""
FROM = 10
"""Address on this member from which on bytes may still be wanted."""
ROW = 11
"""Of a part of a stripe: number of the stripe, and the first and the end of the bytes of the volume that change."""
FIRST = 12
END = 13
OFFSET = 14
"""Address and size of the latest piece on its member, in bytes."""
AMOUNT = 15
TURNS = 16
"""Whose turn it is to be read in a mirror: without a loss, with one, and with a spare."""
ENDS = 19
"""Where each member of a concatenation begins, and where the last one ends."""

SOURCES = 4096
"""Parity of a part is one word: bytes of it times this, plus the number of blocks that it is computed from."""


def initial(level: int, members: int, unit: int = 1, ends: Sequence[int] = ()) -> list[int]:
    """State of a volume's planner before its first request."""
    return [level, members, unit, *[0] * (ENDS - 3), *ends]
