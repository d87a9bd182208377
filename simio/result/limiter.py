"""Find what limits a run: a resource that is always busy, a thread that does one thing at a time, or neither."""

from __future__ import annotations

from simio.result.model import Limiter, ResourceUse, TallyValue, ThreadUse

SATURATED = 0.9
"""Share of the time from which a resource or a thread counts as busy all the time."""
BUSY = 0.75
"""Share of the time from which the busiest part is named, even if a machine waited for something else."""
MOSTLY = 0.5
"""Share of the time from which a machine's waiting is named as the limit."""
SENTENCES = {
    "resource": "{} is busy {:.1%} of the time",
    "thread": "{} is busy {:.1%} of the time and does one thing at a time",
    "lock": "{} is occupied {:.1%} of the time and serves one request at a time",
}


def limiter(
    resources: tuple[ResourceUse, ...],
    threads: tuple[ThreadUse, ...],
    tallies: tuple[TallyValue, ...] = (),
    end: int = 0,
) -> Limiter:
    """The most plausible limit.

    A saturated resource limits before a saturated thread (which may only seem busy because it uses that
    resource), and a thread before a lock (whose holders may wait). If none is saturated and nothing is busy for
    `BUSY` of the time, the limit is what a machine waited for most of the `end` ps of the run, such as a window.
    Otherwise the stages run one after another, and the busiest part is named.
    """
    servers = [("resource", use.name, use.utilisation) for use in resources if not use.lock]
    own = [("thread", use.name, use.busy) for use in threads]
    locks = [("lock", use.name, use.utilisation) for use in resources if use.lock]
    for group in (servers, own, locks):
        kind, name, busy = max(group, key=lambda item: item[2], default=("none", "", 0.0))
        if busy >= SATURATED:
            return Limiter(kind, name, busy, SENTENCES[kind].format(name, busy))
    candidates = sorted(servers + own + locks, key=lambda item: -item[2])[:2]
    waiting = _wait(tallies, end)
    if waiting and waiting.busy >= MOSTLY and all(busy < BUSY for _, _, busy in candidates):
        return waiting
    if not candidates:
        return Limiter("none", "", 0.0, "nothing is busy")
    busiest = ", ".join(f"{name} {busy:.0%}" for _, name, busy in candidates)
    sentence = f"No part is saturated: the stages run one after another. Busiest: {busiest}"
    return Limiter("none", candidates[0][1], candidates[0][2], sentence)


def _wait(tallies: tuple[TallyValue, ...], end: int) -> Limiter | None:
    """The machine that waited longest in a run of `end` ps, with its main reason; None if none waited."""
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
