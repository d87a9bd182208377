"""Arrivals: when requests come that do not wait for one another, in numbers a second."""

from collections.abc import Callable
from contextlib import suppress
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, PrivateAttr, model_validator

from simio import units
from simio.description.quantities import Count, Duration, Horizon, Quantity, Text, Time, Values, refusal
from simio.errors import Place, Problem, ScenarioError, quote
from simio.reading import read_file

SECOND = 10**12
MOST_BYTES = 64 * 2**20
"""Size of a file of arrivals."""
LATEST = 2**62
"""Instant in ps that is beyond every run."""

RequestRate = Annotated[Fraction | None, Quantity("request_rate", positive=True, word="none")]
"""A number of requests a second above zero, or none."""
StateRate = Annotated[Fraction, Quantity("request_rate")]
"""A number of requests a second, or zero."""
MOST_STATES = 16


class ArrivalState(Values):
    """A state of a modulated process: Poisson arrivals at a rate, for an exponential time."""

    rate: StateRate = Field(description="requests a second in this state, at random; 0 /s for none")
    stay: Duration = Field(description="mean of the exponential time in this state")


class Arrivals(Values):
    """Instants at which requests arrive, whatever becomes of those before: an open load."""

    rate: RequestRate = Field(
        None,
        description="requests a second in the mean; of several threads and devices, of all together; recorded times "
        "are stretched to it",
    )
    process: Literal["poisson", "constant"] = Field(
        "poisson", description="poisson: at random; constant: evenly apart"
    )
    burst: Horizon = Field(
        None, description="mean of the exponential time of a burst, in which all requests come, at random"
    )
    pause: Horizon = Field(None, description="mean of the exponential pause between two bursts")
    states: tuple[ArrivalState, ...] = Field(
        (), description="modulated Poisson process: its states, one after another, around and around"
    )

    times: tuple[Time, ...] | Text = Field(
        (), description="recorded instants since the run began: a list, or a file with one on each line"
    )
    unit: Literal["s", "ms", "us", "ns", "ps"] = Field("s", description="unit of the instants of a file")
    column: Annotated[Count, Field(le=100)] = Field(
        1, description="column of a file that has several, between commas"
    )
    _instants: tuple[int, ...] = PrivateAttr(default=())

    @model_validator(mode="before")
    @classmethod
    def _mapping(cls, given: object) -> object:
        """The mapping as given. Refuses a word: the name of a process or a rate, each of which has a key."""
        if not isinstance(given, str):
            return given
        words = f"rate: 1000 /s, process: {given if given == 'constant' else 'poisson'}"
        with suppress(units.UnitError):
            units.parse(given, "request_rate")
            words = f"rate: {given}"
        raise refusal(quote(given), "a mapping", f"write {{{words}}}")

    @model_validator(mode="after")
    def _one_process(self) -> Self:
        if self.times:
            self._recorded()
            return self
        if self.states:
            self._modulated()
        elif self.rate is None:
            raise refusal("no rate", "a rate such as '120 /s', states or times", field="rate")
        if (self.burst is None) != (self.pause is None):
            missing = "burst" if self.burst is None else "pause"
            raise refusal("nothing", "a time such as '100 ms', as bursts have both burst and pause", field=missing)
        if self.burst is not None and self.process == "constant":
            raise refusal("constant, with bursts", "poisson", "in bursts requests come at random", "process")
        return self

    def _modulated(self) -> None:
        given = [key for key in ("rate", "burst", "pause") if getattr(self, key) is not None]
        if given or self.process == "constant":
            raise refusal(given[0] if given else "constant, with states", "states alone", field="states")
        if not 2 <= len(self.states) <= MOST_STATES:
            raise refusal(f"{len(self.states)} states", f"from 2 to {MOST_STATES}", field="states")
        if not any(state.rate for state in self.states):
            raise refusal("states without arrivals", "a rate above 0 /s in one of them at least", field="states")

    def _recorded(self) -> None:
        given = [key for key in ("burst", "pause") if getattr(self, key) is not None] + ["states"] * bool(self.states)
        if given:
            raise refusal(f"{given[0]}, with times", "times alone, or with a rate", field="times")
        if not isinstance(self.times, str):
            if list(self.times) != sorted(self.times) or len(set(self.times)) < 2:
                raise refusal("times that do not ascend", "two instants or more in ascending order", field="times")
            self._instants = self.times

    def with_file(self, find: Callable[[str], Path]) -> Self:
        """These arrivals with the contents of the file that they name; `find` gives its path.

        Raises ScenarioError for mistakes in it.
        """
        if not isinstance(self.times, str):
            return self
        path = find(self.times)
        found = self.model_copy()
        found._instants = _read(read_file(path, what="file of arrivals", most=MOST_BYTES), str(path), self)
        return found

    @property
    def instants(self) -> tuple[int, ...]:
        """Recorded instants in ps as they were given; of another process, none."""
        return self._instants

    @property
    def recorded(self) -> tuple[list[int], int]:
        """Recorded instants in ps, stretched to the `rate` if there is one, and the period after which they come.

        The period leaves a mean gap after the last.
        """
        own = Fraction(len(self._instants) - 1, self._instants[-1] - self._instants[0]) * SECOND
        stretch = own / self.mean
        first = self._instants[0]
        times = [first + round((time - first) * stretch) for time in self._instants]
        return times, times[-1] - first + round(SECOND / self.mean)

    @property
    def modulation(self) -> tuple[tuple[Fraction, int], ...]:
        """Requests a second and mean stay in ps of each state; of a plain process none."""
        if self.burst is not None and self.pause is not None and self.rate is not None:
            return (self.rate * (self.burst + self.pause) / self.burst, self.burst), (Fraction(0), self.pause)
        return tuple((state.rate, state.stay) for state in self.states)

    @property
    def mean(self) -> Fraction:
        """Requests a second in the mean."""
        if self.rate is not None:
            return self.rate
        if self._instants:
            return Fraction(len(self._instants) - 1, self._instants[-1] - self._instants[0]) * SECOND
        return sum((rate * stay for rate, stay in self.modulation), Fraction(0)) / sum(
            stay for _, stay in self.modulation
        )


