"""The words of an endpoint's state: settings, connection, sender, recovery, timers, receiver, buffers, counts.

Sizes are in bytes and times in ps, unless a word has another unit. "units" are those of the retransmission timer:
ticks of `rto_tick`, or ps where that is 0. Sequence numbers count from the SYN, which is 0.
"""

from __future__ import annotations

from simio.machines.layout import Layout

WORDS = Layout("tcp endpoint")
_word = WORDS.word

# Settings: as in `simio.machines.tcp.settings.TcpSettings`, which explains them, unless something is said here.
MSS = _word("mss", "bytes")
SEND_SPACE = _word("send_space", "bytes")
RECEIVE_SPACE = _word("receive_space", "bytes")
ADVERTISED_WINDOW = _word("advertised_window", "bytes", about="most that is offered")
SEND_SHIFT = _word("send_shift", "bits")
RECEIVE_SHIFT = _word("receive_shift", "bits")
STAMP_TICK = _word("stamp_tick", "ps", about="period of the timestamp clock; 0 without timestamps")
NODELAY = _word("nodelay")
NAGLE = _word("nagle")
NAGLE_LIMIT = _word("nagle_limit", "bytes")
HALF_WINDOW = _word("half_window")
INITIAL_WINDOW = _word("initial_window", "bytes")
IDLE_RESTART = _word("idle_restart")
IDLE_HALVING = _word("idle_halving")
MAX_CWND = _word("max_cwnd", "bytes")
BYTE_COUNTING = _word("byte_counting")
BYTE_LIMIT = _word("byte_limit", "segments")
GROW_WHEN_LIMITED = _word("grow_when_limited")
LIMITED_TRANSMIT = _word("limited_transmit")
CONGESTION_CONTROL = _word("congestion_control", about="number of the strategy")
RECOVERY = _word("recovery", about="number of the strategy")
DUPLICATE_THRESHOLD = _word("duplicate_threshold", "ACKs")
ACK_EVERY = _word("ack_every", "segments")
QUICK_ACKS = _word("quick_acks", "ACKs")
ACK_SMALL = _word("ack_small")
ACK_PART = _word("ack_part")
ACK_TICK = _word("ack_tick", "ps")
ACK_PHASE = _word("ack_phase", "ps")
ACK_DELAY = _word("ack_delay", "ps")
UPDATE_SEGMENTS = _word("update_segments", "segments")
UPDATE_DIVISOR = _word("update_divisor")
SILLY_DIVISOR = _word("silly_divisor")
PERSIST_MIN = _word("persist_min", "units")
PERSIST_MAX = _word("persist_max", "units")
RTO_TICK = _word("rto_tick", "ps")
RTO_PHASE = _word("rto_phase", "ps")
RTO_MIN = _word("rto_min", "units")
RTO_INITIAL = _word("rto_initial", "units")
RTO_MAX = _word("rto_max", "units")
RTO_GRANULARITY = _word("rto_granularity", "units")
RTO_SLOP = _word("rto_slop", "units")
MBUF_SIZE = _word("mbuf_size", "bytes")
MBUF_DATA = _word("mbuf_data", "bytes")
MBUF_FIRST = _word("mbuf_first", "bytes")
CLUSTER = _word("cluster", "bytes")
CLUSTER_THRESHOLD = _word("cluster_threshold", "bytes")
CLUSTER_NEEDS_ROOM = _word("cluster_needs_room")
MEMORY_LIMIT = _word("memory_limit", "bytes", about="memory that the send buffer may take")
HAND_OVER = _word("hand_over", "bytes")
LOW_WATER = _word("low_water", "bytes")
RING = _word("ring", "words", about="offset of the ring of runs of buffers in the state")
RUNS = _word("runs", "runs", about="size of that ring")
BURST_RING = _word("burst_ring", "words", about="offset of the ring of bursts that are outstanding")
BURSTS = _word("bursts", "bursts", about="size of that ring; 0: bursts are not noted")
SEGMENT_RING = _word("segment_ring", "words", about="offset of the ring of segments that are outstanding")
SEGMENT_ROOM = _word("segment_room", "segments", about="size of that ring; 0: segments are not noted")
SCOREBOARD = _word("scoreboard", about="1: recovery settles each acknowledgement on that ring")
STEERED = _word("steered", about="1: the congestion control sets the window in recovery, too")
ARRIVED = _word("arrived", "words", about="offset of the table of ranges that have arrived out of order")
MOST_ARRIVED = _word("most_arrived", "ranges", about="size of that table")
PACING = _word("pacing", about="where the rate of bursts comes from, one of BY_..., or 0")
PACED = _word("paced", about="1: data go at that rate")
SMALL_QUEUE = _word("small_queue", "bytes", about="most that may wait below the socket; 0: any number")
DEFER = _word("defer", about="a burst waits for this part of the window; 0: never")
ECN = _word("ecn", about="1: both ends mark and echo congestion")
ACCURATE = _word("accurate", about="1: marks are echoed as they come (RFC 8257), not until answered (RFC 3168)")
DSACK = _word("dsack", about="1: what arrives twice is reported (RFC 2883)")
ACK_PUSHED = _word("ack_pushed", about="1: a reader that drains a pushed segment has it acknowledged")
GSO = _word("gso", "bytes", about="most that one buffer carries down; 0: a segment")
ACK_READER = _word("ack_reader", about="1: a segment that narrows the window is acknowledged by the reader")
AUTOTUNE = _word("autotune", "bytes", about="receive buffer that autotuning reaches; 0: it stays")
TUNED_BY = _word("tuned_by", about="0: by what is read in a round trip; 1: by what arrives in half of one")

