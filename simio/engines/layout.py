"""Tables of the compiled engine: their columns, order and sizes (all int64).

A thread, resource or container has a row each. `control` has the loop's own variables, the limits of the run, and
where the other tables are.
"""

PC = 0
SERIAL = 1
NAME = 2
PARENT = 3
PARENT_SERIAL = 4
CHILDREN = 5
FLAGS = 6
WAIT = 7
WHAT = 8
AMOUNT = 9
PRIORITY = 10
NEXT = 11
REGISTERS = 12
"""First of a thread's registers."""
THREAD_COLUMNS = 72
"""Nine lines of a cache: rows a power of two apart would share few of a cache's sets, and drive one another out."""

JOINED = 1
DAEMON = 2
LIVE = 4
INSTANCE = 3
"""Bits above those of FLAGS, from which on there is the thread's instance."""

UNITS = 0
IN_USE = 1
HEAD = 2
TAIL = 3
BUSY = 4
QUEUE = 5
SEIZES = 6
WAITS = 7
LINE = 8
LONGEST = 9
PASSED = 10
"""The last thread that was put into the line before others, or -1: its like goes behind it, without a walk."""
RESOURCE_COLUMNS = 12

CAPACITY = 0
LEVEL = 1
GET_HEAD = 2
GET_TAIL = 3
PUT_HEAD = 4
PUT_TAIL = 5
LOWEST = 6
HIGHEST = 7
PUT_TOTAL = 8
GOT_TOTAL = 9
BLOCKED = 10
LAST = 11
AREA = 12
"""First of four digits, base 2**31, of the level's integral over time."""
CONTAINER_COLUMNS = 16

RING_HEAD = 0
RING_COUNT = 1
NOW = 2
HEAPED = 3
SEQUENCE = 4
LOGGED = 5
TRACED = 6
ROWS = 7
USED = 8
FREED = 9
NEXT_SERIAL = 10
WORKING = 11
INTERVAL = 12
NEXT_SAMPLE = 13
EXECUTED = 14
EVENTS = 15
SLOT = 16
"""The thread that runs or has run last, -1 before the first."""
STEP = 17
HELD = 18
"""A thread that has just begun to advance, or -1: pending events are changed once, or not at all if it is next."""
HELD_TIME = 19
"""LATEST if none is held."""
STOP = 20
"""The earliest instant that may need a row of the timeline before it, or is the last of the run."""
UNTIL = 21
BUDGET = 22
RECORDS = 23
TRACING = 24
USED_REGISTERS = 25

THREADS = 26
RESOURCES = 27
CONTAINERS = 28
MARKS = 29
GAUGES = 30
DRAW_ROWS = 31
LOG = 32
TRACE = 33
SAMPLES = 34
SAMPLE_COLUMNS = 35
"""Rows of these tables, and columns of the timeline."""

STEPS_AT, THREADS_AT, HEAP_AT, RING_AT, FREE_AT, RESOURCES_AT, CONTAINERS_AT = range(36, 43)
DRAWS_AT, DRAW_TABLE_AT, STATE_AT, STREAMS_AT, STATS_AT, SUMS_AT, GAUGES_AT = range(43, 50)
LOG_AT, TRACE_AT, TIMES_AT, SAMPLES_AT = range(50, 54)
"""Addresses of tables."""
TABLES = (
    "steps", "threads", "heap", "ring", "free", "resources", "containers", "draws", "draw_table", "state",
    "streams", "stats", "sums", "gauges", "log", "trace", "times", "samples",
)  # fmt: skip
"""Tables whose addresses are at `STEPS_AT` and behind it, in order."""
CHOICE_AT = 54
"""Address of the threaded code that goes on to the thread that runs next."""
FIRST_TIME = 55
"""Time of the first of the pending events, LATEST if there is none."""
LISTED = 56
"""1 while they are a list, 0 while they are a heap."""
CONTROL_COLUMNS = 57

MASK = 2**31 - 1
"""A digit of an area."""

RUNNING = -1
GROW_THREADS = -2
GROW_LOG = -3
GROW_TRACE = -4
"""Answers of the loop beside a `Status`, for a full table: it goes on once that has been made larger."""
SLICED = -5
"""Not of the loop, but of `compiled`: the loop has spent its slice of the budget and can go on."""
SUSPENDED = -6
"""Not of the loop, but of a step: its thread waits, and goes on behind that step."""
ENDED = -7
"""The same for a thread that has ended."""
LIMIT = -8
"""Not of the loop, but of its choice of the next thread: the timeline's next row or the run's end may come first."""

STEP_COLUMNS = 8
HEAP_COLUMNS = 3
HEAP_SPARE = 4
"""Rows behind the last entry of a full heap: entries later than any stand behind the last one."""
LATEST = 2**63 - 1
"""Time and sequence of these."""
DRAW_COLUMNS = 4
DRAW_ROW_COLUMNS = 2
STREAM_COLUMNS = 6
STAT_COLUMNS = 3
LOG_COLUMNS = 3
TRACE_COLUMNS = 4
