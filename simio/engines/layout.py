"""Columns of the compiled engine's working tables (int64, one row a thread, resource or container)."""

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

JOINED = 1
DAEMON = 2
LIVE = 4

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
RESOURCE_COLUMNS = 10

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
"""Thread that was running when a table was full, or -1."""
STEP = 17
CONTROL_COLUMNS = 18

MASK = 2**31 - 1
"""A digit of an area."""
