"""Notes on what keeps a link busy beside the data that arrive, what would be given up, and marks nobody looks at."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from simio.description.model import Part, System
from simio.limits import Cap
from simio.program.roles import IN_A_ROW, PACKETS_AGAIN, SENT_AGAIN
from simio.result.limiter import BUSY, SATURATED
from simio.result.model import Limiter, TallyValue
from simio.wording import and_others, counted

_AGAIN = (SENT_AGAIN, PACKETS_AGAIN)
RETRIES = 7
"""Retries of a queue pair at most: three bits of the request for a connection have their number (InfiniBand
Architecture Specification, volume 1, 12.6.5; Linux drivers/infiniband/core/cma.c, cma_connect_ib)."""
_MARKS = ("mark", "mark_above")


def resent(limit: Limiter, cap: Cap | None, rate: Fraction, tallies: tuple[TallyValue, ...]) -> list[str]:
    """A note where what limits has less than `BUSY` of its time for the data that arrive, and packets go again.

    The bound `cap` is the rate of data alone, so that the ratio of `rate` to it is the share of these.
    """
    again = sum(each.value for each in tallies if each.what in _AGAIN)
    if not again or cap is None or cap.name != limit.name or limit.busy < SATURATED or rate >= BUSY * cap.rate:
        return []
    share = float(rate / cap.rate)
    return [f"data that arrive take {share:.0%} of the time of {limit.name}: {counted(again, 'packet')} went again"]


def given_up(tallies: tuple[TallyValue, ...]) -> list[str]:
    """A note on queue pairs of RDMA whose timer ran out so often in a row that they would have been given up."""
    over = {each.owner: each.value for each in tallies if each.what == IN_A_ROW and each.value > RETRIES}
    if not over:
        return []
    return [
        f"{and_others(list(over))} had no answer for {max(over.values())} timeouts in a row: a queue pair retries "
        f"{RETRIES} times at most and is then in error; that its users connect anew is left out"
    ]


def unmarked(system: System) -> list[str]:
    """A note on queues that a scenario has mark packets, where no sender asks for marks (RFC 3168, section 5)."""
    found: list[tuple[str, Part[Any]]] = [(name, switch.part) for name, switch in system.switches.items()]
    found += [(link.name, link.part) for link in system.links]
    marking = [name for name, part in found if any(_given(part, key) for key in _MARKS)]
    if not marking or any(_asks(host) for host in system.hosts.values()):
        return []
    verb = "marks" if len(marking) == 1 else "mark"
    return [f"{and_others(marking)} {verb} only ECN-capable packets, and none are: set ecn, or dctcp, at both ends"]


def _given(part: Part[Any], key: str) -> bool:
    origin = part.origins.get(key)
    return origin is not None and origin.where == "scenario" and bool(getattr(part.sheet, key, None))


def _asks(host: Any) -> bool:
    """True if packets of a host can be ECN-capable: those of its stack, or of an adapter for RDMA."""
    # Only few scenarios come here.
    from simio.components.network.agreement import asks_for_marks

    stack = host.stack.sheet if host.stack else None
    return (stack is not None and asks_for_marks(stack)) or any(
        adapter.part.kind == "rdma-ethernet" for adapter in host.adapters.values()
    )