# The connection.
STATE = _word("state", about="number in the list of RFC 9293, section 3.3.2; 0: closed")
CLOSING = _word("closing", about="1: no more data will be written")

# The sender (RFC 9293, section 3.3.1; RFC 5681).
UNA = _word("una", about="oldest sequence number that is not acknowledged (SND.UNA)")
NXT = _word("nxt", about="next sequence number to send (SND.NXT); falls back for retransmission")
MAX = _word("max", about="sequence number after the highest ever sent")
END = _word("end", initial=1, about="sequence number after the last byte that TCP has been given")
SEND_WINDOW = _word("send_window", "bytes", about="the peer's window (SND.WND)")
MOST_WINDOW = _word("most_window", "bytes", about="largest window that the peer ever offered")
WL1 = _word("wl1", about="sequence number of the segment that last set the window (SND.WL1)")
WL2 = _word("wl2", about="acknowledgement of the segment that last set the window (SND.WL2)")
CWND = _word("cwnd", "bytes", about="congestion window")
SSTHRESH = _word("ssthresh", "bytes", about="slow start threshold")
SERIES = _word("series", about="1: in a series of segments that began with nothing outstanding")
SMALL = _word("small", about="sequence number after the last small segment")
SENT = _word("sent", "ps", about="instant at which data were last sent")
UNNOTED = _word("unnoted", about="1: segments have gone since the use of the congestion window was noted")
LIMITED = _word("limited", about="1: the congestion window has kept data back (Linux, is_cwnd_limited)")
MOST_OUT = _word("most_out", "bytes", about="most that was outstanding in the present round, in whole segments")
ROUND_ENDS = _word("round_ends", about="sequence number whose ACK ends that round")
BURST_HEAD = _word("burst_head", "bursts", about="place of the oldest outstanding burst in its ring")
BURST_COUNT = _word("burst_count", "bursts", about="bursts that are outstanding")
TWICE = _word("twice", about="sequence number below which something went twice, so that no ACK times it (Karn)")
FORCE = _word("force", about="1: the persist timer has run out, and something has to go")

