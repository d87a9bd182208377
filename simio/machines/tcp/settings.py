"""What an endpoint is told about its stack, and the state that it begins with."""

from __future__ import annotations

from dataclasses import dataclass

from simio.errors import OutOfRange
from simio.machines.tcp import layout as c

_MS = 10**9
_SECOND = 10**12
_MOST_RUNS = 4096

HAND_OVER_BUFFER = 0
"""`hand_over`: each buffer goes to TCP as soon as it is filled."""
HAND_OVER_WRITE = -1
"""`hand_over`: a write goes to TCP as a whole, or as far as there was room."""
NAGLE_IDLE = 0
"""`nagle`: a small segment waits while anything is unacknowledged (RFC 896; RFC 1122, section 4.2.3.4)."""
NAGLE_SMALL = 1
"""`nagle`: a small segment waits while an earlier small segment is unacknowledged (draft-minshall-nagle-01)."""


@dataclass(frozen=True)
class TcpSettings:
    """One endpoint of a TCP connection. Sizes in bytes, times in ps.

    A connection never gives up. Both ends of it must agree on `mss`, on whether there are timestamps, and on the
    shifts: one's `send_shift` is the other's `receive_shift`. By default timers, windows and the send buffer follow
    4.3BSD-Reno, but for memory, which is not counted, and for `ack_every`.
    """

    mss: int = 1460
    """Bytes of data of a full segment, after all options (RFC 9293, section 3.7.1)."""
    send_space: int = 16384
    """Bytes of the send buffer (`SO_SNDBUF`)."""
    receive_space: int = 16384
    """Bytes of the receive buffer (`SO_RCVBUF`), and so the largest window offered."""
    send_shift: int = 0
    """Shift of the windows that arrive (RFC 7323, section 2.2)."""
    receive_shift: int = 0
    """Shift of the windows that this end offers."""
    timestamps: bool = False
    """Whether segments carry timestamps (RFC 7323, section 3), from which each acknowledgement times a round trip."""
    timestamp_tick: int = 500 * _MS
    """Period of the timestamp clock (RFC 7323, section 5.4: 1 ms to 1 s)."""

    nodelay: bool = False
    """`TCP_NODELAY`: small segments never wait."""
    nagle: int = NAGLE_IDLE
    """For what a small segment waits: `NAGLE_IDLE` or `NAGLE_SMALL`."""
    nagle_limit: int = 0
    """Size from which a segment does not count as small, if less than `mss`; 0: `mss` (Solaris: `tcp_naglim_def`)."""
    half_window: bool = True
    """Whether a segment may go that fills half of the peer's largest window (RFC 1122, section 4.2.3.4, Fs = 1/2)."""
    initial_window: int = 0
    """Initial congestion window; 0: one segment (RFC 1122; RFC 5681, section 3.1, allows up to 4 segments)."""
    idle_restart: bool = True
    """Whether the congestion window falls back to the initial one after an idle time of one retransmission time
    (RFC 5681, section 4.1)."""
    max_cwnd: int = 0
    """Largest congestion window; 0: 65535 shifted by `send_shift` (4.4BSD)."""
    byte_counting: bool = False
    """Whether the congestion window grows by bytes acknowledged (RFC 3465, L = 2), not by acknowledgements
    (RFC 5681, equation 3)."""

    recovery: int = c.RENO
    """`layout.TAHOE` (4.3BSD-Tahoe), `RENO` (RFC 2581, section 3.2), `NEWRENO` (RFC 6582) or `SACK` (RFC 6675), for
    which the peer's blocks have to be given to `TCP_SACKED`."""
    duplicates: int = 3
    """Duplicate acknowledgements that tell of a loss (RFC 5681, section 3.2)."""
    limited_transmit: bool = False
    """Whether new segments go out on the first duplicate acknowledgements (RFC 3042)."""

    ack_every: int = 2
    """Segments after which an acknowledgement goes at once (RFC 1122, section 4.2.3.2: 2; Solaris: up to 8); 0 where
    segments are not counted and only window updates and the timer acknowledge (4.3BSD)."""
    ack_small: bool = False
    """Whether every segment counts for `ack_every`, not only as many bytes as full segments have."""
    ack_tick: int = 200 * _MS
    """Period of the host's timer of delayed acknowledgements (BSD's fast timer); 0: a timer for each connection."""
    ack_phase: int = 0
    """Instant of a tick of that timer."""
    ack_delay: int = 50 * _MS
    """Delay of an acknowledgement by the connection's own timer (Solaris: `tcp_deferred_ack_interval`)."""
    update_segments: int = 2
    """Segments by which a window must grow for the reader to cause an update (4.3BSD: 2) ..."""
    update_divisor: int = 2
    """... or else by the receive buffer divided by this (4.3BSD: 2)."""
    silly_divisor: int = 4
    """A window below the receive buffer divided by this, and below a segment, is offered as 0 (4.3BSD: 4)."""

    rto_tick: int = 500 * _MS
    """Period of the timer that counts retransmission times (BSD's slow timer); 0: times are measured in ps."""
    rto_phase: int = 0
    """Instant of a tick of that timer."""
    rto_min: int = _SECOND
    """Least retransmission time (RFC 6298, rule 2.4)."""
    rto_initial: int = 6 * _SECOND
    """Retransmission time before a round trip has been timed (4.3BSD-Reno: 6 s; RFC 6298, rule 2.1: 1 s)."""
    rto_max: int = 64 * _SECOND
    """Most that backing off makes of it (RFC 6298, rule 2.5; 4.3BSD: 64 s)."""
    rto_granularity: int = 0
    """G of RFC 6298 where times are in ps: least that is added to the smoothed round trip."""
    persist_min: int = 5 * _SECOND
    """Least interval between probes of a closed window (4.3BSD: 5 s)."""
    persist_max: int = 60 * _SECOND
    """Most of it (4.3BSD: 60 s)."""

    mbuf_size: int = 0
    """Memory that a small buffer takes; 0: memory is not counted, writes are cut by `hand_over` only."""
    mbuf_data: int = 0
    """Bytes of data that a small buffer holds."""
    mbuf_first: int = 0
    """Bytes that the first one of a chain holds, which has the header of a packet."""
    cluster: int = 0
    """Bytes that a cluster holds; it takes `mbuf_size` more of memory. 0: there are none."""
    cluster_threshold: int = 0
    """A cluster is used if more than this is left of the write."""
    cluster_needs_room: bool = True
    """Whether a cluster is used only if there is room for a whole one (4.3BSD-Reno, `sosend`)."""
    memory_factor: int = 2
    """Memory that the send buffer may take, in multiples of `send_space` (4.3BSD-Reno, `sbreserve`: 2)."""
    hand_over: int = HAND_OVER_BUFFER
    """When what is written goes to TCP: `HAND_OVER_BUFFER`, `HAND_OVER_WRITE`, or after so many bytes."""
    low_water: int = 1
    """Room that a writer waits for, unless it wants less (`SO_SNDLOWAT`; 4.4BSD: 2048)."""

    def __post_init__(self) -> None:
        """Raise OutOfRange where a value is outside what an endpoint can do."""
        for name, least, most in _LIMITS:
            value = getattr(self, name)
            if not least <= value <= most:
                raise OutOfRange(f"{name} must be from {least} to {most}, not {value}")
        if self.mbuf_size and not (self.mbuf_data and self.mbuf_first):
            raise OutOfRange("mbuf_data and mbuf_first must not be 0 where mbuf_size is not")
        if not self.ack_tick and not self.ack_delay:
            raise OutOfRange("ack_delay must not be 0 where ack_tick is")
        for low, high in (("rto_min", "rto_max"), ("persist_min", "persist_max")):
            if getattr(self, low) > getattr(self, high):
                raise OutOfRange(f"{low} must not be above {high}")


