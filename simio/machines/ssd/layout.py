"""The words of a solid-state drive's state: parameters, planes, dies and channels, commands; and, apart, the mapping.

A *sector* here is what an entry of the mapping is for, 4 KiB as a rule. A *unit* is what a die programs at once: a
page on each of its planes, of all bits of a cell. A *stripe* is a block of each plane of each die; its blocks are
filled and erased together. The tables of the mapping are a machine of their own, which only a drive that is written
to has.
"""

from __future__ import annotations

from simio.machines.layout import Layout

WORDS = Layout("ssd")
DIES = WORDS.word("dies", about="of all channels")
PLANES = WORDS.word("planes", about="of a die")
READERS = WORDS.word("readers", about="array reads that a die does at once: one, or one a plane")
CHANNELS = WORDS.word("channels")
PAGE = WORDS.word("page", "sectors", about="sectors of a page of one plane")
BITS = WORDS.word("bits", about="pages of a row of cells: 3 of a TLC")
UNIT = WORDS.word("unit", "sectors", about="sectors that a die programs at once")
SECTORS = WORDS.word("sectors", "sectors", about="of the whole drive")
PLACEMENT = WORDS.word(
    "placement", about="where data are that were there before the run: NOWHERE and what follows it"
)
IN_PLACE = WORDS.word("in_place", about="1 where a sector is overwritten where it is")
READS = WORDS.table(
    "reads", 5, "ps", about="times of an array read of each page of a row of cells; last, in SLC mode"
)
FAST_PROGRAM = WORDS.word("fast_program", "ps", about="time of programming a unit in SLC mode")
PROGRAM = WORDS.word("program", "ps", about="time of programming a unit")
ERASE = WORDS.word("erase", "ps")
PAGE_FIXED = WORDS.word("page_fixed", "ps", about="command and address on the channel, of a page's transfer")
SECTOR_MOVES = WORDS.word("sector_moves", "ps", about="time of a sector on the channel")
FRAGMENT = WORDS.word("fragment", "ps", about="time of the controller for each further page that a read gathers")
DECODE = WORDS.word("decode", "ps", about="from the end of a transfer to corrected data")
SUSPEND = WORDS.word("suspend", "ps", about="time until a program or an erase stands still")
RESUME = WORDS.word("resume", "ps", about="time until it goes on")
SUSPENSIONS = WORDS.word("suspensions", about="most suspensions of one program or erase; reads then wait for its end")
TABLES_AT = WORDS.word("tables_at", about="offset of the machine of the mapping; 0 where nothing is written")
PLANE_ROWS = WORDS.word("plane_rows", about="offset of the instants until which each reads")
DIE_ROWS = WORDS.word("die_rows", about="offset of the table of dies")
CHANNEL_ROWS = WORDS.word("channel_rows", about="offset of the instants until which channels are taken")
TAG_ROWS = WORDS.word("tag_rows", about="offset of the table of commands")
READ_ROWS = WORDS.word("read_rows", about="offset of the table of array reads")
FREE_TAG = WORDS.word("free_tag", initial=-1, about="first of the free rows of commands")
FREE_READ = WORDS.word("free_read", initial=-1, about="first of the free rows of array reads")
WORKED = WORDS.word("worked", "ps", about="time that dies have read, programmed and erased, all together")
CARRIED = WORDS.word("carried", "ps", about="time that channels have carried pages, all together")
WORDS.later("rows")

NOWHERE, STRIPED, SCATTERED, WRITTEN = range(4)
"""Before the run: nothing has been written; all in order of address; all overwritten at random; and just now."""
PLACEMENTS = {"empty": NOWHERE, "filled": STRIPED, "steady": SCATTERED, "written": WRITTEN}

DIE_ROW = Layout("die")
BEGIN = DIE_ROW.word("begin", "ps", about="when its program or erase begins or began")
FINISH = DIE_ROW.word("finish", "ps", about="when that is done, as far as is known")
HALTED = DIE_ROW.word("halted", "ps", about="until when that stands still for reads")
HALTS = DIE_ROW.word("halts", about="suspensions so far")
DEBT = DIE_ROW.word("debt", about="stripes erased on paper since the last erase of the die")
HOLDER = DIE_ROW.word("holder", initial=-1, about="tag of what it programs, or -1")
HELD = DIE_ROW.word("held", "ps", about="since when, later by what it has waited for its channel")
WAITS_NEXT = DIE_ROW.word("waits_next", "units", about="of the host's data that wait for it, for the next flush")
WAITS_OLD = DIE_ROW.word("waits_old", "units", about="that wait for it, and for which the present flush waits")
DIE_COLUMNS = DIE_ROW.size

TAG_ROW = Layout("command")
FIRST = TAG_ROW.word(
    "first", about="first of its array reads that are not on their way yet, or -1; the next free tag"
)
DONE = TAG_ROW.word("done", "ps", about="when all that is on its way has arrived")
PHASE = TAG_ROW.word("phase", about="of a unit: COLLECTS and what follows it")
TARGET = TAG_ROW.word("target", about="of a unit: its number")
LEFT = TAG_ROW.word("left", "pages", about="of a unit: pages that the die has not got yet")
ROW = TAG_ROW.word("row", "ps", about="when its last array read is done, which pages of other planes can share")
TIME = TAG_ROW.word("time", "ps", about="of a unit: that programming it takes")
FREES = TAG_ROW.word("frees", "sectors", about="of a unit: room in the buffer that its end frees")
EPOCH = TAG_ROW.word("epoch", about="of a unit of the host's data: number of the flush that will wait for it")
TAG_COLUMNS = TAG_ROW.size

