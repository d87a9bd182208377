"""Where each value of an endpoint's state is, relative to the endpoint's offset in the state of the program.

Sizes are bytes, times ps.
"""

from __future__ import annotations

# Settings, see `settings`; times of the retransmission timer in ticks where it counts ticks, else in ps.
MSS = 0
SEND_SPACE = 1
RECEIVE_SPACE = 2
SEND_SHIFT = 3
"""Shift of the windows that arrive: the peer's."""
RECEIVE_SHIFT = 4
"""Shift of the windows that leave: our own."""
STAMP_TICK = 5
"""ps of the clock of timestamps; 0 where the connection has none."""
NODELAY = 6
NAGLE = 7
NAGLE_LIMIT = 8
HALF_WINDOW = 9
INITIAL_WINDOW = 10
IDLE_RESTART = 11
MAX_CWND = 12
BYTE_COUNTING = 13
LIMITED = 14
RECOVERY = 15
THRESHOLD = 16
ACK_EVERY = 17
ACK_SMALL = 18
ACK_TICK = 19
ACK_PHASE = 20
ACK_DELAY = 21
UPDATE_SEGMENTS = 22
UPDATE_DIVISOR = 23
SILLY_DIVISOR = 24
PERSIST_MIN = 25
PERSIST_MAX = 26
RTO_TICK = 27
RTO_PHASE = 28
RTO_MIN = 29
RTO_INITIAL = 30
RTO_MAX = 31
RTO_GRANULARITY = 32
BUFFER_SIZE = 33
BUFFER_DATA = 34
BUFFER_FIRST = 35
CLUSTER = 36
CLUSTER_THRESHOLD = 37
CLUSTER_ROOM = 38
MEMORY_LIMIT = 39
HAND_OVER = 40
LOW_WATER = 41
RUNS = 42
"""Records that the ring of runs holds."""

# The connection.
STATE = 43
"""As RFC 9293, section 3.3.2 numbers them in its list, closed being 0."""
CLOSING = 44
"""1 once no more data will be written."""

# The sender (RFC 9293, section 3.3.1; RFC 5681). Sequence numbers count from the SYN, which is 0.
UNA = 45
"""Oldest sequence number that is not acknowledged."""
NXT = 46
"""Next sequence number to send; falls back for retransmission."""
MAX = 47
"""Sequence number after the highest ever sent."""
END = 48
"""Sequence number after the last byte that TCP has been handed."""
SEND_WINDOW = 49
MOST_WINDOW = 50
"""Largest window that the peer ever offered."""
WL1 = 51
"""Sequence number of the segment that last set the window."""
WL2 = 52
"""Acknowledgement of the segment that last set the window."""
CWND = 53
SSTHRESH = 54
COUNTED = 55
"""Bytes acknowledged towards the next step of congestion avoidance, where bytes are counted."""
SERIES = 56
"""1 while a series of segments goes that began with nothing outstanding."""
SMALL = 57
"""Sequence number after the last small segment."""
SENT = 58
"""Instant at which data were last sent."""
FORCE = 59
"""1 where the persist timer has run out and something has to go."""

# Recovery.
DUPLICATES = 60
"""Duplicate acknowledgements in a row."""
RECOVERING = 61
"""1 from the fast retransmission to the acknowledgement that ends recovery."""
RECOVER = 62
"""Sequence number that an acknowledgement must reach to end recovery, or to let another begin."""
RESEND = 63
"""Sequence number of the segment to send again at once, or -1."""
TIMED_OUT = 64
"""What UNA was when the retransmission timer last ran out, or -1."""
PARTIAL = 65
"""1 after the first partial acknowledgement."""
HIGH_RESENT = 66
"""Sequence number after the highest retransmitted in this recovery (RFC 6675, HighRxt)."""

# Timers: instants in ps, 0 where a timer is off.
WAKE = 67
"""Instant at which the sleeper that is under way wakes."""
ACK_DUE = 68
RESEND_DUE = 69
PERSIST_DUE = 70
SRTT = 71
"""Smoothed round trip, times 8."""
RTTVAR = 72
"""Its mean deviation, times 4."""
RTO = 73
"""Present retransmission time, backed off."""
BACKOFF = 74
"""Retransmission times in a row that have run out, or persist times."""
TIMING = 75
"""1 while a segment is being timed."""
TIMED = 76
"""Its sequence number."""
TIMED_AT = 77
"""The instant at which it was sent, in ticks or ps."""