_HOUR = 3600 * _SECOND
_LIMITS = (
    ("mss", 1, 65535),
    ("send_space", 1, 2**30),
    ("receive_space", 1, 2**30),
    ("send_shift", 0, 14),
    ("receive_shift", 0, 14),
    ("timestamp_tick", 10**6, _SECOND),
    ("nagle", NAGLE_IDLE, NAGLE_SMALL),
    ("nagle_limit", 0, 65535),
    ("initial_window", 0, 2**30),
    ("max_cwnd", 0, 2**30),
    ("recovery", c.TAHOE, c.SACK),
    ("duplicates", 1, 1000),
    ("ack_every", 0, 1000),
    ("ack_tick", 0, _HOUR),
    ("ack_phase", 0, _HOUR),
    ("ack_delay", 0, _HOUR),
    ("update_segments", 1, 1000),
    ("update_divisor", 1, 1000),
    ("silly_divisor", 1, 1000),
    ("rto_tick", 0, _HOUR),
    ("rto_phase", 0, _HOUR),
    ("rto_min", 1, _HOUR),
    ("rto_initial", 1, _HOUR),
    ("rto_max", 1, _HOUR),
    ("rto_granularity", 0, _HOUR),
    ("persist_min", 1, _HOUR),
    ("persist_max", 1, _HOUR),
    ("mbuf_size", 0, 2**20),
    ("mbuf_data", 0, 2**20),
    ("mbuf_first", 0, 2**20),
    ("cluster", 0, 2**20),
    ("cluster_threshold", 0, 2**20),
    ("memory_factor", 1, 1000),
    ("hand_over", HAND_OVER_WRITE, 2**30),
    ("low_water", 1, 2**30),
)