COLLECTS, WAITS, MOVES, PROGRAMS = range(4)

READ_ROW = Layout("array read")
NEXT = READ_ROW.word("next")
READY = READ_ROW.word("ready", "ps")
CHANNEL = READ_ROW.word("channel")
AMOUNT = READ_ROW.word("amount", "sectors")
READ_COLUMNS = READ_ROW.size

TABLES = Layout("mapping")
HOME = TABLES.word("home", about="offset of the drive's own state from here, below zero")
MADE = TABLES.word("made", about="1 once the tables hold what was there before the run")
LOGICAL = TABLES.word("logical", "sectors", about="that the tables hold; addresses are taken modulo this")
STRIPES = TABLES.word("stripes")
STRIPE = TABLES.word("stripe", "sectors", about="of one stripe in the tables")
SCALE = TABLES.word("scale", initial=1, about="times that as many sectors has a stripe of the drive")
LEADER = TABLES.word("leader", about="offset from here of the tables that are filled first, for drives alike")
FOLLOWER = TABLES.word("follower", about="offset from here of the tables that get a copy then; 0: none")
CREDIT = TABLES.word("credit", "sectors", about="that garbage collection frees, less what the host has written since")
GAIN = TABLES.word("gain", "sectors", about="that the stripe that is collected frees")
GAIN_OF = TABLES.word("gain_of", "sectors", about="that have to be moved for that")
GAINED = TABLES.word("gained", about="what has been moved times GAIN, as far as it gave no credit")
CACHE = TABLES.word("cache", "units", about="of the cache in SLC mode")
CACHED = TABLES.word("cached", "units", about="of the cache that are taken")
CACHE_NEXT = TABLES.word("cache_next", about="unit of the cache that is filled next")
CACHE_ROW = TABLES.word("cache_row", about="place in the cache that is emptied next, from its beginning")
HOST_AT = TABLES.word("host_at", about="next sector of the stripe that the host's data go to")
HOST_END = TABLES.word("host_end")
MOVED_AT = TABLES.word("moved_at", about="next sector of the stripe that collected data go to")
MOVED_END = TABLES.word("moved_end")
VICTIM = TABLES.word("victim", initial=-1, about="stripe that is being collected, or -1")
VICTIM_AT = TABLES.word("victim_at", about="its next sector to look at")
FREE_COUNT = TABLES.word("free_count", "stripes")
CURSOR = TABLES.word("cursor", about="stripe from which on a free one is looked for")
WORKERS = TABLES.word("workers", about="threads that program")
PENDING = TABLES.word("pending", "sectors", about="in the buffer, and not yet on the way to a die")
HEAD = TABLES.word("head", about="row of the buffer that is next to leave")
TAIL = TABLES.word("tail", about="row of the buffer that is next to be filled")
ROOM = TABLES.word("room", "sectors", about="rows of the buffer")
SEED = TABLES.word("seed", initial=20230911)
HOST_SECTORS = TABLES.word("host_sectors", "sectors", about="of the host that were programmed")
MOVED_SECTORS = TABLES.word("moved_sectors", "sectors", about="of garbage collection that were programmed")
FOLDED_SECTORS = TABLES.word("folded_sectors", "sectors", about="that were moved out of the cache in SLC mode")
ERASED = TABLES.word("erased", "stripes")
FLUSHES = TABLES.word("flushes", initial=1, about="number of the flush that would come next")
FORCED = TABLES.word("forced", "sectors", about="in the buffer that a flush waits for, whole units or not")
ACTIVE = TABLES.word("active", "units", about="of the host's data on their way to a die, for the next flush")
OLD = TABLES.word("old", "units", about="on their way to a die for which the present flush waits")
FLUSHING = TABLES.word("flushing", about="1 while a flush waits")
MAP_AT = TABLES.word("map_at", about="offset of the table of where each sector is: UNMAPPED, a place, or the buffer")
OWNER_AT = TABLES.word("owner_at", about="offset of the table of which sector each place has, or -1")
VALID_AT = TABLES.word("valid_at", about="offset of the table of sectors in use of each stripe; -1 for a free one")
SETTLED_AT = TABLES.word("settled_at", about="offset of the table of units: 1 once programmed")
BUFFER_AT = TABLES.word("buffer_at", about="offset of the ring of sectors in the buffer")
TABLES.later("table_rows")

UNMAPPED = -1
FAST = 4
"""Number of the pages in SLC mode among the kinds of pages."""
SPARE = 4
"""Free stripes from which on garbage is collected, as much as the host writes."""
RESERVED = 1
"""Free stripes that the host's data leave to garbage collection."""
LAST = 2**62
"""Added to a time to wait after which there is nothing more to ask."""
LATEST = 4 * 10**18
"""Last instant in ps (46 days) at which a drive can be asked, so that what it answers stays below 2**63."""
