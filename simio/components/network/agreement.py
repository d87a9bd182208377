"""The agreement of the two ends of a TCP connection, and the settings of each end that follow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Protocol

from simio.components.network.stack import IP_HEADER, TCP_HEADER, TIMESTAMPS
from simio.description.sheets.stacks import TcpIpStack
from simio.errors import RunError
from simio.machines.tcp import tuning
from simio.machines.tcp.congestion import CONTROLS
from simio.machines.tcp.recovery import RECOVERIES
from simio.machines.tcp.settings import HAND_OVER_BUFFER, HAND_OVER_WRITE, NAGLE_IDLE, NAGLE_SMALL, TcpSettings
from simio.units import format_quantity

MOST_UNSCALED = 65535
"""Largest window without scaling, in bytes (RFC 9293, section 3.1: 16 bits)."""
MOST_SHIFT = 14
"""Largest shift of a window (RFC 7323, section 2.3)."""
_OWN = TcpIpStack.model_fields.keys() & {option.name for option in fields(TcpSettings)}
"""Options of an endpoint that the datasheet of a stack has under the same name."""


def asks_for_marks(sheet: TcpIpStack) -> bool:
    """True if a stack asks for marks of congestion: as it is told, or as its congestion control works by them."""
    return sheet.ecn or CONTROLS[sheet.congestion_control].marked


class SocketOptions(Protocol):
    """Between which hosts a TCP connection is, and with which sockets at both ends."""

    @property
    def from_(self) -> str:
        """Host that connects."""

    @property
    def to(self) -> str:
        """Host that listens."""

    @property
    def window(self) -> int | None:
        """Socket buffers in bytes; None: those of the stacks."""

    @property
    def nodelay(self) -> bool:
        """True if TCP_NODELAY is set."""


@dataclass(frozen=True)
class Dialogue:
    """`SocketOptions` of a connection that a workload has beside its own, or between other hosts."""

    from_: str
    to: str
    window: int | None
    nodelay: bool


def agreed(sheets: Sequence[TcpIpStack], mtu: int, params: SocketOptions) -> list[TcpSettings]:
    """The settings of both ends over a path of this MTU; `params.window` replaces the stacks' socket buffers.

    Options are used where both ends offer them. Raises RunError for socket buffers that a stack does not give, and
    for an MTU that leaves TCP no room.
    """
    spaces = [_spaces(sheet, params) for sheet in sheets]
    extended = all(
        sheet.rfc1323 == "always" or (sheet.rfc1323 == "large" and max(space) > MOST_UNSCALED)
        for sheet, space in zip(sheets, spaces, strict=True)
    )
    selective = all(RECOVERIES[sheet.recovery].selective for sheet in sheets)
    marked = all(map(asks_for_marks, sheets))
    mss = min(_mss(sheet, mtu, extended) for sheet in sheets)
    spaces = [_whole(sheet, space, mss) for sheet, space in zip(sheets, spaces, strict=True)]
    shifts = [
        _shift(_largest(sheet, receive, params)) if extended else 0
        for sheet, (_, receive) in zip(sheets, spaces, strict=True)
    ]
    return [
        replace(
            _settings(sheet, space, mss, extended, selective, shifts[1 - end], shifts[end], params.nodelay),
            ecn=marked,
            autotune=_autotune(sheet, params),
        )
        for end, (sheet, space) in enumerate(zip(sheets, spaces, strict=True))
    ]


def _spaces(sheet: TcpIpStack, params: SocketOptions) -> tuple[int, int]:
    """Send and receive space of a socket."""
    if params.window is None:
        return sheet.send_space, sheet.receive_space
    if params.window > sheet.max_space:
        window, most = (format_quantity(size, "size") for size in (params.window, sheet.max_space))
        raise RunError(f"a window of {window} is more than a stack gives a socket: max_space is {most}", at=".window")
    return params.window, params.window


def _whole(sheet: TcpIpStack, spaces: tuple[int, int], mss: int) -> tuple[int, int]:
    """Socket buffers of whole segments, where the stack rounds them up."""
    if not sheet.whole_segments:
        return spaces
    send, receive = (-(-space // mss) * mss for space in spaces)
    return send, receive


def _mss(sheet: TcpIpStack, mtu: int, timestamps: bool) -> int:
    """Data of a full segment (RFC 9293, section 3.7.1), rounded down as 4.3BSD does to whole clusters."""
    mss = mtu - IP_HEADER - TCP_HEADER - (TIMESTAMPS if timestamps else 0)
    if mss < 1:
        raise RunError(f"a path that takes datagrams of {mtu} bytes is too narrow for TCP")
    if sheet.mss_multiple and mss > sheet.mss_multiple:
        mss -= mss % sheet.mss_multiple
    return mss


def _autotune(sheet: TcpIpStack, params: SocketOptions) -> int:
    """Receive buffer that autotuning reaches; a program that sets the buffer turns it off."""
    return (sheet.autotune or 0) if params.window is None else 0


def _largest(sheet: TcpIpStack, receive: int, params: SocketOptions) -> int:
    """The largest window that a stack with such a receive buffer offers."""
    space = _autotune(sheet, params) or receive
    return min(sheet.advertised_window or space, space)


def _shift(space: int) -> int:
    """The least shift with which a window of the whole buffer can be offered (RFC 7323, section 2.3)."""
    return min(((space - 1) // MOST_UNSCALED).bit_length(), MOST_SHIFT)


def _ack_every(sheet: TcpIpStack, receive: int, mss: int) -> int:
    """Segments that are acknowledged at once: no more than half of the receive buffer, if the stack sees to that."""
    return min(sheet.ack_every, max(receive // (2 * mss), 1)) if sheet.ack_half else sheet.ack_every


def _settings(
    sheet: TcpIpStack,
    spaces: tuple[int, int],
    mss: int,
    timestamps: bool,
    selective: bool,
    send_shift: int,
    receive_shift: int,
    nodelay: bool,
) -> TcpSettings:
    """Settings of one end: those of the stack's datasheet, under the same names, and derived or negotiated ones."""
    ticking = sheet.delayed_ack_clock == "tick"
    values = {name: getattr(sheet, name) for name in _OWN} | {
        "mss": mss,
        "send_space": spaces[0],
        "receive_space": spaces[1],
        "send_shift": send_shift,
        "receive_shift": receive_shift,
        "timestamps": timestamps,
        "nodelay": nodelay,
        "initial_window": sheet.initial_window * mss,
        "idle_restart": sheet.restart,
        "nagle": NAGLE_SMALL if sheet.nagle == "small" else NAGLE_IDLE,
        "max_cwnd": sheet.max_cwnd or 0,
        "advertised_window": min(sheet.advertised_window or spaces[1], spaces[1]),
        "small_queue": sheet.small_queue or 0,
        "autotune": 0,
        "tuned_by": tuning.ARRIVED if sheet.autotune_by == "arrival" else tuning.READ,
        "gso": 0,
        "accurate": CONTROLS[sheet.congestion_control].marked,
        "recovery": sheet.recovery if selective else RECOVERIES[sheet.recovery].without_them,
        "ack_every": _ack_every(sheet, spaces[1], mss),
        "ack_tick": sheet.delayed_ack if ticking else 0,
        "hand_over": HAND_OVER_BUFFER if sheet.hand_over == "buffer" else HAND_OVER_WRITE,
    }
    if not ticking:
        values["ack_delay"] = sheet.delayed_ack
    return TcpSettings(**values)


def options(settings: TcpSettings) -> dict[str, int]:
    """Options of an endpoint's segments, for packet traces (RFC 9293, 7323, 2018).

    The size in the MSS option leaves out all options (RFC 6691, section 2).
    """
    if not settings.timestamps:
        agreed = {"mss": settings.mss}
    else:
        agreed = {"mss": settings.mss + TIMESTAMPS, "timestamps": 1, "shift": settings.receive_shift}
    return agreed | ({"sack": 1} if RECOVERIES[settings.recovery].selective else {})
