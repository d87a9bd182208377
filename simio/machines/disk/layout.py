"""The words of a disk's state: parameters, the arm, then tables of zones, segments and commands.

Sectors are counted along the disk. Offsets of the disk's own words are relative to its state, those of the columns of
a table to the row. A word that has the name of a value of the datasheet begins with that value.
"""

from __future__ import annotations

from simio.machines.layout import Layout

NOBODY = -1
DESTAGING = -2

WORDS = Layout("disk")
REVOLUTION = WORDS.word("revolution", "ps")
HEADS = WORDS.word("heads")
SEEK_ROOT = WORDS.word("seek_root", about="a of the seek curve, in ps for each 1/1024 of the root of a cylinder")
SEEK_LINEAR = WORDS.word("seek_linear", about="b of the seek curve, in 1/1024 ps a cylinder")
SEEK_SINGLE = WORDS.word("seek_single", "ps")
SEEK_POINTS = WORDS.word("seek_points", about="points of the table of seek times; 0 where there is a formula")
SEEK_TABLE = WORDS.word("seek_table", about="offset of the table of seek times")
HEAD_SWITCH = WORDS.word("head_switch", "ps")
WRITE_SETTLE = WORDS.word("write_settle", "ps")
SECTORS = WORDS.word("sectors", "sectors", about="sectors of the whole disk")
ZONES = WORDS.word("zone_count")
SEGMENTS = WORDS.word("segments", initial=1)
SEGMENT = WORDS.word("segment", "sectors", about="size of a buffer segment")
SLOTS = WORDS.word("slots", about="commands that the drive holds, and one that has ended but for its arm")
POLICY = WORDS.word("policy", about="number of the scheduling policy")
IN_ORDER = WORDS.word("in_order", about="1 where the policy serves commands in order of arrival")
READ_AHEAD = WORDS.word("read_ahead", initial=1, about="1 where the media reads on until the segment is full")
READ_AHEAD_TO = WORDS.word(
    "read_ahead_to", about="where else it stops: NO_READ_AHEAD, or one of those that follow it"
)
READ_AHEAD_LIMIT = WORDS.word("read_ahead_limit", "sectors", about="most behind a command, with AHEAD_BY")
WRITE_CACHE = WORDS.word("write_cache")
ZERO_LATENCY = WORDS.word(
    "zero_latency", about="1 where a read within a track begins in its middle if that comes first"
)
READ_MARK = WORDS.word("read_mark", about="share of a read that is in the buffer before it is sent, in 1/MARKS")
OVERHEADS = WORDS.table("overheads", 6, "ps")
"""Times of the controller beyond the least: 2 of a read that the buffer serves, 2 of one that needs the media, 2 of a
write; of each the first after a read, the second after a write."""
PREVIOUS = WORDS.word("previous", about="1 where the last command was a write")
SEGMENT_TABLE = WORDS.word("segment_table", about="offset of the table of segments")
COMMAND_TABLE = WORDS.word("command_table", about="offset of the table of commands")
OWNER = WORDS.word("owner", initial=NOBODY, about="tag of the command that has the arm, NOBODY, or DESTAGING")
ACTIVE = WORDS.word("active", initial=-1, about="position of the segment that the arm reads into or last did, or -1")
HERE = WORDS.word("here", about="track of the arm while no segment is active")
DIRECTION = WORDS.word("direction", initial=1, about="1 where the arm last moved inwards, else -1")
TICKETS = WORDS.word("tickets", "commands", about="commands so far; each takes a number at arrival")
CLOCK = WORDS.word("clock", about="uses of segments so far, for their order of use")
WAITING = WORDS.word("waiting", "threads", about="threads that wait to be woken")
BLOCKED = WORDS.word("blocked", "commands", about="commands that wait for a segment, for room, or for dirty data")
DESTAGER = WORDS.word("destager", about="1 while a thread is there that writes dirty data to the media")
CHUNK = WORDS.word("chunk", initial=-1, about="position of the segment that is being written to the media, or -1")
CHUNK_END = WORDS.word("chunk_end", about="sector before which the sweep over the chunk ends, as far as is known")
ZONE_TABLE = WORDS.table("zone_table")
WORDS.later("segment_rows")
WORDS.later("command_rows")
WORDS.later("seek_rows")

