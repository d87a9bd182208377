"""The words of one end of a queue pair of the reliable connected service, and the fields of its packets."""

from __future__ import annotations

from simio.machines.layout import Layout

SEND, WRITE, READ, RESPONSE, ACK, NAK, CNP = range(7)
"""Kinds of packets; the first three are those of work requests, too."""

SIGNALLED = 8
INVALIDATES = 16
"""Flags of a work request beside its kind: it has a completion; a SEND that invalidates a remote key."""

ASKS = 8
LAST = 16
INFO = 32
"""A packet's information: its kind, ASKS if an acknowledgement is requested, LAST of a message, INFO times a size.

The size is that of the payload, or what a READ asks for."""

IDLE = 2**61
"""Time that an end waits which has nothing to send."""
REQUESTS = 256
"""Work requests that the send queue of an end holds."""
WINDOW = 1024
"""Packets beyond the expected one that a responder can keep, where it keeps them."""

BASE = 44
"""IP 20, UDP 8, BTH 12 and ICRC 4 bytes (InfiniBand Architecture Specification, annex A17, RoCEv2; volume 1, 9.2)."""
RETH = 16
AETH = 4
IETH = 4
NOTE = 16
"""Bytes of what a CNP has behind its base transport header (A17.9.3)."""
ONE = 2**20
"""Shares, such as DCQCN's alpha, are fractions of this."""

QP = Layout("queue pair")
_word = QP.word
MTU = _word("mtu", "bytes", about="payload of a full packet")
INTERVAL = _word("interval", "packets", about="packets of a message after which one asks for an acknowledgement")
MOST_READS = _word("most_reads", about="READ requests that may be outstanding")
KEEPS = _word("keeps", about="1: the responder keeps what comes out of order, and only what is missing goes again")
TIMEOUT = _word("timeout", "ps", about="without an acknowledgement after which all is sent again")

POSTED = _word("posted", about="work requests that have been posted")
ASKED = _word("asked", about="those that the adapter has begun to read")
READY = _word("ready", about="those that it has read")
CURRENT = _word("current", about="the first that has not been sent in whole")
DONE = _word("done", about="those that are complete")
END = _word("end", about="sequence number behind the last posted")
NXT = _word("next", about="sequence number that goes next")
TOP = _word("top", about="sequence number behind the last that has gone")
ACKED = _word("acked", about="sequence number before which all is acknowledged that is no READ")
READ_NXT = _word("read_next", about="sequence number of the response that is expected next")
READS = _word("reads", about="READ requests that are outstanding")
READER = _word("reader", about="the first work request that is a READ without all of its response, or later")
LOST = _word("lost", about="1 + sequence number of the response that was asked for again last; 0: none")
MISSING = _word("missing", about="1 + sequence number of the one packet to be sent again; 0: none")
ASLEEP = _word("asleep", about="1 while nothing can be sent")
DEADLINE = _word("deadline", "ps", about="when all is sent again; 0: nothing is outstanding")
WATCHED = _word("watched", about="1 while the timer runs")
AGAIN = _word("again", "packets", about="sent once more")
TIMEOUTS = _word("timeouts", about="times that the deadline has passed")
IN_ROW = _word("in_row", "times", about="that the deadline has passed since anything was acknowledged or answered")
MOST_IN_ROW = _word("most_in_row", "times", about="the most of these")
WENT_AT = _word("went_at", "ps", about="when a packet went last")
READS_SINCE = _word(
    "reads_since", "ps", about="since when it sleeps as all READs are outstanding that may be; 0: it does not"
)
READS_WAITED = _word("reads_waited", "ps", about="for one of these to end")
TIMER_WAITED = _word("timer_waited", "ps", about="for the deadline, since a packet went last")
RATE_WAITED = _word("rate_waited", "ps", about="until the rate let a packet go (DCQCN)")
OUT_LENGTH = _word("out_length", "bytes", about="of the IP datagram of the packet that goes")
OUT_INFO = _word("out_info", about="its information")
KIND = QP.table("kind", REQUESTS, about="kind and flags of each work request")
SIZE = QP.table("size", REQUESTS, "bytes", about="of its message")
FIRST = QP.table("first", REQUESTS, about="its first sequence number")

EXPECTED = _word("expected", about="sequence number that is expected next")
REFUSED = _word("refused", about="1 while a NAK for it has gone")
ACK_DUE = _word("ack_due", about="1 while an acknowledgement waits to be sent")
NAK_DUE = _word("nak_due", about="1 if that is to be a NAK")
ACKS = _word("acks", "packets", about="acknowledgements sent")
HELD = _word("held", "packets", about="kept beyond the expected one")
OUT_OF_ORDER = _word("out_of_order", "packets", about="that came beyond the expected one")
ASKED_FOR = _word("asked_for", about="READ requests that have come")
ANSWERED = _word("answered", about="those that are answered")
ANSWER_AT = _word("answer_at", about="sequence number of the response that goes next")
TURN = _word("turn", about="1 if a response goes before the next request")
R_FIRST = QP.table("read_first", REQUESTS, about="first sequence number of each READ that has come")
R_SIZE = QP.table("read_size", REQUESTS, "bytes", about="what it asks for")
KEPT = QP.table("kept", WINDOW, about="1 + information of each packet that came out of order, in a ring")

LINE = _word("line", "bytes/s", about="rate of the line; 0: nothing limits the rate (DCQCN)")
RATE = _word("rate", "bytes/s", about="current rate (DCQCN)")
TARGET = _word("target", "bytes/s", about="target rate (DCQCN)")
ALPHA = _word("alpha", "1 / 2^20", about="estimate of congestion (DCQCN)")
GAIN = _word("gain", "1 / 2^20", about="g (DCQCN)")
LEAST = _word("least", "bytes/s", about="least rate (DCQCN)")
STEP = _word("step", "bytes/s", about="R_AI (DCQCN)")
LEAP = _word("leap", "bytes/s", about="R_HAI (DCQCN)")
FAST = _word("fast", about="F, increases of fast recovery (DCQCN)")
DECAY = _word("decay", "ps", about="K, period in which alpha falls (DCQCN)")
PERIOD = _word("period", "ps", about="T, period of increases (DCQCN)")
BYTES = _word("bytes", "bytes", about="B, bytes of an increase (DCQCN)")
NOTE_GAP = _word("note_gap", "ps", about="N, least time between two CNPs (DCQCN)")
DECAY_AT = _word("decay_at", "ps", about="when alpha falls next (DCQCN)")
RISE_AT = _word("rise_at", "ps", about="when the timer is due next (DCQCN)")
SENT = _word("sent", "bytes", about="since the last increase by bytes (DCQCN)")
BY_TIME = _word("by_time", about="increases by the timer since the rate was cut (DCQCN)")
BY_BYTES = _word("by_bytes", about="increases by bytes since the rate was cut (DCQCN)")
GO_AT = _word("go_at", "ps", about="when the rate lets the next packet go")
NOTED_AT = _word("noted_at", "ps", about="when a CNP may go next (DCQCN)")
CUTS = _word("cuts", about="times that a CNP has cut the rate (DCQCN)")
NOTES = _word("notes", "packets", about="CNPs sent (DCQCN)")