# Recovery from loss.
DUPLICATES = _word("duplicates", "ACKs", about="duplicate ACKs in a row")
RECOVERING = _word("recovering", about="1: from the fast retransmission to the ACK that ends recovery")
RECOVER = _word("recover", about="sequence number whose ACK ends recovery, or lets another begin (RFC 6582)")
RESEND = _word("resend", initial=-1, about="sequence number of the segment to send again at once, or -1")
TIMED_OUT = _word("timed_out", initial=-1, about="UNA when the retransmission timer last ran out, or -1")
PARTIAL = _word("partial", about="1: after the first partial ACK (RFC 6582)")
HIGH_RESENT = _word("high_resent", about="sequence number after the highest sent again (RFC 6675, HighRxt)")

# Records of outstanding segments (`segments`), in bytes but for LOWEST and HEAD.
SENDINGS = _word("sendings", "segments", about="noted, each time that one was sent")
HEAD = _word("head", about="number of the oldest outstanding segment")
NOTED = _word("noted", "segments", about="that are outstanding and noted")
OLDEST = _word("oldest", about="place from 1 of the segment under way that was sent first, 0 if none is")
NEWEST = _word("newest", about="place from 1 of the segment under way that was sent last")
SACKED_OUT = _word("sacked_out", "bytes", about="outstanding, and reported to have arrived")
LOST_OUT = _word("lost_out", "bytes", about="outstanding, and taken to be lost")
RESENT_OUT = _word("resent_out", "bytes", about="outstanding, and sent again")
LOWEST = _word("lowest", about="no segment of a lower number has to be sent again")
FACK_BEFORE = _word("fack_before", about="FACK before the present acknowledgement")
FACK = _word("fack", about="sequence number after the highest reported to have arrived")

# Delivery rate (draft-cheng-iccrg-delivery-rate-estimation): the connection, and the sample of an acknowledgement.
DELIVERED = _word("delivered", "bytes", about="known to have arrived")
DELIVERED_AT = _word("delivered_at", "ps", about="instant at which that was last known")
FIRST_SENT = _word("first_sent", "ps", about="when the segment was sent that was delivered last")
APP_LIMITED = _word("app_limited", "bytes", about="delivered at which samples count the network again; 0: they do")
WAS_DELIVERED = _word("was_delivered", "bytes", about="DELIVERED before the acknowledgement")
SAMPLE_FROM = _word(
    "sample_from", "bytes", about="DELIVERED as the newest delivered segment was sent, and 1; 0: none"
)
SAMPLE_AT = _word("sample_at", "ps", about="DELIVERED_AT as it was sent")
SAMPLE_SENT = _word("sample_sent", "ps", about="when it was sent")
SAMPLE_SPAN = _word("sample_span", "ps", about="time in which the sample was sent")
SAMPLE_LIMITED = _word("sample_limited", about="1: the application limited the sample")
SAMPLE_BYTES = _word("sample_bytes", "bytes", about="of the sample; negative: there is none")
SAMPLE_TIME = _word("sample_time", "ps", about="in which they were delivered")
SAMPLE_RTT = _word("sample_rtt", "ps", about="round trip of the newest acknowledged segment; negative: none")
BEFORE_OUT = _word("before_out", "bytes", about="in the network before the acknowledgement")
MIN_RTT = _word("min_rtt", "ps", about="shortest round trip of late; 0: none yet")
MIN_RTT_AT = _word("min_rtt_at", "ps", about="instant at which it was measured")

