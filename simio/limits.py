"""Limits on throughput: the service demands of the work at each station, and the rates that these allow."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, cmp_to_key
from math import lcm
from typing import NamedTuple

from simio.program.service import SECOND


class Limit(NamedTuple):
    """`name` needs `time` ps for the whole of the work.

    `kind` is 'resource', 'lock', 'window', 'resources' or 'thread'.
    """

    name: str
    kind: str
    time: Fraction


class Station(NamedTuple):
    """A resource, window or thread of `units`, and its demands: `times` in ps of the thread starts `starts`.

    Of kind 'resources' it is several resources or windows of which each piece of work takes one or another.
    Work of `early` ps may pass before it is served, such as what the tokens of a full bucket let through.
    """

    name: str
    kind: str
    starts: tuple[int, ...]
    units: int
    times: tuple[int, ...]
    early: int = 0

    @property
    def need(self) -> int:
        """Time in ps that its units have to work before the last of all its work can pass."""
        return max(sum(self.times) - self.early, 0)

    def by(self, time: int) -> int:
        """Demand in ps that can have passed within `time` ps."""
        return time * self.units + self.early


class Lone(NamedTuple):
    """Bytes that each thread start can deliver at most, and those of all starts together."""

    each: Sequence[int | Fraction]
    total: int | Fraction


@dataclass(frozen=True)
class Work:
    """Bytes to be delivered, and the demands of that at the `stations`.

    `delivered` are the bytes in all, `shares` those of each thread start, and `own` the time in ps that the threads
    of each start take by themselves, with their number.
    """

    delivered: int
    stations: tuple[Station, ...]
    shares: tuple[int, ...] = ()
    own: tuple[tuple[int, int], ...] = ()

    @cached_property
    def limits(self) -> tuple[Limit, ...]:
        """All limits, the tightest first."""
        # Whole numbers are compared faster than fractions.
        scale = lcm(*(one.units for one in self.stations))
        found = sorted(self.stations, key=lambda one: one.need * (scale // one.units), reverse=True)
        return tuple(Limit(one.name, one.kind, Fraction(one.need, one.units)) for one in found)

    @cached_property
    def _first(self) -> Limit | None:
        most, best = 0, None
        units = 1
        for station in self.stations:
            total = station.need
            if total * units > most * station.units:
                most, units, best = total, station.units, station
        return Limit(best.name, best.kind, Fraction(most, units)) if best else None

    @property
    def tightest(self) -> Limit | None:
        """The limit that needs the longest time, or None."""
        return self._first if self.delivered else None

    def rate(self, limit: Limit | None = None) -> Fraction | None:
        """Bytes a second that a limit (the tightest by default) allows, or None if nothing bounds the rate."""
        limit = limit or self.tightest
        return Fraction(self.delivered * SECOND) / limit.time if limit and limit.time else None

    def most_by(self, time: int, station: Station, lone: Lone | None = None) -> Fraction:
        """Bytes that a station lets pass within `time` ps, if the threads that need least there go first.

        Each start delivers no more than `lone` says, by default its share.
        """
        most, total = lone or (self.shares, self._all)
        found = Fraction(total - sum(most[start] for start in station.starts))
        left: int | Fraction = station.by(time)
        for start, needed in self._least_first(station):
            share, passing = self.shares[start], most[start]
            if left * share < passing * needed:
                return found + Fraction(left * share, needed)
            if share:
                found += passing
                left -= needed if passing == share else Fraction(passing * needed, share)
        return found

    def _least_first(self, station: Station) -> list[tuple[int, int]]:
        """The thread starts that need a station and their times there, the least time a byte first."""

        def compared(one: tuple[int, int], other: tuple[int, int]) -> int:
            return one[1] * max(self.shares[other[0]], 1) - other[1] * max(self.shares[one[0]], 1)

        return sorted(zip(station.starts, station.times, strict=True), key=cmp_to_key(compared))

    def lone(self, time: int) -> Lone:
        """Bytes that each thread start can deliver within `time` ps, if it had every station for itself."""
        found: list[int | Fraction] = list(self.shares)
        for station in self.stations:
            for start, needed in zip(station.starts, station.times, strict=True):
                if needed > station.by(time):
                    found[start] = min(found[start], Fraction(self.shares[start] * station.by(time), needed))
        return Lone(found, sum(found))

    def without(self, station: Station) -> int:
        """Bytes of the threads that do not need a station."""
        return self._all - sum(self.shares[start] for start in station.starts)

    def alone(self, time: int) -> Fraction:
        """Bytes that can be delivered within `time` ps, if no thread had to wait for another."""
        rows = zip(self.shares, self.own, strict=True)
        parts = (
            share * min(Fraction(time * count, own), Fraction(1)) if own else share for share, (own, count) in rows
        )
        return Fraction(sum(parts))

    @cached_property
    def _all(self) -> int:
        return sum(self.shares)


class Cap(NamedTuple):
    """The most that a run can show: `rate` in bytes a second, set by `name` (of `kind` as in `Limit`)."""

    rate: Fraction
    name: str
    kind: str


@dataclass(frozen=True)
class Bound(Work):
    """The whole `Work` of a program; of that, `sustained` is done in loops, and not once.

    `slack` are the bytes that a cut-off run may be ahead: some threads may be further than others in it.
    """

    slack: int = 0
    sustained: Work = Work(0, ())

    def allows(self, delivered: int, time: int, complete: bool) -> bool:
        """True where `delivered` bytes within `time` ps lie under the bound; a cut-off run may be `slack` ahead."""
        limit = self.tightest
        if limit is None:
            return True
        if complete:
            return delivered * limit.time <= self.delivered * time
        least = delivered - self.slack
        return all(self.without(one) >= least or self.most_by(time, one) >= least for one in self.stations)

    @property
    def whole(self) -> Cap | None:
        """The highest throughput of a run from its start to its end, or None if nothing bounds it."""
        limit, rate = self.tightest, self.rate()
        return Cap(rate, limit.name, limit.kind) if limit and rate is not None else None

    @property
    def left_out(self) -> tuple[str, ...]:
        """Resources and windows without a demand that is certain beforehand, in the order of the program."""
        return tuple(one.name for one in self.stations if one.kind in ("resource", "window") and not sum(one.times))

    def cap(self, until: int | None = None, ahead: bool = False) -> Cap | None:
        """The highest throughput that a run can show, or None if nothing bounds it.

        A station allows the rate at which the whole work passes it, or, after what is done once, that of the work
        in loops. In a run that is cut off at `until` ps those threads may be furthest that need least; `ahead` counts
        their `slack`, too.
        """
        if (until, ahead) not in self._known:
            self._known[until, ahead] = self._lowest(until, ahead) if self.tightest else None
        return self._known[until, ahead]

    @cached_property
    def _known(self) -> dict[tuple[int | None, bool], Cap | None]:
        """Answers of `cap`: a run asks for the same again."""
        return {}

    def caps(self, until: int | None = None, ahead: bool = False) -> list[Cap]:
        """The highest throughput that each station allows, the lowest first; none for what only passes it once."""
        cut = self._cut_rates(until, ahead)
        found = [Cap(max(rate, cut(one, again)), one.name, one.kind) for rate, one, again in self._rates()]
        return sorted(found, key=lambda each: each.rate)

    def _lowest(self, until: int | None, ahead: bool) -> Cap | None:
        """The first of `caps`. A cut only raises rates, so that a station whose rate is higher anyway is left out."""
        cut = self._cut_rates(until, ahead)
        least: Cap | None = None
        for rate, one, again in self._rates():
            if least and rate >= least.rate:
                continue
            rate = max(rate, cut(one, again))
            if not least or rate < least.rate:
                least = Cap(rate, one.name, one.kind)
        return least

    def _rates(self) -> Iterator[tuple[Fraction, Station, Station]]:
        """The highest throughput of a complete run by each station, with its demands in all and those in loops."""
        for one, again in zip(self.stations, self.sustained.stations, strict=True):
            if one.need and (again.need or not self.sustained.delivered):
                rate = Fraction(self.delivered * one.units * SECOND, one.need)
                if self.sustained.delivered:
                    rate = max(rate, Fraction(self.sustained.delivered * one.units * SECOND, again.need))
                yield rate, one, again

    def _cut_rates(self, until: int | None, ahead: bool) -> Callable[[Station, Station], Fraction]:
        """The highest throughput that a station allows because a run is cut off; 0 where it is not."""
        if until is None:
            return lambda one, again: Fraction(0)
        slack = self.slack if ahead else 0
        alone = self._cut(until, slack, self.sustained.alone(until), self.alone(until))
        lone = self.sustained.lone(until), self.lone(until)

        def rate(one: Station, again: Station) -> Fraction:
            if until * one.units >= one.need:
                return Fraction(0)
            if alone and one.kind == "thread":
                return alone
            most = self.sustained.most_by(until, again, lone[0]), self.most_by(until, one, lone[1])
            return self._cut(until, slack, *most)

        return rate

    def _cut(self, until: int, slack: int, looped: Fraction, whole: Fraction) -> Fraction:
        """Bytes a second until `until` ps, of which `looped` bytes of the work in loops or `whole` of all is done."""
        done = self.delivered - self.sustained.delivered + looped if self.sustained.delivered else whole
        return min(done + slack, Fraction(self.delivered)) * SECOND / until
