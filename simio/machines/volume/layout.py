"""The state of a volume's planner: what the volume is, the request that is planned, and its latest piece."""

from __future__ import annotations

from collections.abc import Sequence

from simio.machines.layout import Layout, State

STRIPE, CONCAT, MIRROR, RAID3, RAID5, RAID6, ERASURE, RAIDZ = range(8)
"""Levels."""
CODED = (RAID5, RAID6, ERASURE, RAIDZ)
"""Levels that compute lost data of what the other members have, with parity on all of them in turn."""
READ, WRITE = range(2)
"""Verbs, and phases of a part of a request: what it reads comes first, then parity, then what it writes."""
SOURCES = 4096
"""Parity of a part is one number: bytes of it times this, plus the number of blocks that it is computed from."""

WORDS = Layout("volume")
LEVEL = WORDS.word("level")
MEMBERS = WORDS.word("members")
UNIT = WORDS.word("unit", "bytes", about="stripe unit; RAID 3: one sector's share on a member; RAIDZ: a sector")
PARITIES = WORDS.word("parities", about="units of parity in a stripe, or of a RAIDZ in a row of a record")
RECORD = WORDS.word("record", "sectors", about="data of a record of a RAIDZ")
SLOTS = WORDS.word("slots", about="records that a RAIDZ has room for")
CURSOR = WORDS.word("cursor", about="slot in which the next record that a RAIDZ writes is put")
SLOT = WORDS.word("slot", about="slot of the first record of the present phase")
AT = WORDS.word("at", "bytes", about="address of the request")
SIZE = WORDS.word("size", "bytes")
VERB = WORDS.word("verb")
INSIDE = WORDS.word("inside", about="1 if the request is of a series of which each lies inside a stripe unit")
PRESENT = WORDS.word(
    "present", about="the member that is lost; the number of members if none is, one more with a spare in its place"
)
SECOND = WORDS.word("second", about="the second member that is lost, of a RAID 6; below 0 if none is")
PHASE = WORDS.word("phase")
PLACE = WORDS.word("place", about="member or column of a stripe that is next, counted from where the phase begins")
FROM = WORDS.word("from", "bytes", about="address on this member from which on bytes may still be wanted")
ROW = WORDS.word("row", about="stripe of which a part is written; -1 where whole ones are")
FIRST = WORDS.word("first", "bytes", about="first byte of the volume that changes in this stripe")
END = WORDS.word("end", "bytes", about="first byte behind those")
LOW = WORDS.word("low", "bytes", about="first byte of the unit of parity that changes; of whole stripes, on members")
HIGH = WORDS.word("high", "bytes", about="first byte behind those")
HOW = WORDS.word("how", about="how this stripe's parity is made")
OFFSET = WORDS.word("offset", "bytes", about="address of the latest piece on its member")
AMOUNT = WORDS.word("amount", "bytes", about="size of the latest piece")
TURNS = WORDS.table(
    "turns", 3, about="next to read of a mirror: of all members, without the lost one, with the spare"
)
ENDS = WORDS.table("ends", unit="bytes", about="where members of a concatenation begin, and where the last one ends")


def both(first: int, second: int, members: int) -> int:
    """The number, below 0, for two members of a RAID 6 that are lost, `first` before `second`."""
    return -1 - first * members - second


def initial(
    level: int,
    members: int,
    unit: int = 1,
    ends: Sequence[int] = (),
    parities: int | None = None,
    record: int = 0,
    slots: int = 0,
) -> State:
    """State of a volume's planner before its first request; a RAIDZ writes from the middle of its room on."""
    own = {RAID5: 1, RAID6: 2}.get(level, 0) if parities is None else parities
    words = {"parities": own, "record": record, "slots": slots, "cursor": slots // 2}
    return WORDS.initial(level=level, members=members, unit=unit, ends=ends, **words)