# RACK-TLP (RFC 8985), PRR (RFC 9937), and undoing.
RACK_ORDER = _word("rack_order", about="SENDINGS as the last segment was sent that has arrived (RACK.xmit_ts)")
RACK_RTT = _word("rack_rtt", "ps", about="its round trip (RACK.rtt)")
REORDERED = _word("reordered", about="1: segments have overtaken one another")
REORDERING = _word("reordering", "segments", initial=3, about="by which they have")
WIDENED = _word("widened", initial=1, about="quarters of the shortest round trip that a segment may be late")
WIDE_FOR = _word("wide_for", "recoveries", about="that WIDENED lasts")
DSACK_ROUND = _word("dsack_round", "bytes", about="DELIVERED as WIDENED last grew (RACK.dsack_round)")
DSACKED = _word("dsacked", "segments", about="that the present acknowledgement reports to have arrived twice")
LOSS_DUE = _word("loss_due", "ps", about="instant at which a late segment is lost, or a tail loss probe goes")
LOSS_KIND = _word("loss_kind", about="1: a late segment, 2: a tail loss probe")
PROBE = _word("probe", about="1: a tail loss probe has to go")
PROBED = _word(
    "probed", about="sequence number whose ACK ends the episode of the probe; 0: none is out (TLP.end_seq)"
)
PROBE_AGAIN = _word("probe_again", about="1: the probe was a retransmission (TLP.is_retrans)")
REDUCING = _word("reducing", about="1: marks reduce the window, until RECOVER is acknowledged")
LOSING = _word("losing", about="1: in recovery after a timeout")
PRIOR_CWND = _word("prior_cwnd", "bytes", about="congestion window before the reduction (RecoverFS)")
PRIOR_SSTHRESH = _word("prior_ssthresh", "bytes", about="threshold before it")
PRR_DELIVERED = _word("prr_delivered", "bytes", about="delivered in recovery")
PRR_OUT = _word("prr_out", "bytes", about="sent in recovery")
UNDO_FROM = _word("undo_from", about="UNA as the reduction began, and 1; 0: it cannot be undone")
UNDO_LEFT = _word("undo_left", "segments", about="retransmissions that have not been reported to be spurious")
FIRST_RESENT = _word("first_resent", "ticks", about="timestamp of the first retransmission; 0: none")
ECHOED = _word("echoed", about="timestamp that the present acknowledgement echoes; 0: none")
LOSSES = _word("losses", "bytes", about="that the present acknowledgement shows to be lost")

# Pacing, and what waits below the socket.
DEFERRED = _word("deferred", about="1: a burst waits for more of the congestion window")
BURST_END = _word("burst_end", about="sequence number after the burst that was decided on last")
PACE_RATE = _word("pace_rate", "bytes / s", about="rate of pacing; 0: none yet")
PACE_AT = _word("pace_at", "ps", about="instant at which the next burst may go")
PACE_LEFT = _word("pace_left", "bytes", about="left of the present burst")
PACE_BURST = _word("pace_burst", "ps", about="instant of the present burst")
PACE_DUE = _word("pace_due", "ps", about="instant at which data go that pacing has kept back; 0: none are")
DATA_SENT = _word("data_sent", "segments", about="of data sent")
BELOW = _word("below", "bytes", about="that wait below the socket")
THROTTLED = _word("throttled", about="1: too much of it kept data back")

# Marks (RFC 3168, RFC 8257).
STAGED_MARK = _word("staged_mark", about="codepoint and flags of the segment that arrives next")
OUT_MARK = _word("out_mark", about="codepoint and flags of the segment that has just been given")
ECHO = _word("echo", about="1: acknowledgements echo congestion")
EARLY_ACK = _word("early_ack", about="acknowledgement that goes first, with the echo before; 0: none")
ANSWER = _word("answer", about="1: the next new data say that the window was reduced (CWR)")
MARKED_ACK = _word("marked_ack", about="1: the present acknowledgement echoes congestion")