ZONE = Layout("zone")
ZONE_SECTOR = ZONE.word("sector", about="its first sector")
ZONE_CYLINDER = ZONE.word("cylinder", about="its first cylinder")
ZONE_TRACK = ZONE.word("track", "sectors", about="sectors a track")
ZONE_PATH = ZONE.word("path", "ps", about="the path of its first sector")
ZONE_TRACK_SKEW = ZONE.word("track_skew", "ps")
ZONE_CYLINDER_SKEW = ZONE.word("cylinder_skew", "ps")
ZONE_COLUMNS = ZONE.size

SEEK_ROW = Layout("seek")
DISTANCE = SEEK_ROW.word("distance", "cylinders")
TIME = SEEK_ROW.word("time", "ps")
SEEK_COLUMNS = SEEK_ROW.size

SEGMENT_ROW = Layout("segment")
KIND = SEGMENT_ROW.word("kind", about="EMPTY; STREAM: read, or written and on the media; DIRTY: it takes writes")
FIRST = SEGMENT_ROW.word("first", about="lowest sector that may be there; the ring overwrites from there")
ORIGIN = SEGMENT_ROW.word("origin", about="sector at which the present sweep of the media began")
START = SEGMENT_ROW.word("start", "ps", about="when it began, or when the arm will be there")
STOP = SEGMENT_ROW.word("stop", about="sector before which the media stopped, or -1 while it reads on")
TAKEN = SEGMENT_ROW.word("taken", about="sectors below this one have left the buffer and may be overwritten")
GOAL = SEGMENT_ROW.word("goal", about="sector before which a drive stops that does not read on until it is full")
USED = SEGMENT_ROW.word("used", about="when it was last used, on the disk's own CLOCK")
LIVE = SEGMENT_ROW.word("live", "commands", about="commands in service that use it")
STALE = SEGMENT_ROW.word("stale", about="1 where a write has made it out of date while a read was using it")
DESTAGED = SEGMENT_ROW.word("destaged", about="sectors below this one are on the media")
RESERVED = SEGMENT_ROW.word(
    "reserved", about="sector before which dirty data end once all commands have theirs there"
)
SINCE = SEGMENT_ROW.word("since", about="ticket of the oldest command whose data are dirty")
PHASE = SEGMENT_ROW.word("phase", "ps", about="START less the path of ORIGIN; plus the path of a sector, its time")
EARLY = SEGMENT_ROW.word("early", about="sectors of the sweep below this one are there from EARLY_AT on")
EARLY_AT = SEGMENT_ROW.word("early_at", "ps")
SEGMENT_COLUMNS = SEGMENT_ROW.size

EMPTY = 0
STREAM = 1
DIRTY = 2

COMMAND_ROW = Layout("command")
STATUS = COMMAND_ROW.word("status", about="FREE, QUEUED, SERVED, or ENDED while its arm has still to be given back")
NEXT = COMMAND_ROW.word("next", about="sectors below have been asked for (a read), or are in the buffer (a write)")
BEGIN = COMMAND_ROW.word("begin")
END = COMMAND_ROW.word("end")
TICKET = COMMAND_ROW.word("ticket")
WRITES = COMMAND_ROW.word("writes")
PLACE = COMMAND_ROW.word("place", about="position of its segment, once it has one")
IS_BLOCKED = COMMAND_ROW.word("is_blocked", about="1 while it is among the BLOCKED")
GIVEN = COMMAND_ROW.word("given", about="sectors of a read below this one have left the buffer")
HELD = COMMAND_ROW.word("held", about="1 where the end of its sweep is known, so that `free` will be called for it")
PACE = COMMAND_ROW.word("pace", "ps", about="time of a sector on the way to the host, of a read that flows; else 0")
COMMAND_COLUMNS = COMMAND_ROW.size

FREE = 0
QUEUED = 1
SERVED = 2
ENDED = 3

NO_READ_AHEAD = 0
AHEAD_BY = 1
TO_TRACK_END = 2
TO_TRACKS = 3
IN_STREAMS = 4
AHEAD = {"segment": AHEAD_BY, "track": TO_TRACK_END, "tracks": TO_TRACKS, "stream": IN_STREAMS}
"""Ends of a drive's read-ahead, by the name in datasheets."""
MARKS = 10**6

LATEST = 9 * 10**18
"""Last instant in ps (104 days) at which a disk can be asked, so that what it answers stays below 2**63."""
