"""Recovery from loss: the operations that the sender calls, and the recoveries that implement them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from simio.machines.strategies import Strategies, Strategy
from simio.machines.tcp import layout as c

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Recovery(Strategy):
    """A recovery: its name in datasheets, and its functions.

    `selective`: it needs the peer's selective acknowledgements; `without_them` names the recovery of a connection
    that has none. `scoreboard`: it settles each acknowledgement on the segments that are outstanding.
    """

    def __init__(
        self,
        name: str,
        functions: Iterable[Callable[..., Any]],
        selective: bool = False,
        without_them: str = "",
        scoreboard: bool = False,
    ) -> None:
        super().__init__(name, functions)
        self.selective = selective
        self.scoreboard = scoreboard
        self.without_them = without_them or name


RECOVERIES = Strategies[Recovery]("recovery", c.RECOVERY, "tcp")
known = RECOVERIES.known


@RECOVERIES.required
def is_duplicate(state: NDArray, base: int, ack: int, length: int, offered: int) -> bool:
    """True if an acknowledgement shows that a segment has arrived while an earlier one is missing.

    Called for every acknowledgement, before `UNA` and `SEND_WINDOW` change, so that it can note what options report;
    `length` is that of the segment, `offered` its window.
    """
    raise NotImplementedError


@RECOVERIES.required
def begins(state: NDArray, base: int) -> bool:
    """True if a duplicate acknowledgement, counted in `DUPLICATES`, shows a loss."""
    raise NotImplementedError


@RECOVERIES.required
def enter(state: NDArray, base: int, now: int) -> None:
    """Set the window, with `SSTHRESH` set, and `RECOVERING` unless recovery ends with the fast retransmission."""
    raise NotImplementedError


@RECOVERIES.operation
def duplicated(state: NDArray, base: int) -> None:
    """Set the window for a further duplicate acknowledgement in recovery: by default it stays."""


@RECOVERIES.operation
def window_after(state: NDArray, base: int) -> int:
    """The window if a new acknowledgement ends recovery, or -1; by default `SSTHRESH` once `RECOVER` is reached."""
    return state[base + c.SSTHRESH] if state[base + c.UNA] >= state[base + c.RECOVER] else -1


@RECOVERIES.operation
def partial(state: NDArray, base: int, acked: int) -> bool:
    """A partial acknowledgement of `acked` bytes has arrived; whether the retransmission timer starts anew."""
    return True


@RECOVERIES.operation
def room(state: NDArray, base: int) -> int:
    """Bytes from `UNA` that the congestion window lets go in recovery."""
    return state[base + c.CWND]


@RECOVERIES.operation
def resend(state: NDArray, base: int, certain: int) -> int:
    """seq << 16 | length of the next segment to send again in recovery, or -1.

    `certain`: one that counts as lost, before new data go; else one that may be, when no new data can go. `RESEND`
    goes before either.
    """
    return -1


@RECOVERIES.operation
def take_block(state: NDArray, base: int, now: int, ack: int, word: int) -> None:
    """Take a block that a segment reports, before anything else of it; only with a scoreboard."""


@RECOVERIES.operation
def settle(state: NDArray, base: int, now: int, advanced: bool, limited: bool) -> None:
    """Settle an acknowledgement on the scoreboard, windows and timers included; only with a scoreboard.

    `advanced`: it acknowledges new data; `limited`: the window may grow.
    """


@RECOVERIES.operation
def schedule(state: NDArray, base: int, now: int) -> None:
    """New data have gone: set the timer of loss; only with a scoreboard."""


@RECOVERIES.operation
def expired(state: NDArray, base: int, now: int) -> None:
    """The timer of loss has run out; only with a scoreboard."""


@RECOVERIES.operation
def timed_out(state: NDArray, base: int, now: int) -> bool:
    """The retransmission timer has run out, and the window has been set; False: all goes again from `UNA` on."""
    return False
