"""What limits a run: a resource that is always busy, a thread that does one thing at a time, or neither."""

from __future__ import annotations

from simio.result.model import Limiter, ResourceUse, TallyValue, ThreadUse

SATURATED = 0.9
"""A share of the time from which a resource or a thread counts as busy all along."""
BUSY = 0.75
"""A share of the time from which what is busiest is told, and not what others wait for meanwhile."""
MOSTLY = 0.5
"""A share of the time from which waiting is told as the reason."""


def limiter(
    resources: tuple[ResourceUse, ...],
    threads: tuple[ThreadUse, ...],
    tallies: tuple[TallyValue, ...] = (),
    end: int = 0,
) -> Limiter:
    """The most plausible limit.

    A saturated resource limits before a saturated thread (which may only seem busy because it uses that
    resource), and a thread before a lock (which others hold while they wait). Without any of them, what a machine
    waited for most of the `end` ps of the run is named (a window, say), if nothing is busy for three quarters; else
    the work is done by turns, each waiting for another, and the busiest is named.
    """
    servers = [("resource", use.name, use.utilisation) for use in resources if not use.lock]
    own = [("thread", use.name, use.busy) for use in threads]
    locks = [("lock", use.name, use.utilisation) for use in resources if use.lock]
    for group in (servers, own, locks):
        kind, name, busy = max(group, key=lambda item: item[2], default=("none", "", 0.0))
        if busy >= SATURATED:
            return Limiter(kind, name, busy, _sentence(kind, name, busy))
    candidates = sorted(servers + own + locks, key=lambda item: -item[2])[:2]
    waiting = _wait(tallies, end)
    if waiting and waiting.busy >= MOSTLY and all(busy < BUSY for _, _, busy in candidates):
        return waiting
    if not candidates:
        return Limiter("none", "", 0.0, "nothing is busy")
    told = ", then ".join(f"{name} ({busy:.0%})" for _, name, busy in candidates)
    return Limiter(
        "none",
        candidates[0][1],
        candidates[0][2],
        f"nothing is busy all the time: stages take turns; busiest {told}",
    )


def _wait(tallies: tuple[TallyValue, ...], end: int) -> Limiter | None:
    """Who waited longest in a run of `end` ps, all that it waited for together, and what for mostly."""
    waits: dict[str, list[TallyValue]] = {}
    for tally in tallies:
        if tally.unit == "ps":
            waits.setdefault(tally.owner, []).append(tally)
    if not waits or not end:
        return None
    owner = max(waits, key=lambda name: sum(tally.value for tally in waits[name]))
    share = sum(tally.value for tally in waits[owner]) / end
    what = max(waits[owner], key=lambda tally: tally.value).what
    return Limiter("wait", owner, share, f"{owner} waits {share:.1%} of the time, mostly for {what}")


def _sentence(kind: str, name: str, busy: float) -> str:
    if kind == "resource":
        return f"{name} is busy {busy:.1%} of the time"
    if kind == "thread":
        return f"{name} does one thing at a time, {busy:.1%} of the time"
    return f"{name} is taken {busy:.1%} of the time, by one request after another"
