"""Congestion control: the operations that the sender calls, and the controls that implement them.

The operations are those of Linux's `tcp_congestion_ops` and of ns-3's `TcpCongestionOps`. Recovery from loss is a
matter of its own (`simio.machines.tcp.recovery`): any control goes with any recovery. Windows are in bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from simio.machines.layout import Layout
from simio.machines.strategies import Strategies, Strategy
from simio.machines.tcp import layout as c

if TYPE_CHECKING:
    from numpy.typing import NDArray

RECOVERY_BEGINS = 1
"""Duplicate acknowledgements show a loss: the threshold has been set, the window has not."""
RECOVERY_ENDS = 2
"""The acknowledgement that recovery waits for has arrived."""
TIMEOUT = 3
"""The retransmission timer has run out: threshold and window have been set."""
SENDING_BEGINS = 4
"""A segment goes, and nothing is outstanding."""


class CongestionControl(Strategy):
    """A congestion control: its name in datasheets, its functions, and its own words of the state, if it has any.

    `paced`: its data always leave paced; `sampled`: it needs the delivery rate; `marked`: it needs each mark echoed.
    """

    def __init__(
        self,
        name: str,
        functions: Iterable[Callable[..., Any]],
        words: Layout | None = None,
        *,
        paced: bool = False,
        sampled: bool = False,
        marked: bool = False,
    ) -> None:
        super().__init__(name, functions)
        self.words = words or Layout(name)
        self.paced, self.sampled, self.marked = paced, sampled, marked


CONTROLS = Strategies[CongestionControl]("congestion control", c.CONGESTION_CONTROL, "tcp")
known = CONTROLS.known


@CONTROLS.required
def threshold(state: NDArray, base: int, now: int) -> int:
    """The slow start threshold after a loss (Linux `ssthresh`, ns-3 `GetSsThresh`).

    Called before the window changes: when recovery begins, and when the retransmission timer runs out.
    """
    raise NotImplementedError


@CONTROLS.required
def increase(state: NDArray, base: int, now: int, acked: int) -> int:
    """The window after an acknowledgement of `acked` bytes (Linux `cong_avoid`, ns-3 `IncreaseWindow`).

    Called outside recovery, after `UNA` and `NXT` have moved; the sender cuts the window to its largest.
    """
    raise NotImplementedError


@CONTROLS.operation
def loss_window(state: NDArray, base: int, now: int) -> int:
    """The window after a timeout: by default one segment (RFC 5681, section 3.1, LW)."""
    return state[base + c.MSS]


@CONTROLS.operation
def acknowledged(state: NDArray, base: int, now: int, acked: int, rtt: int) -> None:
    """Note an acknowledgement of `acked` bytes, in recovery, too (Linux `pkts_acked`, ns-3 `PktsAcked`).

    `rtt` is the round trip in ps that it measures, as coarse as the host's timer, or -1 where nothing was timed.
    """


@CONTROLS.operation
def happens(state: NDArray, base: int, now: int, event: int) -> None:
    """Note an event: RECOVERY_BEGINS, RECOVERY_ENDS, TIMEOUT or SENDING_BEGINS.

    Linux `set_state` and `cwnd_event`, ns-3 `CongestionStateSet` and `CwndEvent`.
    """


@CONTROLS.operation
def steer(state: NDArray, base: int, now: int) -> bool:
    """Set window and rate of pacing by the sample of an acknowledgement (Linux `cong_control`); False: it does not.

    Called where segments that are outstanding are noted, in recovery, too, after losses and the sample of the
    delivery rate are known. With True, neither recovery nor `increase` sets the window.
    """
    return False