# Timers: instants, 0 where a timer is off.
WAKE = _word("wake", "ps", about="instant at which the sleeping timer thread wakes")
ACK_DUE = _word("ack_due", "ps")
RESEND_DUE = _word("resend_due", "ps")
PERSIST_DUE = _word("persist_due", "ps")
SRTT = _word("srtt", "units / 8", about="smoothed round trip (RFC 6298)")
RTTVAR = _word("rttvar", "units / 4", about="its mean deviation")
RTO = _word("rto", "units", about="present retransmission time, backed off")
BACKOFF = _word("backoff", "times", about="retransmission or persist times in a row that have run out")
TIMING = _word("timing", about="1: a segment is being timed")
TIMED = _word("timed", about="its sequence number")
TIMED_AT = _word("timed_at", "units", about="the instant at which it was sent")

# The receiver.
RCV_NXT = _word("rcv_nxt", about="next sequence number expected (RCV.NXT)")
RCV_EDGE = _word("rcv_edge", about="sequence number after the highest that an offered window lets in")
BUFFERED = _word("buffered", "bytes", about="in order, and not read")
LAST_ACK = _word("last_ack", about="acknowledgement that was last sent")
ACK_NOW = _word("ack_now", about="1: an acknowledgement goes at once")
SEGMENTS = _word("segments", "segments", about="segments of data since an acknowledgement was sent")
QUICK = _word("quick", "ACKs", about="that go at once, each for a single segment")
DATA_AT = _word("data_at", "ps", about="instant at which data last arrived in order; 0: never")
FIN_AT = _word("fin_at", about="sequence number of the peer's FIN, 0 while unknown")
ENDED = _word("ended", about="1: the peer's FIN has been reached")
READER = _word("reader", about="1: the reader waits")
RECENT = _word("recent", about="sequence number in the range that last arrived out of order (RFC 2018)")
RECENT_BEFORE = _word("recent_before", about="sequence number in the range before that one")
BORN = _word("born", about="timestamp below which segments are of a connection before this one; 0: none was")
TS_RECENT = _word("ts_recent", about="timestamp to echo (RFC 7323, TS.Recent)")
TWICE_START = _word("twice_start", about="sequence number of what arrived twice, and 1; 0: nothing (RFC 2883)")
TWICE_END = _word("twice_end", about="sequence number after it")
PUSHED = _word("pushed", about="1: a pushed segment waits to be acknowledged (ICSK_ACK_PUSHED)")
COPIED = _word("copied", "bytes", about="read, or arrived, since TUNED_AT")
TUNED_AT = _word("tuned_at", "ps", about="instant at which autotuning last looked")
TUNED_SPACE = _word("tuned_space", "bytes", about="most that was read in a round trip")
RECEIVER_RTT = _word("receiver_rtt", "ps", about="round trip as the receiver sees it; 0: none yet")
WINDOW_ENDS = _word("window_ends", about="sequence number at which a window has been received")
WINDOW_BEGAN = _word("window_began", "ps", about="instant at which it began")

# Options of the segment that arrives next, and the second word of the segment that has just been given.
STAGED_VALUE = _word("staged_value", about="timestamp")
STAGED_ECHO = _word("staged_echo", about="timestamp that it echoes")
STAGED_A = _word("staged_a", about="block of selective acknowledgement")
STAGED_B = _word("staged_b", about="second block")
OUT_WORD = _word("out_word", about="acknowledgement and window")

# The socket layer's buffers.
APPENDED = _word("appended", "bytes", 1, about="copied in by the socket layer, and 1 for the SYN")
WRITER = _word("writer", "bytes", about="that the waiting writer wants; 0: none waits")
WRITE_LEFT = _word("write_left", "bytes", about="of the present write that are yet to come")
WRITE_SPACE = _word("write_space", "bytes", about="room that the present write found, less what it has used")
CHUNK = _word("chunk", "bytes", about="size of the buffer that is being filled")
CHUNK_MEMORY = _word("chunk_memory", "bytes", about="memory that it takes")
IN_CHAIN = _word("in_chain", "buffers", about="filled, but not given to TCP")
MEMORY = _word("memory", "bytes", about="memory of the send buffer")
CHAIN = _word("chain", "buffers", about="in the send buffer")
HEAD_USED = _word("head_used", "bytes", about="acknowledged of the first buffer")
LAST_SIZE = _word("last_size", "bytes", about="data in the last buffer, which is not among the runs")
LAST_MEMORY = _word("last_memory", "bytes")
LAST_ROOM = _word("last_room", "bytes", about="room left in the last buffer")
RUN_HEAD = _word("run_head", "runs", about="place of the first run in the ring")
RUN_COUNT = _word("run_count", "runs")