def _read(text: str, path: str, arrivals: Arrivals) -> tuple[int, ...]:
    """The instants of a file in ps; its first line may be a heading."""
    found: list[int] = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        cells = line.split(",")
        cell = cells[arrivals.column - 1].strip() if arrivals.column <= len(cells) else ""
        instant = _instant(cell, arrivals.unit)
        if instant is None:
            if not found and number == 1:
                continue
            raise _wrong(path, number, quote(cell) if cell else "nothing", "an instant such as 0.25")
        if instant >= LATEST:
            most = units.format_quantity(LATEST, "time", digits=4)
            expected = f"an instant below {most}, counted from the beginning of the run and not of an epoch"
            raise _wrong(path, number, f"{quote(cell)} {arrivals.unit}", expected)
        if found and instant < found[-1]:
            raise _wrong(path, number, quote(cell), "an instant that is not before the one above it")
        found.append(instant)
    if len(found) < 2 or found[0] == found[-1]:
        raise _wrong(path, 1, f"{len(found)} instants", "two or more that differ")
    return tuple(found)


def _instant(cell: str, unit: str) -> int | None:
    """An instant in ps, to the nearest one; None where the cell has no number of zero or more."""
    try:
        found = Decimal(cell)
    except InvalidOperation:
        return None
    return round(Fraction(found) * units.parse(f"1 {unit}", "time")) if found.is_finite() and found >= 0 else None


def _wrong(path: str, line: int, found: str, expected: str) -> ScenarioError:
    return ScenarioError(Problem("arrivals.times", found, expected, place=Place(path, line, 1)))


def check_think(arrivals: Arrivals | None, think: int) -> None:
    """Refuse a pause between requests that arrive at times of their own."""
    if arrivals and think:
        found = units.format_quantity(think, "time")
        raise refusal(f"{found}, with arrivals", "0 s", "requests that arrive wait for no other", "think")