# The receiver.
RCV_NXT = 78
RCV_EDGE = 79
"""Highest sequence number that the window offered so far lets in, and 1."""
BUFFERED = 80
"""Bytes in order that have not been read."""
LAST_ACK = 81
"""Acknowledgement that was last sent."""
ACK_NOW = 82
SEGMENTS = 83
"""Segments of data since an acknowledgement was sent."""
FIN_AT = 84
"""Sequence number of the peer's FIN, 0 while unknown."""
ENDED = 85
"""1 once the peer's FIN has been reached."""
READER = 86
"""1 while the reader waits."""
RECENT = 87
"""Sequence number inside the range that last arrived out of order."""
RECENT_BEFORE = 88
"""The same of the range before it."""
TS_RECENT = 89
"""Timestamp to echo."""
STAGED_VALUE = 90
STAGED_ECHO = 91
STAGED_A = 92
STAGED_B = 93
OUT_WORD = 94
"""Acknowledgement and window of the segment just given."""

# The socket layer's buffers.
APPENDED = 95
"""Bytes that the socket layer has copied in, and 1."""
WRITER = 96
"""Bytes that the waiting writer wants, 0 while none waits."""
WRITE_LEFT = 97
"""Bytes of the present write that are yet to come."""
WRITE_SPACE = 98
"""Room that the present write found, less what it has used."""
CHUNK = 99
"""Bytes of the buffer that is being filled."""
CHUNK_MEMORY = 100
IN_CHAIN = 101
"""Buffers filled but not handed over yet."""
MEMORY = 102
CHAIN = 103
"""Buffers in the send buffer."""
TAKEN = 104
"""Bytes acknowledged of the first buffer."""
LAST_SIZE = 105
"""Bytes of the last buffer; it is not among the runs."""
LAST_MEMORY = 106
LAST_ROOM = 107
"""Bytes that the last buffer still has room for."""
RUN_HEAD = 108
RUN_COUNT = 109

# Tables of ranges: a count, then start and end of each in order.
MOST_RANGES = 64
ARRIVED = 110
"""Ranges that have arrived out of order."""
SACKED = 239
"""Ranges that the peer has reported to have (RFC 6675, the scoreboard)."""

# What keeps the sender from sending, and what went wrong; told, and of no effect.
WAIT = 368
"""What it waits for at present, one of FOR_..., or 0."""
WAIT_SINCE = 369
WAITED = 370
"""ps for which it has waited for each of FOR_... 1 to 4."""
RESENT = 374
"""Segments sent again."""
TIMEOUTS = 375
"""Retransmission times that ran out."""
RING = 376
"""Runs of equal buffers: bytes of each << 31 | memory of each, and their number."""

FOR_WINDOW = 1
"""The peer's window leaves no room for the next segment."""
FOR_CONGESTION = 2
"""The congestion window does not."""
FOR_MORE = 3
"""A small segment is held back until more is written or all is acknowledged."""
FOR_ACKNOWLEDGEMENT = 4
"""All is sent, and the send buffer has no room for what the writer has."""

# States of a connection.
CLOSED = 0
LISTEN = 1
SYN_SENT = 2
SYN_RECEIVED = 3
ESTABLISHED = 4
FIN_WAIT_1 = 5
FIN_WAIT_2 = 6
CLOSE_WAIT = 7
CLOSE_BOTH = 8
"""CLOSING of RFC 9293."""
LAST_ACK_WAIT = 9
"""LAST-ACK of RFC 9293."""
TIME_WAIT = 10

# Ways of recovery.
TAHOE = 0
RENO = 1
NEWRENO = 2
SACK = 3

# Flags of a segment, and what `accept` answers.
SYN = 1
FIN = 2
PUSH = 4
RESET = 3
"""SYN and FIN together, which no other segment has."""
OUTPUT = 1
WAKE_READER = 2
WAKE_WRITER = 4
CHANGED = 8

END_OF_FILE = 2**40
"""What `read` answers when all has been read and the peer has closed."""
LATEST = 2 * 10**18
"""Last instant in ps (23 days) at which an endpoint can be asked, so that nothing reaches 2**63."""
MOST_BYTES = 2**43
"""Most bytes of a connection, so that words of a segment stay below 2**63."""