# Tables of ranges of sequence numbers: a count, then start and end of each in order (`ranges`).
MOST_RANGES = 64
SACKED = WORDS.table("sacked", 1 + 2 * MOST_RANGES, about="ranges that the peer reports (RFC 6675, scoreboard)")

# Counts that only reports read.
WAIT = _word("wait", about="what the sender waits for, one of FOR_..., or 0")
WAIT_SINCE = _word("wait_since", "ps")
WAITED = WORDS.table("waited", 5, "ps", about="time for which it has waited, for each of FOR_... in order")
RESENT = _word("resent", "segments", about="sent again")
TIMEOUTS = _word("timeouts", "times", about="that the retransmission timer ran out")

OWN = WORDS.size
"""Offset of the words that belong to the congestion control; behind them is the ring."""

RUNS_OF_BUFFERS = Layout("tcp buffers")
RUNS_OF_BUFFERS.table(
    "ring", None, about="runs of equal buffers: size of each << 31 | memory of each, and their number"
)

SEGMENTS_SENT = Layout("tcp segments")
SEGMENTS_SENT.table(
    "segment ring",
    None,
    about="of each outstanding segment: sequence number after it, when it was sent, flags, the other end of a "
    "run of reported ones or its neighbours in order of sending, and the state of delivery as it was sent",
)

RANGES_ARRIVED = Layout("tcp ranges")
RANGES_ARRIVED.table("ranges arrived", None, about="count, start and end of ranges that have arrived out of order")

BURSTS_SENT = Layout("tcp bursts")
BURSTS_SENT.table(
    "burst ring", None, about="sequence number after each burst that is outstanding, and when it was sent"
)

# Reasons of a sender's wait.
FOR_WINDOW = 1
"""The peer's window leaves no room for the next segment."""
FOR_CONGESTION = 2
"""The congestion window leaves none."""
FOR_MORE = 3
"""A small segment is held back until more is written or all is acknowledged."""
FOR_ACKNOWLEDGEMENT = 4
"""All is sent, and the send buffer has no room for what the writer has."""
FOR_TIMER = 5
"""Nothing comes back, until the retransmission timer runs out."""

# Origins of the rate of pacing.
BY_WINDOW = 1
"""The congestion window and the round trip."""
BY_CONTROL = 2
"""The congestion control sets it."""

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

# Flags of a segment, and of its word of marks.
SYN = 1
FIN = 2
PUSH = 4
ECT, CE, ECE, CWR = 1, 2, 4, 8
"""Codepoints and flags of the word of marks: ECN-capable, congestion experienced, its echo, window reduced."""
RESET = 3
"""SYN and FIN together, which no other segment has."""

# Answers of `connection.accept` and `connection.expire`.
OUTPUT = 1
WAKE_READER = 2
WAKE_WRITER = 4
CHANGED = 8
TIMER = 16
"""No thread sleeps that wakes in time for the next timer, so that `timers.sleep` is to be called.

Where a function answers with OUTPUT, the last answer of `output` says so, below the word of any segment.
"""

END_OF_FILE = 2**40
"""Answer of `receiving.read` when all has been read and the peer has closed."""
LATEST = 2 * 10**18
"""Last instant in ps (23 days) at which an endpoint works, so that nothing reaches 2**63."""
MOST_BYTES = 2**43
"""Most bytes of a connection, so that words of a segment stay below 2**63."""
