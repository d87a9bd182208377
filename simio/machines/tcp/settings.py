"""Settings of an endpoint, and the state in which they let it begin."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any

from simio.errors import OutOfRange
from simio.machines.layout import State
from simio.machines.tcp import layout as c
from simio.machines.tcp import records
from simio.machines.tcp.congestion import CONTROLS
from simio.machines.tcp.recovery import RECOVERIES

_MS = 10**9
_SECOND = 10**12
_HOUR = 3600 * _SECOND
_MOST_RUNS = 4096
_MOST_BURSTS = 2048
_LEAST_SEGMENTS, _MOST_SEGMENTS = 40, 2**20
_MOST_ARRIVED = 2**19
_NO_LIMIT = 2**40
_LIMITS = "limits"


def _limited(default: int, least: int, most: int) -> Any:
    """A field with its default, its least and its largest value."""
    return field(default=default, metadata={_LIMITS: (least, most)})


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

    mss: int = _limited(1460, 1, 65535)
    """Bytes of data of a full segment, after all options (RFC 9293, section 3.7.1)."""
    send_space: int = _limited(16384, 1, 2**30)
    """Bytes of the send buffer (`SO_SNDBUF`)."""
    receive_space: int = _limited(16384, 1, 2**30)
    """Bytes of the receive buffer (`SO_RCVBUF`), and so the largest window offered."""
    advertised_window: int = _limited(0, 0, 2**30)
    """Largest window offered, if less than the receive buffer; 0: as the buffer allows."""
    send_shift: int = _limited(0, 0, 14)
    """Shift of the windows that arrive (RFC 7323, section 2.2)."""
    receive_shift: int = _limited(0, 0, 14)
    """Shift of the windows that this end offers."""
    timestamps: bool = False
    """True if segments carry timestamps (RFC 7323, section 3), from which each acknowledgement times a round trip."""
    time_each: bool = False
    """True if each acknowledgement times a round trip, by when its data were sent, and not one segment at a time or
    timestamps (Linux)."""
    timestamp_tick: int = _limited(500 * _MS, 10**6, _SECOND)
    """Period of the timestamp clock (RFC 7323, section 5.4: 1 ms to 1 s)."""

    nodelay: bool = False
    """`TCP_NODELAY`: small segments never wait."""
    nagle: int = _limited(NAGLE_IDLE, NAGLE_IDLE, NAGLE_SMALL)
    """The condition that a small segment waits for: `NAGLE_IDLE` or `NAGLE_SMALL`."""
    nagle_limit: int = _limited(0, 0, 65535)
    """Size from which a segment does not count as small, if less than `mss`; 0: `mss` (Solaris: `tcp_naglim_def`)."""
    half_window: bool = True
    """True if a segment may go that fills half of the peer's largest window (RFC 1122, section 4.2.3.4, Fs = 1/2)."""
    initial_window: int = _limited(0, 0, 2**30)
    """Initial congestion window; 0: one segment (RFC 1122; RFC 5681, section 3.1, allows up to 4 segments)."""
    idle_restart: bool = True
    """True if the congestion window falls back to the initial one after an idle time of one retransmission time
    (RFC 5681, section 4.1)."""
    idle_halving: bool = False
    """True if each retransmission time of that idle time halves the window, and not the first takes all of it
    (RFC 2861; Linux net/ipv4/tcp_output.c, tcp_cwnd_restart)."""
    max_cwnd: int = _limited(0, 0, 2**30)
    """Largest congestion window; 0: 65535 shifted by `send_shift` (4.4BSD)."""
    byte_counting: bool = False
    """True if the congestion window grows by bytes acknowledged (RFC 3465), not by acknowledgements
    (RFC 5681, equation 3)."""
    byte_limit: int = _limited(2, 0, 2**20)
    """Segments by which one acknowledgement opens the window in slow start at most (RFC 3465, section 2.2, L);
    0: any number (Linux net/ipv4/tcp_cong.c, tcp_slow_start, which counts segments that are acknowledged)."""
    grow_when_limited: bool = False
    """True if the window grows only while it keeps data back, or in slow start while it is less than twice what was
    outstanding (Linux include/net/tcp.h, tcp_is_cwnd_limited)."""

    congestion_control: str = "reno"
    """One of `simio.machines.tcp.congestion`."""
    recovery: str = "reno"
    """One of `simio.machines.tcp.recovery`; a `selective` one has to be given the blocks that the peer reports."""
    duplicate_threshold: int = _limited(3, 1, 1000)
    """Duplicate acknowledgements that show a loss (RFC 5681, section 3.2: 3; RFC 6675, DupThresh)."""
    limited_transmit: bool = False
    """True if new segments go out on the first duplicate acknowledgements (RFC 3042)."""

    ack_every: int = _limited(2, 0, 1000)
    """Segments after which an acknowledgement goes at once (RFC 1122, section 4.2.3.2: 2; Solaris: up to 8); 0 where
    segments are not counted and only window updates and the timer acknowledge (4.3BSD)."""
    quick_acks: int = _limited(0, 0, 1000)
    """Segments that are acknowledged each by itself when data begin to come, at first or after a retransmission time
    (Linux net/ipv4/tcp_input.c, tcp_event_data_recv: 16), but no more than fill half of the window."""
    ack_small: bool = False
    """True if every segment counts for `ack_every`, not only as many bytes as full segments have."""
    ack_part: bool = False
    """True if those bytes are already there with the first of the last segment (Linux net/ipv4/tcp_input.c,
    __tcp_ack_snd_check: more than one full segment)."""
    ack_tick: int = _limited(200 * _MS, 0, _HOUR)
    """Period of the host's timer of delayed acknowledgements (BSD's fast timer); 0: a timer for each connection."""
    ack_phase: int = _limited(0, 0, _HOUR)
    """Instant of a tick of that timer."""
    ack_delay: int = _limited(50 * _MS, 0, _HOUR)
    """Delay of an acknowledgement by the connection's own timer (Solaris: `tcp_deferred_ack_interval`)."""
    update_segments: int = _limited(2, 0, 1000)
    """Segments by which a window must grow for the reader to cause an update (4.3BSD: 2; 0: no number does) ..."""
    update_divisor: int = _limited(2, 1, 1000)
    """... or else by the receive buffer divided by this (4.3BSD: 2)."""
    silly_divisor: int = _limited(4, 1, 1000)
    """A window below the receive buffer divided by this, and below a segment, is offered as 0 (4.3BSD: 4)."""

    rto_tick: int = _limited(500 * _MS, 0, _HOUR)
    """Period of the timer that counts retransmission times (BSD's slow timer); 0: times are measured in ps."""
    rto_phase: int = _limited(0, 0, _HOUR)
    """Instant of a tick of that timer."""
    rto_min: int = _limited(_SECOND, 1, _HOUR)
    """Least retransmission time (RFC 6298, rule 2.4)."""
    rto_initial: int = _limited(6 * _SECOND, 1, _HOUR)
    """Retransmission time before a round trip has been timed (4.3BSD-Reno: 6 s; RFC 6298, rule 2.1: 1 s)."""
    rto_max: int = _limited(64 * _SECOND, 1, _HOUR)
    """Most that backing off makes of it (RFC 6298, rule 2.5; 4.3BSD: 64 s)."""
    rto_granularity: int = _limited(0, 0, _HOUR)
    """G of RFC 6298 where times are in ps: least that is added to the smoothed round trip."""
    rto_slop: int = _limited(0, 0, _HOUR)
    """Time in ps beyond the retransmission time, backed off or not (FreeBSD: 200 ms)."""
    persist_min: int = _limited(5 * _SECOND, 1, _HOUR)
    """Least interval between probes of a closed window (4.3BSD: 5 s)."""
    persist_max: int = _limited(60 * _SECOND, 1, _HOUR)
    """Most of it (4.3BSD: 60 s)."""

    pacing: bool = False
    """True if data go in bursts at a rate, by the window and the round trip (Linux with the queue discipline fq);
    controls that are `paced` are so always."""
    small_queue: int = _limited(0, 0, 2**30)
    """Most bytes that wait below the socket, of which no more than the rate of pacing asks for (Linux ip-sysctl.rst,
    tcp_limit_output_bytes); 0: any number."""
    defer: int = _limited(0, 0, 100)
    """Part of the window for which a burst waits while acknowledgements are near (Linux ip-sysctl.rst,
    tcp_tso_win_divisor: 3); 0: none does."""
    ecn: bool = False
    """True if both ends mark data as ECN-capable, and echo marks (RFC 3168)."""
    accurate: bool = False
    """True if each mark is echoed as it comes (RFC 8257), as `marked` controls need it at the other end."""
    dsack: bool = False
    """True if what arrives twice is reported (RFC 2883)."""
    ack_pushed: bool = False
    """True if half windows are pushed, and a reader that drains pushed data has them acknowledged (Linux
    net/ipv4/tcp.c, forced_push, __tcp_cleanup_rbuf)."""
    gso: int = _limited(0, 0, 65536)
    """Most bytes of data that go down as one buffer, to be cut into segments below TCP (Linux
    include/linux/netdevice.h, GSO_LEGACY_MAX_SIZE); 0: each segment goes by itself."""
    ack_reader: bool = False
    """True if a segment that narrows the window is not acknowledged at once, but by the reader once it has taken data
    (Linux net/ipv4/tcp_input.c, __tcp_ack_snd_check; net/ipv4/tcp.c, tcp_cleanup_rbuf)."""
    autotune: int = _limited(0, 0, 2**30)
    """Receive buffer up to which autotuning lets `receive_space` grow; 0: it stays."""
    tuned_by: int = _limited(0, 0, 1)
    """Rule by which it grows (tuning.READ, tuning.ARRIVED)."""

    mbuf_size: int = _limited(0, 0, 2**20)
    """Memory that a small buffer takes; 0: memory is not counted, writes are cut by `hand_over` only."""
    mbuf_data: int = _limited(0, 0, 2**20)
    """Bytes of data that a small buffer holds."""
    mbuf_first: int = _limited(0, 0, 2**20)
    """Bytes that the first one of a chain holds, which has the header of a packet."""
    cluster: int = _limited(0, 0, 2**20)
    """Bytes that a cluster holds; it takes `mbuf_size` more of memory. 0: there are none."""
    cluster_threshold: int = _limited(0, 0, 2**20)
    """A cluster is used if more than this is left of the write."""
    cluster_needs_room: bool = True
    """True if a cluster is used only if there is room for a whole one (4.3BSD-Reno, `sosend`)."""
    memory_factor: int = _limited(2, 1, 1000)
    """Memory that the send buffer may take, in multiples of `send_space` (4.3BSD-Reno, `sbreserve`: 2)."""
    hand_over: int = _limited(HAND_OVER_BUFFER, HAND_OVER_WRITE, 2**30)
    """Unit of written data that goes to TCP at once: `HAND_OVER_BUFFER`, `HAND_OVER_WRITE`, or a number of bytes."""
    low_water: int = _limited(1, 1, 2**30)
    """Room that a writer waits for, unless it wants less (`SO_SNDLOWAT`; 4.4BSD: 2048)."""

    def __post_init__(self) -> None:
        """Raise OutOfRange where a value is outside what an endpoint can do."""
        for option in fields(self):
            value = getattr(self, option.name)
            least, most = option.metadata.get(_LIMITS, (value, value))
            if not least <= value <= most:
                raise OutOfRange(f"{option.name} must be from {least} to {most}, not {value}")
        for name, strategies in (("congestion_control", CONTROLS), ("recovery", RECOVERIES)):
            if getattr(self, name) not in strategies:
                raise OutOfRange(f"{name} must be one of {', '.join(strategies)}, not {getattr(self, name)}")
        if self.mbuf_size and not (self.mbuf_data and self.mbuf_first):
            raise OutOfRange("mbuf_data and mbuf_first must not be 0 where mbuf_size is not")
        if not self.ack_tick and not self.ack_delay:
            raise OutOfRange("ack_delay must not be 0 where ack_tick is")
        if self.autotune and self.autotune < self.receive_space:
            raise OutOfRange("autotune must not be below receive_space")
        for low, high in (("rto_min", "rto_max"), ("persist_min", "persist_max")):
            if getattr(self, low) > getattr(self, high):
                raise OutOfRange(f"{low} must not be above {high}")