def _runs(settings: TcpSettings) -> int:
    """Records of runs of equal buffers that a full send buffer can need, as far as they are kept."""
    if not settings.mbuf_size:
        return 1
    small = min(settings.mbuf_data, settings.mbuf_first)
    return min(_MOST_RUNS, 3 * settings.send_space // small + 8)


def initial(settings: TcpSettings, peer_space: int | None = None) -> list[int]:
    """State of an endpoint before its connection is opened.

    With `peer_space`, the peer's receive buffer in bytes, it is established already: no segments of set-up go.
    """
    s = settings
    runs = _runs(s)
    unit = s.rto_tick or 1
    state = [0] * (c.RING + 2 * runs)
    most = s.max_cwnd or 65535 << s.send_shift
    for at, value in {
        c.MSS: s.mss,
        c.SEND_SPACE: s.send_space,
        c.RECEIVE_SPACE: s.receive_space,
        c.SEND_SHIFT: s.send_shift,
        c.RECEIVE_SHIFT: s.receive_shift,
        c.STAMP_TICK: s.timestamp_tick if s.timestamps else 0,
        c.NODELAY: int(s.nodelay),
        c.NAGLE: s.nagle,
        c.NAGLE_LIMIT: min(s.nagle_limit or s.mss, s.mss),
        c.HALF_WINDOW: int(s.half_window),
        c.INITIAL_WINDOW: s.initial_window or s.mss,
        c.IDLE_RESTART: int(s.idle_restart),
        c.MAX_CWND: most,
        c.BYTE_COUNTING: int(s.byte_counting),
        c.LIMITED: int(s.limited_transmit),
        c.RECOVERY: s.recovery,
        c.THRESHOLD: s.duplicates,
        c.ACK_EVERY: s.ack_every,
        c.ACK_SMALL: int(s.ack_small),
        c.ACK_TICK: s.ack_tick,
        c.ACK_PHASE: s.ack_phase % s.ack_tick if s.ack_tick else 0,
        c.ACK_DELAY: s.ack_delay,
        c.UPDATE_SEGMENTS: s.update_segments,
        c.UPDATE_DIVISOR: s.update_divisor,
        c.SILLY_DIVISOR: s.silly_divisor,
        c.PERSIST_MIN: max(round(s.persist_min / unit), 1),
        c.PERSIST_MAX: max(round(s.persist_max / unit), 1),
        c.RTO_TICK: s.rto_tick,
        c.RTO_PHASE: s.rto_phase % s.rto_tick if s.rto_tick else 0,
        c.RTO_MIN: max(round(s.rto_min / unit), 1),
        c.RTO_INITIAL: max(round(s.rto_initial / unit), 1),
        c.RTO_MAX: max(round(s.rto_max / unit), 1),
        c.RTO_GRANULARITY: s.rto_granularity // unit,
        c.BUFFER_SIZE: s.mbuf_size,
        c.BUFFER_DATA: s.mbuf_data,
        c.BUFFER_FIRST: s.mbuf_first,
        c.CLUSTER: s.cluster,
        c.CLUSTER_THRESHOLD: s.cluster_threshold if s.cluster else 2**40,
        c.CLUSTER_ROOM: int(s.cluster_needs_room),
        c.MEMORY_LIMIT: s.memory_factor * s.send_space if s.mbuf_size else 2**40,
        c.HAND_OVER: s.hand_over,
        c.LOW_WATER: s.low_water,
        c.RUNS: runs,
        c.END: 1,
        c.CWND: s.initial_window or s.mss,
        c.SSTHRESH: most,
        c.RESEND: -1,
        c.TIMED_OUT: -1,
        c.RTO: max(round(s.rto_initial / unit), 1),
        c.APPENDED: 1,
    }.items():
        state[at] = value
    if peer_space is not None:
        window = min(peer_space, 65535 << s.send_shift)
        state[c.STATE] = c.ESTABLISHED
        for at in (c.UNA, c.NXT, c.MAX, c.RCV_NXT, c.LAST_ACK):
            state[at] = 1
        state[c.SEND_WINDOW] = state[c.MOST_WINDOW] = window
        state[c.RCV_EDGE] = 1 + min(s.receive_space, 65535 << s.receive_shift)
    return state
