"""Bytes of a request, where the program shows that all of its requests have as many."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict

from simio.program.steps import NO_REGISTER, Op, Program

_Place = tuple[int, int]
"""First step, and the one behind the last, of the innermost body or region around a step."""


def request_size(program: Program) -> int | None:
    """Bytes a request: of each place that delivers a constant amount and records one time beside it, where all do.

    A time is that of a request, as `simio.result.request_rate` counts them. None if requests differ, if a place
    delivers or records without the other, or if amounts are known only when the program runs.
    """
    roles = {row: mark.role for row, mark in enumerate(program.marks)}
    if "counted" in roles.values():
        return None
    timed = {row for row, mark in enumerate(program.marks) if mark.role == "latency" and mark.unit == "ps"}
    places = _Places(program)
    amounts: dict[_Place, list[int]] = defaultdict(list)
    requests: dict[_Place, int] = defaultdict(int)
    for at, (operation, row, register, value) in enumerate(program.steps[:, :4].tolist()):
        if operation != Op.MARK:
            continue
        if row in timed:
            requests[places.of(at)] += 1
        elif roles[row] == "delivered":
            if register != NO_REGISTER:
                return None
            amounts[places.of(at)].append(value)
    sizes = {sum(found) for found in amounts.values()}
    alike = amounts.keys() == requests.keys() and set(requests.values()) == {1} and len(sizes) == 1
    return sizes.pop() if alike else None


class _Places:
    """The places of steps: those of one place run equally often, in one thread."""

    def __init__(self, program: Program) -> None:
        spans = {(start, end) for start, end, _ in program.bodies}
        spans |= {(region.start, region.end) for region in program.regions}
        # Spans are nested: the innermost around a step begins last, and of those that begin together ends first.
        self._spans = sorted(spans, key=lambda span: (span[0], -span[1]))
        self._starts = [start for start, _ in self._spans]
        self._around: list[int] = []
        open_: list[int] = []
        for number, (start, _) in enumerate(self._spans):
            while open_ and self._spans[open_[-1]][1] <= start:
                open_.pop()
            self._around.append(open_[-1] if open_ else -1)
            open_.append(number)

    def of(self, at: int) -> _Place:
        """The innermost span around a step."""
        number = bisect_right(self._starts, at) - 1
        while self._spans[number][1] <= at:
            number = self._around[number]
        return self._spans[number]