_NUMBERS = {option.name for option in fields(TcpSettings)} - {"congestion_control", "recovery"}
"""Settings that are numbers: as they are, where a word of the state has the same name."""


def _runs(settings: TcpSettings) -> int:
    """Records of runs of equal buffers that a full send buffer can need, as far as they are kept."""
    if not settings.mbuf_size:
        return 1
    small = min(settings.mbuf_data, settings.mbuf_first)
    return min(_MOST_RUNS, 3 * settings.send_space // small + 8)


def _bursts(settings: TcpSettings) -> int:
    """Records of bursts that are outstanding, as far as they are kept."""
    return _MOST_BURSTS if settings.time_each and not _is_noted(settings) else 0


def _is_noted(settings: TcpSettings) -> bool:
    """True if segments that are outstanding are noted, each."""
    return RECOVERIES[settings.recovery].scoreboard or CONTROLS[settings.congestion_control].sampled


def _segments(settings: TcpSettings) -> int:
    """Records of segments that are outstanding, as far as they are kept."""
    if not _is_noted(settings):
        return 0
    return min(max(settings.send_space // settings.mss + 16, _LEAST_SEGMENTS), _MOST_SEGMENTS)


def _most_arrived(settings: TcpSettings) -> int:
    """Ranges that have arrived out of order, as far as they are kept."""
    if not _is_noted(settings):
        return c.MOST_RANGES
    space = max(settings.receive_space, settings.autotune)
    return min(max(space // (2 * settings.mss), c.MOST_RANGES), _MOST_ARRIVED)


def _pacing(settings: TcpSettings) -> int:
    """The origin of the pacing rate, if it is needed."""
    if CONTROLS[settings.congestion_control].paced:
        return c.BY_CONTROL
    return c.BY_WINDOW if settings.pacing or settings.small_queue or settings.defer else 0


def initial(settings: TcpSettings, peer_space: int | None = None) -> State:
    """State of an endpoint before its connection is opened.

    With `peer_space`, the peer's receive buffer in bytes, it is established already: no segments of set-up go.
    """
    s = settings
    runs, bursts, noted, arrived = _runs(s), _bursts(s), _segments(s), _most_arrived(s)
    control = CONTROLS[s.congestion_control]
    most = s.max_cwnd or 65535 << s.send_shift
    # The plus makes a number of a flag, and leaves a number as it is, which may be traced (`simio.program.tape`).
    words = {name: +getattr(s, name) for name in c.WORDS.words.keys() & _NUMBERS}
    words |= _in_timer_units(s) | {
        "stamp_tick": s.timestamp_tick if s.timestamps else 0,
        "nagle_limit": min(s.nagle_limit or s.mss, s.mss),
        "initial_window": s.initial_window or s.mss,
        "max_cwnd": most,
        "congestion_control": control.number,
        "recovery": RECOVERIES[s.recovery].number,
        "ack_phase": s.ack_phase % s.ack_tick if s.ack_tick else 0,
        "cluster_threshold": s.cluster_threshold if s.cluster else _NO_LIMIT,
        "memory_limit": s.memory_factor * s.send_space if s.mbuf_size else _NO_LIMIT,
        "ring": c.OWN + control.words.size,
        "runs": runs,
        "arrived": c.OWN + control.words.size + 2 * runs,
        "most_arrived": arrived,
        "burst_ring": c.OWN + control.words.size + 2 * runs + 1 + 2 * arrived,
        "bursts": bursts,
        "segment_ring": c.OWN + control.words.size + 2 * runs + 1 + 2 * arrived + 2 * bursts,
        "segment_room": noted,
        "scoreboard": +RECOVERIES[s.recovery].scoreboard,
        "steered": 1 if "steer" in control.functions else 0,
        "pacing": _pacing(s),
        "paced": +(s.pacing or control.paced),
        "advertised_window": s.advertised_window or s.receive_space,
        "update_segments": s.update_segments or _NO_LIMIT,
        "cwnd": s.initial_window or s.mss,
        "ssthresh": most,
    }
    if peer_space is not None:
        words |= _established(s, min(peer_space, 65535 << s.send_shift))
    state = c.WORDS.initial(**words) + control.words.initial() + c.RUNS_OF_BUFFERS.initial(ring=[0] * (2 * runs))
    state += c.RANGES_ARRIVED.initial(**{"ranges arrived": [0] * (1 + 2 * arrived)})
    if bursts:
        state += c.BURSTS_SENT.initial(**{"burst ring": [0] * (2 * bursts)})
    if noted:
        state += c.SEGMENTS_SENT.initial(**{"segment ring": [0] * (records.WORDS * noted)})
    return state


def _in_timer_units(s: TcpSettings) -> dict[str, int]:
    """Times of the retransmission timer, in ticks where it counts these."""
    unit = s.rto_tick or 1
    times = ("persist_min", "persist_max", "rto_min", "rto_initial", "rto_max")
    return {name: max(round(getattr(s, name) / unit), 1) for name in times} | {
        "rto": max(round(s.rto_initial / unit), 1),
        "rto_phase": s.rto_phase % s.rto_tick if s.rto_tick else 0,
        "rto_granularity": s.rto_granularity // unit,
        "rto_slop": s.rto_slop // unit,
    }


def _established(s: TcpSettings, window: int) -> dict[str, int]:
    """Words that differ once both ends have sent a SYN; `window` is what the peer offers."""
    return dict.fromkeys(("una", "nxt", "max", "rcv_nxt", "last_ack"), 1) | {
        "state": c.ESTABLISHED,
        "send_window": window,
        "most_window": window,
        "rcv_edge": 1 + min(s.advertised_window or s.receive_space, 65535 << s.receive_shift),
    }
